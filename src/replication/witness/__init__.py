"""Data sets that agree with what a paper prints about data it does not ship.

=======================  ====================================================================
`one_factor`             the reference: one latent Gaussian factor behind all models
`projection`             nearest table in relative entropy, real and in whole items
`tilt`                   smallest change that meets printed medians and extremes
`cluster_gaps`           one pair's gaps in each cluster, fitted
`gap_misfit`             what is printed of a pair's clusters, and how far gaps are from it
`whole_gaps`             gaps in whole items, and the b and c of each cluster
`chain`                  items of models in a chain with exact counts a cluster
`infeasible`             smallest infeasible subset, minimum correction
`realism`                a witness against real items
=======================  ====================================================================

A witness shows that the printed numbers can hold together; it is not the data.
"""

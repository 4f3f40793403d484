"""Data sets that agree with what a paper prints about data it does not ship.

=======================  ====================================================================
`constraints`            every printed number with its role: input, target or held out
`one_factor`             the reference: one latent Gaussian factor behind all models
`projection`             nearest table in relative entropy, real and in whole items
`tilt`                   smallest change that meets printed medians and extremes
`oll_v1`                 the Open LLM Leaderboard v1 panel: builds what the rest of it says
`oll_v1_board`           its tasks, its models, and who solves how many items
`oll_v1_contradictions`  which of its printed numbers cannot hold together
`oll_v1_summaries`       what is printed of many of its pairs at once
`cluster_gaps`           one pair's gaps in each cluster, fitted
`gap_misfit`             what is printed of a pair's clusters, and how far gaps are from it
`whole_gaps`             gaps in whole items, and the b and c of each cluster
`chain`                  items of models in a chain with exact counts a cluster
`mmlu_pro`               the MMLU-Pro top ten
`frontier`               the frontier panel
`infeasible`             smallest infeasible subset, minimum correction
`realism`                a witness against real items
=======================  ====================================================================

A witness shows that the printed numbers can hold together; it is not the data.
"""

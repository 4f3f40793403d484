"""Data sets that agree with what a paper prints about data it does not ship.

======================  ====================================================================
`constraints`           every printed number with its role: input, target or held out
`one_factor`            the reference: one latent Gaussian factor behind all models
`projection`            nearest table in relative entropy, real and in whole items
`tilt`                  smallest change that meets printed medians and extremes
`oll_v1`                the Open LLM Leaderboard v1 panel
`infeasible`            smallest infeasible subset, minimum correction
`roles`                 what was put in, what came out
======================  ====================================================================

A witness shows that the printed numbers can hold together; it is not the data.
"""

"""Every pair of a board: counted at once, resolved, and judged as a family.

======================  ====================================================================
`ranking`               from scores as read to the ranked models of a board
`families`              which pairs are compared
`counts`                the 2 x 2 tables of all pairs by matrix products
`verdicts`              the verdict table, stage by stage
`cluster_robustness`    leave one cluster out, category bootstrap, other clusters
`summary`               the verdict table in a few rows
======================  ====================================================================
"""

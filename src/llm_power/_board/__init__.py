"""Every pair of a board: counted at once, resolved, and judged as a family.

======================  ====================================================================
`operating_point`       what is declared: level, power, test, and which pairs are compared
`counts`                the 2 x 2 tables of all pairs by matrix products
`pair_items`            the items of a pair, 0/1 or graded: its statistics, tests and verdicts
`resolution`            required items, adjusted p-values and the e-process of the paper
`clusters`              sums within clusters of items, design effect, cluster-adjusted verdict
`decision`              the verdict: different, equivalent or undetermined
`average`               the verdict on the average over several tasks
`columns`               these stages side by side: the verdict table
`resolve`               all of it in one call
`landscape`             what all pairs show together, without holding them
`summary`               the verdict table in a few rows
`page_data`             what the page of a board is drawn from
======================  ====================================================================
"""

"""Power by simulation, for any process that outcomes come from, any effect and any test.

======================  ====================================================================
`outcomes`              counts of the outcomes of each trial
`processes`             distributions of the outcomes of two models on one item: `PROCESSES`
`effects`               how much better one model is: `EFFECTS`
`hypothesis_tests`      whether a test rejects: `TESTS`
`engine`                power, its curves, the smallest detectable gap, observed power
`tasks`                 common designs in one call, and a report that draws itself
======================  ====================================================================
"""

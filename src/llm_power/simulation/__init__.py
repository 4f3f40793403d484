"""Power by simulation, for any process that outcomes come from, any effect and any test.

======================  ====================================================================
`outcomes`              what trials came to: counts of outcomes
`processes`             what outcomes of two models on one item come from
`scores_as_population`  the same, resampled from scores or predictions at hand
`effects`               how much better one model did
`hypothesis_tests`      whether a test rejects
`engine`                power, its curves, the smallest gap that is detected, observed power
`tasks`                 common designs in one call, and a report that draws itself
======================  ====================================================================

Processes, effects and tests go by the names of the groups ``llm_power.processes``,
``llm_power.effects`` and ``llm_power.tests`` (see `llm_power.plugins`).
"""

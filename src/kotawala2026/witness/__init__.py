"""Data sets that agree with what the paper prints about data it does not ship.

=======================  ====================================================================
`oll_v1`                 builds the witness of the Open LLM Leaderboard v1
`oll_v1_board`           its tasks, its models, and how many items each model solves
`oll_v1_contradictions`  its printed numbers that contradict each other
`oll_v1_summaries`       its printed percentiles over many pairs
`mmlu_pro`               builds the witness of the MMLU-Pro top ten
`frontier`               builds the witness of the frontier panel
=======================  ====================================================================
"""

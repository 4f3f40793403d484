"""Data sets that agree with what the paper prints about data it does not ship.

=======================  ====================================================================
`oll_v1`                 the Open LLM Leaderboard v1 panel: builds what the rest of it says
`oll_v1_board`           its tasks, its models, and who solves how many items
`oll_v1_contradictions`  which of its printed numbers cannot hold together
`oll_v1_summaries`       what is printed of many of its pairs at once
`oll_v1_values`          every printed quantity, evaluated on the verdict table
`mmlu_pro`               the MMLU-Pro top ten; `mmlu_pro_values` evaluates it
`frontier`               the frontier panel
=======================  ====================================================================
"""

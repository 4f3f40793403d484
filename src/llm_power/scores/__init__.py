"""Per-item scores: one canonical form, the readers that make it, and the checks they share.

=================  =========================================================================
`store`            `TaskScores`, the checks every task passes, canonical Parquet in and out
`selection`        ranking and selecting models, and what to do about missing scores
`options`          what a user declares about a file: the one argument of every reader
`wide`, `long`     tables: Parquet, CSV or JSON Lines
`mmlu_pro_zip`     the output zips published by the authors of MMLU-Pro
`lm_eval`          samples of lm-evaluation-harness, and details of the Open LLM Leaderboard v2
`details_v1`       details of the Open LLM Leaderboard v1
`inspect_log`      logs of Inspect AI
`helm`             per-instance statistics of HELM
`swe_bench`        which instances of SWE-bench were resolved
`readers`          the readers by name, and the one that recognizes a file
=================  =========================================================================
"""

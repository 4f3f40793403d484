"""The words a user may choose among, without loading what they choose."""

from __future__ import annotations

from typing import Final, Literal, get_args

# 0 or 1, in [0, 1], or whatever a unit measures: costs, tokens, seconds. Scores of two kinds
# together are of the later one.
Kind = Literal["binary", "graded", "real"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

Family = Literal["adjacent", "all"]
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)

# What is controlled over all pairs: any error, by max-T, or the false discovery rate, by
# Benjamini-Hochberg or, whatever the dependence, by Benjamini-Yekutieli.
Control = Literal["max-t", "fdr", "fdr-by"]
CONTROLS: Final[tuple[Control, ...]] = get_args(Control)

# "weighted" keeps what "pairwise" keeps, and weights it by cluster.
MissingPolicy = Literal["error", "pairwise", "drop_items", "weighted"]
MISSING_POLICIES: Final[tuple[MissingPolicy, ...]] = get_args(MissingPolicy)

# Of a pilot, in which the items that a pair shares are those of both policies.
PilotMissing = Literal["error", "pairwise"]
PILOT_MISSING: Final[tuple[PilotMissing, ...]] = get_args(PilotMissing)

# "asymptotic" is the score test.
McNemarTest = Literal["exact", "mid_p", "asymptotic"]
MCNEMAR_TESTS: Final[tuple[McNemarTest, ...]] = get_args(McNemarTest)

# Every test that a verdict can rest on, in words.
TEST_NAMES: Final = {
    "exact": "exact McNemar test",
    "mid_p": "mid-p McNemar test",
    "asymptotic": "McNemar's score test",
    "student": "paired t test",
    "stratified": "test stratified by task",
    "weighted": "test weighted by cluster",
    "cluster": "CR2 by clusters and the items' own test, the larger p",
    "cluster_wild": "wild cluster bootstrap and the items' own test, the larger p",
    "cluster_sign_flip": "sign flips of clusters and the items' own test, the larger p",
}

# Whether the clusters at hand are a sample of clusters, or all there are.
ClusterSampling = Literal["random", "fixed"]
CLUSTER_SAMPLINGS: Final[tuple[ClusterSampling, ...]] = get_args(ClusterSampling)

# How clusters that are a sample are tested: by a t test, or by resampling of whole clusters.
ClusterTest = Literal["cr2", "wild", "sign-flip"]
CLUSTER_TESTS: Final[tuple[ClusterTest, ...]] = get_args(ClusterTest)

# How much each task counts in their average, if no numbers are given.
Weighting = Literal["equal", "items"]
WEIGHTINGS: Final[tuple[Weighting, ...]] = get_args(Weighting)

# In a table whose other mark separates thousands.
DecimalMark = Literal[".", ","]
DECIMAL_MARKS: Final[tuple[DecimalMark, ...]] = get_args(DecimalMark)

AnswerKey = Literal["shared", "own"]
ANSWER_KEYS: Final[tuple[AnswerKey, ...]] = get_args(AnswerKey)

# How an answer is printed.
Format = Literal["table", "json", "markdown"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

# Formats of a picture.
Picture = Literal["pdf", "png", "svg"]
PICTURE_FORMATS: Final[tuple[Picture, ...]] = get_args(Picture)

# What makes items of two logs the same.
Match = Literal["id", "content"]
MATCHES: Final[tuple[Match, ...]] = get_args(Match)

# What becomes of a candidate; the codes of `llm-power compare` count from here.
Outcome = Literal["worse", "undetermined", "non_inferior", "equivalent", "better"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)

# Whether the tasks of a group are one task, and stand for themselves as well.
Pool = Literal["no", "groups", "both"]
POOLS: Final[tuple[Pool, ...]] = get_args(Pool)

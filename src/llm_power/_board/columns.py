"""The verdict table, one row a pair, and the data dictionary of a board's files.

Each stage takes the counts of the pairs and adds its own columns: resolution, multiplicity and
sequential (all of `resolution`), clusters, decision. `llm_power._board.resolve` runs them in a row;
the workflow makes by itself a stage that an exhibit shows.

What to act on is ``verdict``, of the stage `decision`. ``resolved``, ``n_star`` and ``q`` are the
paper's: `resolved` means q >= 1, that the items at hand reach the target power at the observed gap.
At level .05 and power .80 that is p <= .0051 of a z test: many pairs that are different by their
test are not resolved, and five discordant items all one way are resolved at an exact p of .0625.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from llm_power._board.decision import DECISION_COLUMNS
from llm_power._board.resolution import PAIR_KEY, PAIR_NAMES, RESOLUTION_COLUMNS
from llm_power._errors import InvalidArgument

# By subject; the order is that of the files.
PAIR_GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "The pair": {
        **PAIR_NAMES,
        "n_items": "items that both were scored on",
        "n11": "items that both solve; null for graded scores",
        "b": "items that only A solves",
        "c": "items that only B solves",
        "n00": "items that neither solves",
        "p_a": "score of A on these items",
        "p_b": "score of B on these items",
        "delta": "p_a - p_b, in score units; p_b - p_a of scores of which lower is better",
    },
    "The verdict": DECISION_COLUMNS,
    "The paper's definitions": {
        **RESOLUTION_COLUMNS,
        "p_holm": "p_exact adjusted by Holm",
        "p_bh": "p_exact adjusted by Benjamini and Hochberg",
        "n_star_bonferroni": "N* at the level over the number of pairs",
        "n_star_holm": "N* at which Holm's test has the target power",
        "n_star_bh": "N* at which Benjamini and Hochberg's has",
    },
    "Clusters": {
        "icc": "intraclass correlation of the differences",
        "design_effect": "1 + (mean cluster size - 1) icc",
        "n_star_cluster": "N* times the design effect",
        "q_cluster": "N over n_star_cluster",
        "icc_low": "lower end of the 90 % interval of the ICC, taken at 91 % for skewed clusters",
        "icc_high": "upper end of that interval",
        "design_effect_kish": "design effect at the actual cluster sizes",
        "n_star_these_clusters": "items these clusters need, by both tests; inf if none suffices",
        "p_cluster": "p-value of a zero gap by CR2's t test, if clusters are the sample",
        "items_per_cluster": "n_star_these_clusters over the clusters",
        "n_clusters_needed": "clusters needed by both tests, of the size at hand",
        "resolved_cluster": "whether q_cluster >= 1",
    },
    "Monitoring, as in the paper": {
        "log_e": "log of the e-value, by the 98-point mixture",
        "crossed": "whether it has reached log(1/alpha)",
        "n_star_anytime": "required items of the boundary at today's discordant items",
        "resolved_anytime": "whether N/n_star_anytime >= 1",
    },
}

PAIR_COLUMNS: Final[Mapping[str, str]] = {
    name: text for group in PAIR_GROUPS.values() for name, text in group.items()
}

# Of these a dataset of all pairs has those that take microseconds.
CORE_COLUMNS: Final = (
    *PAIR_GROUPS["The pair"],
    *("verdict", "direction", "test", "p_single", "p_family", "family_size", "close_call"),
    *("gap", "gap_low", "gap_high"),
    *("attainable", "p_equivalence", "within_margin", "items_needed"),
    *("more_items_needed", "decided_as", "rho", "var_d", "n_star", "q", "mde", "resolved"),
    *("p_chi2", "p_exact", "log_p_exact", "p_holm", "p_bh", "icc", "design_effect"),
    *("n_star_cluster", "q_cluster", "resolved_cluster", "p_cluster", "log_e", "crossed"),
)

RANK_COLUMNS: Final[Mapping[str, str]] = {
    "task": "task",
    "model": "name of the model",
    "rank": "rank by score, equal ones by a digest of the answers",
    "score": "mean score over the model's own items",
    "score_low": "lower end of the score's interval for further items, of this model alone: "
    "Wilson's, Student's for graded scores; of the average, stratified by task; of clusters that "
    "are a sample, no narrower than that of CR2",
    "score_high": "upper end of that interval",
    "n_missing": "items without a score of the model",
    "p_missing": "p-value of the association between missing scores and difficulty",
    "rank_low": "best rank consistent with the data; the sets of a task hold simultaneously",
    "rank_high": "worst such rank",
    "first": "whether the model is verified to be first: the declared test rejects in its favor "
    "against each rival at the level of a single pair",
    "p_first": "of the model with the best score: its largest p-value against a rival, without "
    "adjustment; 1 if missing scores leave the sign of a gap open",
    "score_further": "of the first of three models or more: expected score of a leader on items "
    "that did not select it",
    "lead_further": "its expected lead there over the second",
}


# What the files for readers show of the verdict table.
PAIRS_COLUMNS: Final = [*PAIR_COLUMNS]


def verdict_table(pairs: pd.DataFrame, *stages: pd.DataFrame) -> pd.DataFrame:
    """Join the counts and all stages of the same pairs into one table."""
    for stage in stages:
        if not stage[PAIR_KEY].equals(pairs[PAIR_KEY]):
            raise InvalidArgument("the stages of a verdict table must be about the same pairs")
    return pd.concat([pairs, *(stage.drop(columns=PAIR_KEY) for stage in stages)], axis=1)

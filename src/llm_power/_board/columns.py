"""The data dictionary: every column of a board's pairs and ranks, in the words of its metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# By subject; the order is that of the files.
PAIR_GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "The pair": {
        "task": "task",
        "rank_a": "rank of A, the model ranked better",
        "rank_b": "rank of B",
        "model_a": "name of A",
        "model_b": "name of B",
        "n_items": "items that both were scored on",
        "n11": "items that both solve; null for graded scores",
        "b": "items that only A solves",
        "c": "items that only B solves",
        "n00": "items that neither solves",
        "p_a": "score of A on these items",
        "p_b": "score of B on these items",
        "delta": "p_a - p_b, in score units; p_b - p_a of scores of which lower is better",
    },
    "The verdict": {
        "verdict": "different, equivalent or undetermined: what to act on",
        "direction": "1 where the better ranked model is different and leads, -1 where the other "
        "does, else 0",
        "test": "declared test: exact, mid_p or asymptotic (McNemar), student, or cluster",
        "p_single": "p-value of the declared test, for a pair named beforehand",
        "p_family": "p-value that decides, adjusted for the pairs of the family by max-T, or "
        "as --family says; p_single of a pair by itself",
        "family_size": "pairs of the family: those compared, of all models and tasks",
        "close_call": "whether p_single lies within the Monte Carlo error of the level that "
        "decides, so that other draws could give another verdict",
        "gap": "gap of the verdict: delta, or the weighted gap with --missing weighted",
        "gap_low": "lower end of the simultaneous interval of the gap, for all pairs of the "
        "family: it holds 0 exactly if the pair is not different. Tango's score interval adapted "
        "to the declared test, Student's for graded scores; if clusters are the sample, the hull "
        "of this interval and the cluster-robust one",
        "gap_high": "upper end of that interval",
        "gap_low_single": "lower end of the interval of a pair named beforehand",
        "gap_high_single": "upper end of that interval",
        "attainable": "whether any outcome on this many discordant items can be different",
        "p_equivalence": "larger p-value of two one-sided tests against the declared margin",
        "within_margin": "whether these tests reject, so that the interval lies within the margin",
        "items_needed": "items at hand and more_items_needed",
        "more_items_needed": "further items after which all items of the pair decide it with a "
        "chance of the target power, averaged over the uncertainty of the gap; 0 if it is "
        "decided, inf if a thousand times the items at hand do not give that chance",
        "items_even": "items of a new run that decides the pair, in the direction of its gap, with "
        "a chance of one half, given the gap and how large the gaps of all models are",
        "items_assured": "the same with a chance of the target power; inf if a thousand times the "
        "items at hand do not give it",
        "smallest_gap": "detectable gap of the items at hand at the target power and the level "
        "that decides; inf if scores have no gap as large",
        "decided_as": "verdict of these items",
        "chance_of_turning": "chance that a new sample of the same size changes the verdict; about "
        "one half at the level itself",
        "n_star_low": "N* at the end of the single pair's interval that is farther from zero",
        "n_star_high": "N* at the other end; inf if the interval holds zero",
        "q_low": "q at n_star_high",
        "q_high": "q at n_star_low",
        "n_connor": "required items of the asymptotic test with its two variances (Connor); within "
        "3 per cent also of the mid-p test, if each model solves items that the other fails",
        "n_exact": "required items of the exact test by the continuity correction, within 3 per "
        "cent",
        "type_s": "chance that a significant gap has the wrong sign, if the observed one were true",
        "type_m": "mean factor by which a significant gap then exaggerates",
        "gap_lowest": "smallest gap over all items that the missing scores admit",
        "gap_highest": "largest such gap",
        "n_star_monitored": "with --monitored: items that give continuous monitoring the target "
        "power, by the Beta(4, 4) mixture",
        "items_monitored": "mean number of items at its end",
        "items_monitored_90": "items by which nine of ten runs have crossed",
    },
    "The paper's definitions": {
        "rho": "correlation of the two models' scores",
        "var_d": "variance of an item's difference, eq. (5)",
        "n_star": "required items N* at the observed gap, eq. (6)",
        "q": "resolution ratio N/N*",
        "mde": "smallest gap with the target power at the items at hand",
        "resolved": "whether q >= 1: the items at hand reach the target power at the observed gap",
        "n_h": "shortcut (1 - rho)(z + z)^2/h^2, eq. (9)",
        "n_miller": "N* with the covariance set to zero",
        "p_chi2": "McNemar's test, asymptotic; not adjusted, like the next three",
        "p_exact": "McNemar's test, exact",
        "log_p_exact": "natural logarithm of p_exact, also below the smallest float",
        "p_midp": "McNemar's test, mid-p",
        "p_cc": "McNemar's test, continuity-corrected",
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
        "n_star_these_clusters": "items that these clusters would need; inf if no number suffices",
        "p_cluster": "p-value of a zero gap by CR2's t test, if clusters are the sample",
        "items_per_cluster": "n_star_these_clusters over the clusters",
        "n_clusters_needed": "clusters needed, of the size at hand",
        "resolved_cluster": "whether q_cluster >= 1",
    },
    "Monitoring, as in the paper": {
        "log_e": "log of the e-value, by the 98-point mixture",
        "crossed": "whether it has reached log(1/alpha)",
        "n_star_anytime": "required items of the boundary at today's discordant items",
        "resolved_anytime": "whether N/n_star_anytime >= 1",
    },
}

REPEAT_COLUMNS: Final[Mapping[str, str]] = {
    "task": "task",
    "rank_a": "rank of A, the model ranked better",
    "rank_b": "rank of B",
    "model_a": "name of A",
    "model_b": "name of B",
    "verdict": "that of pairs.csv",
    "n_items": "items that both were scored on",
    "delta": "mean difference of the items' means, in score units",
    "repeats": "answers of a model per item at hand; their harmonic mean if they differ",
    "between": "variance of the difference between items; unbiased, so sometimes negative",
    "within_a": "variance of A's answers within an item",
    "within_b": "variance of B's",
    "n_star_repeats": "N* at the repeats at hand, eq. (9) of Miller; a negative variance counts "
    "as 0",
    "n_star_one": "N* at one answer per item",
    "n_star_limit": "N* with ever more repeats: fewer items never suffice",
    "repeats_needed": "answers per item at which the items at hand suffice; inf if no number does",
    "answers_by_items": "further answers of both models, if items are added at the repeats at hand",
    "answers_by_repeats": "further answers of both models, if repeats are added to the items at "
    "hand",
    "cheaper": "way that needs fewer further answers: items or repeats; neither if none suffices, "
    "enough if none is needed",
    "item_cost_even": "cost of making an item, in answers, above which repeats are cheaper; inf if "
    "they never are, null if no answer is needed",
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
    "Wilson's, Student's for graded scores",
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


def dictionary_page() -> str:
    """Return the data dictionary as a page of Markdown."""
    groups = {
        **{f"`pairs.csv` and `pairs.parquet`: {name}": PAIR_GROUPS[name] for name in PAIR_GROUPS},
        "`ranks` of `summary.json`": RANK_COLUMNS,
        "`repeats.csv` and `repeats.parquet`": REPEAT_COLUMNS,
    }
    parts = [
        "# The columns of a board",
        "The metadata of the files have the same descriptions. "
        "[Verdicts](verdicts.md) explains the columns together.",
    ]
    for title, columns in groups.items():
        rows = [f"| `{name}` | {text} |" for name, text in columns.items()]
        parts.append("\n".join([f"## {title}", "", "| Column | Meaning |", "|---|---|", *rows]))
    core = ", ".join(f"`{name}`" for name in CORE_COLUMNS)
    parts.append(
        "## Folder `pairs` of a board of thousands\n\n"
        f"It has these columns of `pairs.parquet`: {core}. Graded scores have no counts."
    )
    return "\n\n".join(parts) + "\n"

"""Resolution diagnostics for paired LLM evaluation.

Whether a displayed gap between two models that answered the same items could have been
seen: required items N*, resolution ratio q = N/N*, minimum detectable effect; then
multiplicity, subject clusters and anytime-valid monitoring.

What users call is importable from here, and from `llm_power.simulation`; the rest of the library
is private.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llm_power._board.operating_point import Declared, OperatingPoint
    from llm_power._board.resolve import BoardVerdicts, resolve_board, stream_board
    from llm_power._board.summary import task_overview, unresolved_by_gap, unresolved_by_procedure
    from llm_power._documents import DocumentError
    from llm_power._door import Compared, Resolved, compare, resolve
    from llm_power._errors import InvalidArgument, LLMPowerError, ScoreError
    from llm_power._example import example_task, write_example_board
    from llm_power._parametric import (
        parametric_required_n_paired,
        parametric_required_n_paired_binary,
        parametric_required_n_proportions,
        required_n_mcnemar,
    )
    from llm_power._planning.ask import Planned, plan
    from llm_power._plugins import reader_names
    from llm_power._scores.frames import read_frame, read_samples_df
    from llm_power._scores.options import ReadOptions
    from llm_power._scores.readers import read_scores, read_tasks
    from llm_power._scores.selection import prepare_task
    from llm_power._scores.store import TaskScores, read_task, write_task
    from llm_power._statistics.anytime_horizon import anytime_horizon
    from llm_power._statistics.cluster_moments import moments_from_counts, moments_from_differences
    from llm_power._statistics.cluster_requirement import icc_interval
    from llm_power._statistics.cluster_robust import cluster_robust_test
    from llm_power._statistics.correlation_bounds import resolution_over_correlations
    from llm_power._statistics.design_costs import Costs, Variances
    from llm_power._statistics.design_effect import (
        category_bootstrap,
        cluster_resolution,
        design_effect,
        leave_one_cluster_out,
    )
    from llm_power._statistics.e_process import (
        BetaMixture,
        DiscreteMixture,
        anytime_required_n,
        log_e_value,
    )
    from llm_power._statistics.intervals import tango_interval, wilson_interval
    from llm_power._statistics.inversion import (
        exact_two_sided_power,
        minimum_detectable_effect,
        required_n,
        resolution_ratio,
        wald_power,
    )
    from llm_power._statistics.mcnemar import (
        mcnemar_asymptotic,
        mcnemar_continuity_corrected,
        mcnemar_exact,
        mcnemar_mid_p,
    )
    from llm_power._statistics.missing_scores import missing_gap_bounds
    from llm_power._statistics.multiplicity import (
        adjust_benjamini_hochberg,
        adjust_holm,
        adjusted_required_n,
    )
    from llm_power._statistics.paired_binary import (
        PairSummary,
        cohens_h,
        required_n_discordance,
        required_n_paired_binary,
        shortcut_required_n,
        summarize_counts,
    )
    from llm_power._statistics.paired_bootstrap import bootstrap_power, paired_bootstrap_delta
    from llm_power._statistics.paired_equivalence import score_equivalence_test
    from llm_power._statistics.repeats import items_or_repeats, repeats_variance
    from llm_power._statistics.standard_errors import difference_errors, score_errors
    from llm_power._statistics.verdict import binary_verdicts
    from llm_power._statistics.verdict_stability import (
        bootstrap_required_n,
        chance_of_turning,
        required_n_interval,
    )
    from llm_power.simulation._engine import Simulation
    from llm_power.simulation._tasks import BinaryClassificationTask, PreferenceTask

__version__ = "0.1.0"

# The names that each module has for users.
_NAMES = {
    "_board.operating_point": "Declared OperatingPoint",
    "_board.resolve": "BoardVerdicts resolve_board stream_board",
    "_board.summary": "task_overview unresolved_by_gap unresolved_by_procedure",
    "_documents": "DocumentError",
    "_door": "Compared Resolved compare resolve",
    "_errors": "InvalidArgument LLMPowerError ScoreError",
    "_example": "example_task write_example_board",
    "_parametric": (
        "parametric_required_n_paired parametric_required_n_paired_binary "
        "parametric_required_n_proportions required_n_mcnemar"
    ),
    "_planning.ask": "Planned plan",
    "_plugins": "reader_names",
    "_scores.frames": "read_frame read_samples_df",
    "_scores.options": "ReadOptions",
    "_scores.readers": "read_scores read_tasks",
    "_scores.selection": "prepare_task",
    "_scores.store": "TaskScores read_task write_task",
    "_statistics.anytime_horizon": "anytime_horizon",
    "_statistics.cluster_moments": "moments_from_counts moments_from_differences",
    "_statistics.cluster_requirement": "icc_interval",
    "_statistics.cluster_robust": "cluster_robust_test",
    "_statistics.correlation_bounds": "resolution_over_correlations",
    "_statistics.design_costs": "Costs Variances",
    "_statistics.design_effect": (
        "category_bootstrap cluster_resolution design_effect leave_one_cluster_out"
    ),
    "_statistics.e_process": "BetaMixture DiscreteMixture anytime_required_n log_e_value",
    "_statistics.intervals": "tango_interval wilson_interval",
    "_statistics.inversion": (
        "exact_two_sided_power minimum_detectable_effect required_n resolution_ratio wald_power"
    ),
    "_statistics.mcnemar": (
        "mcnemar_asymptotic mcnemar_continuity_corrected mcnemar_exact mcnemar_mid_p"
    ),
    "_statistics.missing_scores": "missing_gap_bounds",
    "_statistics.multiplicity": "adjust_benjamini_hochberg adjust_holm adjusted_required_n",
    "_statistics.paired_binary": (
        "PairSummary cohens_h required_n_discordance required_n_paired_binary "
        "shortcut_required_n summarize_counts"
    ),
    "_statistics.paired_bootstrap": "bootstrap_power paired_bootstrap_delta",
    "_statistics.paired_equivalence": "score_equivalence_test",
    "_statistics.repeats": "items_or_repeats repeats_variance",
    "_statistics.standard_errors": "difference_errors score_errors",
    "_statistics.verdict": "binary_verdicts",
    "_statistics.verdict_stability": "bootstrap_required_n chance_of_turning required_n_interval",
    "simulation._engine": "Simulation",
    "simulation._tasks": "BinaryClassificationTask PreferenceTask",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "BetaMixture",
    "BinaryClassificationTask",
    "BoardVerdicts",
    "Compared",
    "Costs",
    "Declared",
    "DiscreteMixture",
    "DocumentError",
    "InvalidArgument",
    "LLMPowerError",
    "OperatingPoint",
    "PairSummary",
    "Planned",
    "PreferenceTask",
    "ReadOptions",
    "Resolved",
    "ScoreError",
    "Simulation",
    "TaskScores",
    "Variances",
    "adjust_benjamini_hochberg",
    "adjust_holm",
    "adjusted_required_n",
    "anytime_horizon",
    "anytime_required_n",
    "binary_verdicts",
    "bootstrap_power",
    "bootstrap_required_n",
    "category_bootstrap",
    "chance_of_turning",
    "cluster_resolution",
    "cluster_robust_test",
    "cohens_h",
    "compare",
    "design_effect",
    "difference_errors",
    "exact_two_sided_power",
    "example_task",
    "icc_interval",
    "items_or_repeats",
    "leave_one_cluster_out",
    "log_e_value",
    "mcnemar_asymptotic",
    "mcnemar_continuity_corrected",
    "mcnemar_exact",
    "mcnemar_mid_p",
    "minimum_detectable_effect",
    "missing_gap_bounds",
    "moments_from_counts",
    "moments_from_differences",
    "paired_bootstrap_delta",
    "parametric_required_n_paired",
    "parametric_required_n_paired_binary",
    "parametric_required_n_proportions",
    "plan",
    "prepare_task",
    "read_frame",
    "read_samples_df",
    "read_scores",
    "read_task",
    "read_tasks",
    "reader_names",
    "repeats_variance",
    "required_n",
    "required_n_discordance",
    "required_n_interval",
    "required_n_mcnemar",
    "required_n_paired_binary",
    "resolution_over_correlations",
    "resolution_ratio",
    "resolve",
    "resolve_board",
    "score_equivalence_test",
    "score_errors",
    "shortcut_required_n",
    "stream_board",
    "summarize_counts",
    "tango_interval",
    "task_overview",
    "unresolved_by_gap",
    "unresolved_by_procedure",
    "wald_power",
    "wilson_interval",
    "write_example_board",
    "write_task",
]


def __getattr__(name: str) -> Any:
    # On first use: who imports one name should not wait for tables, plots and readers.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__]

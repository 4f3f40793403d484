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
    from llm_power._board.operating_point import (
        Declared,
        OperatingPoint,
    )
    from llm_power._board.ranking import (
        prepare_task,
    )
    from llm_power._board.resolve import (
        BoardVerdicts,
        resolve_board,
        stream_board,
    )
    from llm_power._board.summary import (
        task_overview,
        unresolved_by_gap,
        unresolved_by_procedure,
    )
    from llm_power._documents import (
        DocumentError,
    )
    from llm_power._door import (
        Compared,
        Resolved,
        compare,
        resolve,
    )
    from llm_power._errors import (
        InvalidArgument,
        LLMPowerError,
        ScoreError,
    )
    from llm_power._example import (
        example_task,
        write_example_board,
    )
    from llm_power._parametric import (
        parametric_required_n_paired,
        parametric_required_n_paired_binary,
        parametric_required_n_proportions,
        required_n_mcnemar,
    )
    from llm_power._planning.ask import (
        Planned,
        plan,
    )
    from llm_power._plugins import (
        reader_names,
    )
    from llm_power._scores.frames import (
        read_frame,
        read_samples_df,
    )
    from llm_power._scores.options import (
        ReadOptions,
    )
    from llm_power._scores.readers import (
        read_scores,
        read_tasks,
    )
    from llm_power._scores.store import (
        TaskScores,
        read_task,
        write_task,
    )
    from llm_power._statistics.anytime_horizon import (
        anytime_horizon,
    )
    from llm_power._statistics.category_bootstrap import (
        category_bootstrap,
    )
    from llm_power._statistics.cluster_moments import (
        moments_from_counts,
        moments_from_differences,
    )
    from llm_power._statistics.cluster_requirement import (
        icc_interval,
    )
    from llm_power._statistics.cluster_robust import (
        cluster_robust_test,
    )
    from llm_power._statistics.correlation_bounds import (
        resolution_over_correlations,
    )
    from llm_power._statistics.design_costs import (
        Costs,
        Variances,
    )
    from llm_power._statistics.design_effect import (
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
    from llm_power._statistics.paired_bootstrap import (
        bootstrap_power,
        paired_bootstrap_delta,
    )
    from llm_power._statistics.paired_equivalence import (
        score_equivalence_test,
    )
    from llm_power._statistics.rank_sets import (
        rank_confidence_sets,
    )
    from llm_power._statistics.repeats import (
        items_or_repeats,
        repeats_variance,
    )
    from llm_power._statistics.standard_errors import (
        difference_errors,
        score_errors,
    )
    from llm_power._statistics.verdict import (
        binary_verdicts,
    )
    from llm_power._statistics.verdict_stability import (
        bootstrap_required_n,
        chance_of_turning,
        required_n_interval,
    )
    from llm_power.simulation._engine import (
        Simulation,
    )
    from llm_power.simulation._tasks import (
        BinaryClassificationTask,
        PreferenceTask,
    )

__version__ = "0.1.0"

# Where each public name is defined.
_HOMES = {
    "parametric_required_n_paired": "_parametric",
    "parametric_required_n_paired_binary": "_parametric",
    "parametric_required_n_proportions": "_parametric",
    "required_n_mcnemar": "_parametric",
    "Declared": "_board.operating_point",
    "OperatingPoint": "_board.operating_point",
    "prepare_task": "_board.ranking",
    "BoardVerdicts": "_board.resolve",
    "resolve_board": "_board.resolve",
    "stream_board": "_board.resolve",
    "task_overview": "_board.summary",
    "unresolved_by_gap": "_board.summary",
    "unresolved_by_procedure": "_board.summary",
    "reader_names": "_plugins",
    "DocumentError": "_documents",
    "InvalidArgument": "_errors",
    "LLMPowerError": "_errors",
    "ScoreError": "_errors",
    "ReadOptions": "_scores.options",
    "read_frame": "_scores.frames",
    "read_samples_df": "_scores.frames",
    "read_scores": "_scores.readers",
    "read_tasks": "_scores.readers",
    "TaskScores": "_scores.store",
    "read_task": "_scores.store",
    "write_task": "_scores.store",
    "Simulation": "simulation._engine",
    "BinaryClassificationTask": "simulation._tasks",
    "PreferenceTask": "simulation._tasks",
    "resolution_over_correlations": "_statistics.correlation_bounds",
    "cluster_resolution": "_statistics.design_effect",
    "anytime_horizon": "_statistics.anytime_horizon",
    "anytime_required_n": "_statistics.e_process",
    "binary_verdicts": "_statistics.verdict",
    "exact_two_sided_power": "_statistics.inversion",
    "minimum_detectable_effect": "_statistics.inversion",
    "required_n": "_statistics.inversion",
    "resolution_ratio": "_statistics.inversion",
    "wald_power": "_statistics.inversion",
    "mcnemar_asymptotic": "_statistics.mcnemar",
    "mcnemar_continuity_corrected": "_statistics.mcnemar",
    "mcnemar_exact": "_statistics.mcnemar",
    "mcnemar_mid_p": "_statistics.mcnemar",
    "adjusted_required_n": "_statistics.multiplicity",
    "PairSummary": "_statistics.paired_binary",
    "required_n_discordance": "_statistics.paired_binary",
    "required_n_paired_binary": "_statistics.paired_binary",
    "summarize_counts": "_statistics.paired_binary",
    "bootstrap_power": "_statistics.paired_bootstrap",
    "paired_bootstrap_delta": "_statistics.paired_bootstrap",
    "bootstrap_required_n": "_statistics.verdict_stability",
    "cohens_h": "_statistics.paired_binary",
    "difference_errors": "_statistics.standard_errors",
    "score_errors": "_statistics.standard_errors",
    "example_task": "_example",
    "write_example_board": "_example",
    "category_bootstrap": "_statistics.category_bootstrap",
    "icc_interval": "_statistics.cluster_requirement",
    "cluster_robust_test": "_statistics.cluster_robust",
    "Costs": "_statistics.design_costs",
    "Variances": "_statistics.design_costs",
    "design_effect": "_statistics.design_effect",
    "leave_one_cluster_out": "_statistics.design_effect",
    "log_e_value": "_statistics.e_process",
    "missing_gap_bounds": "_statistics.missing_scores",
    "adjust_benjamini_hochberg": "_statistics.multiplicity",
    "adjust_holm": "_statistics.multiplicity",
    "tango_interval": "_statistics.intervals",
    "score_equivalence_test": "_statistics.paired_equivalence",
    "rank_confidence_sets": "_statistics.rank_sets",
    "items_or_repeats": "_statistics.repeats",
    "repeats_variance": "_statistics.repeats",
    "wilson_interval": "_statistics.intervals",
    "shortcut_required_n": "_statistics.paired_binary",
    "chance_of_turning": "_statistics.verdict_stability",
    "required_n_interval": "_statistics.verdict_stability",
    "BetaMixture": "_statistics.e_process",
    "DiscreteMixture": "_statistics.e_process",
    "moments_from_counts": "_statistics.cluster_moments",
    "moments_from_differences": "_statistics.cluster_moments",
    "Compared": "_door",
    "Resolved": "_door",
    "compare": "_door",
    "resolve": "_door",
    "Planned": "_planning.ask",
    "plan": "_planning.ask",
}

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
    "rank_confidence_sets",
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

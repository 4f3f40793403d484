"""Resolution diagnostics for paired LLM evaluation.

Whether a displayed gap between two models that answered the same items could have been
seen: required items N*, resolution ratio q = N/N*, minimum detectable effect; then
multiplicity, subject clusters and anytime-valid monitoring.

What is used most is importable from here: reading scores, resolving a board, the statistics
of one pair, and the names of the paper's Appendix J. Each idea has its module in
`llm_power._statistics`, `llm_power._scores`, `llm_power._board` and `llm_power._report`.
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
    from llm_power._errors import (
        InvalidArgument,
        LLMPowerError,
        ScoreError,
    )
    from llm_power._parametric import (
        parametric_required_n_paired,
        parametric_required_n_paired_binary,
        parametric_required_n_proportions,
        required_n_mcnemar,
    )
    from llm_power._planning.answer import (
        Plan,
        plan_accuracies,
        plan_any_correlation,
        plan_counts,
        plan_detectable,
        plan_gap,
    )
    from llm_power._planning.costs import (
        plan_costs,
    )
    from llm_power._planning.pilot import (
        plan_pilot,
    )
    from llm_power._planning.question import (
        Question,
    )
    from llm_power._planning.repeats import (
        plan_repeats,
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
    from llm_power._statistics.correlation_bounds import (
        resolution_over_correlations,
    )
    from llm_power._statistics.design_effect import (
        cluster_resolution,
    )
    from llm_power._statistics.e_process import (
        anytime_required_n,
    )
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
    from llm_power._statistics.multiplicity import (
        adjusted_required_n,
    )
    from llm_power._statistics.paired_binary import (
        PairSummary,
        required_n_discordance,
        required_n_paired_binary,
        summarize_counts,
    )
    from llm_power._statistics.paired_bootstrap import (
        bootstrap_power,
        paired_bootstrap_delta,
    )
    from llm_power._statistics.required_n_bootstrap import (
        bootstrap_required_n,
    )
    from llm_power._statistics.shortcut import (
        cohens_h,
    )
    from llm_power._statistics.standard_errors import (
        difference_errors,
        score_errors,
    )
    from llm_power._statistics.verdict import (
        binary_verdicts,
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
    "Plan": "_planning.answer",
    "plan_accuracies": "_planning.answer",
    "plan_any_correlation": "_planning.answer",
    "plan_counts": "_planning.answer",
    "plan_detectable": "_planning.answer",
    "plan_gap": "_planning.answer",
    "plan_costs": "_planning.costs",
    "plan_pilot": "_planning.pilot",
    "Question": "_planning.question",
    "plan_repeats": "_planning.repeats",
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
    "bootstrap_required_n": "_statistics.required_n_bootstrap",
    "cohens_h": "_statistics.shortcut",
    "difference_errors": "_statistics.standard_errors",
    "score_errors": "_statistics.standard_errors",
}

__all__ = [
    "BinaryClassificationTask",
    "BoardVerdicts",
    "Declared",
    "DocumentError",
    "InvalidArgument",
    "LLMPowerError",
    "OperatingPoint",
    "PairSummary",
    "Plan",
    "PreferenceTask",
    "Question",
    "ReadOptions",
    "ScoreError",
    "Simulation",
    "TaskScores",
    "adjusted_required_n",
    "anytime_horizon",
    "anytime_required_n",
    "binary_verdicts",
    "bootstrap_power",
    "bootstrap_required_n",
    "cluster_resolution",
    "cohens_h",
    "difference_errors",
    "exact_two_sided_power",
    "mcnemar_asymptotic",
    "mcnemar_continuity_corrected",
    "mcnemar_exact",
    "mcnemar_mid_p",
    "minimum_detectable_effect",
    "paired_bootstrap_delta",
    "parametric_required_n_paired",
    "parametric_required_n_paired_binary",
    "parametric_required_n_proportions",
    "plan_accuracies",
    "plan_any_correlation",
    "plan_costs",
    "plan_counts",
    "plan_detectable",
    "plan_gap",
    "plan_pilot",
    "plan_repeats",
    "prepare_task",
    "read_frame",
    "read_samples_df",
    "read_scores",
    "read_task",
    "read_tasks",
    "reader_names",
    "required_n",
    "required_n_discordance",
    "required_n_mcnemar",
    "required_n_paired_binary",
    "resolution_over_correlations",
    "resolution_ratio",
    "resolve_board",
    "score_errors",
    "stream_board",
    "summarize_counts",
    "task_overview",
    "unresolved_by_gap",
    "unresolved_by_procedure",
    "wald_power",
    "write_task",
]


def __getattr__(name: str) -> Any:
    # On first use: who imports one name should not wait for tables, plots and readers.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__]

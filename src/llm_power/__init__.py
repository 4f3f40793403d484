"""Resolution diagnostics for paired LLM evaluation.

Whether a displayed gap between two models that answered the same items could have been
seen: required items N*, resolution ratio q = N/N*, minimum detectable effect; then
multiplicity, subject clusters and anytime-valid monitoring.

What is used most is importable from here: reading scores, resolving a board, the statistics
of one pair, and the names of the paper's Appendix J. Each idea has its module in
`llm_power.statistics`, `llm_power.scores`, `llm_power.board` and `llm_power.report`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llm_power.api import (
        parametric_required_n_paired,
        parametric_required_n_paired_binary,
        parametric_required_n_proportions,
        required_n_mcnemar,
    )
    from llm_power.board.operating_point import (
        Declared,
        OperatingPoint,
    )
    from llm_power.board.ranking import (
        prepare_task,
    )
    from llm_power.board.resolve import (
        BoardVerdicts,
        resolve_board,
        stream_board,
    )
    from llm_power.board.summary import (
        task_overview,
        unresolved_by_gap,
        unresolved_by_procedure,
    )
    from llm_power.documents import (
        DocumentError,
    )
    from llm_power.errors import (
        InvalidArgument,
        LLMPowerError,
        ScoreError,
    )
    from llm_power.planning.answer import (
        Plan,
        plan_accuracies,
        plan_any_correlation,
        plan_counts,
        plan_detectable,
        plan_gap,
    )
    from llm_power.planning.costs import (
        plan_costs,
    )
    from llm_power.planning.pilot import (
        plan_pilot,
    )
    from llm_power.planning.question import (
        Question,
    )
    from llm_power.planning.repeats import (
        plan_repeats,
    )
    from llm_power.plugins import (
        reader_names,
    )
    from llm_power.scores.frames import (
        read_frame,
        read_samples_df,
    )
    from llm_power.scores.options import (
        ReadOptions,
    )
    from llm_power.scores.readers import (
        read_scores,
        read_tasks,
    )
    from llm_power.scores.store import (
        TaskScores,
        read_task,
        write_task,
    )
    from llm_power.simulation.engine import (
        Simulation,
    )
    from llm_power.simulation.tasks import (
        BinaryClassificationTask,
        PreferenceTask,
    )
    from llm_power.statistics.anytime_horizon import (
        anytime_horizon,
    )
    from llm_power.statistics.correlation_bounds import (
        resolution_over_correlations,
    )
    from llm_power.statistics.design_effect import (
        cluster_resolution,
    )
    from llm_power.statistics.e_process import (
        anytime_required_n,
    )
    from llm_power.statistics.inversion import (
        exact_two_sided_power,
        minimum_detectable_effect,
        required_n,
        resolution_ratio,
        wald_power,
    )
    from llm_power.statistics.mcnemar import (
        mcnemar_asymptotic,
        mcnemar_continuity_corrected,
        mcnemar_exact,
        mcnemar_mid_p,
    )
    from llm_power.statistics.multiplicity import (
        adjusted_required_n,
    )
    from llm_power.statistics.paired_binary import (
        PairSummary,
        required_n_discordance,
        required_n_paired_binary,
        summarize_counts,
    )
    from llm_power.statistics.paired_bootstrap import (
        bootstrap_power,
        paired_bootstrap_delta,
    )
    from llm_power.statistics.required_n_bootstrap import (
        bootstrap_required_n,
    )
    from llm_power.statistics.shortcut import (
        cohens_h,
    )
    from llm_power.statistics.standard_errors import (
        difference_errors,
        score_errors,
    )
    from llm_power.statistics.verdict import (
        binary_verdicts,
    )

__version__ = "0.1.0"

# Where each public name is defined.
_HOMES = {
    "parametric_required_n_paired": "api",
    "parametric_required_n_paired_binary": "api",
    "parametric_required_n_proportions": "api",
    "required_n_mcnemar": "api",
    "Declared": "board.operating_point",
    "OperatingPoint": "board.operating_point",
    "prepare_task": "board.ranking",
    "BoardVerdicts": "board.resolve",
    "resolve_board": "board.resolve",
    "stream_board": "board.resolve",
    "task_overview": "board.summary",
    "unresolved_by_gap": "board.summary",
    "unresolved_by_procedure": "board.summary",
    "reader_names": "plugins",
    "DocumentError": "documents",
    "InvalidArgument": "errors",
    "LLMPowerError": "errors",
    "ScoreError": "errors",
    "Plan": "planning.answer",
    "plan_accuracies": "planning.answer",
    "plan_any_correlation": "planning.answer",
    "plan_counts": "planning.answer",
    "plan_detectable": "planning.answer",
    "plan_gap": "planning.answer",
    "plan_costs": "planning.costs",
    "plan_pilot": "planning.pilot",
    "Question": "planning.question",
    "plan_repeats": "planning.repeats",
    "ReadOptions": "scores.options",
    "read_frame": "scores.frames",
    "read_samples_df": "scores.frames",
    "read_scores": "scores.readers",
    "read_tasks": "scores.readers",
    "TaskScores": "scores.store",
    "read_task": "scores.store",
    "write_task": "scores.store",
    "Simulation": "simulation.engine",
    "BinaryClassificationTask": "simulation.tasks",
    "PreferenceTask": "simulation.tasks",
    "resolution_over_correlations": "statistics.correlation_bounds",
    "cluster_resolution": "statistics.design_effect",
    "anytime_horizon": "statistics.anytime_horizon",
    "anytime_required_n": "statistics.e_process",
    "binary_verdicts": "statistics.verdict",
    "exact_two_sided_power": "statistics.inversion",
    "minimum_detectable_effect": "statistics.inversion",
    "required_n": "statistics.inversion",
    "resolution_ratio": "statistics.inversion",
    "wald_power": "statistics.inversion",
    "mcnemar_asymptotic": "statistics.mcnemar",
    "mcnemar_continuity_corrected": "statistics.mcnemar",
    "mcnemar_exact": "statistics.mcnemar",
    "mcnemar_mid_p": "statistics.mcnemar",
    "adjusted_required_n": "statistics.multiplicity",
    "PairSummary": "statistics.paired_binary",
    "required_n_discordance": "statistics.paired_binary",
    "required_n_paired_binary": "statistics.paired_binary",
    "summarize_counts": "statistics.paired_binary",
    "bootstrap_power": "statistics.paired_bootstrap",
    "paired_bootstrap_delta": "statistics.paired_bootstrap",
    "bootstrap_required_n": "statistics.required_n_bootstrap",
    "cohens_h": "statistics.shortcut",
    "difference_errors": "statistics.standard_errors",
    "score_errors": "statistics.standard_errors",
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

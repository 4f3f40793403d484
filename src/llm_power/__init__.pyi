"""The names for users, each with its module: for type checkers, and imported on first use."""

from llm_power._board.operating_point import Declared as Declared
from llm_power._board.operating_point import OperatingPoint as OperatingPoint
from llm_power._board.resolve import BoardVerdicts as BoardVerdicts
from llm_power._board.resolve import resolve_board as resolve_board
from llm_power._board.resolve import stream_board as stream_board
from llm_power._board.summary import task_overview as task_overview
from llm_power._board.summary import unresolved_by_gap as unresolved_by_gap
from llm_power._board.summary import unresolved_by_procedure as unresolved_by_procedure
from llm_power._documents import DocumentError as DocumentError
from llm_power._door import Compared as Compared
from llm_power._door import Resolved as Resolved
from llm_power._door import compare as compare
from llm_power._door import resolve as resolve
from llm_power._errors import InvalidArgument as InvalidArgument
from llm_power._errors import LLMPowerError as LLMPowerError
from llm_power._errors import ScoreError as ScoreError
from llm_power._example import example_task as example_task
from llm_power._example import write_example_board as write_example_board
from llm_power._parametric import parametric_required_n_paired as parametric_required_n_paired
from llm_power._parametric import (
    parametric_required_n_paired_binary as parametric_required_n_paired_binary,
)
from llm_power._parametric import (
    parametric_required_n_proportions as parametric_required_n_proportions,
)
from llm_power._parametric import required_n_mcnemar as required_n_mcnemar
from llm_power._planning.ask import Planned as Planned
from llm_power._planning.ask import plan as plan
from llm_power._plugins import reader_names as reader_names
from llm_power._scores.frames import read_frame as read_frame
from llm_power._scores.frames import read_samples_df as read_samples_df
from llm_power._scores.options import ReadOptions as ReadOptions
from llm_power._scores.readers import read_scores as read_scores
from llm_power._scores.readers import read_tasks as read_tasks
from llm_power._scores.selection import prepare_task as prepare_task
from llm_power._scores.store import TaskScores as TaskScores
from llm_power._scores.store import read_task as read_task
from llm_power._scores.store import write_task as write_task
from llm_power._statistics.anytime_horizon import anytime_horizon as anytime_horizon
from llm_power._statistics.cluster_moments import moments_from_counts as moments_from_counts
from llm_power._statistics.cluster_moments import (
    moments_from_differences as moments_from_differences,
)
from llm_power._statistics.cluster_requirement import icc_interval as icc_interval
from llm_power._statistics.cluster_robust import cluster_robust_test as cluster_robust_test
from llm_power._statistics.correlation_bounds import (
    resolution_over_correlations as resolution_over_correlations,
)
from llm_power._statistics.design_costs import Costs as Costs
from llm_power._statistics.design_costs import Variances as Variances
from llm_power._statistics.design_effect import category_bootstrap as category_bootstrap
from llm_power._statistics.design_effect import cluster_resolution as cluster_resolution
from llm_power._statistics.design_effect import design_effect as design_effect
from llm_power._statistics.design_effect import leave_one_cluster_out as leave_one_cluster_out
from llm_power._statistics.e_process import BetaMixture as BetaMixture
from llm_power._statistics.e_process import DiscreteMixture as DiscreteMixture
from llm_power._statistics.e_process import anytime_required_n as anytime_required_n
from llm_power._statistics.e_process import log_e_value as log_e_value
from llm_power._statistics.intervals import tango_interval as tango_interval
from llm_power._statistics.intervals import wilson_interval as wilson_interval
from llm_power._statistics.inversion import exact_two_sided_power as exact_two_sided_power
from llm_power._statistics.inversion import minimum_detectable_effect as minimum_detectable_effect
from llm_power._statistics.inversion import required_n as required_n
from llm_power._statistics.inversion import resolution_ratio as resolution_ratio
from llm_power._statistics.inversion import wald_power as wald_power
from llm_power._statistics.mcnemar import mcnemar_asymptotic as mcnemar_asymptotic
from llm_power._statistics.mcnemar import (
    mcnemar_continuity_corrected as mcnemar_continuity_corrected,
)
from llm_power._statistics.mcnemar import mcnemar_exact as mcnemar_exact
from llm_power._statistics.mcnemar import mcnemar_mid_p as mcnemar_mid_p
from llm_power._statistics.missing_scores import missing_gap_bounds as missing_gap_bounds
from llm_power._statistics.multiplicity import (
    adjust_benjamini_hochberg as adjust_benjamini_hochberg,
)
from llm_power._statistics.multiplicity import adjust_holm as adjust_holm
from llm_power._statistics.multiplicity import adjusted_required_n as adjusted_required_n
from llm_power._statistics.paired_binary import PairSummary as PairSummary
from llm_power._statistics.paired_binary import cohens_h as cohens_h
from llm_power._statistics.paired_binary import required_n_discordance as required_n_discordance
from llm_power._statistics.paired_binary import required_n_paired_binary as required_n_paired_binary
from llm_power._statistics.paired_binary import shortcut_required_n as shortcut_required_n
from llm_power._statistics.paired_binary import summarize_counts as summarize_counts
from llm_power._statistics.paired_bootstrap import bootstrap_power as bootstrap_power
from llm_power._statistics.paired_bootstrap import paired_bootstrap_delta as paired_bootstrap_delta
from llm_power._statistics.paired_equivalence import (
    score_equivalence_test as score_equivalence_test,
)
from llm_power._statistics.repeats import items_or_repeats as items_or_repeats
from llm_power._statistics.repeats import repeats_variance as repeats_variance
from llm_power._statistics.standard_errors import difference_errors as difference_errors
from llm_power._statistics.standard_errors import score_errors as score_errors
from llm_power._statistics.verdict import binary_verdicts as binary_verdicts
from llm_power._statistics.verdict_stability import bootstrap_required_n as bootstrap_required_n
from llm_power._statistics.verdict_stability import chance_of_turning as chance_of_turning
from llm_power._statistics.verdict_stability import required_n_interval as required_n_interval
from llm_power.simulation._engine import Simulation as Simulation
from llm_power.simulation._tasks import BinaryClassificationTask as BinaryClassificationTask
from llm_power.simulation._tasks import PreferenceTask as PreferenceTask

__all__: list[str]
__version__: str

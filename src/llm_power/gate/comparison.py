"""One candidate against its baseline: the outcome, and the items that decided it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from llm_power.board.operating_point import Declared, OperatingPoint
from llm_power.board.ranking import prepare_task
from llm_power.board.resolve import BoardVerdicts, resolve_board
from llm_power.choices import OUTCOMES, MissingPolicy, Outcome
from llm_power.errors import InvalidArgument
from llm_power.scores.selection import select_models
from llm_power.scores.store import TaskScores
from llm_power.statistics.verdict import DIFFERENT

_USUAL: Final = OperatingPoint()
_UNDECLARED: Final = Declared()


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one task says of a candidate against its baseline.

    Attributes
    ----------
    task, baseline, candidate : str
        Names.
    outcome : {"worse", "undetermined", "non_inferior", "equivalent", "better"}
        See `compare_models`.
    n_items : int
        Items that both were scored on.
    baseline_score, candidate_score : float
        Mean scores over these items.
    gap, gap_low, gap_high : float
        Candidate minus baseline and its interval of confidence 1 - `alpha`, in score units.
    p, p_family : float
        P-value of the declared test, and the same adjusted for the tasks compared together.
    test : str
        Declared test: "exact", "mid_p", "asymptotic", "student" or "cluster".
    broke, mended : tuple of str
        Items on which the candidate scores less, and more, than the baseline, in the order of
        the task.
    more_items : float
        Further items that would decide it, if rates stay: 0 where it is decided, ``inf`` where
        no number would do.
    decided_as : str
        What these would decide: "different" or "equivalent".
    margin : float or None
        Largest gap that counts as none.
    alpha, power : float
        Two-sided level, and the power of `more_items`.

    Examples
    --------
    >>> from llm_power.example import example_task
    >>> from llm_power.gate.comparison import compare_models
    >>> (found,) = compare_models([example_task()], "osprey", "heron")
    >>> found.outcome, len(found.broke), len(found.mended), found.more_items
    ('undetermined', 36, 46, 2252.0)
    """

    task: str
    baseline: str
    candidate: str
    outcome: Outcome
    n_items: int
    baseline_score: float
    candidate_score: float
    gap: float
    gap_low: float
    gap_high: float
    p: float
    p_family: float
    test: str
    broke: tuple[str, ...]
    mended: tuple[str, ...]
    more_items: float
    decided_as: str
    margin: float | None
    alpha: float
    power: float


def compare_models(
    tasks: Sequence[TaskScores],
    baseline: str,
    candidate: str,
    *,
    missing: MissingPolicy = "error",
    cluster: str | None = None,
    point: OperatingPoint = _USUAL,
    declared: Declared = _UNDECLARED,
) -> list[Comparison]:
    """Compare a candidate with the model that it would replace, on each of some tasks.

    Parameters
    ----------
    tasks : sequence of TaskScores
        Scores of both, and perhaps of others.
    baseline, candidate : str
        Their names in the tasks.
    missing : {"error", "pairwise", "drop_items"}
        What to do about items that one of them has no score on.
    cluster : str, optional
        Cluster column of the items.
    point : OperatingPoint, optional
        Level and power.
    declared : Declared, optional
        Test, margin, and whether clusters are a sample.

    Returns
    -------
    list of Comparison
        One a task. Its outcome is the first of these that is true:

        - "better": the declared test rejects, and the candidate leads;
        - "equivalent": within the margin by two one-sided tests;
        - "worse": the declared test rejects, and the baseline leads;
        - "non_inferior": the whole interval of the gap lies above minus the margin, which is a
          one-sided test at half the level;
        - "undetermined".

        So a loss that is certain, and certainly within the margin, counts as equivalent. Of one
        task the pair is taken as named beforehand; several are a family, as of `resolve_board`,
        but for "non_inferior": to be so on every task needs no adjustment (Berger).

    Raises
    ------
    ScoreError
        If a name is not a model of the task, or scores are missing under policy "error".
    InvalidArgument
        If both names are one, or two tasks have one name.

    References
    ----------
    Non-inferiority by a two-sided interval: ICH E9 (1998), section 3.3.2. Several claims that
    must all hold: R. L. Berger (1982), Technometrics 24(4), 295-300.

    Examples
    --------
    >>> from llm_power import Declared
    >>> from llm_power.example import example_task
    >>> from llm_power.gate.comparison import compare_models
    >>> tasks = [example_task("exam"), example_task("quiz")]
    >>> [found.outcome for found in compare_models(tasks, "osprey", "kite")]
    ['worse', 'worse']
    >>> declared = Declared(margin=0.04)
    >>> [found.outcome for found in compare_models(tasks[:1], "osprey", "heron", declared=declared)]
    ['non_inferior']
    """
    if baseline == candidate:
        raise InvalidArgument(f"baseline and candidate are both {baseline!r}: name two models")
    pairs = [
        prepare_task(select_models(task, [baseline, candidate]), missing=missing) for task in tasks
    ]
    board = resolve_board(pairs, cluster=cluster, point=point, declared=declared)
    rows = board.verdicts.to_dict("records")
    return [
        _comparison(pair, row, baseline, candidate, board)
        for pair, row in zip(pairs, rows, strict=True)
    ]


def overall_outcome(compared: Sequence[Comparison]) -> Outcome:
    """Return the least favourable outcome of some tasks.

    Examples
    --------
    >>> from llm_power.example import example_task
    >>> from llm_power.gate.comparison import compare_models, overall_outcome
    >>> overall_outcome(compare_models([example_task()], "kite", "heron"))
    'better'
    """
    return min((one.outcome for one in compared), key=OUTCOMES.index)


def _comparison(
    pair: TaskScores,
    row: Mapping[Any, Any],
    baseline: str,
    candidate: str,
    board: BoardVerdicts,
) -> Comparison:
    """Return what a row of the verdicts says of the candidate."""
    margin = board.declared.margin
    # Rows have the better ranked model first.
    sign = 1 if row["model_a"] == candidate else -1
    low, high = sorted((sign * row["gap_low"], sign * row["gap_high"]))
    by_name = {name: pair.values[:, j] for j, name in enumerate(pair.models)}
    gain = by_name[candidate] - by_name[baseline]
    both = ~np.isnan(gain)
    return Comparison(
        task=pair.task,
        baseline=baseline,
        candidate=candidate,
        outcome=_outcome(row, int(sign * row["direction"]), low, margin),
        n_items=int(row["n_items"]),
        baseline_score=float(by_name[baseline][both].mean()),
        candidate_score=float(by_name[candidate][both].mean()),
        gap=float(sign * row["delta"]),
        gap_low=float(low),
        gap_high=float(high),
        p=float(row["p"]),
        p_family=float(row["p_family"]),
        test=str(row["test"]),
        broke=_named(pair, gain < 0),
        mended=_named(pair, gain > 0),
        more_items=float(row["more_items_needed"]),
        decided_as=str(row["decided_as"]),
        margin=margin,
        alpha=board.point.alpha,
        power=board.point.power,
    )


def _outcome(row: Mapping[Any, Any], lead: int, low: float, margin: float | None) -> Outcome:
    if row["verdict"] == DIFFERENT and lead > 0:
        return "better"
    if row["within_margin"]:
        return "equivalent"
    if row["verdict"] == DIFFERENT:
        return "worse"
    return "undetermined" if margin is None or low <= -margin else "non_inferior"


def _named(task: TaskScores, where: Collection[bool]) -> tuple[str, ...]:
    return tuple(item for item, named in zip(task.item_ids, where, strict=True) if named)

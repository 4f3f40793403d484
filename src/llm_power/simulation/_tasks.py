"""Common designs in one call: tasks like estimators of scikit-learn, and their report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Literal, Self, get_args

import numpy as np
import pandas as pd

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import counts, proportions
from llm_power._statistics.arrays import ArrayLike
from llm_power.simulation._engine import Family, Simulation
from llm_power.simulation._outcomes import Effect, Test
from llm_power.simulation._processes import (
    AgreementRate,
    Preferences,
    Process,
    admissible_agreement,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Agreement rates that need no number.
NamedAgreement = Literal["independent", "lowest", "highest"]


class Task:
    """A design with the parameters of an estimator of scikit-learn."""

    dataset_size: ArrayLike
    test: str | Test
    effect: str | Effect
    seed: int
    #: Name of the gap, for an axis.
    gap_label: str

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as they were given; `deep` is scikit-learn's."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name, and return this task."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise InvalidArgument(f"parameter must be one of {[*known]}, got {name!r}")
            setattr(self, name, value)
        return self

    def compute_power(self, iterations: int = 1000, alpha: float = 0.05) -> PowerReport:
        """Simulate the power of every combination of the parameters.

        Parameters
        ----------
        iterations : int, default 1000
            Trials of each.
        alpha : float, default 0.05
            Two-sided level.

        Returns
        -------
        PowerReport
            With a row a combination.

        Raises
        ------
        InvalidArgument
            If a parameter is outside its domain, with the interval that is admissible.

        Examples
        --------
        >>> from llm_power import PreferenceTask
        >>> report = PreferenceTask(win_rate=[0.5, 0.7], dataset_size=100).compute_power()
        >>> bool(report.table["power"][0] < 0.1 < 0.9 < report.table["power"][1])
        True
        """
        simulation = self.simulation(iterations, alpha)
        rows = []
        for point, gap, process in self.points():
            for size in np.atleast_1d(counts("dataset_size", self.dataset_size)).tolist():
                power = simulation.power(process, size)
                low, high = power.interval()
                measured = asdict(power)
                del measured["n_items"], measured["n_trials"], measured["alpha"]
                row = {**point, "dataset_size": size, "gap": gap, **measured}
                rows.append(row | {"power_low": low, "power_high": high})
        return PowerReport(self, pd.DataFrame(rows), iterations, alpha)

    def simulation(self, iterations: int, alpha: float) -> Simulation:
        """Return the simulation with the test, the effect and the seed of the task."""
        return Simulation(self.test, self.effect, iterations, alpha, self.seed)

    def points(self) -> Iterator[tuple[dict[str, float], float, Process]]:
        """Yield the parameters of each process, its gap and the process."""
        raise NotImplementedError

    def families(self) -> Iterator[tuple[dict[str, float], Family, float]]:
        """Yield the shared parameters, processes by their gap, and the largest gap."""
        raise NotImplementedError


@dataclass(eq=False)
class BinaryClassificationTask(Task):
    """Two classifiers on the same items: McNemar's test of their accuracies.

    Attributes
    ----------
    acc_a, acc_b : float or array_like
        Accuracies of the base and of the new model. The gap is the new one's less the base's.
    dataset_size : int or array_like
        Numbers of items.
    agreement : float or {"independent", "lowest", "highest"}
        Share of items that both models solve or both fail; power rises with it. Without a number:
        that of models whose answers are independent, or an end of the admissible interval.
    test, effect : str or callable
        As of `Simulation`.
    seed : int
        Of the random numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power import BinaryClassificationTask
    >>> task = BinaryClassificationTask(
    ...     acc_a=0.70, acc_b=np.linspace(0.70, 0.75, 10), dataset_size=[10, 20, 50, 100, 500]
    ... )
    >>> report = task.compute_power(iterations=1000, alpha=0.05)
    >>> report.table.shape[0], bool(report.table["power"].max() < 0.8)
    (50, True)
    """

    acc_a: ArrayLike
    acc_b: ArrayLike
    dataset_size: ArrayLike
    agreement: float | NamedAgreement = "independent"
    test: str | Test = "asymptotic"
    effect: str | Effect = "accuracy_gap"
    seed: int = 0

    gap_label = "Accuracy difference"

    def points(self) -> Iterator[tuple[dict[str, float], float, Process]]:
        """Yield the two accuracies, their gap and the process."""
        for base in _accuracies("acc_a", self.acc_a):
            for new in _accuracies("acc_b", self.acc_b):
                yield {"acc_a": base, "acc_b": new}, new - base, self._process(base, new)

    def families(self) -> Iterator[tuple[dict[str, float], Family, float]]:
        """Yield the base accuracy, processes with better models and the largest gap."""
        for base in _accuracies("acc_a", self.acc_a):
            largest = 1 - base
            if not isinstance(self.agreement, str):
                # Both ends of the admissible interval move with the gap.
                largest = min(largest, 1 - self.agreement, 1 + self.agreement - 2 * base)

            def family(gap: float, base: float = base) -> Process:
                return self._process(base, min(base + gap, 1.0))

            yield {"acc_a": base}, family, largest

    def _process(self, base: float, new: float) -> Process:
        """The new model is the first, so that effects have the sign of its gain."""
        return AgreementRate(new, base, agreement_rate(self.agreement, new, base))


@dataclass(eq=False)
class PreferenceTask(Task):
    """A judge's preferences between two models: the sign test of their wins.

    Attributes
    ----------
    win_rate : float or array_like
        Win rates of the new model, ties counted one half. The gap is what exceeds one half.
    dataset_size : int or array_like
        Numbers of comparisons.
    tie_rate : float
        Share of ties.
    test, effect : str or callable
        As of `Simulation`.
    seed : int
        Of the random numbers.

    Examples
    --------
    >>> from llm_power import PreferenceTask
    >>> task = PreferenceTask(win_rate=[0.5, 0.55, 0.6], dataset_size=[100, 400], tie_rate=0.2)
    >>> table = task.compute_power(iterations=1000).table
    >>> table["gap"].round(2).unique().tolist()
    [0.0, 0.05, 0.1]
    """

    win_rate: ArrayLike
    dataset_size: ArrayLike
    tie_rate: float = 0.0
    test: str | Test = "sign"
    effect: str | Effect = "win_rate"
    seed: int = 0

    gap_label = "Win rate less one half"

    def points(self) -> Iterator[tuple[dict[str, float], float, Process]]:
        """Yield the win rate, its excess over one half and the process."""
        for rate in _accuracies("win_rate", self.win_rate):
            yield {"win_rate": rate}, rate - 0.5, Preferences(rate, self.tie_rate)

    def families(self) -> Iterator[tuple[dict[str, float], Family, float]]:
        """Yield processes with better models and the largest gap."""
        yield {}, lambda gap: Preferences(0.5 + gap, self.tie_rate), 0.5 - self.tie_rate / 2


@dataclass(frozen=True, eq=False)
class PowerReport:
    """Table of the power of a task, one row a combination of its parameters.

    ``power`` has its ``standard_error`` and Wilson's interval from ``power_low`` to ``power_high``;
    beside it stand ``true_effect``, ``mean_effect``, ``type_s`` and ``type_m``. Where ``gap`` is 0,
    ``power`` is the size of the test.
    """

    task: Task
    table: pd.DataFrame
    iterations: int
    alpha: float

    def mde(self, power: float = 0.80) -> pd.DataFrame:
        """Smallest gap that each dataset size detects with the target power, a row a size.

        ``mde`` is ``inf`` where no admissible gap has the power; its Monte Carlo error is
        ``standard_error``. It is simulated, not read off the gaps of `table`.
        """
        simulation = self.task.simulation(self.iterations, self.alpha)
        tables = [
            simulation.detectable_gaps(family, self.task.dataset_size, largest, power=power)
            .rename(columns={"n_items": "dataset_size"})
            .assign(**shared)
            for shared, family, largest in self.task.families()
        ]
        return pd.concat(tables, ignore_index=True)

    def plot(self) -> Figure:
        """Draw power against the gap: a line a size with its Monte Carlo band, a panel a base."""
        from llm_power._report.figures import draw_power  # noqa: PLC0415

        return draw_power(self.table, gap_label=self.task.gap_label)


_NAMED: Final[Mapping[NamedAgreement, Callable[[float, float], float]]] = {
    "independent": lambda a, b: a * b + (1 - a) * (1 - b),
    "lowest": lambda a, b: admissible_agreement(a, b)[0],
    "highest": lambda a, b: admissible_agreement(a, b)[1],
}


def agreement_rate(agreement: float | NamedAgreement, p_a: float, p_b: float) -> float:
    """Return the share of items that two models of these accuracies both solve or both fail."""
    if not isinstance(agreement, str):
        return float(agreement)
    if agreement not in _NAMED:
        known = list(get_args(NamedAgreement))
        raise InvalidArgument(f"agreement must be a number or one of {known}, got {agreement!r}")
    return _NAMED[agreement](p_a, p_b)


def _accuracies(name: str, value: ArrayLike) -> list[float]:
    return [float(p) for p in np.atleast_1d(proportions(name, value))]

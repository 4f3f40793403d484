"""Each table of the paper, recomputed from the others as far as they determine it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from operator import add, sub, truediv
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.tables import (
    Column,
    Table,
    as_digits_of,
    as_fixed,
    as_integer,
    as_printed,
)
from llm_power._statistics.argument_checks import (
    broadcast,
    non_negative,
    numbers,
    positive,
    proportions,
)
from llm_power._statistics.arrays import ArrayLike, FloatArray, ratio
from llm_power_audit.agreement import placed
from llm_power_audit.printed import DISPLAY_RULES, Printed, parse_printed

MODELS: Final = ("galleon", "dreadnought")
#: The multiple of the standard error in eqs. (3) and (5).
Z_95: Final = 1.96


def bernoulli_error(score: ArrayLike, n_items: ArrayLike) -> FloatArray:
    r"""Standard error of a score from the score and the number of items alone, eq. (2).

    .. math:: SE = \sqrt{\bar s (1 - \bar s) / n}

    For scores of 0 and 1 only. Eq. (1) of such scores is this with :math:`n - 1` for
    :math:`n`, and no scores in [0, 1] have a larger one: a printed standard error above it is
    not one of :math:`n` independent items.
    """
    s, n = broadcast(score=proportions("score", score), n_items=positive("n_items", n_items))
    return np.asarray(np.sqrt(s * (1 - s) / n))


def error_of_difference(
    error_a: ArrayLike, error_b: ArrayLike, correlation: ArrayLike = 0.0
) -> FloatArray:
    r"""Standard error of a difference from those of two scores and their correlation.

    .. math:: SE_{A-B} = \sqrt{SE_A^2 + SE_B^2 - 2\,SE_A\,SE_B\,\mathrm{Corr}(s_A, s_B)}

    Section 4.2 has the Pearson correlation of the scores, whatever the standard errors. Of
    clustered standard errors it is that of the cluster sums: the scores' own gives another
    number.
    """
    a, b, r = broadcast(
        error_a=_errors("error_a", error_a),
        error_b=_errors("error_b", error_b),
        correlation=numbers("correlation", correlation),
    )
    if np.any(np.abs(r) > 1):
        raise InvalidArgument(
            f"correlation must lie in [-1, 1], got {float(r[np.abs(r) > 1][0])!r}"
        )
    return np.asarray(np.sqrt(np.square(a - b) + 2 * a * b * (1 - r)))


def most_items(
    score_a: ArrayLike, score_b: ArrayLike, correlation: ArrayLike, error_difference: ArrayLike
) -> FloatArray:
    """Most independent items on which scores in [0, 1] have a standard error of the difference.

    Of scores that vary less than 0 and 1 do, one may not vary at all.
    """
    a, b = (bernoulli_error(score, 1) for score in (score_a, score_b))
    widest = np.maximum(np.maximum(a, b), error_of_difference(a, b, correlation))
    return np.asarray(1 + np.square(widest / positive("error_difference", error_difference)))


def correlation_from_errors(
    error_a: ArrayLike, error_b: ArrayLike, error_difference: ArrayLike
) -> FloatArray:
    """Correlation that standard errors of two scores and of their difference imply.

    Broadcast shape; outside [-1, 1] where the three cannot belong together, and NaN where one of
    the scores has none.
    """
    a, b, d = broadcast(
        error_a=non_negative("error_a", error_a),
        error_b=non_negative("error_b", error_b),
        error_difference=non_negative("error_difference", error_difference),
    )
    return ratio(np.square(a) + np.square(b) - np.square(d), 2 * a * b)


def _errors(name: str, value: ArrayLike) -> FloatArray:
    x = numbers(name, value)
    non_negative(name, x[~np.isnan(x)])
    return x


def table_01(printed: pd.DataFrame, table_2: pd.DataFrame, table_5: pd.DataFrame) -> pd.DataFrame:
    """Scores of Table 1 as Table 2 has them, differences as the intervals of Table 5 do."""
    made = recomputed("difference", rows_of(table_5), _middle, "low", "high")
    for model in MODELS:
        made |= recomputed(model, rows_of(table_2), float, model)
    return _beside(printed, made)


def table_02(printed: pd.DataFrame, table_5: pd.DataFrame) -> pd.DataFrame:
    """Table 2: errors by eq. (2), and each score from the other and the difference of Table 5."""
    rows = [
        row | {"difference": difference}
        for row, difference in zip(rows_of(printed), table_5["difference"], strict=True)
    ]
    made = recomputed("galleon", rows, add, "dreadnought", "difference")
    made |= recomputed("dreadnought", rows, sub, "galleon", "difference")
    for model in MODELS:
        made |= columns_of(f"{model}_se", naive_errors(printed, model))
    return _beside(printed, made)


def table_03(printed: pd.DataFrame) -> pd.DataFrame:
    """What the clustered errors of Table 3 are beside eq. (2)."""
    made = {
        "mean_cluster_size": [row["n"].value / row["clusters"].value for row in rows_of(printed)]
    }
    for model in MODELS:
        naive = np.array([one.value for one in naive_errors(printed, model)])
        made[f"{model}_naive"] = naive.tolist()
        made[f"{model}_ratio"] = (_shares(printed, f"{model}_se") / naive).tolist()
    return _beside(printed, made)


def table_04(printed: pd.DataFrame) -> pd.DataFrame:
    """Ratios of Table 4, from its two standard errors."""
    return _beside(printed, recomputed("ratio", rows_of(printed), truediv, "clustered", "naive"))


def table_05(printed: pd.DataFrame, table_2: pd.DataFrame, table_3: pd.DataFrame) -> pd.DataFrame:
    """Table 5 by the relation of Section 4.2, from the errors of Tables 2 and 3."""
    rows = rows_of_table_05(printed, table_2, table_3)
    naive = [naive_errors(table_2, model) for model in MODELS]
    correlations = [row["correlation"] for row in rows]
    of_scores = map(partial(over_roundings, error_of_difference), *naive, correlations)
    made = {
        **recomputed("se", rows, error_of_difference, *MODELS, "correlation"),
        **recomputed("correlation", rows, correlation_from_errors, *MODELS, "se_of_ends"),
        **columns_of("se_of_scores", list(of_scores)),
        **recomputed("low", rows, lambda d, se: d - Z_95 * se, "difference", "se_of_errors"),
        **recomputed("high", rows, lambda d, se: d + Z_95 * se, "difference", "se_of_errors"),
        **recomputed("difference", rows, _middle, "low", "high"),
        **recomputed("z", rows, truediv, "difference", "se"),
    }
    return _beside(printed, made)


def rows_of_table_05(
    printed: pd.DataFrame, table_2: pd.DataFrame, table_3: pd.DataFrame
) -> list[dict[str, Any]]:
    """Rows of Table 5 with the errors of both scores, and the printed one within what others say.

    It is within what those errors leave, `se_of_errors`, and within the interval, `se_of_ends`.
    """
    rows = []
    for row in rows_of(printed):
        errors = _errors_of(row["eval"], table_2, table_3)
        r = _narrowed(row["correlation"], -1, 1)
        implied = over_roundings(error_of_difference, *errors, r)
        ends = over_roundings(lambda low, high: (high - low) / 2 / Z_95, row["low"], row["high"])
        rows.append(
            row
            | dict(zip(MODELS, errors, strict=True))
            | {
                "correlation": r,
                "se_of_errors": _narrowed(row["se"], implied.lower, implied.upper),
                "se_of_ends": _narrowed(row["se"], ends.lower, ends.upper),
            }
        )
    return rows


def rows_of(printed: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a printed table, each with its cells by column."""
    return [{str(name): cell for name, cell in row.items()} for row in printed.to_dict("records")]


def naive_errors(printed: pd.DataFrame, model: str) -> list[Recomputed]:
    """Standard errors by eq. (2), from a table's scores and numbers of questions."""
    return [
        over_roundings(lambda s, n=row["n"].value: bernoulli_error(s, n), as_share(row[model]))
        for row in rows_of(printed)
    ]


def present(
    frame: pd.DataFrame,
    caption: str,
    headers: Mapping[str, str],
    *,
    sources: str,
    notes: Sequence[str] = (),
) -> Table:
    """Dress a frame: what the other cells give, with the printed one below where it differs."""
    shown = _shown(frame)
    return Table(
        frame=frame,
        columns=[_column(name, header, shown) for name, header in headers.items()],
        caption=caption,
        provenance=[Provenance.published(sources)],
        notes=notes,
        shown=shown,
    )


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with recomputed cells as they would have been printed, models in lines."""
    shown = frame.copy()
    for name in frame.columns:
        if f"{name}_printed" in frame:
            texts, held = list(frame[f"{name}_printed"]), frame[name]
            shown[name] = list(map(_as_would_be_printed, held, texts))
            ends = zip(frame[f"{name}_lower"], frame[f"{name}_upper"], texts, strict=True)
            shown[f"{name}_agrees"] = _by_one_rule(list(ends))
    for name in frame.columns:
        of_first, _, what = name.partition("_")
        other = f"{MODELS[1]}_{what}" if what else MODELS[1]
        if of_first == MODELS[0] and other in frame:
            shown[f"both_{what}"] = list(zip(frame[name], frame[other], strict=True))
    shown["both"] = [("Galleon", "Dreadnought")] * len(frame)
    return shown


def _by_one_rule(cells: Sequence[tuple[float, float, str]]) -> list[bool]:
    """Return which cells of a column the audit's rounding, which fits most, explains."""
    printed = [(low, high, parse_printed(text)) for low, high, text in cells]
    explained = (
        [placed(cell, low, high, rounding=rule) != "outside" for low, high, cell in printed]
        for rule in DISPLAY_RULES
    )
    return max(explained, key=sum)


def _as_would_be_printed(value: float, text: str) -> str:
    percent = "%" if "%" in text else ""
    digits = as_digits_of(text)(100 * value if percent else value)
    sign = "+" if text.startswith("+") and value > 0 else ""
    return f"{sign}{digits}{percent}"


def _column(name: str, header: str, shown: pd.DataFrame) -> Column:
    if name in ("eval", "both"):
        return Column(name, header)
    if f"{name}_agrees" in shown:
        return Column(name, header, align="right", printed=True)
    if name.endswith("_printed"):
        return Column(name, header, as_printed, "right")
    if name in ("n", "clusters"):
        return Column(name, header, as_integer, "right")
    pure = name.endswith("ratio") or name in ("z", "mean_cluster_size")
    return Column(name, header, as_fixed(2) if pure else _as_percent, "right")


def _as_percent(value: float) -> str:
    return f"{as_fixed(2)(100 * value)}%"


def _beside(printed: pd.DataFrame, made: dict[str, list[float]]) -> pd.DataFrame:
    """Printed cells as text, counts as numbers, and what was made of them."""
    columns: dict[str, list[str] | list[float]] = {}
    for name in map(str, printed.columns):
        cells = printed[name].to_list()
        if not isinstance(cells[0], Printed):
            columns[name] = cells
        elif name in ("n", "clusters"):
            columns[name] = [cell.value for cell in cells]
        else:
            columns[f"{name}_printed"] = [cell.text for cell in cells]
            ends = (name, f"{name}_lower", f"{name}_upper")
            columns |= {made_of: made[made_of] for made_of in ends if made_of in made}
    return pd.DataFrame(columns | made)


def _errors_of(
    name: str, table_2: pd.DataFrame, table_3: pd.DataFrame
) -> tuple[Recomputed, Recomputed]:
    """Errors of both models: clustered ones where there are, others as scores in [0, 1] have."""
    if name in set(table_3["eval"]):
        row = table_3[table_3["eval"] == name].iloc[0]
        first, second = (_as_rounded(row[f"{model}_se"]) for model in MODELS)
        return first, second
    i = list(table_2["eval"]).index(name)
    # Scores in [0, 1] vary at most as 0/1 scores do; eq. (1) divides by n - 1.
    at_most = np.sqrt(1 + 1 / (table_2["n"][i].value - 1))
    first, second = (
        _narrowed(table_2[f"{model}_se"][i], 0, at_most * naive_errors(table_2, model)[i].upper)
        for model in MODELS
    )
    return first, second


def _middle(low: float, high: float) -> float:
    return (low + high) / 2


def as_share(cell: Printed) -> Printed:
    """Return a score as a share; DROP's is printed in points without a sign."""
    if "%" in cell.text:
        return cell
    return Printed(cell.relation, cell.value / 100, cell.half_unit / 100, text=cell.text)


def _shares(printed: pd.DataFrame, column: str) -> FloatArray:
    return np.array([as_share(cell).value for cell in printed[column]])


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A number from the printed digits, and the ends of what their rounding allows."""

    value: float
    lower: float
    upper: float


def _as_rounded(cell: Printed | Recomputed) -> Recomputed:
    if isinstance(cell, Recomputed):
        return cell
    return Recomputed(cell.value, cell.value - cell.half_unit, cell.value + cell.half_unit)


def _within(value: float, ends: Recomputed) -> float:
    return min(max(value, ends.lower), ends.upper)


def _narrowed(cell: Printed, least: float, most: float) -> Recomputed:
    """What other numbers leave of a rounded one; all of it where they contradict it."""
    one = _as_rounded(cell)
    lower, upper = max(one.lower, least), min(one.upper, most)
    return replace(one, lower=lower, upper=upper) if lower <= upper else one


def over_roundings(function: Callable[..., Any], *cells: Printed | Recomputed) -> Recomputed:
    """Evaluate a function that is monotone in each argument within its rounding."""
    rounded = [_as_rounded(cell) for cell in cells]
    ends = [(one.lower, _within(one.value, one), one.upper) for one in rounded]
    # The ends are decimal: what binary numbers miss of them is nothing that was printed.
    values = [round(float(function(*corner)), 12) for corner in product(*ends)]
    middle = round(float(function(*(one.value for one in rounded))), 12)
    # Nor are they reached: it takes a tie in every number, each rounded the way that suits.
    least, most = min(values), max(values)
    inside = min(1e-12, (most - least) / 2)
    made = Recomputed(middle, round(least + inside, 12), round(most - inside, 12))
    return replace(made, value=_within(middle, made))


def recomputed(
    name: str, rows: Sequence[Mapping[str, Any]], function: Callable[..., Any], *cells: str
) -> dict[str, list[float]]:
    """Return the columns of a function of some printed cells of each row."""
    return columns_of(
        name, [over_roundings(function, *(row[cell] for cell in cells)) for row in rows]
    )


def columns_of(name: str, numbers: Sequence[Recomputed]) -> dict[str, list[float]]:
    """Return the columns of a table that an audit reads: the value and its ends."""
    return {
        name: [one.value for one in numbers],
        f"{name}_lower": [one.lower for one in numbers],
        f"{name}_upper": [one.upper for one in numbers],
    }

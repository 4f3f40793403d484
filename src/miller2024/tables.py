"""Each table of the paper, recomputed from the others as far as they determine it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power.printed import Printed
from llm_power.provenance import Provenance
from llm_power.report.tables import Column, Table, as_fixed, as_integer, as_printed
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.standard_errors import (
    bernoulli_error,
    correlation_from_errors,
    error_of_difference,
)
from miller2024.rounding import Recomputed, columns_of, over_roundings

MODELS: Final = ("galleon", "dreadnought")
#: The multiple of the standard error in eqs. (3) and (5).
Z_95: Final = 1.96


def table_01(printed: pd.DataFrame, table_2: pd.DataFrame, table_5: pd.DataFrame) -> pd.DataFrame:
    """Scores of Table 1 as Table 2 has them, differences as the intervals of Table 5 do."""
    made = columns_of("difference", _middles(table_5))
    for model in MODELS:
        made |= columns_of(model, [over_roundings(_same, row[model]) for row in rows_of(table_2)])
    return _beside(printed, made)


def table_02(printed: pd.DataFrame, table_5: pd.DataFrame) -> pd.DataFrame:
    """Table 2: errors by eq. (2), and each score from the other and the difference of Table 5."""
    rows = [
        (row, other["difference"])
        for row, other in zip(rows_of(printed), rows_of(table_5), strict=True)
    ]
    made = {
        **columns_of("galleon", [over_roundings(_plus, r["dreadnought"], d) for r, d in rows]),
        **columns_of("dreadnought", [over_roundings(_less, r["galleon"], d) for r, d in rows]),
    }
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
    found = [
        over_roundings(lambda a, b: a / b, row["clustered"], row["naive"])
        for row in rows_of(printed)
    ]
    return _beside(printed, columns_of("ratio", found))


def table_05(printed: pd.DataFrame, table_2: pd.DataFrame, table_3: pd.DataFrame) -> pd.DataFrame:
    """Table 5 by the relation of Section 4.2, from the errors of Tables 2 and 3.

    Notes
    -----
    MGSM's errors are those of Table 3, as Section 4.2 says. ``se_of_scores`` has errors by eq. (2)
    in the place of the printed ones, for answers of 0 and 1 to independent questions.
    """
    errors = [_errors_of(row["eval"], table_2, table_3) for row in rows_of(printed)]
    rows = list(zip(rows_of(printed), errors, strict=True))
    naive = [naive_errors(table_2, model) for model in MODELS]
    made = (
        columns_of(
            "se", [over_roundings(error_of_difference, *pair, r["correlation"]) for r, pair in rows]
        )
        | columns_of(
            "correlation",
            [over_roundings(correlation_from_errors, *pair, r["se"]) for r, pair in rows],
        )
        | columns_of("se_of_scores", list(map(_joined, *naive, printed["correlation"])))
    )
    for name, side in (("low", -1), ("high", 1)):
        ends = [
            over_roundings(lambda d, se, side=side: d + side * Z_95 * se, r["difference"], r["se"])
            for r, _ in rows
        ]
        made |= columns_of(name, ends)
    z = [over_roundings(lambda d, se: d / se, r["difference"], r["se"]) for r, _ in rows]
    made |= columns_of("difference", _middles(printed)) | columns_of("z", z)
    return _beside(printed, made)


def rows_of(printed: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a printed table, each with its cells by column."""
    return [{str(name): cell for name, cell in row.items()} for row in printed.to_dict("records")]


def naive_errors(printed: pd.DataFrame, model: str) -> list[Recomputed]:
    """Standard errors by eq. (2), from a table's scores and numbers of questions."""
    return [
        over_roundings(lambda s, n=row["n"].value: bernoulli_error(s, n), _share(row[model]))
        for row in rows_of(printed)
    ]


def present(
    frame: pd.DataFrame, number: int, caption: str, *, sources: str, notes: Sequence[str] = ()
) -> Table:
    """Dress a frame: printed cells, and beside each what the others give."""
    columns = [_column(name) for name in frame.columns if not name.endswith(("_lower", "_upper"))]
    return Table(
        frame=frame,
        columns=columns,
        caption=caption,
        number=str(number),
        provenance=[Provenance.published(sources)],
        notes=notes,
    )


_HEADERS: Final = {
    "n": "questions",
    "mean_cluster_size": "questions a cluster",
    "galleon_naive": "Galleon, eq. (2)",
    "galleon_ratio": "Galleon, times eq. (2)",
    "dreadnought_naive": "Dreadnought, eq. (2)",
    "dreadnought_ratio": "Dreadnought, times eq. (2)",
    "galleon_se": "Galleon, SE",
    "dreadnought_se": "Dreadnought, SE",
    "galleon": "Galleon",
    "dreadnought": "Dreadnought",
    "se": "SE",
    "low": "from",
    "high": "to",
    "se_of_scores": "SE, from scores",
}


def _column(name: str) -> Column:
    plain = name.removesuffix("_printed")
    header = _HEADERS.get(plain, plain)
    if name in ("eval", "model", "baseline"):
        return Column(name, header)
    if name != plain:
        return Column(name, f"{header}, printed", as_printed, "right")
    if name in ("n", "clusters"):
        return Column(name, header, as_integer, "right")
    pure = name.endswith("ratio") or name in ("correlation", "z", "mean_cluster_size")
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


def _errors_of(name: str, table_2: pd.DataFrame, table_3: pd.DataFrame) -> tuple[Printed, Printed]:
    """Return the printed errors of both models: clustered ones where there are."""
    table = table_3 if name in set(table_3["eval"]) else table_2
    row = table[table["eval"] == name].iloc[0]
    return row["galleon_se"], row["dreadnought_se"]


def _middles(table_5: pd.DataFrame) -> list[Recomputed]:
    """Middles of the printed intervals: their differences."""
    return [
        over_roundings(lambda low, high: (low + high) / 2, row["low"], row["high"])
        for row in rows_of(table_5)
    ]


def _same(a: float) -> float:
    return a


def _plus(a: float, b: float) -> float:
    return a + b


def _less(a: float, b: float) -> float:
    return a - b


def _joined(first: Recomputed, second: Recomputed, correlation: Printed) -> Recomputed:
    """Combine two recomputed errors with a printed correlation."""
    halves = [
        Printed("=", (one.lower + one.upper) / 2, (one.upper - one.lower) / 2)
        for one in (first, second)
    ]
    return over_roundings(error_of_difference, *halves, correlation)


def _share(cell: Printed) -> Printed:
    """Return a score as a share; DROP's is printed in points without a sign."""
    if "%" in cell.text:
        return cell
    return Printed(cell.relation, cell.value / 100, cell.half_unit / 100, text=cell.text)


def _shares(printed: pd.DataFrame, column: str) -> FloatArray:
    return np.array([_share(cell).value for cell in printed[column]])

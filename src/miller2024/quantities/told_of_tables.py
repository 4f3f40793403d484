"""What the text says of Tables 1, 4 and 5."""

from __future__ import annotations

from collections.abc import Iterator

from miller2024.quantities.grounds import QUANTITIES, PrintedNumbers
from miller2024.tables import rows_of, table_04, table_05
from replication.findings import Finding


@QUANTITIES.on(PrintedNumbers)
def leads_of_dreadnought(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Evals of Table 1 on which Dreadnought scores higher, and all of them."""
    table = numbers.tables[1]
    ahead = [row["dreadnought"].value > row["galleon"].value for row in rows_of(table)]
    yield Finding("evals_led", "Dreadnought", sum(ahead), "scores of Table 1")
    yield Finding("evals", "", len(ahead), "rows of Table 1")


@QUANTITIES.on(PrintedNumbers)
def clustered_to_naive(numbers: PrintedNumbers) -> Iterator[Finding]:
    """The largest ratio of a clustered standard error to the naive one."""
    row = table_04(numbers.tables[4]).nlargest(1, "ratio").iloc[0]
    yield Finding(
        "largest_ratio",
        "",
        row["ratio"],
        "Table 4",
        lower=row["ratio_lower"],
        upper=row["ratio_upper"],
    )
    printed = max(cell.value for cell in numbers.tables[4]["ratio"])
    yield Finding("largest_printed_ratio", "", printed, "Table 4, its third column")


@QUANTITIES.on(PrintedNumbers)
def z_scores(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Difference over standard error of each eval of Table 5, eq. (6)."""
    frame = table_05(*(numbers.tables[number] for number in (5, 2, 3)))
    for row in frame.to_dict(orient="records"):
        yield Finding(
            "z", row["eval"], row["z"], "eq. (6)", lower=row["z_lower"], upper=row["z_upper"]
        )

"""Table 5, MMLU-Pro column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pandas as pd
import pytest

from kotawala2026.exhibits._counts_table import POINT, counted_pairs
from kotawala2026.exhibits.table_05 import present, table_05
from llm_power._board.columns import verdict_table
from llm_power._board.resolution import add_multiplicity, add_sequential
from llm_power._errors import InvalidArgument
from llm_power._report.tables import to_markdown
from llm_power_audit.printed_tables import PublishedCounts

Loader = Callable[[int], pd.DataFrame]


FAMILY: Final[dict[str, Any]] = {"all_pairs_family": 45}


def printed_icc(published: Loader) -> pd.DataFrame:
    """The clustered verdicts that Table 4 prints."""
    printed = published(4)
    ranks = [pair.split(" vs ") for pair in printed["pair"]]
    return pd.DataFrame(
        {
            "task": "mmlu_pro",
            "rank_a": [int(a) for a, _ in ranks],
            "rank_b": [int(b) for _, b in ranks],
            "resolved_cluster": [cell.value <= 12032 for cell in printed["n_star_cluster"]],
        }
    )


def recomputed(
    published: Loader, counts: PublishedCounts, items: pd.DataFrame | None = None
) -> pd.DataFrame:
    frame = table_05(published(5), counts, printed_icc(published), items, **FAMILY)
    return frame.set_index("procedure")


def test_every_row_of_table_5_holds(published: Loader, counts_7: PublishedCounts) -> None:
    frame = recomputed(published, counts_7)
    in_table = frame[frame["where"] == "Table 5"]
    assert in_table["unresolved"].to_dict() == {
        "Fixed-n": 4,
        "Bonferroni, m = 9": 4,
        "Holm, m = 9": 4,
        "Anytime-valid, not resolvable": 5,
        "Real-ICC clustered": 6,
    }
    assert in_table["agrees"].all()
    assert frame["basis"].value_counts().to_dict() == {"counts": 6, "board": 1}
    assert frame.loc["Real-ICC clustered", "basis"] == "board"


def test_one_verdict_does_not_stand_for_all_pairs(
    published: Loader, counts_7: PublishedCounts
) -> None:
    """Section 6.2 says that four verdicts stand at m = 45; ranks 5 vs 6 make a fifth."""
    frame = recomputed(published, counts_7)
    row = frame.loc["Bonferroni, m = 45"]
    assert row["unresolved"] == 5
    assert pd.isna(row["printed"])
    assert "5 vs 6" in row["which"]
    shown = to_markdown(present(frame.reset_index()))
    assert "≠" not in shown, "Table 5 has no row for it"
    rows = [line.split("|")[1].strip() for line in shown.splitlines() if line.startswith("|")]
    assert rows[-2:] == ["Bonferroni, m = 45 (ours)", "Anytime-valid, not crossed (ours)"]
    said = " ".join(shown.replace("\\", "").split())
    assert "fixed-n: Bonferroni, m = 45: 5 vs 6; Anytime-valid: 5 vs 6;" in said
    assert "Real-ICC clustered: 4 vs 5 and 5 vs 6." in said
    assert "unresolved. Anytime-validity adds 5 vs 6, which has less than 80% power to" in said
    assert "Adjusted α: Bonferroni's α/m, m = 9; Holm's" in said


def test_crossed_and_resolvable_differ_on_ranks_5_vs_6(
    published: Loader, counts_7: PublishedCounts
) -> None:
    frame = recomputed(published, counts_7)
    resolvable = frame["which"]["Anytime-valid, not resolvable"].split(", ")
    crossed = frame["which"]["Anytime-valid, not crossed"].split(", ")
    assert set(resolvable) - set(crossed) == {"5 vs 6"}
    assert frame["agrees"].isna()["Anytime-valid, not crossed"]


def test_verdicts_are_the_same_at_12031_items(published: Loader, counts_7: PublishedCounts) -> None:
    one_less = replace(counts_7, n_items=counts_7.n_items - 1)
    pd.testing.assert_frame_equal(recomputed(published, counts_7), recomputed(published, one_less))


def test_with_items_every_row_is_the_boards(published: Loader, counts_7: PublishedCounts) -> None:
    """The pair 5 vs 6 is made a narrow one on the items: the printed count differs, and is said."""
    b = counts_7.b.copy()
    b[4] = counts_7.c[4] + 9
    pairs = counted_pairs(replace(counts_7, b=b), None, counts_7.n_items)
    items = verdict_table(
        pairs, add_multiplicity(pairs, pairs, POINT), add_sequential(pairs, POINT)
    )
    frame = recomputed(published, counts_7, items)
    assert set(frame["basis"]) == {"board"}
    row = frame.loc["Fixed-n"]
    assert (row["unresolved"], row["printed"], row["agrees"]) == (5, "4/9", False)
    assert "5 vs 6" in row["which"]
    text = " ".join(to_markdown(present(frame.reset_index())).split())
    assert "≠ 4/9" in text
    assert "Depending on the procedure 5 to 6 of 9 MMLU-Pro pairs are unresolved." in text


def test_clusters_of_other_pairs_are_refused(published: Loader, counts_7: PublishedCounts) -> None:
    with pytest.raises(InvalidArgument, match="printed ones"):
        table_05(published(5), counts_7, printed_icc(published)[:8], None, **FAMILY)

"""Tables 6, 7 and 11 and Figure 3: every printed cell against the counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from kotawala2026.exhibits import table_06 as six
from kotawala2026.exhibits import table_07 as seven
from kotawala2026.exhibits import table_11 as eleven
from kotawala2026.exhibits._counts_table import counted_pairs, label_and_gap
from kotawala2026.exhibits.figure_03 import connor_r, figure_03
from kotawala2026.labels import in_printed_order, pair_names
from llm_power._errors import InvalidArgument
from llm_power._report.tables import to_markdown
from llm_power_audit.printed import parse_printed
from llm_power_audit.printed_tables import PublishedCounts
from replication.table_files import to_latex

Loader = Callable[[int], pd.DataFrame]
K = float(norm.ppf(0.975) + norm.ppf(0.8)) ** 2


@pytest.fixture(scope="module")
def table_6(counts_6: PublishedCounts, published: Loader) -> pd.DataFrame:
    return six.table_06(counts_6, [gap for _, gap in map(label_and_gap, published(11)["pair"])])


@pytest.fixture(scope="module")
def table_7(counts_7: PublishedCounts, published: Loader) -> pd.DataFrame:
    return seven.table_07(counts_7, list(published(4)["gap_pp"]))


@pytest.fixture(scope="module")
def table_11(counts_6: PublishedCounts, published: Loader) -> pd.DataFrame:
    return eleven.table_11(published(11), counts_6)


def flags(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[name for name in frame.columns if name.endswith("_agrees")]]


def test_every_cell_of_table_6(table_6: pd.DataFrame) -> None:
    assert flags(table_6).shape == (7, 7)
    assert flags(table_6).to_numpy().all()
    assert not table_6["resolved"].any()


def test_every_cell_of_table_7_at_the_implied_item_count(table_7: pd.DataFrame) -> None:
    assert flags(table_7).shape == (9, 7)
    assert flags(table_7).to_numpy().all()
    assert (table_7["n_items"] == 12031).all()
    assert table_7.loc[~table_7["resolved"], "label"].tolist() == [
        "3 vs 4", "6 vs 7", "8 vs 9", "9 vs 10",
    ]  # fmt: skip


def test_table_7_does_not_hold_at_the_printed_item_count(table_7: pd.DataFrame) -> None:
    """Expected difference, derived in test_item_count: the caption's N is one too many."""
    beyond = table_7["n_star_rules_at_printed_n"] == ""
    assert table_7.loc[beyond, "label"].tolist() == ["3 vs 4", "6 vs 7", "9 vs 10"]
    assert table_7.loc[beyond, "n_star_at_printed_n"].round().tolist() == [34095, 2727354, 314396]
    assert table_7.loc[beyond, "n_star_printed"].tolist() == ["34,092", "2,727,127", "314,370"]
    # The step from 12,031 to 12,032 items is K (b + c)/(b - c)^2.
    step = table_7["n_star_at_printed_n"] - table_7["n_star"]
    slope = K * (table_7["b"] + table_7["c"]) / (table_7["b"] - table_7["c"]) ** 2
    np.testing.assert_allclose(step, slope, rtol=1e-6)


def test_every_cell_of_table_11(table_11: pd.DataFrame) -> None:
    assert flags(table_11).shape == (7, 6)
    assert flags(table_11).to_numpy().all()


def test_the_hellaswag_bootstrap_is_decided_by_a_hair(table_11: pd.DataFrame) -> None:
    """Table 11, row 4, RFRF: the tail by an n-fold convolution is 0.0254 against 0.025."""
    tail = float(table_11["bootstrap_tail"][3])
    n, b, c = 10042, 295, 249
    step = np.array([c, n - b - c, b]) / n
    # By the discrete Fourier transform over the whole support, -n..n.
    size = 2 * n + 1
    padded = np.zeros(size)
    padded[[-1, 0, 1]] = step
    law = np.fft.ifft(np.fft.fft(padded) ** n).real
    at_most_zero = law[0] + law[n + 1 :].sum()
    assert tail == pytest.approx(at_most_zero, rel=1e-9)
    assert 0.025 < tail < 0.0255


def test_flags_go_down_when_a_cell_is_wrong(counts_6: PublishedCounts, published: Loader) -> None:
    gaps = [gap for _, gap in map(label_and_gap, published(11)["pair"])]
    wrong = replace(counts_6, rho=(parse_printed("0.67"), *counts_6.rho[1:]))
    frame = six.table_06(wrong, gaps)
    assert flags(frame).to_numpy().sum() == 7 * 7 - 1
    assert not frame["rho_agrees"][0]
    assert "≠ 0.67 |" in to_markdown(six.present(frame))
    with pytest.raises(InvalidArgument, match="gap_pp"):
        six.table_06(counts_6, gaps[1:])
    with pytest.raises(InvalidArgument, match="counts"):
        eleven.table_11(published(11)[:3], counts_6)


def test_figure_3_has_four_bars_beyond_one(
    counts_7: PublishedCounts, table_7: pd.DataFrame
) -> None:
    frame = figure_03(counts_7, counted_pairs(counts_7, None, counts_7.n_items))
    assert (frame["r"] > 1).sum() == 4
    np.testing.assert_allclose(frame["r"], 1 / frame["q"], rtol=1e-12)
    assert (~frame["resolved"] == (frame["r"] > 1)).all()
    # r moves by K (1/12031 - 1/12032) between the two item counts.
    moved = frame["r"] - table_7["n_star"] / 12031
    np.testing.assert_allclose(moved, K * (1 / 12031 - 1 / 12032), rtol=1e-4)


def test_presented_tables_say_what_does_not_hold(
    table_6: pd.DataFrame, table_7: pd.DataFrame, table_11: pd.DataFrame
) -> None:
    text = " ".join(to_markdown(seven.present(table_7)).split())
    assert "N = 12,031" in text
    assert "b, c and one p̂ are put in as printed" in text
    gives = "Cells at N = 12,031. At N = 12,032 no rounding gives the printed N* of 3 vs 4, 6 vs"
    assert f"{gives} 7, 9 vs 10; there too 4 pairs are unresolved." in text
    fewer = " ".join(to_markdown(seven.present(table_7.assign(n_star_at_printed_n=1.0))).split())
    assert "9 vs 10; there 0 pairs are unresolved." in fewer
    text = " ".join(to_markdown(eleven.present(table_11)).split())
    assert "Four tests agree on 6 of 7 close pairs; they split on HS, gem/L-8B (bold)." in text
    agreed = eleven.present(table_11.assign(verdict="FFFF"))
    assert "Four tests agree on 7 of 7 close pairs. OLL" in to_markdown(agreed)
    assert to_latex(six.present(table_6)).isascii()


def test_tables_6_and_7_begin_with_what_their_frames_hold(
    table_6: pd.DataFrame, table_7: pd.DataFrame
) -> None:
    said = " ".join(to_markdown(six.present(table_6)).split())
    assert "7 of 7 close pairs are unresolved: they need 2.0 to 1,892 times the items" in said
    assert "b, c and one p̂ a task are put in as printed; the other p̂ follow from b − c;" in said
    easier = table_6.assign(resolved=table_6["label"] == "Wino")
    said = " ".join(to_markdown(six.present(easier)).split())
    assert "4 of 7 close pairs are unresolved: they need 2.0 to 94 times the items" in said
    said = " ".join(to_markdown(seven.present(table_7)).split())
    finding = "unresolved. Rounded up, 9 of 9 printed N* follow from the counts at N = 12,031; at"
    assert f"4 of 9 pairs are {finding} the N = 12,032 of the paper's caption no rule of" in said
    assert "of rounding gives more than 5." in said
    changed = table_7.assign(resolved=True, n_star_rules_at_printed_n="up")
    said = " ".join(to_markdown(seven.present(changed)).split())
    assert "0 of 9 pairs are unresolved" in said
    assert "no rule of rounding gives more than 9." in said


def test_planted_count_in_table_7_shows_in_its_row_alone(
    counts_7: PublishedCounts, published: Loader
) -> None:
    b = counts_7.b.copy()
    b[4] += 40
    frame = seven.table_07(replace(counts_7, b=b), list(published(4)["gap_pp"]))
    assert (frame["n_items"] == 12031).all()
    assert list(frame.index[~frame["n_star_agrees"]]) == [4]
    text = " ".join(to_markdown(seven.present(frame)).replace("\\", "").split())
    assert "8 of 9 printed N*" in text


def test_printed_pairs_are_of_adjacent_ranks(counts_7: PublishedCounts) -> None:
    pairs = counted_pairs(counts_7, None, counts_7.n_items)
    assert pairs["rank_b"].tolist() == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert (pairs["rank_a"] == pairs["rank_b"] - 1).all()


def on_items(counts: PublishedCounts, row: int, n_items: int | None = None) -> pd.DataFrame:
    """The pairs of a panel whose items have the printed counts, but for b of one row: one more."""
    n = counts.n_items if n_items is None else np.full(len(counts), n_items)
    b = counts.b + (np.arange(len(counts)) == row)
    return counted_pairs(replace(counts, b=b), None, n)


def test_with_items_table_7_is_counted_on_them_and_marks_what_is_printed_otherwise(
    counts_7: PublishedCounts, published: Loader
) -> None:
    items = on_items(counts_7, 4, 12031)
    frame = seven.table_07(counts_7, list(published(4)["gap_pp"]), items)
    assert frame["b"].tolist() == items["b"].tolist()
    assert frame["n_star"].tolist() == items["n_star"].tolist()
    assert (
        list(frame.index[~frame["b_agrees"]]) == list(frame.index[~frame["n_star_agrees"]]) == [4]
    )
    assert frame["c_agrees"].all()
    assert not frame["n_items_agrees"].any(), "12,032 is printed"
    text = to_markdown(seven.present(frame)).replace("\n", " ")
    assert "≠ 1,680 |" in text
    assert "8 of 9 printed N* follow from the counts at N = 12,031" in text
    assert "Counted on these items; at N = 12,032 no rounding gives" in text
    assert "put in as printed" not in text


def test_with_items_tables_6_and_11_and_figure_3_are_counted_on_them(
    counts_6: PublishedCounts, counts_7: PublishedCounts, published: Loader
) -> None:
    items = on_items(counts_6, 3)
    frame = six.table_06(
        counts_6, [gap for _, gap in map(label_and_gap, published(11)["pair"])], items
    )
    assert flags(frame).shape == (7, 10)
    assert (
        list(frame.index[~frame["b_agrees"]]) == list(frame.index[~frame["n_star_agrees"]]) == [3]
    )
    assert "≠ 295 |" in to_markdown(six.present(frame))
    # One more item that gemma alone solves, and all four tests reject.
    row = eleven.table_11(published(11), counts_6, items).iloc[3]
    assert (row["b"], row["verdict"], row["verdict_agrees"]) == (296, "RRRR", False)
    of_seven = on_items(counts_7, 5, 12031)
    bars = figure_03(counts_7, of_seven)
    assert (bars["n_items"] == 12031).all()
    assert bars["r"].tolist() == (of_seven["n_star"] / 12031).tolist()
    moved = connor_r(of_seven) != connor_r(on_items(counts_7, -1, 12031))
    assert moved.tolist() == [row == 5 for row in range(9)]


def test_a_panel_without_a_printed_pair_is_refused(counts_6: PublishedCounts) -> None:
    names = pair_names(counts_6)
    items = on_items(counts_6, 3).assign(task=["arc"] * 3 + ["hellaswag"] + ["winogrande"] * 3)
    shuffled = in_printed_order(items.iloc[::-1], names)
    assert shuffled["b"].tolist() == items["b"].tolist()
    with pytest.raises(InvalidArgument, match="HS, gemma-7b, Llama-3-8B; .* got ARC-C, gemma-7b"):
        in_printed_order(items.drop(index=3), names)

"""What all pairs of a board show: plain pandas says the same, whatever the blocks."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from board_examples import task_of
from llm_power import resolve_board
from llm_power._board.decision import verdict_columns
from llm_power._board.landscape import FEWEST_MODELS, Landscape, board_landscapes
from llm_power._board.resolution import tabulate_pairs
from llm_power._errors import InvalidArgument
from llm_power._example import example_task
from llm_power._scores.readers import read_tasks
from llm_power._scores.selection import prepare_task
from llm_power._statistics.multiplicity import FamilyTest
from llm_power._statistics.verdict import binary_verdicts

COLUMNS = ["rank_a", "rank_b", "n_items", "p_a", "p_b", "gap", "verdict", "items_needed"]
VERDICTS = ("different", "equivalent", "undetermined")


def landscape(pairs: pd.DataFrame) -> Landscape:
    made = Landscape("exam", int(pairs["rank_b"].max()))
    made.add(pairs)
    return made


def real_pairs(data_root: Path) -> pd.DataFrame:
    path = data_root / "olv1_subset" / "arc_mixtral_family.parquet"
    pairs = tabulate_pairs(prepare_task(read_tasks([path])[0]), "all")
    b, c, n = (pairs[name].to_numpy(int) for name in ("b", "c", "n_items"))
    found = binary_verdicts(b, c, n, margin=0.03)
    return pairs.assign(p_a=(pairs["n11"] + b) / n, p_b=(pairs["n11"] + c) / n).assign(
        **verdict_columns(found, n, FamilyTest(found.p, 0.05, 1), 1.0)
    )


@st.composite
def boards(draw: st.DrawFn) -> pd.DataFrame:
    """All pairs of up to twelve models, with any verdict, many ties, and none in common."""
    n_models = draw(st.integers(2, 12))
    a, b = map(np.array, zip(*combinations(range(1, n_models + 1), 2), strict=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_items = rng.choice([0, 7, 40], a.size)
    gap = rng.integers(-3, 8, a.size) / 40
    gap[n_items == 0] = np.nan
    p_a = np.where(n_items > 0, rng.choice([0.0, 0.3, 1.0], a.size), np.nan)
    verdict = rng.choice(VERDICTS, a.size, p=draw(st.sampled_from([(0.6, 0.1, 0.3), (0, 0, 1)])))
    verdict[np.isnan(gap)] = "undetermined"
    verdict[(gap == 0) & (verdict == "different")] = "equivalent"
    needed = np.where(gap == 0, np.inf, n_items * rng.choice([1.1, 2, 5, 50, 1e9], a.size))
    return pd.DataFrame(
        dict(zip(COLUMNS, (a, b, n_items, p_a, p_a, gap, verdict, needed), strict=True))
    )


def counts(rows: pd.DataFrame) -> list[int]:
    return [len(rows), *(int((rows["verdict"] == name).sum()) for name in VERDICTS)]


def down(gaps: Any) -> Any:
    return np.floor(np.abs(gaps) * 2000 + 1e-6) / 2000


def check_against_pandas(pairs: pd.DataFrame) -> None:
    found = landscape(pairs)
    assert found.complete
    names = ["pairs", *VERDICTS]
    size, distance = down(pairs["gap"]), pairs["rank_b"] - pairs["rank_a"]
    for row in found.by_distance().to_dict("records"):
        within = distance.between(row["from_distance"], row["to_distance"])
        assert [row[name] for name in names] == counts(pairs[within])
        known = np.sort(size[within].dropna())
        median = known[(len(known) - 1) // 2] if len(known) else np.nan
        assert row["median_gap"] == pytest.approx(median, nan_ok=True, abs=1e-12)
    for row in found.by_gap().to_dict("records"):
        within = (size >= row["from_gap"]) & ((size < row["to_gap"]) | (row["to_gap"] == 1))
        within = size.isna() if np.isnan(row["from_gap"]) else within
        assert [row[name] for name in names] == counts(pairs[within])
    mean = (pairs["p_a"] + pairs["p_b"]) / 2
    place = np.minimum(np.floor(mean * 20 + 1e-6), 19) / 20
    by_accuracy = found.by_accuracy()
    assert by_accuracy["from_accuracy"].tolist() == sorted(place.dropna().unique())
    for row in by_accuracy.to_dict("records"):
        held = pairs[place == row["from_accuracy"]]
        assert [row[name] for name in names] == counts(held)
        ends = [
            held.loc[held["verdict"] == "different", "gap"].abs().min(),
            held.loc[held["verdict"] == "undetermined", "gap"].abs().max(),
        ]
        found_ends = [row["smallest_different"], row["largest_undetermined"]]
        assert found_ends == pytest.approx(down(ends), nan_ok=True, abs=1e-12)
        for share in (80, 95):
            expected = isotonic_level(held, share / 100)
            assert row[f"gap_{share}"] == pytest.approx(expected, nan_ok=True, abs=1e-12)
    decided = pairs["verdict"] != "undetermined"
    ratio = pairs["items_needed"] / pairs["n_items"].where(pairs["n_items"] > 0)
    for row in found.by_items().to_dict("records"):
        reach = decided | ((ratio <= row["items"]) & np.isfinite(ratio) & (row["items"] > 1))
        assert row["pairs"] == reach.sum()


def isotonic_level(pairs: pd.DataFrame, level: float) -> float:
    """The gap from which on an isotonic regression of `different` has reached a level."""
    grouped = (pairs["verdict"] == "different").groupby(down(pairs["gap"])).agg(["mean", "size"])
    fit = isotonic_regression(grouped["mean"], weights=grouped["size"]).x
    reached = grouped.index[fit >= level - 1e-12]
    return float(reached[0]) if len(reached) else np.nan


def check_ranks(pairs: pd.DataFrame) -> None:
    found = landscape(pairs)
    n = found.n_models
    # Row and column are ranks: 1 where the row leads and is different, -1 where the column does.
    lead, undetermined = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    a, b = pairs["rank_a"], pairs["rank_b"]
    lead[a, b] = np.where(pairs["verdict"] == "different", np.sign(pairs["gap"]), 0)
    undetermined[a, b] = pairs["verdict"] == "undetermined"
    lead, undetermined = lead - lead.T, undetermined + undetermined.T
    different = lead != 0
    models = found.models()
    assert models["rank"].tolist() == [*range(1, n + 1)]
    for name, expected in (
        ("behind", lead > 0),
        ("ahead", lead < 0),
        ("undetermined", undetermined),
    ):
        assert models[name].tolist() == expected.sum(axis=1)[1:].tolist()
    for rank, first, beyond, cut in zip(
        *(models[x] for x in ("rank", "first_different", "all_different_from", "cut_below")),
        strict=True,
    ):
        below = np.arange(rank + 1, n + 1)
        firsts, opens = below[different[rank, below]], below[~different[rank, below]]
        assert [first] == (firsts[:1].tolist() or [pd.NA])
        from_ = int(opens[-1]) + 1 if opens.size else rank + 1
        assert [beyond] == ([from_] if from_ <= n else [pd.NA])
        assert cut == (rank < n and bool(different[1 : rank + 1, rank + 1 :].all()))
    tiers = found.tiers()
    assert [*tiers["first_rank"], n + 1] == [1, *(tiers["last_rank"] + 1)]
    for first, last in zip(tiers["first_rank"], tiers["last_rank"], strict=True):
        assert not different[first : last + 1, first : last + 1].any()
        # One more would be different from one of them: so no cut has fewer groups.
        assert last == n or different[first : last + 1, last + 1].any()


def test_a_real_board_is_what_plain_pandas_says(data_root: Path) -> None:
    pairs = real_pairs(data_root)
    check_against_pandas(pairs)
    check_ranks(pairs)


def test_the_shipped_example_is_what_plain_pandas_says() -> None:
    pairs = resolve_board([example_task()], family="all").verdicts
    check_against_pandas(pairs)
    check_ranks(pairs)


@settings(max_examples=15)
@given(boards())
def test_any_board_is_what_plain_pandas_says(pairs: pd.DataFrame) -> None:
    check_against_pandas(pairs)
    check_ranks(pairs)


@given(boards(), st.data())
def test_blocks_and_their_order_change_nothing(pairs: pd.DataFrame, data: st.DataObject) -> None:
    whole = landscape(pairs)
    shuffled = pairs.iloc[data.draw(st.permutations(range(len(pairs))))]
    n = len(pairs)
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=5)))
    parts = [Landscape("exam", whole.n_models) for _ in range(3)]
    for k, (begin, end) in enumerate(zip([0, *cuts], [*cuts, n], strict=True)):
        block = shuffled[begin:end]
        # A frame, and plain arrays.
        parts[k % 3].add(block if k % 2 else {name: block[name].to_numpy() for name in COLUMNS})
    merged = Landscape.from_json(parts[0].to_json())
    merged.merge(parts[2])
    merged.merge(Landscape.from_json(parts[1].to_json()))
    assert merged.to_json() == whole.to_json()


def test_models_that_solve_all_or_none_and_share_no_item_are_counted() -> None:
    rng = np.random.default_rng(5)
    values = (rng.random((60, 6)) < 0.5).astype(float)
    values[:, 0], values[:, 1], values[:30, 2], values[30:, 3] = 1, 0, np.nan, np.nan
    values[:, 5] = values[:, 4]
    ranked = prepare_task(task_of(values), missing="pairwise")
    pairs = resolve_board([ranked], family="all").verdicts
    check_against_pandas(pairs)
    check_ranks(pairs)
    assert landscape(pairs).by_gap()["pairs"].iloc[-1] == 1


def test_gaps_on_the_edge_of_a_bin_are_in_the_bin_that_they_begin() -> None:
    n = 40
    pairs = pd.DataFrame(
        {"rank_a": 1, "rank_b": np.arange(2, n + 1), "gap": np.arange(1, n) / 200}
    ).assign(n_items=200, p_a=0.5, p_b=0.5, verdict="undetermined", items_needed=np.inf)
    assert landscape(pairs).by_gap()["pairs"][:10].tolist() == [0] + [1] * 9


def test_counts_of_another_task_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="cannot take up one of task 'quiz' with 4"):
        Landscape("exam", 4).merge(Landscape("quiz", 4))


def test_neighbors_alone_and_few_models_have_no_landscape() -> None:
    rng = np.random.default_rng(2)
    values = (rng.random((30, FEWEST_MODELS)) < np.linspace(0.2, 0.9, FEWEST_MODELS)).astype(float)
    pairs = tabulate_pairs(prepare_task(task_of(values)), "all").assign(
        p_a=0.5, p_b=0.5, gap=0.0, verdict="undetermined", items_needed=np.inf
    )
    assert board_landscapes(pairs, "adjacent") == {}
    assert board_landscapes(pairs[pairs["rank_b"] < FEWEST_MODELS], "all") == {}
    assert board_landscapes(pairs, "all")["exam"].complete

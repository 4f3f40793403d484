"""A candidate against its baseline: outcomes, flips, and what each report makes of them."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from llm_power import Declared, InvalidArgument, OperatingPoint, ScoreError, TaskScores
from llm_power._choices import MissingPolicy
from llm_power._gate.comparison import Comparison, _joined, compare_models
from llm_power._gate.reports import comparison_answer, comparison_junit
from llm_power._report.answer import as_json, as_markdown, as_text
from llm_power._statistics.intervals import tango_interval
from llm_power._statistics.mcnemar import mcnemar_exact


def task_of(n11: int, broke: int, mended: int, n00: int, names: tuple[str, str]) -> TaskScores:
    old = np.repeat([1.0, 1.0, 0.0, 0.0], [n11, broke, mended, n00])
    new = np.repeat([1.0, 0.0, 1.0, 0.0], [n11, broke, mended, n00])
    items = tuple(f"q{i}" for i in range(len(old)))
    return TaskScores("exam", "binary", items, names, np.stack([old, new], axis=1))


def compared(
    cells: tuple[int, int, int, int], margin: float | None = None, alpha: float = 0.05
) -> Comparison:
    task = task_of(*cells, ("old", "new"))
    (found,) = compare_models(
        [task],
        "old",
        "new",
        point=OperatingPoint(alpha=alpha),
        declared=Declared(margin=margin),
    )
    return found


def test_a_cluster_column_is_in_both_files_or_in_neither() -> None:
    without = task_of(2, 1, 1, 2, ("old", "new"))
    subjects = replace(without, clusters={"subject": ("law",) * 6})

    def joined(old: TaskScores, new: TaskScores) -> TaskScores:
        one, other = old.part(models=[0]), new.part(models=[1])
        return _joined(one, other, "old.csv", "new.csv", ["subject"])

    assert joined(without, without).clusters == {}
    assert joined(subjects, subjects).clusters == subjects.clusters
    for old, new, lacking in ((subjects, without, "new.csv"), (without, subjects, "old.csv")):
        with pytest.raises(ScoreError, match=f"'{lacking}': .*no cluster column 'subject' here"):
            joined(old, new)


@pytest.mark.parametrize(
    ("cells", "margin", "outcome"),
    [
        ((300, 30, 8, 162), None, "worse"),
        ((300, 8, 30, 162), None, "better"),
        ((300, 12, 9, 179), None, "undetermined"),
        ((1500, 12, 9, 479), 0.01, "equivalent"),
        # Surely worse, and surely by less than the margin.
        ((15_000, 130, 60, 4810), 0.02, "equivalent"),
        # Not inferior, though more than the margin better is possible.
        ((300, 9, 16, 175), 0.02, "non_inferior"),
        ((300, 16, 9, 175), 0.02, "undetermined"),
    ],
)
def test_outcome(cells: tuple[int, int, int, int], margin: float | None, outcome: str) -> None:
    assert compared(cells, margin).outcome == outcome


@pytest.mark.parametrize("cells", [(300, 30, 8, 162), (300, 8, 30, 162), (40, 3, 3, 4)])
def test_numbers_are_those_of_the_pair_from_the_candidates_side(
    cells: tuple[int, int, int, int],
) -> None:
    found = compared(cells)
    _, broke, mended, _ = cells
    interval = tango_interval(mended, broke, sum(cells), confidence=0.95)
    assert found.p_single == mcnemar_exact(mended, broke)
    expected = [float(x) for x in (interval.delta, interval.low, interval.high)]
    assert [found.gap, found.gap_low, found.gap_high] == pytest.approx(expected, abs=1e-15)
    assert found.candidate_score - found.baseline_score == pytest.approx(found.gap, abs=1e-15)
    assert (len(found.broke), len(found.mended)) == (broke, mended)
    assert set(found.broke).isdisjoint(found.mended)


def test_the_candidate_is_the_one_that_was_named_whatever_the_ranking() -> None:
    task = task_of(300, 30, 8, 162, ("old", "new"))
    (forth,), (back,) = (
        compare_models([task], *names) for names in (("old", "new"), ("new", "old"))
    )
    assert (forth.outcome, back.outcome) == ("worse", "better")
    assert forth.gap == -back.gap
    assert (forth.broke, forth.mended) == (back.mended, back.broke)


def test_graded_scores_break_and_mend_by_their_size() -> None:
    rng = np.random.default_rng(5)
    old = rng.uniform(0.2, 0.6, 80)
    new = np.clip(old + rng.normal(0.1, 0.05, 80), 0, 1)
    task = TaskScores(
        "essay", "graded", tuple(map(str, range(80))), ("old", "new"), np.stack([old, new], 1)
    )
    (found,) = compare_models([task], "old", "new")
    assert (found.outcome, found.test) == ("better", "student")
    assert len(found.broke) == int((new < old).sum())
    assert f"got worse ({len(found.broke)}): " in as_text(comparison_answer(found))


def test_a_loss_within_the_margin_is_called_one() -> None:
    cells, names = (300, 9, 1, 1690), ("old", "new")
    (found,) = compare_models([task_of(*cells, names)], *names, declared=Declared(margin=0.02))
    assert found.outcome == "equivalent"
    text = as_text(comparison_answer(found))
    assert text.startswith("equivalent within 2 points, though worse: new against old on ")
    assert "The candidate is worse, by less than the margin of 2 points." in text
    assert "2,000 items, 1,990 of them with the same score\n" in text


def test_missing_scores_are_refused_or_left_out_of_both_means() -> None:
    values = np.array([[1, 1], [0, 1], [1, np.nan], [0, 0], [1, 0]], dtype=float)
    task = TaskScores("exam", "binary", tuple("abcde"), ("old", "new"), values)
    with pytest.raises(ScoreError, match="'new'"):
        compare_models([task], "old", "new")
    policies: tuple[MissingPolicy, ...] = ("pairwise", "drop_items")
    for missing in policies:
        (found,) = compare_models([task], "old", "new", missing=missing)
        assert (found.n_items, found.baseline_score, found.candidate_score) == (4, 0.5, 0.5)
        assert (found.broke, found.mended, found.n_unscored) == (("e",), ("b",), 1)
        counts = "4 items, 2 of them with the same score; 1 item left out for want of a score\n"
        assert counts in as_text(comparison_answer(found))


def test_a_weighted_gap_is_that_of_its_interval() -> None:
    """Ours gains in the half that has all its scores, and loses where most are missing."""
    old, new = np.repeat([0.0, 1.0], 200), np.repeat([1.0, 0.0], 200)
    old[:90] = new[:90] = new[200:210] = 1
    old[220:] = np.nan
    items = tuple(f"q{i}" for i in range(400))
    halves = {"half": tuple(np.repeat(["first", "second"], 200))}
    values = np.stack([old, new], axis=1)
    task = TaskScores("exam", "binary", items, ("old", "new"), values, clusters=halves)
    (found,) = compare_models(
        [task],
        "old",
        "new",
        missing="weighted",
        cluster="half",
        declared=Declared(clusters="fixed", weighted=True),
    )
    # 110 of 200 gained, 10 of 20 lost: each half counts one half, and items alone 100 of 220.
    assert found.gap == pytest.approx(0.5 * 110 / 200 - 0.5 * 10 / 20)
    assert found.gap_low_single < found.gap < found.gap_high_single
    assert found.candidate_score - found.baseline_score == pytest.approx(100 / 220)
    sentence, *_ = as_text(comparison_answer(found)).splitlines()[1:]
    assert "gap +2.50 points (unweighted means 95.45 against 50.00 of 100)" in sentence


def test_names_must_be_two_models_of_the_task() -> None:
    task = task_of(3, 1, 1, 3, ("old", "new"))
    with pytest.raises(InvalidArgument, match="both 'old'"):
        compare_models([task], "old", "old")
    with pytest.raises(ScoreError, match="model 'nwe'.*did you mean 'new'"):
        compare_models([task], "old", "nwe")


HOSTILE = ('<img src=x onerror="alert(1)">', "# a|b `code` ]]> $x$ <b>")


@pytest.fixture
def hostile() -> Comparison:
    (found,) = compare_models([task_of(300, 30, 8, 162, HOSTILE)], *HOSTILE)
    return found


def test_names_are_text_in_every_report(hostile: Comparison) -> None:
    markdown = as_markdown(comparison_answer(hostile))
    assert "<img" not in markdown
    assert [line for line in markdown.splitlines() if line.startswith("#")] == [
        markdown.splitlines()[0]
    ]
    case = ElementTree.fromstring(comparison_junit(hostile, fail_if=["worse"])).find("testcase")
    assert case is not None
    assert HOSTILE[0] in case.attrib["name"]
    assert json.loads(as_json(comparison_answer(hostile)))["baseline"] == HOSTILE[0]


@pytest.mark.parametrize(
    "item",
    [
        *("a|b", "`a`", "``` a", "<b>a</b>", "</details>", "<!-- a", "&lt;a", "[a](http://b)"),
        *("![a](b)", "# a", "- a", "1. a", "> a", "---", "===", "*a* **a**", "_a_", "~~a~~", "$a$"),
        *("a\nb", "a\n\n# b", "a\r\n</details>\r\n\n<img src=x>", "a\\", "<http://a.b>"),
    ],
)
def test_items_are_text_in_markdown(item: str) -> None:
    found = compared((300, 30, 8, 162))
    flips: dict[str, Any] = {"broke": (item,), "mended": ("q1", item)}
    lines = as_markdown(comparison_answer(replace(found, **flips))).splitlines()
    harmless: dict[str, Any] = {name: ("q1",) * len(items) for name, items in flips.items()}
    expected = as_markdown(comparison_answer(replace(found, **harmless))).splitlines()
    listed = [i for i, line in enumerate(expected) if line.startswith("Items: ")]
    assert len(lines) == len(expected)
    assert [i for i, line in enumerate(lines) if line != expected[i]] == listed
    for i, items in zip(listed, flips.values(), strict=True):
        text = lines[i].removeprefix("Items: ")
        bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", text)
        assert not re.search(r"[`|~$#\\]|(?<!\w)[*_]\w|<[A-Za-z/!?]|\][(\[:]", bare)
        literal = html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))
        assert literal == " ".join(", ".join(items).split())


def test_what_no_number_of_items_decides_is_infinite_in_json() -> None:
    found = compared((300, 10, 10, 180))
    assert found.more_items == np.inf
    assert "From a gap of 0 no number of items follows" in as_text(comparison_answer(found))
    assert json.loads(as_json(comparison_answer(found)))["more_items"] == "inf"


def test_long_lists_of_items_are_cut_on_screen_alone() -> None:
    found = compared((300, 30, 8, 162))
    assert "and 10 more" in as_text(comparison_answer(found))
    assert len(json.loads(as_json(comparison_answer(found)))["broke"]) == 30

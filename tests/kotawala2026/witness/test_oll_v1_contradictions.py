"""Which printed numbers of the Open LLM Leaderboard v1 cannot hold together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from planted_counts import planted

from audit.printed import (
    parse_printed,
)
from kotawala2026.witness.oll_v1 import OllV1Witness
from kotawala2026.witness.oll_v1_board import find_contradictions, nominal_board
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.paired_binary import cohens_h
from replication.constraints import BoardScore, Constraint
from replication.witness.infeasible import contradictions_frame


def test_the_printed_maximum_contradicts_two_board_scores(oll_v1_witness: OllV1Witness) -> None:
    """Section 4 prints 0.562 as the largest n_h/N* of the 40 pairs."""
    (found,) = oll_v1_witness.contradictions
    assert found.system == "GSM8K"
    assert [r.constraint.printed.text for r in found.smallest] == ["68.69", "29.19", "0.562"]
    assert [r.constraint.id for r in found.correction] == ["s4/ratio-max"]
    assert {c.id for c in found.smallest[-1].rests_on} == {"s2/miller-min", "s2/miller-max"}


def test_that_maximum_by_hand() -> None:
    """With 906 and 385 of 1,319 items the ratio is 0.5605 at any rho, as p_A + p_B = 0.979.

    Rounded up to whole items first it is 9/16 = 0.5625, which prints 0.562 to even.
    """
    p_a, p_b = 906 / 1319, 385 / 1319
    u_a, u_b = p_a * (1 - p_a), p_b * (1 - p_b)
    k = float(z_sum(0.05, 0.80)) ** 2
    for rho in (0.1, 0.3, 0.5):
        n_star = k * (u_a + u_b - 2 * rho * np.sqrt(u_a * u_b)) / (p_a - p_b) ** 2
        n_h = (1 - rho) * k / float(cohens_h(p_a, p_b)) ** 2
        assert n_h / n_star == pytest.approx(0.5605, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("row", [0, 3, 4, 6])
def test_a_planted_count_is_named(
    tmp_path: Path, board_scores: tuple[BoardScore, ...], row: int
) -> None:
    found = find_contradictions(nominal_board(board_scores), planted(tmp_path, row))
    (one,) = (c for c in found if c.system != "GSM8K")
    wrong = f"table_06/{row + 1}/b"
    assert [r.constraint.id for r in one.correction] == [wrong]
    assert wrong in [r.constraint.id for r in one.smallest]
    frame = contradictions_frame(found)
    assert frame.loc[frame["id"] == wrong, "where"].unique().tolist() == [
        "Appendix E, Table 6, column b"
    ]


def test_a_wrong_board_score_is_named_and_not_what_rests_on_it(
    board_scores: tuple[BoardScore, ...], oll_v1_constraints: tuple[Constraint, ...]
) -> None:
    """Llama-3-8B on ARC two points up: rho, N* and gaps of its pairs are read without it."""
    wrong = parse_printed("61.22")
    scores = tuple(replace(s, correct=718) if s.correct == 694 else s for s in board_scores)
    constraints = tuple(
        replace(c, printed=wrong) if c.id == "board_scores/4/score" else c
        for c in oll_v1_constraints
    )
    found = find_contradictions(nominal_board(scores), constraints)
    (one,) = (c for c in found if c.system == "ARC-C")
    assert [r.constraint.id for r in one.correction] == ["board_scores/4/score"]

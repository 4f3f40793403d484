"""Which printed numbers of the Open LLM Leaderboard v1 cannot hold together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from planted_counts import planted

from audit.printed import (
    parse_printed,
)
from kotawala2026.witness.oll_v1 import OllV1Witness
from kotawala2026.witness.oll_v1_board import find_contradictions, nominal_board
from replication.constraints import BoardScore, Constraint
from replication.witness.infeasible import contradictions_frame


def test_the_printed_maximum_contradicts_two_board_scores(oll_v1_witness: OllV1Witness) -> None:
    """Section 4 prints 0.562 as the largest n_h/N* of the 40 pairs."""
    (found,) = oll_v1_witness.contradictions
    assert found.system == "GSM8K"
    assert [r.constraint.printed.text for r in found.smallest] == ["68.69", "29.19", "0.562"]
    assert [r.constraint.id for r in found.correction] == ["s4/ratio-max"]
    assert {c.id for c in found.smallest[-1].rests_on} == {"s2/miller-min", "s2/miller-max"}


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

"""The figure of a board: hostile names, equal scores, many pairs, and the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from llm_power.provenance import Provenance
from llm_power.report.board_figure import draw_board
from llm_power.report.figures import house_style, save_figure

HOSTILE = "$\\frac{1}$ <script>alert(1)</script> & 100% _x_"


def verdicts(n_pairs: int, *tasks: str) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    delta = rng.uniform(0.001, 0.2, n_pairs * len(tasks))
    delta[0] = 0.0
    n_star = np.divide(2.0, delta**2, out=np.full(delta.shape, np.inf), where=delta > 0)
    return pd.DataFrame(
        {
            "task": np.repeat(tasks, n_pairs),
            "delta": delta,
            "n_items": 500,
            "n_star": n_star,
            "resolved": n_star <= 500,
        }
    )


@pytest.mark.parametrize(("n_pairs", "tasks"), [(12, ("exam",)), (800, ("exam", HOSTILE))])
def test_drawn_twice_is_the_same(n_pairs: int, tasks: tuple[str, ...], tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        with house_style():
            figure = draw_board(verdicts(n_pairs, *tasks), title=HOSTILE)
            source = Provenance.raw(repo=HOSTILE, revision="1", sha256="0" * 64)
            made.append(save_figure(figure, tmp_path / name, [source], title=HOSTILE))
    for first, second in zip(*made, strict=True):
        assert first.read_bytes() == second.read_bytes()
    assert "<script>" not in made[0][2].read_text()


def test_a_board_of_ties_is_drawn_without_points(tmp_path: Path) -> None:
    ties = verdicts(3, "exam").assign(delta=0.0, n_star=np.inf, resolved=False)
    with house_style():
        figure = draw_board(ties, title="ties")
        source = Provenance.raw(repo="r", revision="1", sha256="0" * 64)
        assert all(
            path.is_file() for path in save_figure(figure, tmp_path / "t", [source], title="t")
        )

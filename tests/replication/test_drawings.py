"""A drawing is written twice: with its provenance on it, and camera-ready with a caption."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image

from llm_power._provenance import WITNESS_NOTE, Provenance
from llm_power._report.figures import new_figure
from replication.drawings import write_drawing
from replication.exhibits import Drawing

SOURCES = [Provenance.witness("everything printed")]


def inches(pdf: Path) -> list[float]:
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf.read_bytes())
    assert box is not None
    return [float(side) / 72 for side in box.groups()]


@pytest.mark.parametrize(("wide", "width"), [(False, 3.3), (True, 6.9)])
def test_both_variants_have_the_width_of_the_column_or_the_page(
    wide: bool, width: float, tmp_path: Path
) -> None:
    figures: list[Figure] = []

    def draw() -> Figure:
        figure = new_figure(height=2, wide=wide)
        figure.subplots().plot([0, 1])
        figures.append(figure)
        return figure

    drawing = Drawing("Two points", SOURCES, draw, "It rises.", finding="One is higher.")
    write_drawing(drawing, str(tmp_path / "with"), str(tmp_path / "camera_ready"))
    assert {path.name for path in tmp_path.iterdir()} == {
        *("with.pdf", "with.png", "with.svg", "camera_ready.pdf", "camera_ready.txt"),
    }
    with Image.open(tmp_path / "with.png") as drawn:
        assert drawn.info["Finding"] == "One is higher."
    # The provenance is below the one, and in the caption of the other.
    assert inches(tmp_path / "camera_ready.pdf") == pytest.approx([width, 2])
    assert inches(tmp_path / "with.pdf")[0] == pytest.approx(width)
    assert inches(tmp_path / "with.pdf")[1] > 2.1
    caption = (tmp_path / "camera_ready.txt").read_text(encoding="utf-8")
    assert (
        caption
        == f"Two points. One is higher. It rises. {WITNESS_NOTE} Provenance: {SOURCES[0].line}.\n"
    )
    for figure in figures:
        left, bottom, right, top = figure.axes[0].get_position().extents
        assert 0 < left < 0.25
        assert 0.9 < right < 1
        assert 0 < bottom < top < 1

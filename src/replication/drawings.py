"""Writing of figures; a module of its own, so that tables do not import matplotlib."""

from __future__ import annotations

from llm_power.report.figures import house_style, save_figure
from replication.exhibits import Drawing


def write_drawing(drawing: Drawing, stem: str) -> None:
    """Draw a figure in the house style, and write it in all formats at a path without an ending."""
    with house_style():
        save_figure(drawing.draw(), stem, drawing.provenance, title=drawing.title)

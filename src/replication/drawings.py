"""Writing of figures; a module of its own, so that tables do not import matplotlib."""

from __future__ import annotations

from llm_power._report.figures import house_style, save_camera_ready, save_figure
from replication.exhibits import Drawing


def write_drawing(drawing: Drawing, stem: str, camera_ready: str) -> None:
    """Draw a figure in the house style, and write it at two paths without an ending."""
    # At `stem` it is written in all formats with its provenance on it, at `camera_ready` as a PDF
    # with a caption beside it. It is drawn twice, for each has a layout of its own.
    title, sources = drawing.title, drawing.provenance
    with house_style():
        save_figure(drawing.draw(), stem, sources, title=title, finding=drawing.finding)
        caption = f"{drawing.finding} {drawing.caption}".strip()
        save_camera_ready(drawing.draw(), camera_ready, sources, title=title, caption=caption)

"""How a figure is saved."""

from collections.abc import Sequence

from _job import snakemake
from matplotlib.figure import Figure

from llm_power.provenance import Provenance
from llm_power.render.figures import save_figure


def save_drawing(figure: Figure, sources: Sequence[Provenance], title: str) -> None:
    """Write a figure in all formats, at the stem of the rule's PDF."""
    save_figure(figure, snakemake.output.pdf.removesuffix(".pdf"), sources, title=title)

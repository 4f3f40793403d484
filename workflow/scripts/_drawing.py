"""How a figure is saved."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from _job import snakemake, write_csv
from matplotlib.figure import Figure

from llm_power.provenance import Provenance
from llm_power.report.figures import save_figure
from llm_power.report.tables import describe_csv


def save_drawing(figure: Figure, sources: Sequence[Provenance], title: str) -> None:
    """Write a figure in all formats, at the stem of the rule's PDF."""
    save_figure(figure, snakemake.output.pdf.removesuffix(".pdf"), sources, title=title)


def save_drawn(
    data: pd.DataFrame, figure: Figure, sources: Sequence[Provenance], title: str
) -> None:
    """Write a figure, and the numbers it shows with their sources beside them."""
    csv, described = Path(snakemake.output.csv), Path(snakemake.output.json)
    write_csv(data, str(csv))
    text = describe_csv(data, csv.name, title=title, description="", provenance=sources)
    described.write_text(text, encoding="utf-8")
    save_drawing(figure, sources, title)

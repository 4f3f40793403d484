"""What every script of the workflow does around its one call: log, and fail in one line."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

import __main__
from llm_power.errors import LLMPowerError
from llm_power.exhibits.board import score_provenance
from llm_power.exhibits.prose import Claims, index_claims
from llm_power.pairs.verdicts import OperatingPoint
from llm_power.provenance import Provenance
from llm_power.published import load_settings
from llm_power.render.figures import save_figure
from llm_power.render.tables import Table, write_table
from llm_power.scores.store import read_task
from llm_power.witness.constraints import load_constraints

# Snakemake puts this object into the script that it runs.
snakemake: Any = __main__.snakemake


@contextmanager
def logged() -> Iterator[None]:
    """Send messages to the rule's log; end the job with the one line of a refused input."""
    with open(snakemake.log[0], "w", encoding="utf-8") as log, redirect_stderr(log):
        try:
            yield
        except LLMPowerError as error:
            print(f"error: {error}", file=log)
            log.flush()
            sys.exit(1)


def operating_point() -> OperatingPoint:
    """Return level and power of the rule."""
    return OperatingPoint(alpha=snakemake.params.alpha, power=snakemake.params.power)


def published_settings() -> dict[str, Any]:
    """Return the settings that the paper states in prose and captions."""
    return load_settings(Path(snakemake.input.settings))


def file_sums(*paths: str) -> dict[str, str]:
    """Return the SHA-256 of each file by its name."""
    return {Path(path).name: sha256(Path(path).read_bytes()).hexdigest() for path in paths}


def scores_provenance() -> list[Provenance]:
    """Return where the scores came from that the rule's exhibit was computed from."""
    return score_provenance([read_task(path) for path in snakemake.input.scores])


def printed_claims() -> Claims:
    """Return what the paper prints, by panel, quantity and subject."""
    return index_claims(*(load_constraints(Path(path)) for path in snakemake.input.registers))


def write_csv(table: pd.DataFrame, path: str) -> None:
    """Write a table as CSV at full precision."""
    table.to_csv(path, index=False, lineterminator="\n")


def save_exhibit(table: Table) -> None:
    """Write a table in all formats, at the stem of the rule's CSV."""
    write_table(table, Path(snakemake.output.csv).with_suffix(""))


def save_drawing(figure: Figure, sources: list[Provenance], title: str) -> None:
    """Write a figure in all formats, at the stem of the rule's PDF."""
    save_figure(figure, snakemake.output.pdf.removesuffix(".pdf"), sources, title=title)


def load(path: str) -> pd.DataFrame:
    """Read a stage's table, in one thread: Arrow's pools can abort at exit (apache/arrow#34314)."""
    return pd.read_parquet(path, use_threads=False, pre_buffer=False)


def save(table: pd.DataFrame, path: str) -> None:
    """Write a stage's table as Parquet, the same bytes for the same table."""
    table.to_parquet(path, index=False, compression="zstd")

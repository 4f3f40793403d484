"""Where Snakemake looks for the screen of a run: `snakemake --logger exhibits`."""

from replication.screen import Screen as LogHandler

__all__ = ["LogHandler"]

"""Options of the commands, each with one wording, and the groups that several commands have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from llm_power._choices import (
    ANSWER_KEYS,
    CLUSTER_SAMPLINGS,
    DECIMAL_MARKS,
    FORMATS,
    KINDS,
    MATCHES,
    MCNEMAR_TESTS,
    MISSING_POLICIES,
    POOLS,
)
from llm_power._plugins import reader_names

PATH: Final = click.Path(path_type=Path)


def option(*names: str, **settings: Any) -> click.Option:
    """Return an option; one with a default shows it."""
    return click.Option(names, show_default="default" in settings, **settings)


def _named_paths(
    _context: click.Context, _option: click.Parameter, names: Sequence[str]
) -> dict[str, str]:
    """Return the paths of --name by the names of the runs."""
    paths: dict[str, str] = {}
    for name in names:
        run, equals, path = name.partition("=")
        if not (run and equals and path) or run in paths:
            raise click.BadParameter(f"{name!r}; give each run once, as RUN=PATH")
        paths[run] = path
    return paths


def _with_commas(
    _context: click.Context, _option: click.Parameter, names: Sequence[str]
) -> str | None:
    return ",".join(names) or None


def _names(name: str, help_text: str) -> click.Option:
    """Return an option of which tasks may have names of their own."""
    return option(
        name, multiple=True, metavar="[TASK=]NAME,...", callback=_with_commas, help=help_text
    )


# What to read.
CLUSTER: Final = option("--cluster", metavar="COLUMN", help="Column that groups the items.")
TASK: Final = option(
    "--task",
    multiple=True,
    metavar="NAME,...",
    callback=_with_commas,
    help="Tasks or groups to read; for one table, its name.",
)
METRIC: Final = _names("--metric", "Metric or scorer of a log, for all tasks or one.")
FILTER: Final = _names("--filter", "Answer filter, or split, of a log.")
LATEST: Final = option("--latest", is_flag=True, help="Read the newest of several runs.")
KIND: Final = option(
    "--kind", type=click.Choice(KINDS), help="Type of score: 0 or 1, in [0, 1], or any number."
)
ITEM: Final = option("--item", metavar="COLUMN", help="Column of the item ids.")
READING: Final = (
    option(
        "--reader",
        type=click.Choice(["auto", *reader_names()]),
        default="auto",
        metavar="NAME",
        help="Reader of the scores; docs/logs.md lists them.",
    ),
    KIND,
    ITEM,
    option("--unit", metavar="UNIT", help="Unit of real scores: $, s, tokens."),
    option("--lower-is-better", is_flag=True, help="Lower real scores are better."),
    option("--model", metavar="COLUMN", help="Column of a long table's model names."),
    option("--score", metavar="COLUMN", help="Column of a long table's scores."),
    option(
        "--exclude",
        multiple=True,
        metavar="MODEL",
        help="Leave a model out, or a run by its file; repeatable.",
    ),
    _names("--reducer", "Inspect: reducer of the epochs to one score."),
    option(
        "--name",
        "names",
        multiple=True,
        metavar="RUN=PATH",
        callback=_named_paths,
        help="Read a log as model RUN; repeatable.",
    ),
    option(
        "--pool",
        type=click.Choice(POOLS),
        default="no",
        help="lm_eval: report a group as one task, instead of or beside members.",
    ),
    option(
        "--match",
        type=click.Choice(MATCHES),
        default="id",
        help="lm_eval, alpaca_eval: match items by id or by content.",
    ),
    option(
        "--true",
        multiple=True,
        metavar="WORD",
        help="Word that means 1, where other words mean 0; repeatable.",
    ),
    option("--percent", is_flag=True, help="Scores are from 0 to 100."),
    option(
        "--decimal",
        type=click.Choice(DECIMAL_MARKS),
        help="Decimal mark of a table; the other mark separates thousands.",
    ),
    option("--task-column", metavar="COLUMN", help="Column of a long table's tasks."),
    option("--repeat-column", metavar="COLUMN", help="Column that numbers the repeats of an item."),
    option(
        "--accept-other-score",
        is_flag=True,
        help="Accept logs that display another score; record it.",
    ),
    option("--skip-malformed", is_flag=True, help="Leave malformed records out; count them."),
    option(
        "--answer-key",
        type=click.Choice(ANSWER_KEYS),
        default="shared",
        help="MMLU-Pro zips: one answer key for all, or each zip's own.",
    ),
)

# What to compare.
MARGIN: Final = option(
    "--margin", type=float, metavar="GAP", help="Equivalence margin, in score units."
)
MISSING: Final = option(
    "--missing",
    type=click.Choice(MISSING_POLICIES),
    default="error",
    help="Missing scores: stop, compare shared items, drop items, or weight.",
)
P_A: Final = option("--p-a", type=float, metavar="P", help="Accuracy of A, from 0 to 1.")
P_B: Final = option("--p-b", type=float, metavar="P", help="Accuracy of B.")
RHO: Final = option("--rho", type=float, help="Correlation of A's and B's scores, if known.")
B: Final = option("--b", type=int, metavar="COUNT", help="Items that only A solves.")
C: Final = option("--c", type=int, metavar="COUNT", help="Items that only B solves.")
N: Final = option(
    "--n", type=click.IntRange(1), metavar="COUNT", help="Items of the run, or at hand."
)

# How to test.
TEST: Final = option(
    "--test",
    type=click.Choice(MCNEMAR_TESTS),
    default="exact",
    help="Form of McNemar's test, for 0/1 scores.",
)
CLUSTERS: Final = option(
    "--clusters",
    type=click.Choice(CLUSTER_SAMPLINGS),
    default="random",
    help="Clusters are a sample (random), or the only ones of interest (fixed).",
)
ALPHA: Final = option(
    "--alpha", type=float, default=0.05, help="Chance of a false alarm (two-sided level)."
)
POWER: Final = option(
    "--power", type=float, default=0.80, help="Chance to detect a true gap (power)."
)

# What to write.
FORMAT: Final = option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    help="Terminal table, JSON at full precision, or Markdown.",
)
EXPLAIN: Final = option("--explain", is_flag=True, help="Explain each line of the answer below it.")
REPORT: Final = option(
    "--report",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Also write the answer as .txt, .md, .json or .html; repeatable.",
)

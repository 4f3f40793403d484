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
    help="Tasks or groups of tasks to read among several; of one table, its name.",
)
METRIC: Final = _names("--metric", "Metric or scorer of a log, for all tasks or one.")
FILTER: Final = _names("--filter", "Answer filter, or split, of a log.")
LATEST: Final = option("--latest", is_flag=True, help="Of several runs of a model, the newest.")
KIND: Final = option(
    "--kind", type=click.Choice(KINDS), help="Scores of 0 and 1, in [0, 1], or any numbers."
)
ITEM: Final = option("--item", metavar="COLUMN", help="Column of the item ids.")
READING: Final = (
    option(
        "--reader",
        type=click.Choice(["auto", *reader_names()]),
        default="auto",
        metavar="NAME",
        help="How to read the scores; docs/logs.md lists the readers.",
    ),
    KIND,
    ITEM,
    option("--unit", metavar="UNIT", help="Unit of real scores: $, s, tokens."),
    option("--lower-is-better", is_flag=True, help="Real scores of which less is better."),
    option("--model", metavar="COLUMN", help="Column of a long table's model names."),
    option("--score", metavar="COLUMN", help="Column of a long table's scores."),
    option("--exclude", multiple=True, metavar="MODEL", help="Leave a model out; repeatable."),
    _names("--reducer", "Inspect: what makes one score of the epochs."),
    option(
        "--name",
        "names",
        multiple=True,
        metavar="RUN=PATH",
        callback=_named_paths,
        help="Read a log, and call its model RUN; repeatable.",
    ),
    option(
        "--pool",
        type=click.Choice(POOLS),
        default="no",
        help="lm_eval: a group as one task, instead of its members or beside them.",
    ),
    option(
        "--match",
        type=click.Choice(MATCHES),
        default="id",
        help="lm_eval, alpaca_eval: same items by id, or by what they ask.",
    ),
    option(
        "--true",
        multiple=True,
        metavar="WORD",
        help="A word of a table that means 1, where others mean 0; repeatable.",
    ),
    option("--percent", is_flag=True, help="Scores are from 0 to 100."),
    option(
        "--decimal",
        type=click.Choice(DECIMAL_MARKS),
        help="Decimal mark of a table whose other mark separates thousands.",
    ),
    option("--task-column", metavar="COLUMN", help="Tells the tasks of a long table."),
    option("--repeat-column", metavar="COLUMN", help="Tells repeats of an item."),
    option(
        "--accept-other-score",
        is_flag=True,
        help="Accept logs that display another score; record it.",
    ),
    option("--skip-malformed", is_flag=True, help="Count malformed records and leave them out."),
    option(
        "--answer-key",
        type=click.Choice(ANSWER_KEYS),
        default="shared",
        help="MMLU-Pro zips: stop where two disagree about an answer, or judge by its own.",
    ),
)

# What to compare.
MARGIN: Final = option(
    "--margin", type=float, metavar="GAP", help="Equivalence margin: gaps up to it count as none."
)
MISSING: Final = option(
    "--missing",
    type=click.Choice(MISSING_POLICIES),
    default="error",
    help="Items that a model has no score on.",
)
P_A: Final = option("--p-a", type=float, metavar="P", help="Accuracy of A, from 0 to 1.")
P_B: Final = option("--p-b", type=float, metavar="P", help="Accuracy of B.")
RHO: Final = option("--rho", type=float, help="Correlation of their scores, if it is known.")
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
    "--power", type=float, default=0.80, help="Chance to find a gap that is there (power)."
)

# What to write.
FORMAT: Final = option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    help="For a terminal, for programs at full precision, or for a page.",
)
EXPLAIN: Final = option(
    "--explain", is_flag=True, help="Say below the answer what each line of it means."
)
REPORT: Final = option(
    "--report",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Write the answer as .txt, .md, .json or .html as well; repeatable.",
)

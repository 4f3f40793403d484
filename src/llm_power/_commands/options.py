"""Options that several commands have, each with one wording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from llm_power._choices import (
    ANSWER_KEYS,
    CLUSTER_SAMPLINGS,
    FORMATS,
    KINDS,
    MATCHES,
    POOLS,
)
from llm_power._plugins import reader_names

Command = Callable[..., Any]


def with_options(command: Command, *options: Callable[[Command], Command]) -> Command:
    """Give a command options, in the order that its help shows them."""
    # The first to be shown is the last to be put on.
    for option in reversed(options):
        command = option(command)
    return command


def level_and_power(command: Command) -> Command:
    """Give a command --alpha and --power."""
    return with_options(
        command,
        click.option(
            "--alpha", type=float, default=0.05, show_default=True, help="Two-sided level."
        ),
        click.option("--power", type=float, default=0.80, show_default=True, help="Target power."),
    )


def format_of_answer(command: Command) -> Command:
    """Give a command --format."""
    option = click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="For a terminal, for programs at full precision, or for a page.",
    )
    return with_options(command, option)


def answer_options(command: Command) -> Command:
    """Give a command --format and --report."""
    option = click.option(
        "--report",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the answer as .txt, .md, .json or .html as well; repeatable.",
    )
    return with_options(command, format_of_answer, option)


def clusters_of_items(command: Command) -> Command:
    """Give a command --cluster and --clusters."""
    return with_options(
        command,
        click.option("--cluster", metavar="COLUMN", help="Column that groups the items."),
        click.option(
            "--clusters",
            type=click.Choice(CLUSTER_SAMPLINGS),
            default="random",
            show_default=True,
            help="Whether the clusters are a sample of clusters, or all that is meant.",
        ),
    )


def kind_and_item(command: Command) -> Command:
    """Give a command --kind and --item."""
    return with_options(
        command,
        click.option(
            "--kind",
            type=click.Choice(KINDS),
            help="0/1 scores, scores in [0, 1], or any numbers: costs, tokens, seconds.",
        ),
        click.option("--item", metavar="COLUMN", help="Column of the item ids."),
    )


def metric_and_filter(command: Command) -> Command:
    """Give a command --metric and --filter."""
    return with_options(
        command,
        click.option(
            "--metric", metavar="NAME", help="Which metric or scorer of a log is the score."
        ),
        click.option("--filter", metavar="NAME", help="Which answer filter, or split, of a log."),
    )


def reading_options(command: Command) -> Command:
    """Give a command every option that says how tables and logs are read, but --cluster."""
    return with_options(
        command,
        click.option(
            "--reader",
            type=click.Choice(["auto", *reader_names()]),
            default="auto",
            show_default=True,
            help="How to read the scores.",
        ),
        kind_and_item,
        click.option("--unit", default="", metavar="UNIT", help="Unit of real scores."),
        click.option("--lower-is-better", is_flag=True, help="Of real scores, such as costs."),
        click.option("--model", metavar="COLUMN", help="Column of a long table's model names."),
        click.option("--score", metavar="COLUMN", help="Column of a long table's scores."),
        metric_and_filter,
        click.option(
            "--task", metavar="NAME", help="Name of the task; picks it from a folder of several."
        ),
        click.option(
            "--exclude", multiple=True, metavar="MODEL", help="Leave a model out; repeatable."
        ),
        click.option(
            "--reducer",
            metavar="NAME",
            help="Which of an Inspect log's reducers makes one score of the epochs.",
        ),
        click.option("--latest", is_flag=True, help="Of several runs of a model, the newest."),
        click.option(
            "--name",
            "names",
            multiple=True,
            metavar="RUN=PATH",
            callback=_named_paths,
            help="Read a log, and call its model RUN; repeatable.",
        ),
        click.option(
            "--pool",
            type=click.Choice(POOLS),
            default="no",
            show_default=True,
            help="lm_eval: the tasks of a group as one, instead of them or besides.",
        ),
        click.option(
            "--match",
            type=click.Choice(MATCHES),
            default="id",
            show_default=True,
            help="lm_eval, alpaca_eval: same items by id, or by what they ask.",
        ),
        click.option(
            "--true",
            multiple=True,
            metavar="WORD",
            help="A word of a table that means 1, where others mean 0; repeatable.",
        ),
        click.option("--percent", is_flag=True, help="Scores are from 0 to 100."),
        click.option("--task-column", metavar="COLUMN", help="Tells the tasks of a long table."),
        click.option("--repeat-column", metavar="COLUMN", help="Tells repeats of an item."),
        click.option(
            "--accept-other-score",
            is_flag=True,
            help="Accept logs that display another score; record it.",
        ),
        click.option(
            "--skip-malformed", is_flag=True, help="Count malformed records and leave them out."
        ),
        click.option(
            "--answer-key",
            type=click.Choice(ANSWER_KEYS),
            default="shared",
            show_default=True,
            help="MMLU-Pro zips: stop where two disagree about an answer, or judge by its own.",
        ),
    )


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

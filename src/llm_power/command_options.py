"""Options that several commands have, each with one wording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from llm_power.choices import CLUSTER_SAMPLINGS, KINDS

Command = Callable[..., Any]


def with_options(command: Command, *options: Callable[[Command], Command]) -> Command:
    """Give a command options, in the order that its help shows them.

    Examples
    --------
    >>> import click
    >>> from llm_power.command_options import with_options
    >>> both = click.option("--first"), click.option("--second")
    >>> command = click.command(with_options(lambda first, second: None, *both))
    >>> [option.name for option in command.params]
    ['first', 'second']
    """
    # The first to be shown is the last to be put on.
    for option in reversed(options):
        command = option(command)
    return command


def level_and_power(command: Command) -> Command:
    """Give a command --alpha and --power.

    Examples
    --------
    >>> import click
    >>> from llm_power.command_options import level_and_power
    >>> [option.name for option in click.command(level_and_power(lambda alpha, power: None)).params]
    ['alpha', 'power']
    """
    return with_options(
        command,
        click.option(
            "--alpha", type=float, default=0.05, show_default=True, help="Two-sided level."
        ),
        click.option("--power", type=float, default=0.80, show_default=True, help="Target power."),
    )


def clusters_of_items(command: Command) -> Command:
    """Give a command --cluster and --clusters.

    Examples
    --------
    >>> import click
    >>> from llm_power.command_options import clusters_of_items
    >>> command = click.command(clusters_of_items(lambda cluster, clusters: None))
    >>> [option.name for option in command.params]
    ['cluster', 'clusters']
    """
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
    """Give a command --kind and --item.

    Examples
    --------
    >>> import click
    >>> from llm_power.command_options import kind_and_item
    >>> [option.name for option in click.command(kind_and_item(lambda kind, item: None)).params]
    ['kind', 'item']
    """
    return with_options(
        command,
        click.option("--kind", type=click.Choice(KINDS), help="0/1 scores, or scores in [0, 1]."),
        click.option("--item", metavar="COLUMN", help="Column of the item ids."),
    )


def metric_and_filter(command: Command) -> Command:
    """Give a command --metric and --filter.

    Examples
    --------
    >>> import click
    >>> from llm_power.command_options import metric_and_filter
    >>> command = click.command(metric_and_filter(lambda metric, filter: None))
    >>> [option.name for option in command.params]
    ['metric', 'filter']
    """
    return with_options(
        command,
        click.option(
            "--metric", metavar="NAME", help="Which metric or scorer of a log is the score."
        ),
        click.option("--filter", metavar="NAME", help="Which answer filter, or split, of a log."),
    )

"""Options of the commands, each with one wording, and help that groups the common ones."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
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
from llm_power._errors import InvalidArgument, LLMPowerError, ScoreError, Setting, as_options
from llm_power._plugins import reader_names

_WHOLE: Final = "llm_power.whole_help"
_GIVEN: Final = "llm_power.given"
_FIRST_PARAGRAPHS: Final = 2
_FIRST_EXAMPLES: Final = 4
_COLUMN: Final = 32
PATH: Final = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Group:
    """Options under one title; the first screen of help shows the common ones."""

    title: str
    common: Sequence[click.Option]
    others: Sequence[click.Option] = ()


class CommandThatWorks(LLMPowerError):
    """Scores cannot be used as they are, and a command that can use them."""

    def __init__(self, error: ScoreError, command: str) -> None:
        super().__init__(error.message(" with the command below"))
        self.command = command


class GroupedCommand(click.Command):
    """A command that shows its help where it is called bare."""

    def __init__(
        self,
        name: str | None,
        *,
        groups: Sequence[Group] = (),
        examples: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        epilog = "\n".join(["\b", "Examples:", *(f"  {line}" for line in examples)])
        super().__init__(name, epilog=epilog, **settings)
        self.groups, self.examples = groups, examples
        self.params += [one for group in groups for one in (*group.common, *group.others)]
        if groups:
            self.params.append(_HELP_ALL)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
        ctx.meta[_GIVEN] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except InvalidArgument as error:
            raise InvalidArgument(self._as_options(error.for_command)) from error
        except ScoreError as error:
            if error.settings and {*error.settings} <= {one.name for one in self.params}:
                raise CommandThatWorks(error, self._command(ctx, error.settings)) from error
            raise

    def _command(self, ctx: click.Context, settings: Mapping[str, Setting]) -> str:
        """Return the command line as it was given, with settings in place of its own."""
        options = {
            as_options({name: True})[0] for name, value in settings.items() if value is not True
        }
        kept, is_value = [], False
        for word in list[str](ctx.meta[_GIVEN]):
            name, equals, _ = word.partition("=")
            if not is_value and name not in options:
                kept.append(word)
            is_value = not is_value and name in options and not equals
        return f"{ctx.command_path} {shlex.join([*kept, *as_options(settings)])}"

    def _as_options(self, message: str) -> str:
        """Spell the argument that a message begins with as the option is."""
        spelled = {one.name: one.opts[0] for one in self.params if isinstance(one, click.Option)}
        spelled["n_items"] = spelled.get("n", "n_items")  # as the library calls it
        return re.sub(r"^\w+(?= must)", lambda name: spelled.get(name[0], name[0]), message)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        paragraphs = cleandoc(self.help or "").split("\n\n")
        shown = paragraphs if _whole(ctx) else paragraphs[:_FIRST_PARAGRAPHS]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(shown))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = {
            group.title: [*group.common, *(group.others if _whole(ctx) else ())]
            for group in self.groups
        }
        grouped = {one for group in self.groups for one in (*group.common, *group.others)}
        ungrouped = [one for one in self.get_params(ctx) if one not in grouped]
        sections["Help"] = [one for one in ungrouped if isinstance(one, click.Option)]
        for title, options in sections.items():
            records = [record for one in options if (record := one.get_help_record(ctx))]
            if records:
                # Every section has its texts in the same column.
                records[0] = (records[0][0].ljust(_COLUMN), records[0][1])
                with formatter.section(title):
                    formatter.write_dl(records, col_max=_COLUMN)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for line in self.examples[: None if _whole(ctx) else _FIRST_EXAMPLES]:
                formatter.write(f"  {line}\n")


def _whole(ctx: click.Context) -> bool:
    return bool(ctx.meta.get(_WHOLE))


def _show_all(ctx: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        ctx.meta[_WHOLE] = True
        click.echo(ctx.get_help())
        ctx.exit()


_HELP_ALL: Final = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show every option and example.",
)


def option(*names: str, **settings: Any) -> click.Option:
    """Return an option; one with a default shows it."""
    return click.Option(names, show_default="default" in settings, **settings)


def choice(*names: str, values: Sequence[str], **settings: Any) -> click.Option:
    """Return an option of which the first value is the default."""
    return option(*names, type=click.Choice(values), default=values[0], **settings)


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
    choice(
        "--reader",
        values=["auto", *reader_names()],
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
    choice(
        "--pool",
        values=POOLS,
        help="lm_eval: report a group as one task, instead of or beside members.",
    ),
    choice(
        "--match", values=MATCHES, help="lm_eval, alpaca_eval: match items by id or by content."
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
    choice(
        "--answer-key",
        values=ANSWER_KEYS,
        help="MMLU-Pro zips: one answer key for all, or each zip's own.",
    ),
)

# What to compare.
MARGIN: Final = option(
    "--margin", type=float, metavar="GAP", help="Equivalence margin, in score units."
)
MISSING: Final = choice(
    "--missing",
    values=MISSING_POLICIES,
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
TEST: Final = choice("--test", values=MCNEMAR_TESTS, help="Form of McNemar's test, for 0/1 scores.")
CLUSTERS: Final = choice(
    "--clusters",
    values=CLUSTER_SAMPLINGS,
    help="Clusters are a sample (random), or the only ones of interest (fixed).",
)
ALPHA: Final = option(
    "--alpha", type=float, default=0.05, help="Chance of a false alarm (two-sided level)."
)
POWER: Final = option(
    "--power", type=float, default=0.80, help="Chance to detect a true gap (power)."
)

# What to write.
FORMAT: Final = choice(
    "--format", "form", values=FORMATS, help="Terminal table, JSON at full precision, or Markdown."
)
EXPLAIN: Final = option("--explain", is_flag=True, help="Explain each line of the answer below it.")
REPORT: Final = option(
    "--report",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Also write the answer as .txt, .md, .json or .html; repeatable.",
)

"""A command whose help comes in groups, the common options first and all under --help-all."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, Final

import click

from llm_power._errors import InvalidArgument, LLMPowerError, ScoreError, Setting, as_options

_WHOLE: Final = "llm_power.whole_help"
_GIVEN: Final = "llm_power.given"
_FIRST_PARAGRAPHS: Final = 2
_FIRST_EXAMPLES: Final = 4
_COLUMN: Final = 32


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

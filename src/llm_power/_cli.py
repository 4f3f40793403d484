"""The command line: `llm-power resolve` a board or one `pair`, and commands of other packages."""

# A command imports what it needs when it runs, so that help and errors of usage come at once.

# ruff: noqa: PLC0415
from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from llm_power import __version__
from llm_power._commands.compare import compare
from llm_power._commands.options import GroupedCommand
from llm_power._commands.pair import pair
from llm_power._commands.plan import plan
from llm_power._commands.resolve import resolve
from llm_power._errors import LLMPowerError, one_line
from llm_power._files import remove_reports
from llm_power._memory import memory_limits
from llm_power._plugins import COMMANDS, load_plugin, plugin_names

_BAD_INPUT: Final = 2
_UNFORESEEN: Final = 3
_INTERRUPTED: Final = 130
_NOBODY_READS: Final = 141
# Of data or address space; with less than .5 GB OpenBLAS and threads do not start, or never end.
_LEAST_MEMORY: Final = 512 << 20
# Kept as long as C may call it.
_CALLED_BY_C: Final[list[object]] = []


_EXAMPLES: Final = """\b
Examples:
  llm-power resolve scores.csv                       which models of a board differ
  llm-power compare old.eval new.eval --margin .01   may the new model replace the old one
  llm-power plan --gap .05                           how many items to run
  llm-power pair --b 295 --c 249 --n 10042           what the counts of a paper say
"""


class _Commands(click.Group):
    """The commands of the library, then those that packages add by an entry point."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.commands, *sorted({*plugin_names(COMMANDS)} - {*self.commands})]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name not in plugin_names(COMMANDS):
            return own
        command = load_plugin(COMMANDS, cmd_name)
        return command if isinstance(command, click.Command) else None


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    epilog=_EXAMPLES,
    context_settings={"max_content_width": 100},
)
@click.version_option(__version__, prog_name="llm-power")
@click.option("--debug", is_flag=True, help="Also show the traceback of an error.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """Compare models on the same items: which differ, and how many items show it.

    Exit code 0: done; 1: audit found a contradicted claim; 2: bad input, or a file that cannot be
    read or written; 3: the memory does not suffice, or a fault of this program; 130: interrupted;
    141: nobody reads the output. `compare --help` lists the codes of its outcomes.
    """
    context.obj["debug"] = debug
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
    else:
        _prepare_for_limits()


@cli.command(
    cls=GroupedCommand,
    examples=(
        "llm-power example demo",
        "llm-power resolve demo/mmlu_pro.csv --cluster category --pairs all --out demo/out",
    ),
)
@click.argument("folder", type=click.Path(path_type=Path))
def example(*, folder: Path) -> None:
    """Write a small real board into FOLDER, to try resolve on.

    Six models on 602 items of MMLU-Pro, published by its authors under the Apache License 2.0, with
    a notice that says which part of theirs it is.
    """
    from llm_power._example import write_example_board

    scores = write_example_board(folder)
    click.echo(f"llm-power resolve {scores} --cluster category --pairs all --out {folder / 'out'}")


for _command in (resolve, compare, pair, plan):
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; an error is one line on standard error."""
    settings = {"debug": False}
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # Whatever ends the command, a report that is there afterwards is its own and whole.
        remove_reports(given)
        code = cli.main(arguments, "llm-power", standalone_mode=False, obj=settings) or 0
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        code = _INTERRUPTED
    except SystemExit:  # click's answer to a closed pipe, with the code of a contradiction
        code = _NOBODY_READS
    except Exception as error:
        if settings["debug"]:
            traceback.print_exc()
        code, message = _explain(error)
        print(f"error: {one_line(message)}", file=sys.stderr)
        if command := getattr(error, "command", None):
            print(f"  {command}", file=sys.stderr)
    sys.exit(code)


def _prepare_for_limits() -> None:
    """Refuse limits that the libraries cannot be loaded in; have them reserve less under others."""
    limits = memory_limits()
    for name, size in limits.items():
        if size < _LEAST_MEMORY:
            least = f"{_LEAST_MEMORY >> 20} MB are needed to start"
            raise MemoryError(f"{name} allows {size >> 20} MB; {least}")
    if limits:
        # Arrow's pool reserves a gigabyte, and OpenBLAS, which ends the process when it gets none,
        # a buffer for each thread; a thread of Arrow that cannot start ends it too.
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
        for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "ARROW_IO_THREADS"):
            os.environ.setdefault(threads, "1")


def _explain(error: Exception) -> tuple[int, str]:
    lack = _lack_of_memory(error)
    if lack is not None:
        problem = f"the memory does not suffice ({str(lack) or 'no details'})"
        raised = [f"{name}, now {size >> 20} MB" for name, size in memory_limits().items()]
        more = f"raise {' and '.join(raised)}" if raised else "run where there is more of it"
        remedy = f"{more}, or give fewer models or tasks"
        return _UNFORESEEN, f"{problem}. Remedy: {remedy}."
    if isinstance(error, LLMPowerError):
        return _BAD_INPUT, error.for_command
    if isinstance(error, click.ClickException):
        return _BAD_INPUT, error.format_message()
    if isinstance(error, OSError):
        problem = f"{error.filename or 'output'}: {error.strerror or error}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            problem += ". Remedy: make room there, or write elsewhere."
        return _BAD_INPUT, problem
    problem = f"a fault of this program ({type(error).__name__}: {error})"
    remedy = "report it with what the same command shows after `llm-power --debug`"
    return _UNFORESEEN, f"{problem}. Remedy: {remedy}."


def _lack_of_memory(error: BaseException | None) -> BaseException | None:
    """Return the lack of memory that an error is, or came from."""
    while error is not None:
        # of threads, and of the writer of JSON in pandas
        in_words = re.search("start new thread|reserve memory", str(error)) is not None
        lacks = isinstance(error, MemoryError) or in_words
        if lacks or getattr(error, "errno", None) == errno.ENOMEM:
            return error
        error = error.__cause__
    return None


def _answer_exits_of_libraries() -> None:
    """Have OpenBLAS, which ends the process when it gets no memory, end it as other lacks do."""
    from ctypes import CDLL, CFUNCTYPE, c_void_p

    def at_exit(_: object) -> None:
        code, message = _explain(MemoryError("a library ended the process"))
        print(f"error: {message}", file=sys.stderr, flush=True)
        os._exit(code)

    _CALLED_BY_C.append(CFUNCTYPE(None, c_void_p)(at_exit))
    CDLL(None).__cxa_atexit(_CALLED_BY_C[-1], None, None)


def console() -> NoReturn:
    """Run `main` as a program, and end the process once all is said."""
    # Arrow's threads can abort an interpreter that shuts down (apache/arrow#34314).
    code: Any = _UNFORESEEN
    if memory_limits():
        _answer_exits_of_libraries()
    try:
        main()
    except SystemExit as stop:
        code = stop.code
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # as it is where the caller has closed it
                stream.flush()
        except OSError:
            code = code or _NOBODY_READS
    os._exit(code)


if __name__ == "__main__":
    console()

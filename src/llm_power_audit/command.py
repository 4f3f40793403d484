"""The command ``llm-power audit``, which the library finds by its entry point.

It imports what it needs when it runs, so that help and errors of usage come at once.
"""

# ruff: noqa: PLC0415
from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from llm_power._errors import one_line

_CONTRADICTED: Final = 1

_EXAMPLES: Final = """\b
Examples:
  llm-power audit claims.yaml --results board
  llm-power audit claims.yaml --results board --out audit --mutate
"""


@click.command(epilog=_EXAMPLES)
@click.argument("claims", type=click.Path(path_type=Path))
@click.option(
    "--results",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder that the result files of CLAIMS are relative to.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the claims as CSV, Markdown, HTML."
)
@click.option(
    "--mutate", is_flag=True, help="Alter each printed number; report the share detected."
)
def audit(*, claims: Path, results: Path, out: Path | None, mutate: bool) -> int:
    """Check each claim of the register CLAIMS against the results of a run.

    Each claim of the YAML file names a result file, a row of it, a column and the number that
    was printed. Exit code 0: nothing is contradicted; 1: something is; others as of llm-power
    itself. With --out, claims.csv, claims.md and corrections.json are written into that
    folder; with the extra `report` installed also report.html. With --mutate also mutation.csv
    and mutation.md: which misprints of CLAIMS these results would contradict.
    """
    from llm_power_audit.audit_files import audit_text, write_audit
    from llm_power_audit.evaluate import audit as judge
    from llm_power_audit.mutation import mutation_trials, score_text
    from llm_power_audit.register import load_register

    register = load_register(claims)
    judged = judge(register, results)
    trials = mutation_trials(register, results) if mutate else []
    left_out = "" if out is None else write_audit(out, judged, results, trials)
    click.echo(audit_text(judged))
    if mutate:
        click.echo(score_text(trials))
    missing = [f"warning: {one_line(text)}" for text in judged.missing_texts()]
    for line in filter(None, [left_out, *missing]):
        click.echo(line, err=True)
    return _CONTRADICTED if judged.with_verdict("contradicted") else 0

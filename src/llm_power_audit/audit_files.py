"""The result files of one audit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePath
from urllib.parse import quote

from llm_power._errors import one_line
from llm_power._files import write_together
from llm_power._plugins import left_out
from llm_power._report.text_tables import plain_table
from llm_power_audit.corrections import corrections_json
from llm_power_audit.evaluate import Audit
from llm_power_audit.mutation import Trial, write_mutation
from llm_power_audit.tables import totals_cells, write_claims


def write_audit(out: Path, audit: Audit, results: Path, trials: Sequence[Trial] = ()) -> str:
    """Write the files of an audit, all or none, and return a line on what was left out, if any."""
    absent = left_out({"report.html": "jinja2"}) or left_out({"report.html": "PIL"})

    def write(folder: Path) -> None:
        write_claims(audit, folder / "claims.csv", folder / "claims.md")
        if trials:
            write_mutation(trials, folder / "mutation.csv", folder / "mutation.md")
        (folder / "corrections.json").write_bytes(corrections_json(audit).encode("utf-8"))
        if not absent:
            # On demand: not everybody has what it is made with.
            from llm_power_audit.pictures import small_pictures  # noqa: PLC0415
            from llm_power_audit.report import render_report  # noqa: PLC0415

            report = render_report(
                audit,
                links=_links(audit, results, out) | {"corrections.json": "corrections.json"},
                pictures=small_pictures(audit.register.exhibits, results),
            )
            (folder / "report.html").write_bytes(report.encode("utf-8"))

    write_together(out, write)
    return absent


def audit_text(audit: Audit) -> str:
    """Return the totals of an audit, and a line for each contradicted claim."""
    lines = []
    for entry in audit.with_verdict("contradicted"):
        found = entry.deciding.shown(entry.claim) if entry.deciding else "no value"
        line = f"contradicted: {entry.claim.id}: printed {entry.claim.printed}, found {found}"
        lines.append(one_line(line))
    return "\n".join([plain_table(totals_cells(audit)), *([""] if lines else []), *lines])


def _links(audit: Audit, results: Path, out: Path) -> dict[str, str]:
    """Return the path from the report to each file that the audit names."""
    named = {check.result for judged in audit.judged for check in judged.claim.checks}
    named |= {exhibit.file for exhibit in audit.register.exhibits.values()}
    base = os.path.relpath(results.resolve(), out.resolve())
    present = sorted(name for name in named if name and (results / name).is_file())
    return {
        name: quote(PurePath(os.path.normpath(Path(base, name))).as_posix()) for name in present
    }

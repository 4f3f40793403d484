"""The result files of one audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from llm_power._errors import one_line
from llm_power._extra import left_out
from llm_power._report.text_tables import plain_table
from llm_power._result_set import write_together
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
            from llm_power_audit.report import links_to_results, render_report  # noqa: PLC0415

            report = render_report(
                audit,
                links=links_to_results(audit, results, out)
                | {"corrections.json": "corrections.json"},
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

"""The result files of one audit."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from urllib.parse import quote

from llm_power.claims.evaluate import Audit
from llm_power.claims.tables import write_claims
from llm_power.extra import left_out
from llm_power.result_set import write_together


def write_audit(out: Path, audit: Audit, results: Path) -> str:
    """Write the files of an audit, all of them or none.

    Parameters
    ----------
    out : Path
        Folder, made if it is not there. It gets claims.csv and claims.md; with the extra
        `report` also report.html.
    audit : Audit
        What `llm_power.claims.evaluate.audit` returned.
    results : Path
        Folder that the result files of its claims are relative to; the page links to them.

    Returns
    -------
    str
        One line that says what was left out for want of the extra; empty if nothing was.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power import audit, load_register
    >>> from llm_power.claims.audit_files import write_audit
    >>> from llm_power.example import write_example
    >>> write_example(".")
    >>> judged = audit(load_register(Path("claims.yaml")), Path())
    >>> left_out = write_audit(Path("audit"), judged, Path())
    >>> Path("audit", "claims.csv").is_file(), Path("audit", "claims.md").is_file()
    (True, True)
    """
    absent = left_out({"report.html": "jinja2"})

    def write(folder: Path) -> None:
        write_claims(audit, folder / "claims.csv", folder / "claims.md")
        if not absent:
            # On demand: not everybody has what it is made with.
            from llm_power.claims.report import render_report  # noqa: PLC0415

            report = render_report(audit, links=_links(audit, results, out))
            (folder / "report.html").write_bytes(report.encode("utf-8"))

    write_together(out, write)
    return absent


def _links(audit: Audit, results: Path, out: Path) -> dict[str, str]:
    """Return where each file that the audit names is, seen from the report."""
    named = {check.result for claim in audit.judged for check in claim.claim.checks}
    named |= {exhibit.file for exhibit in audit.exhibits.values()}
    base = os.path.relpath(results.resolve(), out.resolve())
    present = sorted(name for name in named if name and (results / name).is_file())
    return {
        name: quote(PurePath(os.path.normpath(Path(base, name))).as_posix()) for name in present
    }

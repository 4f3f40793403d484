"""The result files of one audit: its claims as CSV and Markdown, corrections and report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pandas as pd

from llm_power._errors import one_line
from llm_power._files import write_together
from llm_power._plugins import left_out
from llm_power._report.text_tables import escape_markdown, markdown_table, plain_table
from llm_power_audit.claims import EVIDENCE, VERDICTS, Verdict
from llm_power_audit.corrections import corrections_json
from llm_power_audit.evaluate import Audit, Judged
from llm_power_audit.independence import independent_tests
from llm_power_audit.mutation import Trial, write_mutation
from llm_power_audit.written_verdicts import in_words

_OF_DECIDING: Final = ("value", "lower", "upper", "standard_error", "discrepancy", "z", "rounding")
CLAIM_COLUMNS: Final = [
    *["id", "kind", "section", "place", "exhibit", "claim", "quantity", "printed", "half_unit"],
    *["verdict", "evidence", *_OF_DECIDING, "source", "made_by", "reason", "readings"],
    *["undefined", "follows_from", "test", "derivation", "consequence", "needs", "note"],
]
_TESTS: Final = (
    "Cells of a table follow from one another. Given as few of them as all others follow from, and "
    "without those that repeat a computation, the decided ones are so many tests."
)
# What is shown in full.
_IN_FULL: Final[tuple[Verdict, ...]] = ("contradicted", "ambiguous")


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
            from llm_power_audit._exhibits import small_pictures  # noqa: PLC0415
            from llm_power_audit.report import render_report  # noqa: PLC0415

            report = render_report(
                audit,
                links=result_links(audit, results, out) | {"corrections.json": "corrections.json"},
                pictures=small_pictures(audit.register.exhibits, results),
            )
            (folder / "report.html").write_bytes(report.encode("utf-8"))

    # Files that an earlier run had reason to write, or could.
    replaces = ("mutation.csv", "mutation.md", "report.html")
    write_together(out, write, replaces=replaces)
    return absent


def audit_text(audit: Audit) -> str:
    """Return the totals of an audit, and a line for each contradicted claim."""
    lines = []
    for entry in audit.with_verdict("contradicted"):
        value = entry.deciding.shown(entry.claim) if entry.deciding else "no value"
        line = f"contradicted: {entry.claim.id}: printed {entry.claim.printed}, found {value}"
        lines.append(one_line(line))
    return "\n".join([plain_table(totals_cells(audit)), *([""] if lines else []), *lines])


def result_links(audit: Audit, results: Path, out: Path) -> dict[str, str]:
    """Return the path from the report to each file that the audit names."""
    named = {check.result for judged in audit.judged for check in judged.claim.checks}
    named |= {exhibit.file for exhibit in audit.register.exhibits.values()}
    present = sorted(name for name in named if name and (results / name).is_file())
    there, here = results.resolve(), out.resolve()
    return {name: quote(os.path.relpath(there / name, here)) for name in present}


def claims_frame(audit: Audit) -> pd.DataFrame:
    """Return one row per claim; ``value`` to ``source`` are of the check that decides."""
    rows = [_row(judged) for judged in audit.judged]
    return pd.DataFrame(rows, columns=CLAIM_COLUMNS).astype({"value": object})


def write_claims(audit: Audit, csv_path: Path, md_path: Path) -> None:
    """Write the claims as CSV, and as Markdown for readers."""
    claims_frame(audit).to_csv(csv_path, index=False, lineterminator="\n", encoding="utf-8")
    md_path.write_bytes(claims_markdown(audit).encode("utf-8"))


def claims_markdown(audit: Audit) -> str:
    """Return the claims as Markdown; what the register says is text in it, and never markup."""
    title = escape_markdown(audit.register.title) or "Claims"
    blocks = [f"# {title}: claims under audit"]
    if audit.register.source:
        blocks.append(f"Source: {escape_markdown(audit.register.source)}")
    header, *rows = totals_cells(audit)
    blocks += ["## Totals", markdown_table([header, *rows], right=range(1, len(header)))]
    if rows := tests_cells(audit):
        header = ["exhibit", "decided", "given", "repeated", "tests"]
        blocks += ["## Tests", _TESTS, markdown_table([header, *rows], right=(1, 2))]
    for verdict in _IN_FULL:
        in_full = [_in_full(judged) for judged in audit.with_verdict(verdict)]
        blocks += [f"## {verdict.capitalize()}", *(in_full or ["None."])]
    blocks.append("## Every claim")
    sections: dict[str, list[Judged]] = {}
    for judged in audit.judged:
        sections.setdefault(judged.claim.section, []).append(judged)
    for section, members in sections.items():
        heading = [f"### {escape_markdown(section)}"] if section else []
        blocks += [*heading, _section_table(members)]
    return "\n\n".join(blocks) + "\n"


def totals_cells(audit: Audit) -> list[list[str]]:
    """Return the totals by verdict and evidence, with sums, as rows of a table and its header.

    Classes of evidence that no claim rests on are left out.
    """
    counts = audit.counts()
    classes = [evidence for evidence in EVIDENCE if counts["", evidence]]
    rows = [
        [
            in_words(verdict or "all"),
            *(str(counts[verdict, evidence]) for evidence in (*classes, "")),
        ]
        for verdict in (*VERDICTS, "")
    ]
    return [["", *map(in_words, classes), "all"], *rows]


def tests_cells(audit: Audit) -> list[list[str]]:
    """Return exhibit, decided cells, those given and repeated, and tests, as rows of a table."""
    counted: dict[str, tuple[int, ...]] = {
        audit.register.exhibits[name].title: (
            *(one.decided, len(one.given), len(one.repeated)),
            one.tests,
        )
        for name, one in independent_tests(audit.judged).items()
    }
    if counted:
        counted["all"] = tuple(map(sum, zip(*counted.values(), strict=True)))
    return [[title, *map(str, row)] for title, row in counted.items()]


def _row(judged: Judged) -> dict[str, object]:
    claim, deciding = judged.claim, judged.deciding
    row: dict[str, object] = {name: getattr(claim, name, None) for name in CLAIM_COLUMNS}
    row |= {name: getattr(judged, name) for name in ("verdict", "evidence", "reason", "made_by")}
    row |= {name: getattr(deciding, name, None) for name in _OF_DECIDING}
    is_text = claim.statement.relation == "text"
    return row | {
        "half_unit": None if is_text else claim.statement.half_unit,
        "standard_error": row["standard_error"] or None,
        "source": deciding.check.source if deciding else None,
        # Several checks of one reading can have one value.
        "readings": "; ".join(
            dict.fromkeys(
                f"{o.check.reading}: {o.value!r}" for o in judged.outcomes if o.check.reading
            )
        ),
        "follows_from": " ".join(claim.follows_from),
        "derivation": judged.derivation,
    }


def _in_full(judged: Judged) -> str:
    claim = judged.claim
    place = ", ".join(filter(None, [claim.section, claim.place]))
    sentences = filter(None, [place, claim.claim])
    lines = [
        f"### {escape_markdown(claim.id)}",
        ". ".join(map(escape_markdown, sentences)),
        *_labeled(
            ("Printed", claim.printed),
            ("Found", judged.reason),
            ("Evidence", in_words(judged.evidence)),
            ("Undefined", claim.undefined),
            ("Derivation", judged.derivation),
            ("What it changes", claim.consequence),
            ("Test", claim.test),
            ("Other checks", "; ".join(_others(judged))),
            ("Note", claim.note),
        ),
    ]
    return "\n\n".join(lines)


def _others(judged: Judged) -> Iterator[str]:
    for outcome in judged.outcomes:
        if outcome is not judged.deciding and not outcome.check.reading:
            value = outcome.shown(judged.claim)
            weight = f"{in_words(outcome.evidence)}, {in_words(outcome.verdict)}"
            yield f"{outcome.check.source}: {value} ({weight})"


def _labeled(*texts: tuple[str, str]) -> list[str]:
    return [f"**{label}:** {escape_markdown(text)}" for label, text in texts if text]


def _section_table(judged: Sequence[Judged]) -> str:
    header = ["id", "place", "claim", "printed", "value", "verdict", "evidence"]
    rows = []
    for j in judged:
        value = j.deciding.shown(j.claim) if j.deciding else ""
        cells = [j.claim.id, j.claim.place, j.claim.claim, j.claim.printed, value]
        rows.append([*cells, in_words(j.verdict), in_words(j.evidence)])
    return markdown_table([header, *rows], right=(3, 4))

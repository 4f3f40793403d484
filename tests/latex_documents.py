"""A real LaTeX for the tests of tables, and what it has to say of them.

With LLM_POWER_LATEX=required a missing LaTeX is a failure; else these tests are skipped.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from needed import without

_COMPLAINT = re.compile(r"Overfull \\hbox|Float too large|Missing character|^!", re.MULTILINE)


def complaints(tables: Mapping[str, str], folder: Path, option: str) -> list[str]:
    """Compile tables in a plain article of `option`, `onecolumn` or `twocolumn`.

    The preamble is what their first lines name. Returns the name of each table that LaTeX finds
    too wide, too long or short of a character, with its words.
    """
    program = shutil.which("pdflatex")
    if program is None:
        without("latex", "LaTeX is missing: apt install texlive-latex-recommended")
    packages = {table.partition("\n")[0].removeprefix("% ") for table in tables.values()}
    body = [rf"\typeout{{TABLE {name}}}{table}\clearpage" for name, table in tables.items()]
    document = [
        rf"\documentclass[{option}]{{article}}",
        *sorted(packages),
        r"\begin{document}",
        *body,
        r"\end{document}",
    ]
    (folder / f"{option}.tex").write_text("\n".join(document), encoding="utf-8")
    run = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", f"{option}.tex"],
        cwd=folder, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-2000:]
    _, *parts = run.stdout.split("TABLE ")
    return [
        f"{part.split(maxsplit=1)[0]}: {line}"
        for part in parts
        for line in part.splitlines()
        if _COMPLAINT.search(line)
    ]

"""Every table of a run compiles in a plain article, at a size that one can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from latex_documents import complaints


@pytest.mark.parametrize("option", ["onecolumn", "twocolumn"])
def test_every_table_fits_a_plain_article(whole_run: Path, tmp_path: Path, option: str) -> None:
    every = (whole_run / "results").rglob("*.tex")
    files = sorted(path for path in every if ".sums" not in path.parts)
    tables = {str(path.relative_to(whole_run)): path.read_text("utf-8") for path in files}
    assert len([name for name in tables if name.startswith("results/tables/")]) == 12
    cut = [
        name for name, table in tables.items() if "results/tables" in name and "The first" in table
    ]
    assert not cut, "every row of the paper is there"
    assert complaints(tables, tmp_path, option) == []
    shrunk = ("resizebox", "scalebox", r"\scriptsize", r"\tiny")
    assert not [name for name, table in tables.items() for word in shrunk if word in table]
    # What LaTeX has no command for here is written as its code point.
    assert not [name for name, table in tables.items() if "{[}U+" in table]

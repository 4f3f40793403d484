"""docs/notebook.ipynb, run in a Jupyter kernel, shows what is stored in it.

`python tests/project/test_notebook.py` runs it and stores what it shows, but for the pages.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebook.ipynb"


def executed() -> Any:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def said(cell: Any) -> list[str]:
    """Texts that a cell shows, without pages."""
    return [
        output.text if output.output_type == "stream" else output.data["text/plain"]
        for output in cell.outputs
    ]


def test_the_notebook_shows_what_it_says_and_the_pages_of_its_answers() -> None:
    stored, run = nbformat.read(NOTEBOOK, as_version=4), executed()
    assert [said(cell) for cell in code_cells(run)] == [said(cell) for cell in code_cells(stored)]
    pages = {
        cell.source.splitlines()[-1]: output.data["text/html"]
        for cell in code_cells(run)
        for output in cell.outputs
        if "<iframe" in output.get("data", {}).get("text/html", "")
    }
    board = pages["board"]
    # The headline, and the whole page in a frame.
    assert board.startswith(
        "<p>2 of 4 models could be first; 4 of 6 pairs are different, 2 are undetermined</p>"
        "<iframe srcdoc="
    )
    assert "</html>" in html.unescape(board)
    assert len(pages) == 4


if __name__ == "__main__":
    made = executed()
    for cell in code_cells(made):
        cell.metadata.clear()
        for output in cell.outputs:
            output.get("data", {}).pop("text/html", None)
    nbformat.write(made, NOTEBOOK)

"""Write docs/columns.md, the data dictionary of a board's files."""

from pathlib import Path

from llm_power._board.columns import dictionary_page

if __name__ == "__main__":
    page = Path(__file__).resolve().parents[1] / "docs" / "columns.md"
    page.write_text(dictionary_page(), encoding="utf-8")

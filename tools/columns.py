"""Write docs/columns.md, the data dictionary of a board's files."""

from pathlib import Path

from llm_power._board.columns import CORE_COLUMNS, PAIR_GROUPS, RANK_COLUMNS
from llm_power._board.repeats import REPEAT_COLUMNS


def dictionary_page() -> str:
    """Return the data dictionary as a page of Markdown."""
    groups = {
        **{f"`pairs.csv` and `pairs.parquet`: {name}": PAIR_GROUPS[name] for name in PAIR_GROUPS},
        "`ranks` of `summary.json`": RANK_COLUMNS,
        "`repeats.csv` and `repeats.parquet`": REPEAT_COLUMNS,
    }
    parts = [
        "# The columns of a board",
        "The metadata of the files have the same descriptions. "
        "[Verdicts](verdicts.md) explains the columns together.",
        "In JSON an infinite number is null in the pairs of `resolve`, and "
        '"inf" or "-inf" in the answers of `pair`, `plan` and `compare`; an unknown one is null.',
    ]
    for title, columns in groups.items():
        rows = [f"| `{name}` | {text} |" for name, text in columns.items()]
        parts.append("\n".join([f"## {title}", "", "| Column | Meaning |", "|---|---|", *rows]))
    core = ", ".join(f"`{name}`" for name in CORE_COLUMNS)
    parts.append(
        "## Folder `pairs` of a board of thousands\n\n"
        f"It has these columns of `pairs.parquet`: {core}. Graded scores have no counts."
    )
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    written = Path(__file__).resolve().parents[1] / "docs" / "columns.md"
    written.write_text(dictionary_page(), encoding="utf-8")

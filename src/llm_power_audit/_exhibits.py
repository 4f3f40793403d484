"""What a page shows of an exhibit: an excerpt of its cells, a map of verdicts, a small picture."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image, UnidentifiedImageError

from llm_power_audit.claims import VERDICTS, Cell, Claim, Exhibit, Verdict
from llm_power_audit.corrections import ContradictedFinding
from llm_power_audit.evaluate import Audit, Judged

_MOST_ROWS: Final = 4
_MOST_COLUMNS: Final = 2
# A little more than the widest place in the page.
_WIDTH: Final = 400
_COLORS: Final = 64


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some printed cells of an exhibit: headings, and for each row its label and cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Judged | None, ...]], ...]


def excerpt(entry: ContradictedFinding, audit: Audit) -> Excerpt:
    """Return what a finding rests on: printed cells of its exhibit, or else its claims."""
    exhibit = audit.register.exhibits.get(entry.finding.exhibit)
    judged = {item.claim.id: item for item in audit.judged}
    bases = (
        judged[name]
        for item in entry.contradicted
        for name in item.claim.follows_from
        if name in judged
    )
    cells: dict[tuple[int, str], Judged] = {}
    for item in (*entry.contradicted, *bases):
        cell = item.claim.cell
        if exhibit is not None and cell is not None and cell.file == exhibit.printed:
            cells.setdefault((cell.row, cell.column), item)
    if exhibit is None or not cells:
        few = entry.contradicted[:_MOST_ROWS]
        distinct = len({item.claim.quantity for item in few}) == len(few)
        return Excerpt(
            (),
            tuple((item.claim.quantity if distinct else item.claim.claim, (item,)) for item in few),
        )
    rows = sorted(list(dict.fromkeys(row for row, _ in cells))[:_MOST_ROWS])
    wrong = [column for (_, column), item in cells.items() if item.verdict == "contradicted"]
    columns = list(dict.fromkeys(wrong or (column for _, column in cells)))[:_MOST_COLUMNS]
    labels = {row: item.claim.cell.label for (row, _), item in cells.items() if item.claim.cell}
    if len(set(labels.values())) < len(labels):
        labels = {row: f"{row} {label}" for row, label in labels.items()}
    return Excerpt(
        tuple(heading(exhibit, column) for column in columns),
        tuple((labels[row], tuple(cells.get((row, column)) for column in columns)) for row in rows),
    )


def heading(exhibit: Exhibit, column: str) -> str:
    """Return the heading of a column of printed cells."""
    return exhibit.columns.get(column, column.replace("_", " "))


def input_name(claim: Claim, beside: Cell | None, exhibits: Mapping[str, Exhibit]) -> str:
    """Name a claim among those that another one follows from: a cell by its column."""
    cell = claim.cell
    if cell is None:
        return claim.id
    name = heading(exhibits[claim.exhibit or ""], cell.column)
    same_row = beside is not None and (beside.file, beside.row) == (cell.file, cell.row)
    return name if same_row else f"{name} ({cell.label})"


def verdict_map(name: str, audit: Audit) -> Sequence[Sequence[Verdict | None]]:
    """Return the verdicts of an exhibit's printed cells, by row and column; None for no claim.

    Of an exhibit without any, those of its claims are one row.
    """
    own = [item for item in audit.judged if item.claim.exhibit == name]
    cells = {
        (item.claim.cell.row, (item.claim.cell.column, item.claim.cell.part)): item.verdict
        for item in own
        if item.claim.cell is not None
    }
    if not cells:
        return [[item.verdict for item in own]]
    columns = list(dict.fromkeys(column for _, column in cells))
    rows = range(1, max((row for row, _ in cells), default=0) + 1)
    return [[cells.get((row, column)) for column in columns] for row in rows]


def counts_by_exhibit(judged: Iterable[Judged]) -> Mapping[str, list[tuple[Verdict, int]]]:
    """Count the claims of each exhibit by verdict, without those that are zero."""
    counts: dict[str, Counter[Verdict]] = {}
    for item in judged:
        if item.claim.exhibit is not None:
            counts.setdefault(item.claim.exhibit, Counter()).update([item.verdict])
    return {
        name: [(verdict, own[verdict]) for verdict in VERDICTS if own[verdict]]
        for name, own in counts.items()
    }


def small_pictures(exhibits: Mapping[str, Exhibit], results: Path) -> dict[str, str]:
    """Return a small picture of each exhibit that is drawn as a PNG beside its file."""
    drawn = {name: results / Path(one.file).with_suffix(".png") for name, one in exhibits.items()}
    pictures = {}
    for name, path in drawn.items():
        # In the place of an undefined exhibit stands why it is none.
        with suppress(UnidentifiedImageError, FileNotFoundError):
            pictures[name] = picture_address(path)
    return pictures


def picture_address(path: Path, width: int = _WIDTH, colors: int = _COLORS) -> str:
    """Return a picture as an address that holds it, on white, no wider or higher than `width`."""
    with Image.open(path) as picture:
        flat = Image.new("RGB", picture.size, "white")
        flat.paste(picture, mask=picture.convert("RGBA").getchannel("A"))
    flat.thumbnail((width, width), Image.Resampling.LANCZOS)
    file = BytesIO()
    flat.quantize(colors, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"

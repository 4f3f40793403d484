"""One way to draw and to save a figure: house style, provenance, the same bytes each time."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine

from llm_power._choices import PICTURE_FORMATS
from llm_power._errors import InvalidArgument
from llm_power._files import replacing
from llm_power._provenance import (
    FINDING,
    PHRASES,
    SOURCE_KINDS,
    WITNESS_NOTE,
    Provenance,
    provenance_kinds,
    provenance_line,
)

# Okabe and Ito's palette: distinct with every common color vision, and in print.
BLUE: Final = "#0072B2"
ORANGE: Final = "#D55E00"
GREEN: Final = "#009E73"
GREY: Final = "#8C8C8C"
LINE_COLORS: Final = (BLUE, ORANGE, GREEN)

_COLUMN_INCHES: Final = 3.3
PAGE_INCHES: Final = 6.9
_NO_DATES: Final[dict[str, dict[str, Any]]] = {
    "pdf": {"CreationDate": None, "ModDate": None},
    "png": {},
    "svg": {"Date": None},
}
# Left, bottom, width and height, as shares of the figure's.
Rectangle = tuple[float, float, float, float]
_PROVENANCE_KEY: Final = {"pdf": "Subject", "png": "Description", "svg": "Description"}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style, whatever the user's matplotlibrc says."""
    with as_file(files("llm_power._report") / "style.mplstyle") as path:
        style = mpl.rc_params_from_file(str(path), use_default_template=True)
    with mpl.rc_context():
        mpl.rcParams.update(style)
        yield


def missing_glyphs(texts: Iterable[str]) -> str:
    """Return the characters that the house fonts lack, by code point; each draws as a box."""
    with house_style():
        fonts = [get_font(findfont(FontProperties(name))) for name in mpl.rcParams["font.family"]]
    known = set[int]().union(*(font.get_charmap() for font in fonts))
    missing = {c for c in "".join(texts) if c.isprintable() and ord(c) not in known}
    return "".join(sorted(missing))


@contextmanager
def unwarned_of_glyphs() -> Iterator[None]:
    """Silence matplotlib on missing glyphs: it names each again and again, with source paths."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ ", UserWarning)
        yield


def new_figure(*, height: float, wide: bool = False) -> Figure:
    """Return an empty figure of one column's width, or of the whole page; `height` in inches."""
    figure = Figure(figsize=(PAGE_INCHES if wide else _COLUMN_INCHES, height))
    FigureCanvasAgg(figure)
    return figure


def save_figure(
    figure: Figure,
    stem: str | Path,
    provenance: Sequence[Provenance],
    *,
    title: str,
    finding: str = "",
    heading: bool = False,
    formats: Sequence[str] = PICTURE_FORMATS,
) -> list[Path]:
    """Write the figure in each format, with its provenance on it and in its metadata."""
    line = provenance_line(provenance)
    marked = {"witness", "stand_in"}.intersection(provenance_kinds(provenance))
    mark = ", ".join(words.upper() for kind, words in PHRASES.items() if kind in marked)
    inside = _print_around(figure, line, mark=mark, heading=title if heading else "")
    _settle_layout(figure)
    # Earlier, and the layout would leave no room for them.
    for legend in figure.legends:
        legend.set_bbox_to_anchor(inside, transform=figure.transFigure)
    paths = [Path(f"{stem}.{suffix}") for suffix in formats]
    for suffix, path in zip(formats, paths, strict=True):
        metadata = {"Title": title, _PROVENANCE_KEY[suffix]: line}
        if suffix == "png":
            metadata[SOURCE_KINDS] = " ".join(provenance_kinds(provenance))
            metadata |= {FINDING: finding} if finding else {}
        _save(figure, path, metadata)
    return paths


def save_camera_ready(
    figure: Figure, stem: str | Path, provenance: Sequence[Provenance], *, title: str, caption: str
) -> list[Path]:
    """Write the figure as a PDF without provenance, and its caption beside it as text."""
    line = provenance_line(provenance)
    figure.set_layout_engine(ConstrainedLayoutEngine())
    _settle_layout(figure)
    picture, text = Path(f"{stem}.pdf"), Path(f"{stem}.txt")
    _save(figure, picture, {"Title": title, _PROVENANCE_KEY["pdf"]: line})
    fitted = WITNESS_NOTE if "witness" in provenance_kinds(provenance) else ""
    sentences = [f"{title}.", caption, fitted, f"Provenance: {line}."]
    text.write_text(" ".join(filter(None, sentences)) + "\n", encoding="utf-8")
    return [picture, text]


def require_picture(path: Path) -> None:
    """Refuse a path where no picture can be written, before anything is drawn."""
    if path.suffix.removeprefix(".") not in PICTURE_FORMATS:
        endings = ", ".join(f".{suffix}" for suffix in PICTURE_FORMATS)
        raise InvalidArgument(f"a picture must end in {endings}, got {path.name!r}")
    path.parent.stat()


def save_picture(figure: Figure, path: Path, *, title: str) -> None:
    """Write the figure in the format of the path's ending, as a whole or not at all."""
    require_picture(path)
    figure.set_layout_engine(ConstrainedLayoutEngine())
    _settle_layout(figure)
    with replacing(path) as part:
        _save(figure, part, {"Title": title})


@unwarned_of_glyphs()
def _save(figure: Figure, path: Path, metadata: Mapping[str, str]) -> None:
    suffix = path.suffix.removeprefix(".")
    figure.savefig(path, format=suffix, metadata={**_NO_DATES[suffix], **metadata})


def _print_around(figure: Figure, line: str, *, mark: str, heading: str) -> Rectangle:
    """Add a line of provenance below, mark and heading above; return where the figure is then."""
    width, height = figure.get_size_inches()
    text = wrapped(f"Provenance: {line}", int(width * 26))
    above = wrapped(heading, int(width * 12.5))
    foot = 0.10 * len(text) + 0.06
    marked, headed = 0.10 if mark else 0.0, 0.22 * len(above)
    total = height + foot + marked + headed
    figure.set_size_inches(width, total)
    inside = (0.0, foot / total, 1.0, height / total)
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=inside))
    figure.text(
        0.5, 0.03 / total, "\n".join(text), ha="center", va="bottom", fontsize=5.5, color="0.35"
    )
    if mark:
        figure.text(0.995, 1 - 0.02 / total, mark, ha="right", va="top", fontsize=6, color=ORANGE)
    if above:
        place = 1 - (marked + 0.04) / total
        figure.text(0.5, place, "\n".join(above), ha="center", va="top", fontsize=10)
    return inside


@unwarned_of_glyphs()
def _settle_layout(figure: Figure) -> None:
    """Lay the figure out once, and round the positions of its axes."""
    # The solver orders its variables by their place in memory: the last bits of a position differ
    # from one process to the next, and with them names that SVG derives from it.
    figure.draw_without_rendering()
    # "none" would leave an engine in its place, for which each file is drawn twice.
    figure.set_layout_engine(None)
    for ax in figure.axes:
        left, bottom, width, height = (round(edge, 6) for edge in ax.get_position().bounds)
        ax.set_position((left, bottom, width, height))


def wrapped(text: str, characters: int) -> list[str]:
    """Return the lines of a text, of as even a length as their number allows."""
    n_lines = len(textwrap.wrap(text, characters))
    word = min(max(map(len, text.split()), default=1), characters)
    even = next(k for k in range(word, characters + 1) if len(textwrap.wrap(text, k)) <= n_lines)
    # A dollar sign would start mathematics, and a name in a provenance line may hold one.
    return [part.replace("$", r"\$") for part in textwrap.wrap(text, even)]


# What is commonly asked of a design.
_ASKED = 0.80


def draw_power(table: pd.DataFrame, *, gap_label: str) -> Figure:
    """Draw power against the gap: a line a size with its Monte Carlo band, a panel an ``acc_a``."""
    panels = [*table.groupby("acc_a")] if "acc_a" in table else [(None, table)]
    sizes = sorted(table["dataset_size"].unique())
    colors = mpl.colormaps["viridis"](np.linspace(0.0, 0.85, len(sizes)))
    with house_style():
        figure = new_figure(height=2.6, wide=len(panels) > 1)
        figure.set_layout_engine("constrained")
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for ax, (base, part) in zip(axes, panels, strict=True):
            ax.axhline(_ASKED, color=GREY, linestyle="--", linewidth=0.8)
            for size, color in zip(sizes, colors, strict=True):
                line = part[part["dataset_size"] == size].sort_values("gap")
                ax.plot(line["gap"], line["power"], color=color, label=f"{size:,}")
                ax.fill_between(
                    line["gap"], line["power_low"], line["power_high"], color=color, alpha=0.2, lw=0
                )
            ax.set(xlabel=gap_label, ylim=(0, 1))
            if len(panels) > 1:
                ax.set_title(f"base accuracy {base:g}")
        axes[0].set_ylabel("Power")
        axes[-1].legend(title="Items")
        # Ticks are made when a figure is laid out first.
        figure.draw_without_rendering()
    return figure

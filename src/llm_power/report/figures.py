"""One way to draw and to save a figure: house style, provenance, the same bytes each time."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine

from llm_power.errors import InvalidArgument
from llm_power.files import naming
from llm_power.provenance import SOURCE_KINDS, Kind, Provenance, provenance_kinds, provenance_line

# Okabe and Ito's palette: distinct with every common color vision, and in print.
BLUE: Final = "#0072B2"
ORANGE: Final = "#D55E00"
GREEN: Final = "#009E73"
GREY: Final = "#8C8C8C"
LINE_COLORS: Final = (BLUE, ORANGE, GREEN)

_COLUMN_INCHES: Final = 3.3
PAGE_INCHES: Final = 6.9
_FORMATS: Final = ("pdf", "png", "svg")
_NO_DATES: Final[dict[str, dict[str, Any]]] = {
    "pdf": {"CreationDate": None, "ModDate": None},
    "png": {},
    "svg": {"Date": None},
}
# Left, bottom, width and height, as shares of the figure's.
Rectangle = tuple[float, float, float, float]
_MARKS: Final[Mapping[Kind, str]] = {"witness": "WITNESS", "stand_in": "STAND-IN OR MIRROR"}
_PROVENANCE_KEY: Final = {"pdf": "Subject", "png": "Description", "svg": "Description"}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style, whatever the user's matplotlibrc says.

    Examples
    --------
    >>> import matplotlib as mpl
    >>> from llm_power.report.figures import house_style
    >>> with house_style():
    ...     size = mpl.rcParams["font.size"]
    ...
    >>> size
    9.0
    """
    with as_file(files("llm_power.report") / "style.mplstyle") as path:
        style = mpl.rc_params_from_file(str(path), use_default_template=True)
    with mpl.rc_context():
        mpl.rcParams.update(style)
        yield


def missing_glyphs(texts: Iterable[str]) -> str:
    """Return the characters that the house font lacks; a figure has a box for each.

    Parameters
    ----------
    texts : iterable of str
        What is written on a figure.

    Returns
    -------
    str
        Each character once, in the order of their code points.

    Examples
    --------
    >>> from llm_power.report.figures import missing_glyphs
    >>> missing_glyphs(["Qwen", "通义千问"])
    '义千通问'
    """
    with house_style():
        known = get_font(findfont(FontProperties())).get_charmap()
    found = {c for c in "".join(texts) if c.isprintable() and ord(c) not in known}
    return "".join(sorted(found))


@contextmanager
def _unwarned_of_glyphs() -> Iterator[None]:
    """Silence matplotlib on missing glyphs: it names each again and again, with source paths."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ ", UserWarning)
        yield


def new_figure(*, height: float, wide: bool = False) -> Figure:
    """Return an empty figure of one column's width, or of the whole page.

    Parameters
    ----------
    height : float
        Inches.
    wide : bool
        Whether it spans both columns.

    Returns
    -------
    Figure
        Laid out when it is saved, with room for the provenance line.

    Examples
    --------
    >>> from llm_power.report.figures import new_figure
    >>> new_figure(height=2.5).get_size_inches().tolist()
    [3.3, 2.5]
    """
    figure = Figure(figsize=(PAGE_INCHES if wide else _COLUMN_INCHES, height))
    FigureCanvasAgg(figure)
    return figure


def save_figure(
    figure: Figure,
    stem: str | Path,
    provenance: Sequence[Provenance],
    *,
    title: str,
    heading: bool = False,
) -> list[Path]:
    """Write the figure as PDF, PNG and SVG, with its provenance on it and in its metadata.

    Parameters
    ----------
    figure : Figure
        The figure; a line of provenance is added at its foot, and a word in its upper right
        corner if a source is a witness, or a stand-in or mirror of a hub.
    stem : path-like
        Path without its ending; the folder exists.
    provenance : sequence of Provenance
        At least one.
    title : str
        For the metadata.
    heading : bool
        Whether the title is printed above the figure too.

    Returns
    -------
    list of Path
        The three files.

    Examples
    --------
    >>> from llm_power.provenance import Provenance
    >>> from llm_power.report.figures import new_figure, save_figure
    >>> figure = new_figure(height=2.5)
    >>> _ = figure.subplots().plot([1, 2], [3, 4])
    >>> sources = [Provenance.simulated(seed=1, trials=100)]
    >>> [path.name for path in save_figure(figure, "curve", sources, title="A curve")]
    ['curve.pdf', 'curve.png', 'curve.svg']
    """
    line = provenance_line(provenance)
    kinds = {source.kind for source in provenance}
    mark = ", ".join(word for kind, word in _MARKS.items() if kind in kinds)
    inside = _print_around(figure, line, mark=mark, heading=title if heading else "")
    _settle_layout(figure)
    # Earlier, and the layout would leave no room for them.
    for legend in figure.legends:
        legend.set_bbox_to_anchor(inside, transform=figure.transFigure)
    paths = [Path(f"{stem}.{suffix}") for suffix in _FORMATS]
    for suffix, path in zip(_FORMATS, paths, strict=True):
        metadata = {"Title": title, _PROVENANCE_KEY[suffix]: line}
        if suffix == "png":
            metadata[SOURCE_KINDS] = " ".join(provenance_kinds(provenance))
        _save(figure, path, metadata)
    return paths


def save_camera_ready(
    figure: Figure, stem: str | Path, provenance: Sequence[Provenance], *, title: str, caption: str
) -> list[Path]:
    """Write the figure as a PDF without provenance on it, and its caption beside it as text.

    Parameters
    ----------
    figure : Figure
        The figure; nothing is added to it, so that it has the size it was made with.
    stem : path-like
        Path without its ending; the folder exists.
    provenance : sequence of Provenance
        At least one; the caption ends with them.
    title : str
        For the metadata, and the first sentence of the caption.
    caption : str
        The other sentences; may be empty.

    Returns
    -------
    list of Path
        The PDF and the text.

    Examples
    --------
    >>> from llm_power.provenance import Provenance
    >>> from llm_power.report.figures import new_figure, save_camera_ready
    >>> figure = new_figure(height=2.5)
    >>> sources = [Provenance.simulated(seed=1, trials=100)]
    >>> paths = save_camera_ready(figure, "curve", sources, title="A curve", caption="It rises.")
    >>> [path.name for path in paths]
    ['curve.pdf', 'curve.txt']
    >>> print(paths[1].read_text(encoding="utf-8").strip())
    A curve. It rises. Provenance: simulated (seed 1, 100 trials).
    """
    line = provenance_line(provenance)
    figure.set_layout_engine(ConstrainedLayoutEngine())
    _settle_layout(figure)
    picture, text = Path(f"{stem}.pdf"), Path(f"{stem}.txt")
    _save(figure, picture, {"Title": title, _PROVENANCE_KEY["pdf"]: line})
    sentences = [f"{title}.", caption, f"Provenance: {line}."]
    text.write_text(" ".join(filter(None, sentences)) + "\n", encoding="utf-8")
    return [picture, text]


def require_picture(path: Path) -> None:
    """Refuse a place where no picture can be written, before it is drawn.

    Raises
    ------
    InvalidArgument
        If it ends in anything but .pdf, .png or .svg.
    OSError
        If its folder is not there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power.report.figures import require_picture
    >>> require_picture(Path("plan.png"))
    """
    if path.suffix.removeprefix(".") not in _FORMATS:
        endings = ", ".join(f".{suffix}" for suffix in _FORMATS)
        raise InvalidArgument(f"a picture must end in {endings}, got {path.name!r}")
    path.parent.stat()


def save_picture(figure: Figure, path: Path, *, title: str) -> None:
    """Write the figure in the format of the path's ending, as a whole or not at all.

    Parameters
    ----------
    figure : Figure
        The figure.
    path : Path
        Ends in .pdf, .png or .svg; the folder exists.
    title : str
        For the metadata.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power.report.figures import new_figure, save_picture
    >>> save_picture(new_figure(height=2), Path("empty.svg"), title="Nothing")
    >>> Path("empty.svg").read_bytes()[:5]
    b'<?xml'
    """
    require_picture(path)
    figure.set_layout_engine(ConstrainedLayoutEngine())
    _settle_layout(figure)
    with TemporaryDirectory(prefix=".llm-power-", dir=path.parent) as folder:
        made = Path(folder, path.name)
        with naming(path):
            _save(figure, made, {"Title": title})
        made.replace(path)


@_unwarned_of_glyphs()
def _save(figure: Figure, path: Path, metadata: Mapping[str, str]) -> None:
    suffix = path.suffix.removeprefix(".")
    figure.savefig(path, format=suffix, metadata={**_NO_DATES[suffix], **metadata})


def _print_around(figure: Figure, line: str, *, mark: str, heading: str) -> Rectangle:
    """Add a line of provenance below, mark and heading above; return where the figure is then."""
    width, height = figure.get_size_inches()
    text = _wrap(f"Provenance: {line}", int(width * 26))
    above = _wrap(heading, int(width * 13))
    foot = 0.10 * len(text) + 0.06
    marked, headed = 0.10 if mark else 0.0, 0.20 * len(above)
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


@_unwarned_of_glyphs()
def _settle_layout(figure: Figure) -> None:
    """Lay the figure out once, and round where the axes are.

    The layout's solver orders its variables by their place in memory: from one process to the
    next the last bits of a position differ, and with them names that SVG derives from it.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for ax in figure.axes:
        left, bottom, width, height = (round(edge, 6) for edge in ax.get_position().bounds)
        ax.set_position((left, bottom, width, height))


def _wrap(text: str, characters: int) -> list[str]:
    # A dollar sign would start mathematics, and a name in a provenance line may hold one.
    return [part.replace("$", r"\$") for part in textwrap.wrap(text, characters)]

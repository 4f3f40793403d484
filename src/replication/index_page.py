"""The page that leads to all that a run made, readable from disk."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from PIL import Image

from llm_power._board.measure import Measure
from llm_power._provenance import FINDING
from llm_power._report.page import page_environment, page_parts, visible
from llm_power._report.tables import MARKS
from llm_power_audit._csv import Rows
from llm_power_audit._exhibits import picture_address
from llm_power_audit.claims import section_name
from llm_power_audit.written_verdicts import (
    VERDICT_TERMS,
    claim_anchor,
    claims_by_exhibit,
    counted,
)

_PACKAGE: Final = "replication"
# How wide a picture is in the page, on a screen with twice the points.
_WIDTH: Final = 1400
# How large an inch of a picture is shown, in pixels: its text is as large as that of the page.
_INCH: Final = 125
# A picture wider than a telephone is scrolled there.
_NARROW: Final = 576
_COLORS: Final = 128
# Of a source, in the words of a reader.
_SOURCES: Final = {
    "witness": "rests on a witness",
    "published": "printed counts",
    "simulated": "simulated",
    "raw": "raw items",
    "stand_in": "stand-in or mirror",
}
_SUBSCRIPT: Final = re.compile(
    "(?<![\\w_])([pnzδρ]\N{COMBINING CIRCUMFLEX ACCENT}?)_(A|B|h|z|α|β|MDE)\\b"
)
_NUMBERED: Final = re.compile(r"(table|figure)_\d+$")
# Files for readers first; what describes a table is not one of them.
_ENDS: Final = ("html", "pdf", "svg", "png", "csv", "md", "tex", "txt", "parquet", "json")
_NOT_OFFERED: Final = "-metadata.json"
_PAGES: Final = {
    "audit/report.html": "the report",
    "audit/claims.csv": "claims.csv",
    "audit/claims.md": "claims.md",
    "audit/corrections.json": "corrections.json",
    "audit/evidence.csv": "evidence.csv",
    "audit/mutation.md": "mutation test",
    "audit/mutation.csv": "mutation.csv",
}


@dataclass(frozen=True)
class _Entry:
    """An exhibit or a board, as the page shows it."""

    made: Mapping[str, Any]
    results: Path
    audited: Mapping[str, Rows]

    @property
    def anchor(self) -> str:
        return str(self.made["name"])

    @property
    def label(self) -> str:
        """What it is called: a board has a title, an exhibit its number."""
        plain = self.anchor.replace("_0", "_").replace("_", " ").capitalize()
        return str(self.made.get("title") or plain)

    @property
    def sources(self) -> list[tuple[str, str]]:
        return [(kind, _SOURCES[kind]) for kind in _SOURCES if kind in self.made["classes"]]

    @property
    def counts(self) -> list[tuple[str, str]]:
        """How many of its claims have each verdict."""
        return counted(claim["verdict"] for claim in self._claims)

    @cached_property
    def contradicted(self) -> list[tuple[Markup, str, str]]:
        """Its contradicted claims: what each says, where and how, and the address of its test."""
        contradicted = []
        for row in self._claims:
            if row["verdict"] == "contradicted":
                section = section_name(row["section"])
                place = f"{section}, {row['place']}: “{row['printed']}”"
                address = f"audit/report.html#{quote(claim_anchor(row['id']))}"
                contradicted.append((_subscripts(row["claim"]), place, address))
        return contradicted

    @property
    def _claims(self) -> Rows:
        stems = sorted({Path(path).stem for path in self.made["outputs"]})
        return [claim for stem in stems for claim in self.audited.get(stem, ())]

    @cached_property
    def picture(self) -> Mapping[str, Any] | None:
        """Its picture, the address of the file, and its caption; of variants, the plainest name."""
        if not (paths := self._files(".png")):
            return None
        path = min(paths, key=len)
        with Image.open(path) as drawn:
            title = str(drawn.info.get("Title", self.label))
            finding = str(drawn.info.get(FINDING, title))
            width = round(drawn.width / drawn.info.get("dpi", (_INCH,))[0] * _INCH)
        texts = [Path(text).read_text(encoding="utf-8") for text in self._files(".txt")]
        text = "".join(texts[:1]).strip().removeprefix(f"{title}. ") or finding
        source = f" Provenance: {self.made['provenance']}."
        return {
            "shown": picture_address(Path(path), _WIDTH, _COLORS),
            "file": _address(path, self.results),
            "title": title,
            "finding": finding,
            # The picture has its provenance too.
            "caption": _subscripts(text.removesuffix(source)),
            "width": width,
            "is_wide": width > _NARROW,
        }

    def _files(self, end: str) -> list[str]:
        # Those of an exhibit that has no value say why, and are neither picture nor table.
        if "undefined" in self.made:
            return []
        return [path for path in self.made["outputs"] if path.endswith(end)]

    @property
    def glances(self) -> Iterator[Mapping[str, Any]]:
        """How far each task of a board tells its models apart, with the address of its page."""
        for path in map(Path, self._files("/summary.json")):
            facts = json.loads(path.read_text(encoding="utf-8"))
            measure, several = Measure(**facts["measure"]), len(facts["glance"]) > 1
            names = [self.label, "every pair"] if facts["family"] == "all" else [self.label]
            for each in facts["glance"]:
                ends = dict.fromkeys(map(measure.shown, each["smallest_gap"] or ()))
                yield {
                    **each,
                    "name": ", ".join([*names, *[each["task"]] * several]),
                    "page": _address(str(path.with_name("board.html")), self.results),
                    "floor": measure.with_unit(" to ".join(ends)) if ends else "none",
                }

    @cached_property
    def documents(self) -> list[Markup]:
        """Its tables as the reader of the terminal has them."""
        return [_document(Path(path)) for path in self._files(".md")]

    @property
    def pages(self) -> list[tuple[str, str]]:
        """The pages of a board, one for each family of pairs."""
        return [
            (Path(path).parent.name, _address(path, self.results)) for path in self._files(".html")
        ]

    @property
    def downloads(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Its files by the ends of their names: name and address of each."""
        return _by_end(self.made["outputs"], self.results)


def render_index(
    manifest: Mapping[str, Any],
    results: Path,
    beside: Iterable[str] = (),
    papers: Mapping[str, str] | None = None,
) -> str:
    """Render the page ``index.html`` of the results of a paper."""
    audited = claims_by_exhibit(results)
    exhibits = [_Entry(made, results, audited) for made in manifest["exhibits"]]
    # Each in the order of paper.yaml, which is the paper's.
    groups = {
        "Tables and figures": [one for one in exhibits if _NUMBERED.match(one.anchor)],
        "Numbers in the text, and comparisons": [
            one for one in exhibits if not _NUMBERED.match(one.anchor)
        ],
    }
    # Words of a document are on lines of their own length.
    documents = (str(one) for entry in exhibits for one in entry.documents)
    shown = " ".join(" ".join(documents).split())
    verdicts = [claim["verdict"] for claims in audited.values() for claim in claims]
    judged = [term for one, term in VERDICT_TERMS.items() if one in verdicts]
    key = {
        "Words and symbols": {
            _subscripts(term): text for term, text in manifest["paper"].get("terms", {}).items()
        },
        "Marks in tables": dict(text.split(" ", 1) for text in MARKS.values() if text in shown),
        "Verdicts of the audit": {f"{term.glyph} {term.word}": term.meaning for term in judged},
    }
    return page_environment(_PACKAGE).get_template("index.html.j2").render(
        manifest=manifest,
        **page_parts(_PACKAGE, "index.css"),
        key={title: terms for title, terms in key.items() if terms},
        groups=[(group, entries) for group, entries in groups.items() if entries],
        boards=(boards := [_Entry(made, results, {}) for made in manifest["boards"]]),
        glances=[each for board in boards for each in board.glances],
        docs=_address("build/docs/exhibits.html", results),
        verdicts=counted(verdicts),
        n_claims=len(verdicts),
        on_witness=[one.label for one in exhibits if "witness" in one.made["classes"]],
        audit={path: name for path, name in _PAGES.items() if (results / path).is_file()},
        beside=[
            (path, _address(path, results)) for path in [f"{results}/manifest.json", *beside]
        ],
        papers={title: quote(address) for title, address in (papers or {}).items()},
        verdict_terms=VERDICT_TERMS,
    )  # fmt: skip


def _document(path: Path) -> Markup:
    # Nothing in it is taken for HTML; what is written is escaped.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(path.read_text(encoding="utf-8"))
    # The page's policy has no style but the page's own.
    for token in tokens:
        if token.attrs.pop("style", None) == "text-align:right":
            token.attrSet("class", "right")
    shown = str(parser.renderer.render(tokens, parser.options, {}))
    numbers = count(1)

    def scrolled(_: re.Match[str]) -> str:
        label = f"{path.parent.name} {path.stem}, table {next(numbers)}"
        return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table>'

    shown = re.sub("<table>", scrolled, shown)
    return _subscripts(Markup(shown.replace("</table>", "</table></div>")))


def _subscripts(text: str) -> Markup:
    """Return text or markup as markup, with the subscripts of symbols below the line."""
    return Markup(_SUBSCRIPT.sub(r"\1<sub>\2</sub>", str(escape(visible(text)))))


def _by_end(paths: Iterable[str], results: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    offered = [path for path in paths if not path.endswith(_NOT_OFFERED)]
    names = Counter(Path(path).name for path in offered)
    links = [
        (_name_of_link(path, names[Path(path).name] > 1), _address(path, results))
        for path in offered
    ]
    by_end = {end: [one for one in links if one[0].endswith(f".{end}")] for end in _ENDS}
    return [(end, named) for end, named in by_end.items() if named]


def _name_of_link(path: str, is_shared: bool) -> str:
    """Return a file's name, after its folder where another file has the same name."""
    return "/".join(Path(path).parts[-2 if is_shared else -1 :])


def _address(path: str, results: Path) -> str:
    """Return the address of a file relative to the page."""
    return quote(os.path.relpath(path, results))

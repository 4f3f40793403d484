"""The report's text: nothing of the network, everything escaped, relative links alone."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report_examples import HOSTILE, example_audit, hostile_audit

from llm_power._errors import InvalidArgument
from llm_power_audit.audit_files import result_links, totals_cells
from llm_power_audit.claims import EVIDENCE
from llm_power_audit.evaluate import Audit, Judged
from llm_power_audit.printed import Printed
from llm_power_audit.report import render_report
from llm_power_audit.written_verdicts import VERDICT_TERMS

LINKS = {
    "tables/table_06.csv": "../tables/table_06.csv",
    "tables/table_06.md": "../tables/table_06.md",
}
# Elements that HTML closes by itself.
VOID = {"meta", "link", "input", "br", "rect", "img"}
PICTURE = "data:image/png;base64,iVBORw0KGgo="


class Page(HTMLParser):
    """Elements with their attributes, in order; parents and children must match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(data)

    def values(self, attribute: str) -> list[str]:
        return [attrs[attribute] or "" for _, attrs in self.elements if attribute in attrs]


@pytest.fixture(scope="module")
def audit() -> Audit:
    return example_audit(60)


@pytest.fixture(scope="module")
def page(audit: Audit) -> Page:
    return Page(render_report(audit, links=LINKS, pictures={"table_06": PICTURE}))


def test_rendering_depends_on_the_audit_alone(audit: Audit) -> None:
    assert render_report(audit, links=LINKS) == render_report(audit, links=LINKS)


def test_nothing_is_loaded(page: Page) -> None:
    assert set(page.values("src")) <= {PICTURE}
    assert not {"iframe", "object", "embed", "base"} & {tag for tag, _ in page.elements}
    sheets = [attrs["href"] for tag, attrs in page.elements if tag == "link"]
    assert sheets == ["data:,"]
    assert all(not re.search(r"url\(|@import|https?:", text) for text in page.texts["style"])


def test_policy_names_the_inline_style_and_script_by_their_hashes(page: Page) -> None:
    policy = next(
        attrs["content"]
        for _, attrs in page.elements
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (text,) = page.texts[tag]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    # The policy would stop them, and with them what they are meant to do.
    assert not page.values("style")
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]


def test_every_claim_has_one_row_and_ids_are_unique(audit: Audit, page: Page) -> None:
    rows = [attrs for tag, attrs in page.elements if tag == "tbody" and "data-verdict" in attrs]
    assert len(rows) == len(audit.judged)
    for part in ("verdict", "evidence"):
        assert [row[f"data-{part}"] for row in rows] == [getattr(x, part) for x in audit.judged]
    ids = page.values("id")
    assert len(ids) == len(set(ids))


def test_links_within_the_page_lead_somewhere(page: Page) -> None:
    ids = set(page.values("id"))
    fragments = {href[1:] for href in page.values("href") if href.startswith("#")}
    assert {name for name in fragments if not name.startswith("?")} <= ids
    assert set(page.values("aria-controls")) | set(page.values("aria-labelledby")) <= ids


def test_totals_are_those_of_the_audit(audit: Audit, page: Page) -> None:
    expected = Counter((item.verdict, item.evidence) for item in audit.judged)
    labels = [
        (attrs["href"], attrs["aria-label"])
        for tag, attrs in page.elements
        if tag == "a" and attrs.get("class") == "total"
    ]
    cells = {
        tuple(found): int(str(label).split()[0])
        for href, label in labels
        if len(found := re.findall(r"(?:verdict|evidence)=(\w+)", str(href))) == 2
    }
    assert cells == expected
    counts = audit.counts()
    assert {words: counts[words] for words in expected} == expected
    assert counts["", ""] == len(audit.judged)


def test_page_and_table_call_a_verdict_the_same(audit: Audit) -> None:
    _, *rows, _ = totals_cells(audit)
    assert [term.word for term in VERDICT_TERMS.values()] == [row[0] for row in rows]


def test_the_first_screen_counts_what_holds_on_evidence(audit: Audit) -> None:
    n_on_evidence = sum(
        one.verdict in ("holds", "holds_rounded")
        and one.claim.kind != "cross_check"
        and one.evidence != "consistency"
        and not one.claim.is_label
        for one in audit.judged
    )
    html = render_report(audit, links=LINKS)
    assert n_on_evidence > 10
    assert f" {n_on_evidence} that hold rest on evidence: " in html


def test_every_evidence_class_is_explained(page: Page) -> None:
    options = [attrs.get("value") for tag, attrs in page.elements if tag == "option"]
    assert set(EVIDENCE) <= set(options)


def test_every_evidence_class_says_what_it_contradicts_or_why_nothing(audit: Audit) -> None:
    html = render_report(audit, links=LINKS)
    counts = Counter((item.verdict, item.evidence) for item in audit.judged)
    said = re.findall(r"<dd>(contradicts [^<]+|no claim here rests on it)</dd>", html)
    assert len(said) == len(EVIDENCE)
    for evidence, text in zip(EVIDENCE, said, strict=True):
        found = counts["contradicted", evidence]
        assert text.startswith(f"contradicts {found} of its") == bool(found)
    assert "contradicts none: it is one of many data sets that fit the rest" in said


def test_a_file_without_a_link_is_named_without_one(audit: Audit) -> None:
    html = render_report(audit, links={})
    assert "../tables" not in html
    assert "tables/table_06.csv" in html


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
        "https://example.org/x",
        "//example.org/x",
        "\\\\example.org\\x",
        "/etc/passwd",
        " x.csv",
        'x".csv',
        "",
    ],
)
def test_addresses_that_are_not_relative_are_refused(audit: Audit, address: str) -> None:
    links = {"tables/table_06.csv": address}
    if not address:
        # An empty address would be the page itself: no link at all.
        assert 'href=""' not in render_report(audit, links=links)
        return
    with pytest.raises(InvalidArgument, match="links must be relative"):
        render_report(audit, links=links)


def test_hostile_texts_stay_text() -> None:
    html = render_report(hostile_audit(), links=LINKS)
    page = Page(html)
    tags = Counter(tag for tag, _ in page.elements)
    assert tags["script"] == 1
    assert tags["img"] == 0
    assert all("onload" not in attrs and "onerror" not in attrs for _, attrs in page.elements)
    assert all(not href.strip().lower().startswith("javascript") for href in page.values("href"))
    assert "\u202e" not in html
    rows = "".join(page.texts["span"])
    for harm in HOSTILE:
        shown = harm.replace("\u202e", "[U+202E]")
        assert f"Model {shown} wins" in rows


def test_ids_that_differ_have_anchors_that_differ(audit: Audit) -> None:
    first, second, third = audit.judged[:3]
    names = ("a b", "a~20~b", "a\u00a0b")
    judged = tuple(
        replace(item, claim=replace(item.claim, id=name))
        for item, name in zip((first, second, third), names, strict=True)
    )
    ids = Page(render_report(replace(audit, judged=judged), links={})).values("id")
    assert len(ids) == len(set(ids))
    assert not any(re.search(r"\s", name) for name in ids)


def test_numbers_are_shown_short_and_kept_in_full(audit: Audit) -> None:
    html = render_report(audit, links={})
    assert '<span class="number" title="0.7814159">0.7814</span>' in html
    assert '<span class="number" title="0.7814159">0.7814 ± 0.0010</span>' in html


@pytest.mark.parametrize(
    ("discrepancy", "half_unit", "z", "said"),
    [
        (0.0084159, 0.0005, math.nan, "+8.4 units of the last digit"),
        (-1234.5, 0.5, math.nan, "−1,234 units of the last digit"),
        (-0.03, 0.005, -5.25, "−5.2 standard errors"),
        (2.0, 0.0, math.nan, "+2"),
        (0.0, 0.5, math.nan, "0 units of the last digit"),
        (math.inf, 0.5, math.nan, "+∞ units of the last digit"),
    ],
)
def test_differences_count_what_decides(
    audit: Audit, discrepancy: float, half_unit: float, z: float, said: str
) -> None:
    item = next(item for item in audit.judged if item.verdict == "contradicted")
    assert item.deciding is not None
    statement = replace(item.claim.statement, half_unit=half_unit)
    deciding = replace(item.deciding, discrepancy=discrepancy, z=z)
    judged = replace(
        item,
        claim=replace(item.claim, statement=statement),
        deciding=deciding,
        outcomes=(deciding,),
    )
    assert f"<dd>{said}</dd>" in render_report(replace(audit, judged=(judged,)), links={})


def test_an_audit_without_findings_says_so(audit: Audit) -> None:
    html = render_report(replace(audit, judged=()), links={})
    assert "No claim is contradicted." in html
    assert "No claim is ambiguous." in html


def test_the_page_opens_with_the_findings_by_weight(audit: Audit) -> None:
    html = render_report(audit, links=LINKS)
    page = Page(html)
    sections = [attrs["id"] for tag, attrs in page.elements if tag == "section"]
    assert sections[:3] == ["findings", "exhibits", "corrections"]
    told = [attrs.get("id") for _, attrs in page.elements if attrs.get("class") == "finding"]
    assert told[:2] == ["finding/numbers", "finding/words"]
    wrong = len(audit.with_verdict("contradicted"))
    assert f"{wrong} of 60 claims are contradicted. They come to 2 findings." in html
    assert (
        "None changes which pairs are unresolved; 1 changes numbers alone; "
        "1 changes a sentence alone." in html
    )
    assert f'Not yet grouped <span class="n">{wrong - 2}</span>' in html


def test_a_finding_is_told_only_while_one_of_its_claims_is_contradicted(audit: Audit) -> None:
    (told, *_) = audit.register.findings[1].claims
    judged = tuple(
        replace(item, verdict="holds") if item.claim.id == told else item for item in audit.judged
    )
    html = render_report(replace(audit, judged=judged), links={})
    assert 'id="finding/words"' in html
    assert 'id="finding/numbers"' not in html
    assert "1 finding." in html


def test_numbers_of_a_finding_are_computed_and_lead_to_their_claims(audit: Audit) -> None:
    (told, *_) = audit.register.findings[1].claims
    html = render_report(audit, links={})
    anchor = f'<a class="claim-link" href="#claim/{told}">'
    assert f"It is {anchor}0.781</a> and not {anchor}0.773</a>." in html
    assert "<s>0.773</s> <b>about 0.781</b>" in html
    assert '<th scope="col">p of χ²</th>' in html


def without_findings(audit: Audit, judged: tuple[Judged, ...]) -> Audit:
    return Audit(replace(audit.register, findings=(), main_result=""), judged)


def test_a_register_without_findings_opens_with_its_contradicted_claims(audit: Audit) -> None:
    page = Page(render_report(without_findings(audit, audit.judged), links={}))
    wrong = audit.with_verdict("contradicted")
    listed = [attrs for _, attrs in page.elements if attrs.get("class") == "finding"]
    assert len(listed) == len(wrong)
    first = next(attrs["href"] for _, attrs in page.elements if attrs.get("class") == "claim-link")
    assert first == f"#claim/{wrong[0].claim.id}"


def test_every_exhibit_with_claims_is_drawn_and_linked(audit: Audit) -> None:
    without = render_report(audit, links=LINKS)
    strip = without[without.index('<ul class="strip">') :]
    strip = strip[: strip.index("</ul>")]
    assert 'href="../tables/table_06.md"' in strip
    assert strip.count("<rect") == len(audit.judged)
    drawn = render_report(audit, links=LINKS, pictures={"table_06": PICTURE})
    assert drawn.count(f'<img src="{PICTURE}"') == 2


@pytest.mark.parametrize(
    "address", ["https://example.org/x.png", "data:image/svg+xml;base64,PHN2Zz4=", 'x" onerror="y']
)
def test_pictures_that_are_no_png_in_the_page_are_refused(audit: Audit, address: str) -> None:
    with pytest.raises(InvalidArgument, match="pictures must be PNG"):
        render_report(audit, links={}, pictures={"table_06": address})


def test_what_holds_can_be_followed_with_a_pocket_calculator(audit: Audit) -> None:
    _, holding, *_ = (item for item in audit.judged if item.verdict == "holds")
    assert holding.deciding is not None
    deciding = replace(holding.deciding, value=0.7732, z=math.nan)
    judged = replace(holding, deciding=deciding, outcomes=(deciding,))
    base = audit.judged[0]
    html = render_report(without_findings(audit, (base, judged)), links={})
    assert "0.773 stands for 0.7725 to 0.7735; 0.7732 lies between." in html
    assert "p of χ² (pair 1)</a> = 0.773" in html


def test_a_number_printed_in_words_is_said(audit: Audit) -> None:
    wrong = next(item for item in audit.judged if item.verdict == "contradicted")
    claim = replace(
        wrong.claim, printed="every", quantity="share of them", statement=Printed("=", 1.0)
    )
    html = render_report(without_findings(audit, (replace(wrong, claim=claim),)), links={})
    assert 'every</span> <span class="quiet">that is 1</span>' in html
    assert '<p class="quantity">share of them</p>' in html


def test_files_that_are_not_there_have_no_link(audit: Audit, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    assert result_links(audit, tmp_path, tmp_path) == {}
    (tmp_path / "tables/table_06.md").touch()
    assert result_links(audit, tmp_path, tmp_path / "out") == {
        "tables/table_06.md": "../tables/table_06.md"
    }

"""Numbers of a text, the sentences they stand in, and the claims that cover them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from llm_power_audit.coverage import (
    CoverageError,
    Span,
    Token,
    cover,
    is_number_of,
    sentence_hash,
    tokens,
)
from llm_power_audit.register import load_register

TEXT = "Abstract\n\nOf three birds 2,000.5 sing. The other 40% are $\\frac{1}{2}$ as loud."
REGISTER = """
claims:
  - id: birds
    section: Abstract
    place: sentence 1
    claim: three birds
    quantity: birds
    printed: three birds
    states: {value: 3}
    needs: the birds
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("N = 12,032 items", ["12,032"]),
        ("p=.049, not 0.05.", [".049", "0.05"]),
        ("in 99.9% and 2\\% of them", ["99.9%", "2\\%"]),
        ("9.9×10^{-14} or $< 10^{-15}$", ["9.9×10^{-14}", "10^{-15}"]),
        ("$-3 \\times 10^{-4}$, 31.4M", ["3 \\times 10^{-4}", "31.4M"]),
        ("Four of nine, half of 2.15\\times", ["Four", "nine", "half", "2.15"]),
        ("$\\frac{1}{2}$ of N^2 and the first stone", ["\\frac{1}{2}", "2"]),
        ("4/9 \\rightarrow 6/9", ["4", "9", "6", "9"]),
    ],
)
def test_numbers_are_found_in_plain_text_and_in_latex(text: str, found: list[str]) -> None:
    assert [token.text for token in tokens(text)] == found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12,032", 12032),
        ("2\\%", 0.02),
        ("9.9×10^{-14}", 9.9e-14),
        ("10^{-15}", 1e-15),
        ("3 \\times 10^{-4}", 3e-4),
        ("\\frac{1}{2}", 0.5),
        ("Nine", 9),
        ("half", 0.5),
        ("twice", 2),
        ("31.4M", 31_400_000),
    ],
)
def test_a_number_has_the_value_that_it_denotes(text: str, value: float) -> None:
    assert Token(1, 0, len(text), text).value == pytest.approx(value, rel=1e-12)


def test_tokens_say_where_they_stand() -> None:
    lines = TEXT.splitlines()
    assert all(lines[t.line - 1][t.start : t.end] == t.text for t in tokens(TEXT))
    assert {t.line for t in tokens(TEXT)} == {3}


def test_a_sentence_has_a_hash_of_its_own() -> None:
    line = TEXT.splitlines()[2]
    hashes = [sentence_hash(line, token.start) for token in tokens(TEXT)]
    assert hashes[0] == hashes[1] != hashes[2] == hashes[3]
    assert sentence_hash("1 vs 2\t0.4. A\t7", 0) == sentence_hash("1 vs 2\t0.4. A\t7", 14)


def span(number: int, **fields: str) -> Span:
    """A span of one number of the text."""
    token = tokens(TEXT)[number]
    hashed = sentence_hash(TEXT.splitlines()[token.line - 1], token.start)
    return Span(token.line, token.start, token.end, hashed, **fields)


def covered(tmp_path: Path, *spans: Span) -> str:
    (tmp_path / "claims.yaml").write_text(REGISTER, encoding="utf-8")
    claims = {claim.id: claim for claim in load_register(tmp_path / "claims.yaml").claims}
    return cover(TEXT, spans, claims).text()


@pytest.mark.parametrize(
    ("text", "is_it"), [("3", True), ("3%", True), ("300", True), ("3M", True), ("30", False)]
)
def test_a_number_is_the_claims_up_to_its_unit(tmp_path: Path, text: str, is_it: bool) -> None:
    (tmp_path / "claims.yaml").write_text(REGISTER, encoding="utf-8")
    (claim,) = load_register(tmp_path / "claims.yaml").claims
    assert is_number_of(Token(1, 0, len(text), text), claim) == is_it


def test_what_is_open_is_not_covered(tmp_path: Path) -> None:
    said = covered(
        tmp_path,
        span(0, claim="birds", role="number"),
        span(1, claim="birds", role="part"),
        span(2, reason="idiom"),
        span(3, reason="open: loudness"),
    )
    assert (
        said.splitlines()[-1] == "covered or excused: 75.0%; of those that are not excused: 66.7%"
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (span(1, claim="birds", role="number"), "'2,000.5' is not the number of 'birds'"),
        (span(0, claim="fish", role="number"), "there is no claim 'fish'"),
        (replace(span(0), start=4), "no such number"),
        (replace(span(0), sha256="0" * 16), "the sentence is another"),
    ],
)
def test_a_span_that_is_not_of_the_text_or_of_its_claim_is_refused(
    wrong: Span, message: str, tmp_path: Path
) -> None:
    with pytest.raises(CoverageError, match=message):
        covered(tmp_path, wrong)

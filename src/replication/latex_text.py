"""Make any text harmless inside a LaTeX table, and set our own symbols as mathematics."""

from __future__ import annotations

import re
import unicodedata

from llm_power._report.text_tables import DIGIT_SPACE, POINT_SPACE, flattened

_LATEX_ASCII = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "`": r"\textasciigrave{}",
    # After the \\ that ends a row, a bare [ or * would be read as its argument.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}

_GREEK = {
    letter: name.lower() if letter.islower() else name.capitalize()
    for letter in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
    for name in [unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")]
}

_LATEX_SYMBOLS = {letter: rf"$\{name}$" for letter, name in _GREEK.items()} | {
    DIGIT_SPACE: r"\phantom{0}",
    POINT_SPACE: r"\phantom{.}",
    "−": r"$-$",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "∼": r"$\sim$",
    "≠": r"$\ne$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "÷": r"$\div$",
    "∋": r"$\ni$",
    "∈": r"$\in$",
    "→": r"$\to$",
    "⇔": r"$\Leftrightarrow$",
    "′": "$'$",
    "″": "$''$",
    "‴": "$'''$",
    "½": r"\textonehalf{}",
    "§": r"\S{}",
    "°": r"\textdegree{}",
    "ß": r"{\ss}",
    "æ": r"{\ae}",
    "Æ": r"{\AE}",
    "ø": r"{\o}",
    "Ø": r"{\O}",
    "œ": r"{\oe}",
    "Œ": r"{\OE}",
    "ł": r"{\l}",
    "Ł": r"{\L}",
}

_LATEX_ACCENTS = {
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0304": r"\=",
    "\u0306": r"\u",
    "\u0307": r"\.",
    "\u0308": r"\"",
    "\u030a": r"\r",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0327": r"\c",
}

# What Unicode has above and below the line that is ASCII on it.
_ABOVE = "⁰¹²³⁴-⁹⁺-ⁿᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
_BELOW = "₀-₉₊-₎ₐ-ₓₕ-ₜᵢ-ᵥⱼ"
_SCRIPTS = re.compile(f"([{_ABOVE}]*)([{_BELOW}]*)")

_LATEX_MATH_ACCENTS = {"\u0302": r"\hat", "\u0304": r"\bar"}
_LETTERS, _ACCENTS = "".join(_GREEK), "".join(_LATEX_MATH_ACCENTS)

# A run above the line and one below it, a letter with its accent, a run of what TeX would join, or
# any one character.
_PIECES = re.compile(
    rf"[{_ABOVE}]+[{_BELOW}]*|[{_BELOW}]+|[{_LETTERS}][{_ACCENTS}]"
    rf"|[A-Za-z][{''.join(_LATEX_ACCENTS)}]|-+|'+|,+|."
)

# A letter that stands alone, with hat or bar, index and star: N*, p_A, z_α, ρ̂; K of 2K, h of h².
_SYMBOL = re.compile(
    rf"(?<![^\W\d])(?:(?<!\d)|(?=K))([A-Za-z{_LETTERS}])([{_ACCENTS}])?"
    rf"(?:_([A-Za-z0-9]{{1,3}}|[{_LETTERS}]))?(\*)?(?![^\W{_ABOVE}{_BELOW}])"
)
# Of the letters without any of these, those that are quantities.
_QUANTITIES = frozenset("bchmnpqrKN")


def escape_latex(text: str) -> str:
    """Return `text` as one ASCII line of literal LaTeX, for any LaTeX since 2020.

    A character that LaTeX's own fonts lack is its code point, ``[U+4E2D]``, so that two names never
    look the same.
    """
    return _literal_latex(unicodedata.normalize("NFC", flattened(text)))


def typeset_latex(text: str) -> str:
    """Return our own words as LaTeX, with symbols such as N* as mathematics."""
    flat = unicodedata.normalize("NFC", flattened(text))
    done, end = [], 0
    for match in _SYMBOL.finditer(flat):
        if match[2] or match[3] or match[4] or not match[1].isascii() or match[1] in _QUANTITIES:
            done += [_literal_latex(flat[end : match.start()]), _symbol(*match.groups())]
            end = match.end()
    return "".join([*done, _literal_latex(flat[end:])])


def _literal_latex(flat: str) -> str:
    return "".join(_latex_piece(match[0]) for match in _PIECES.finditer(flat))


def _symbol(letter: str, accent: str | None, index: str | None, star: str | None) -> str:
    base = _math(letter)
    if accent:
        base = f"{_LATEX_MATH_ACCENTS[accent]}{{{base}}}"
    if index:
        below = rf"\mathrm{{{index}}}" if len(index) > 1 else _math(index)
        base += f"_{{{below}}}"
    return f"${base}^{{*}}$" if star else f"${base}$"


def _math(letter: str) -> str:
    return rf"\{_GREEK[letter]}" if letter in _GREEK else letter


def _latex_piece(piece: str) -> str:
    if scripts := _SCRIPTS.fullmatch(piece):
        runs = zip("^_", map(_on_the_line, scripts.groups()), strict=True)
        return f"${''.join(f'{sign}{{{text}}}' for sign, text in runs if text)}$"
    if len(piece) == 2 and piece[0] in _GREEK:
        return f"${_LATEX_MATH_ACCENTS[piece[1]]}{{{_math(piece[0])}}}$"
    # Doubled, these would become a dash or a quotation mark.
    return "{}".join(piece) if piece[0] in "-'," else _latex_character(piece)


def _on_the_line(run: str) -> str:
    return unicodedata.normalize("NFKC", run).replace("−", "-")


def _latex_character(c: str) -> str:
    if c in _LATEX_ASCII:
        return _LATEX_ASCII[c]
    if c.isascii():
        return c
    if c in _LATEX_SYMBOLS:
        return _LATEX_SYMBOLS[c]
    decomposed = unicodedata.normalize("NFD", c)
    base, mark = decomposed[0], decomposed[1:]
    if base.isascii() and base.isalpha() and mark in _LATEX_ACCENTS:
        return f"{_LATEX_ACCENTS[mark]}{{{base}}}"
    return f"{{[}}U+{ord(c):04X}{{]}}"

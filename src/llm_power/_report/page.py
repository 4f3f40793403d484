"""What every HTML page of the package shares: how it is filled, and that nothing else may run."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


@cache
def page_environment(package: str) -> Environment:
    """Return the environment of a package's templates: all inserted text is escaped."""
    return Environment(
        loader=PackageLoader(package, ""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(package: str, name: str) -> Markup:
    """Return our own style or script, which is hashed and not escaped."""
    return Markup((files(package) / name).read_text(encoding="utf-8"))


def page_style(package: str, name: str) -> Markup:
    """Return the style of a page: the theme, what all pages have, and its own."""
    shared = [asset("llm_power._report", each) for each in ("theme.css", "page.css")]
    return Markup("").join([*shared, asset(package, name)])


def content_policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy of a page: this style and script, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def visible(value: object) -> object:
    """Make invisible characters visible: no name may look like another, or turn text around it."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "".join(c if c.isprintable() or c == "\n" else f"[U+{ord(c):04X}]" for c in value)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

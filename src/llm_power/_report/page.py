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


def page_parts(package: str, *names: str) -> dict[str, str]:
    """Return style and script of a page, what all share first, and the policy: nothing else.

    Names of the page's own files are whole, for the records of jobs look for them in the code.
    """
    shared = [asset("llm_power._report", each) for each in ("theme.css", "page.css", "page.js")]
    own = {name: asset(package, name) for name in names}
    style = Markup("").join([*shared[:2], *(own[name] for name in names if name[-4:] == ".css")])
    script = Markup("").join([shared[2], *(own[name] for name in names if name[-3:] == ".js")])
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return {"style": style, "script": script, "policy": policy}


def visible(value: object) -> object:
    """Make invisible characters visible: no name may look like another, or turn text around it."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if value.replace("\n", "").isprintable():
        return value
    return "".join(c if c.isprintable() or c == "\n" else f"[U+{ord(c):04X}]" for c in value)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

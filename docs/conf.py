"""Settings of the site that `make docs` builds from this folder."""

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from PIL import Image
from sphinx.application import Sphinx

import llm_power
from llm_power._provenance import FINDING
from llm_power._report.text_tables import escape_markdown

project = "llm-power"
author = "The llm-power maintainers"
version = release = llm_power.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_click",
]
templates_path = ["_templates"]
html_theme = "furo"
html_title = "llm-power"
# Pages are read in the repository too: what is no page (a file of data, a source) is linked there.
html_copy_source = False
# The calculator is a page of its own, as it is on disk.
html_static_path = ["_static"]
html_css_files = ["theme.css", "docs.css"]
html_extra_path = ["calculator.html"]
html_show_copyright = False

# A link to a heading is checked, down to the third level.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

# The docstrings name the types, in words that a signature has not.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
napoleon_google_docstring = False
# Types are words for readers ("array of shape (n_items,)") and link nowhere.
napoleon_use_param = False

# A word in the type of an attribute ("of shape (n_items,)") means none of the targets of its name.
suppress_warnings = ["ref.python"]

# Formulas are part of the pages, so that these need no network.
html_math_renderer = "mathml"


def inline_formula(translator: Any, node: nodes.math) -> None:
    """Write a formula into its line."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def displayed_formula(translator: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    translator.body.append(tex2mathml(node.astext(), as_block=True))
    raise nodes.SkipNode


def contents(root: Path, stem: str) -> list[str]:
    """Return a table, or a figure with its finding as alternative text and its caption."""
    table, figure = root / f"results/tables/{stem}.md", root / f"figures/{stem}.png"
    if table.is_file():
        return [table.read_text("utf-8").replace("<", "&lt;")]
    caption = root / f"figures/camera_ready/{stem}.txt"
    with Image.open(figure) as drawn:
        finding = escape_markdown(drawn.info.get(FINDING, stem))
    return [f"![{finding}](../figures/{figure.name})", escape_markdown(caption.read_text("utf-8"))]


def show_exhibits(app: Sphinx, page: str, source: list[str]) -> None:
    """Show the tables and figures of the last run at the end of their page, in their order."""
    root = app.srcdir.parent
    if page != "exhibits" or not (root / "results/index.html").is_file():
        return
    shown = [
        "## As the last run made them",
        '<a href="../../results/index.html">The index of the run</a> has them with their files and '
        "the verdicts on their numbers.",
    ]
    made = json.loads((root / "results/manifest.json").read_text("utf-8"))["exhibits"]
    for stem in (exhibit["name"] for exhibit in made):
        kind, _, number = stem.rpartition("_")
        if kind in ("table", "figure"):
            shown += [f"### {kind.capitalize()} {int(number)}", *contents(root, stem)]
    source[0] += "\n" + "\n\n".join(shown)


def let_keys_reach(
    app: Sphinx, page: str, template: str, context: dict[str, Any], document: Any
) -> None:
    """Let keys scroll what is wider than its place, and say of which level a caption is."""
    wide = r'<(pre(?=>)|div(?= class="table-wrapper))'
    context["body"] = re.sub(wide, r'<\1 tabindex="0"', context.get("body", ""))
    captions = context["furo_navigation_tree"]
    context["furo_navigation_tree"] = captions.replace("role=", 'aria-level="2" role=')


def setup(app: Sphinx) -> None:
    """Let Sphinx write formulas so, show what a run made, and make pages for everyone."""
    app.connect("source-read", show_exhibits)
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    # After the theme, which makes the tree.
    app.connect("html-page-context", let_keys_reach, priority=900)

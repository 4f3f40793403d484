"""Settings of the site that `make docs` builds from this folder."""

from importlib.metadata import version as installed

project = "llm-power"
author = "The llm-power maintainers"
version = release = installed("llm-power")

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

# A link to a heading is checked, down to the third level.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autosummary_generate = True
napoleon_google_docstring = False
# Types are words for readers ("array of shape (n_items,)") and link nowhere.
napoleon_use_param = False

# A word in the type of an attribute ("of shape (n_items,)") means none of the targets of its name.
suppress_warnings = ["ref.python"]

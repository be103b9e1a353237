"""How Sphinx makes the site of these pages: `make site`."""

from __future__ import annotations

project = "wrapper-gen"
author = "the authors of wrapper-gen"
copyright = f"2026, {author}"  # Sphinx names it so

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["build"]
root_doc = "index"

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
suppress_warnings = ["myst.strikethrough"]

html_theme = "furo"
html_title = "wrapper-gen"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["llms.txt"]

highlight_language = "text"

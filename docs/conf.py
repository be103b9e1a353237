"""How Sphinx makes the site of these pages: `make site`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

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


def setup(app: Any) -> None:
    """Publish each page's Markdown beside its HTML: `llms.txt` lists these."""
    app.connect("build-finished", _copy_markdown)


def _copy_markdown(app: Any, problem: Exception | None) -> None:
    if problem or app.builder.name != "html":
        return
    for name in app.env.found_docs:
        target = Path(app.outdir, f"{name}.md")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(app.srcdir, f"{name}.md"), target)

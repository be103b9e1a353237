"""Options of a struct, which had no name."""

from __future__ import annotations

import re

from wrapper_gen.spec.former.walk import At

_UNNAMED = re.compile(r"[(,]\s*\*\*\s*()[\w$.{}]+\s*,?\s*\)\s*(?:->.*)?\Z", re.DOTALL)
"""Options in a signature, and where a name is missing: they stand last."""
_NAME = "options: "


def named(at: At) -> None:
    """`open(name: path, **Options)` → `open(name: path, **options: Options)`."""
    text = at.value
    if isinstance(text, str) and (found := _UNNAMED.search(text)):
        where = found.start(1)
        at.rewriter.replace(
            at.container, at.key, text[:where] + _NAME + text[where:], [(0, where), _NAME, (where, len(text))]
        )

"""A document's shape against the schema; judges keys and types of values, not what they mean."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from wrapper_gen.diagnostics import Diagnostic
from wrapper_gen.frozen import frozen
from wrapper_gen.resources import SCHEMA
from wrapper_gen.spec.document import DataPath, Document
from wrapper_gen.spec.schema import accepts


@frozen
class Shape:
    """What is wrong with a document's shape, in order of position, and which parts of it that concerns."""

    findings: Sequence[Diagnostic] = ()
    broken: frozenset[DataPath] = frozenset()
    """Sections, and entries of sections, that have mistakes."""


def check(document: Document) -> Shape:
    """All mistakes of shape."""
    schema: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    if accepts(document.data, schema):
        return Shape()
    from wrapper_gen.spec.judge import judge  # jsonschema takes longer to import than a small spec to generate

    return Shape(*judge(document, schema))

"""A document's shape against the schema; judges keys and types of values, not what they mean."""

from __future__ import annotations

import json
from typing import Any

from wrapper_gen.diagnostics import Diagnostic
from wrapper_gen.resources import SCHEMA
from wrapper_gen.spec.accept import accepts
from wrapper_gen.spec.document import Document


def check(document: Document) -> list[Diagnostic]:
    """All mistakes of shape, in order of position."""
    schema: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    if accepts(document.data, schema):
        return []
    from wrapper_gen.spec.judge import judge  # jsonschema takes longer to import than a small spec to generate

    return judge(document, schema)

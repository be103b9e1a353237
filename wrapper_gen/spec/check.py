"""Checks a document against the schema and says every mistake in our own words."""

from __future__ import annotations

from wrapper_gen.diagnostics import Diagnostic
from wrapper_gen.spec.document import Document


def check(document: Document) -> list[Diagnostic]:
    """All mistakes of shape, in order of position."""
    return []

"""The spec file: read with the place of everything in it, and checked for shape; gives no meaning to it."""

from __future__ import annotations

from wrapper_gen.resources import SCHEMA
from wrapper_gen.spec.document import DataPath, Document, read_document
from wrapper_gen.spec.former import modern
from wrapper_gen.spec.joined import join_classes
from wrapper_gen.spec.repeat import repeat
from wrapper_gen.spec.schema import check
from wrapper_gen.spec.todo import undecided, without

__all__ = [
    "SCHEMA",
    "DataPath",
    "Document",
    "check",
    "join_classes",
    "modern",
    "read_document",
    "repeat",
    "schema_text",
    "undecided",
    "without",
]


def schema_text() -> str:
    """The JSON Schema of specs; `editor_schema.py` has it as editors are told."""
    return SCHEMA.read_text(encoding="utf-8")

"""Projects around specs: what wheels are built with, and which of it may be written anew; prints nothing."""

from __future__ import annotations

from wrapper_gen.project.options import ProjectOptions
from wrapper_gen.project.record import RECORD, Update, changed, read_options, update
from wrapper_gen.project.texts import starter, texts
from wrapper_gen.project.view import ProjectView, view
from wrapper_gen.spec.editor_schema import FILE as SCHEMA

__all__ = [
    "RECORD",
    "SCHEMA",
    "ProjectOptions",
    "ProjectView",
    "Update",
    "changed",
    "read_options",
    "starter",
    "texts",
    "update",
    "view",
]

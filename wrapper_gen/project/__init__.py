"""Projects around specs: what wheels are built with, and which of it may be written anew; prints nothing."""

from __future__ import annotations

from wrapper_gen.project.licences import LICENCE_FILE, file_patterns
from wrapper_gen.project.options import ProjectOptions
from wrapper_gen.project.record import RECORD, Update, changed, read_options, state, update
from wrapper_gen.project.texts import licence_text, starter, texts
from wrapper_gen.project.view import ProjectView, view
from wrapper_gen.project.wanted import Wanted, wanted
from wrapper_gen.spec.editor_schema import FILE as SCHEMA

__all__ = [
    "LICENCE_FILE",
    "RECORD",
    "SCHEMA",
    "ProjectOptions",
    "ProjectView",
    "Update",
    "Wanted",
    "changed",
    "file_patterns",
    "licence_text",
    "read_options",
    "starter",
    "state",
    "texts",
    "update",
    "view",
    "wanted",
]

"""Enumerations of the library."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen


@frozen
class EnumMember:
    """One value: its Python name, and the C++ expression (or the number) it stands for."""

    name: str
    cpp: str
    span: Span
    doc: str = ""


@frozen
class EnumType:
    """An enumeration of the library; with `flags` its values combine."""

    name: str
    cpp_type: str
    members: tuple[EnumMember, ...]
    span: Span
    flags: bool = False
    doc: str = ""
    module: str = ""
    deprecated: str = ""
    """What to use in its place; empty where it is not deprecated."""

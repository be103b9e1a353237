"""Types of values that may be missing, and of those values where they are there."""

from __future__ import annotations

from wrapper_gen.types.model import Optional, Type


def or_none(type_: Type) -> Type:
    """The type of a value that may be missing."""
    return type_ if isinstance(type_, Optional) else Optional(type_)


def if_there(type_: Type) -> Type:
    """The type of such a value where it is there."""
    return type_.of if isinstance(type_, Optional) else type_


def or_default(type_: Type) -> Type:
    """The type of a parameter that may be left out, where only C++ knows what there is then."""
    return Optional(type_, is_default=True)


def without_default(type_: Type) -> Type:
    """The type of such a parameter where it is given."""
    return type_.of if isinstance(type_, Optional) and type_.is_default else type_

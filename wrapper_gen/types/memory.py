"""Questions about memory with dimensions: what a call is given, and what it returns where it lies."""

from __future__ import annotations

from dataclasses import replace

from wrapper_gen.types.model import ArrayOf, Order, SpanOf, Type


def is_array(type_: Type) -> bool:
    """Whether it is memory that C++ owns, and Python uses where it lies."""
    return isinstance(type_, ArrayOf)


def array_of(type_: Type) -> ArrayOf | None:
    """The type itself where it is such memory."""
    return type_ if isinstance(type_, ArrayOf) else None


def has_strides(type_: Type) -> bool:
    """Whether it is the caller's memory, and there is more to it than an address and a length."""
    return isinstance(type_, SpanOf) and (len(type_.dimensions) > 1 or type_.order is Order.ANY)


def dimensions_of(type_: Type) -> tuple[str, ...]:
    """What a spec calls the dimensions of memory; nothing of any other type, and where they have no names."""
    return type_.dimensions if isinstance(type_, SpanOf | ArrayOf) else ()


def in_order(type_: Type, order: Order) -> Type | None:
    """Memory in this order; None where it has no dimensions that could have one."""
    is_memory = isinstance(type_, SpanOf | ArrayOf) and type_.dimensions
    return replace(type_, order=order) if is_memory and isinstance(type_, SpanOf | ArrayOf) else None

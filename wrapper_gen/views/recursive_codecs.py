"""Codecs of types that are a part of themselves, in the cffi engine."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.model import Module
from wrapper_gen.types.queries import structs_in
from wrapper_gen.types.spelling import Expression, codec
from wrapper_gen.views.formatting import expression


def recursive_codecs(module: Module, *, after_records: bool) -> tuple[str, ...]:
    """The lines that make them: each before what it is made of. Records may have those without records in them."""
    found: list[str] = []
    for each in module.representations:
        if each.is_recursive and bool(structs_in(each.of)) == after_records:
            own = names.python_recursive_codec(each.name)
            made = Expression(f"{own}.is_of", (codec(each.of),), is_call=True)
            found += [f"{own} = _wire.Recursive()", expression(made)]
    return tuple(found)

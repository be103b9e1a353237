"""Checks that no call returns a handle that is a view, such as a span, of what nothing keeps alive."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen.model import Function, HandleType, Module
from wrapper_gen.queries import once
from wrapper_gen.types.memory import points_to_caller
from wrapper_gen.types.queries import handles_in

_IS_NO_VIEW = re.compile(r"(::)?std::(?!(basic_string_view|string_view|span|reference_wrapper)\b)|.*\*$", re.DOTALL)
"""What C++ calls a type that is known to be no view by value: a pointer, and most of the standard library's."""


def may_be_view(handle: HandleType) -> bool:
    """Whether a handle type may hold a view by value."""
    return not handle.lent_by and _IS_NO_VIEW.match(handle.cpp_type.text.strip()) is None


def no_dangling_views(function: Function, module: Module) -> Iterator[str]:
    """Statements that do not compile where the result is such a view.

    One call of those that return a handle type is enough: where it is wrong, the next one is found once that is mended.
    """
    for name in _unkept(module).get(id(function), ()):
        yield f"wg::check_no_view<{name}>();"


@once
def _unkept(module: Module) -> Mapping[int, Sequence[str]]:
    """The handle types that may be views, by the id of the first call that returns one and keeps nothing alive."""
    found: dict[str, Function] = {}
    for function in filter(_may_dangle, module.callables):
        for name in handles_in(function.returns):
            found.setdefault(name, function)
    views = dict[int, list[str]]()
    for handle in module.handles:
        if handle.name in found and may_be_view(handle):
            views.setdefault(id(found[handle.name]), []).append(handle.name)
    return views


def _may_dangle(function: Function) -> bool:
    """Whether a result could point into what the call is given, and keeps nothing alive."""
    kept, is_said = (
        function.lifetime.result.keeps,
        bool(function.lifetime.result.keeps) and not function.lifetime.result.keeps_implicitly,
    )
    if (
        is_said
        or function.lifetime.result.until
        or function.lifetime.result.is_static
        or not function.lifetime.result.is_owned
    ):
        return False
    given = (p.type for p in function.parameters if p.name not in kept)
    is_method = bool(function.handle) and "h" not in kept
    return is_method or any(handles_in(type_) or points_to_caller(type_) for type_ in given)

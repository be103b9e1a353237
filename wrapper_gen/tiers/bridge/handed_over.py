"""Containers of handles that a call hands over: where one is refused for a part of it, all its handles are released."""

from __future__ import annotations

from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Module
from wrapper_gen.queries import once
from wrapper_gen.types.around import in_call
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import (
    handle_in_forms,
    handle_of,
    handles_in,
    has_alternatives,
    has_holding,
    is_iterator,
    is_optional_handle,
)
from wrapper_gen.types.results import USED
from wrapper_gen.types.rows import ResultRow


def hands_over_handles(function: Function, module: Module) -> bool:
    """Whether a call returns a container of handles that only `release` of their type releases.

    A handle that Python may have already is not released where the container is refused.
    """
    return bool(_handed_over(function, module))


def handed_over(function: Function, out: ResultRow, module: Module) -> ResultRow:
    """The row of such a result; any other row as it is."""
    handles = sorted(_handed_over(function, module))
    if not handles:
        return out
    if handle_in_forms(function.returns) is not None:
        return replace(out, cpp=f"wg::OwnedList<{handles[0]}>")
    whole = f"wg::HandedOver<{', '.join([out.cpp, *handles])}>"
    return replace(out, cpp=whole, cpp_returned=USED.around(in_call(f"wg::convert<{whole}>")))


def _handed_over(function: Function, module: Module) -> frozenset[str]:
    """The handle types in a container that a call returns, of those that are released one by one."""
    if not function.lifetime.result.is_owned or not _is_container(function.returns):
        return frozenset()
    return handles_in(function.returns) & _released_one_by_one(module)


def _is_container(type_: Type) -> bool:
    """Whether it is one that C++ can go through again: not one of structs, which have their handles themselves."""
    is_one = handle_of(type_) is not None or is_optional_handle(type_)
    return not (is_one or has_alternatives(type_) or has_holding(type_) or is_iterator(type_))


@once
def _released_one_by_one(module: Module) -> frozenset[str]:
    return frozenset(h.name for h in module.handles if h.drop is not None and not h.has_identity)

"""Lists of handles that a call hands over: a list in which one is missing is refused, and the others are released."""

from __future__ import annotations

from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Module
from wrapper_gen.queries import once
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import handle_in_forms, handle_of, is_optional_handle
from wrapper_gen.types.rows import ResultRow


def hands_over_list(function: Function, module: Module) -> bool:
    """Whether a call returns a list of handles that only `cpp_drop` releases.

    A handle that Python may have already is not released where a list is refused.
    """
    return function.is_ours and _in_list(function.returns) in _released_one_by_one(module)


def owned_list(function: Function, out: ResultRow, module: Module) -> ResultRow:
    """The row of such a result; any other row as it is."""
    if not hands_over_list(function, module):
        return out
    return replace(out, cpp=f"wg::OwnedList<{_in_list(function.returns)}>")


def _in_list(type_: Type) -> str | None:
    """The handle type of a list of handles."""
    return None if handle_of(type_) or is_optional_handle(type_) else handle_in_forms(type_)


@once
def _released_one_by_one(module: Module) -> frozenset[str | None]:
    return frozenset(h.name for h in module.handles if h.drop is not None and not h.has_identity)

"""How much of the headers a spec wraps, what it leaves out and why, and what is new since the lock."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, FunctionKind, Headers
from wrapper_gen.headers.lock import Locked
from wrapper_gen.verify.uses import SpecUses

_NO_ENTRY = "no entry calls it"


@frozen
class Coverage:
    """The functions of the headers: names that are wrapped, others with the reason, and names that are new."""

    wrapped: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    new: tuple[str, ...]

    @property
    def total(self) -> int:
        return len(self.wrapped) + len(self.left_out)


def coverage_of(
    headers: Headers, uses: SpecUses, lock: Mapping[str, Locked] | None, reason: Callable[[str], str]
) -> Coverage:
    """What of the library's functions a spec speaks of.

    Args:
        headers: today's declarations.
        uses: what the spec relies on.
        lock: the declarations of some day; None where there is no lock.
        reason: why a function of this name is left out, where somebody has said it; else empty.
    """
    ours = [f for f in headers.all_functions() if _counts(f)]
    wrapped, others = list[CFunction](), list[CFunction]()
    for each in ours:
        (wrapped if uses.chosen.get(each.key) or each.name in uses.words else others).append(each)
    return Coverage(
        wrapped=tuple(dict.fromkeys(f.qualified for f in wrapped)),
        left_out=tuple(dict.fromkeys((f.qualified, reason(f.name) or _reason(f)) for f in others)),
        new=tuple(dict.fromkeys(f.qualified for f in others if lock is not None and f.key not in lock)),
    )


def _counts(function: CFunction) -> bool:
    """Whether somebody could wrap it: no special member, and nothing that is deleted or an operator's detail."""
    if function.kind in (FunctionKind.DESTRUCTOR, FunctionKind.CONVERSION) or function.is_deleted:
        return False
    return function.access == "public" and not function.name.startswith("operator") and not function.is_defaulted


def _reason(function: CFunction) -> str:
    if function.is_deprecated:
        return "deprecated"
    if function.is_variadic:
        return "it takes any further arguments"
    if function.template:
        return "a template"
    if any("va_list" in each.type.canonical for each in function.parameters):
        return "it takes a va_list"
    if function.kind is FunctionKind.CONSTRUCTOR:
        return "no entry makes one so"
    return _NO_ENTRY

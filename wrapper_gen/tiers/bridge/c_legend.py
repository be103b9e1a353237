"""The legend of the C functions: what the words around a call mean, of those that the package uses."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from wrapper_gen.frozen import frozen
from wrapper_gen.iterators import iterates, kept_by_iterator
from wrapper_gen.lifetimes.ended import ends_loans
from wrapper_gen.lifetimes.kept import keeps_value, owners
from wrapper_gen.lifetimes.running import is_recorded, locked
from wrapper_gen.model import WITHIN, Function, Lasting, Mode, Module
from wrapper_gen.queries import once
from wrapper_gen.types.kept import is_kept_memory
from wrapper_gen.types.queries import handle_in_forms
from wrapper_gen.views.documentation import not_implemented
from wrapper_gen.views.interfaces import raises_of

_WORDS_WIDTH, _MEANING_WIDTH = 20, 112


@frozen
class LegendWord:
    """What some C functions say, and what that means."""

    word: str
    meaning: str
    is_said: Callable[[Function, Module], bool]
    """Whether the C function of an entry says it."""


def c_legend(module: Module) -> tuple[str, ...]:
    """The lines, in the order in which the words stand in a function."""
    called = [f for f in module.callables if not not_implemented(f, module)]
    said = (each for each in WORDS if any(each.is_said(f, module) for f in called))
    return tuple(line for each in said for line in _lines(each))


def _lines(row: LegendWord) -> Iterator[str]:
    for i, line in enumerate(textwrap.wrap(row.meaning, _MEANING_WIDTH)):
        yield f"{'' if i else row.word:<{_WORDS_WIDTH}} {line}"


# --- which functions say what ----------------------------------------------------------------------------------------


def _has_handles(function: Function, module: Module) -> bool:
    return bool(function.handle) or any(handle_in_forms(p.type) for p in function.parameters)


def _takes(function: Function, module: Module) -> bool:
    return bool(function.lifetime.takes_own) or any(p.mode is Mode.TAKE for p in function.parameters)


def _keeps_copy(function: Function, module: Module) -> bool:
    return any(keeps_value(function, p) and not is_kept_memory(p.type) for p in function.parameters)


def _keeps_memory(function: Function, module: Module) -> bool:
    return any(keeps_value(function, p) and is_kept_memory(p.type) for p in function.parameters)


def _keeps_callables(function: Function, module: Module) -> bool:
    lasting = (c.scope for p in function.parameters for c in p.callbacks)
    return bool(function.handle) and any(each not in (Lasting.CALL, Lasting.OBJECT) for each in lasting)


def _holds(function: Function, module: Module) -> bool:
    of_object = any(c.scope is Lasting.OBJECT for p in function.parameters for c in p.callbacks)
    return bool(function.lifetime.held.holds) or (bool(function.handle) and of_object)


def _adds(function: Function, module: Module) -> bool:
    return bool(owners(function) or kept_by_iterator(function))


def _lends(function: Function, module: Module) -> bool:
    return any(each != WITHIN for each in function.lifetime.result.lenders)


@once
def _closes_lent(module: Module) -> bool:
    return any(each.closing_ends for each in module.handles)


_SINCE = ", which the result or the object keeps, since C++ may keep its address"
WORDS = (
    LegendWord(
        "Pin, OptionalPin",
        "raises where the object is closed. One that is closed while the call runs is released by the last call that "
        "uses it: nobody waits for that",
        _has_handles,
    ),
    LegendWord(
        "Take",
        "takes the object, which no other call may use; where this call fails before the library has it, it stays open",
        _takes,
    ),
    LegendWord("KeptValue", f"a copy of the argument{_SINCE}", _keeps_copy),
    LegendWord("KeptMemory", f"the caller's memory{_SINCE}", _keeps_memory),
    LegendWord(
        "OwnerLocks",
        "one call at a time on each of these, or on all that was made from the same object, where that has a lock; "
        "others wait, without the GIL",
        lambda function, module: bool(locked(function, module)),
    ),
    LegendWord("Holds", "the object keeps these from then on; where the call throws, all is as it was", _holds),
    LegendWord(
        "Releases",
        "the object lets go of these, or of all that it holds, unless the call throws",
        lambda function, module: bool(function.lifetime.held.releases),
    ),
    LegendWord(
        "end_lent, EndedBy",
        "the call closes what an object has lent, with LoansInCall also what it lends meanwhile; it is refused where "
        "something else needs that",
        ends_loans,
    ),
    LegendWord("Kept, KeptWithin", "the object keeps those of these callables that C++ has kept", _keeps_callables),
    LegendWord("RunningCall", "what the call uses, for callables that run under it", is_recorded),
    LegendWord(
        "RaisesOf",
        "the call raises what overriding methods of these objects raise meanwhile on threads of the library; it waits "
        "for nothing",
        lambda function, module: bool(raises_of(function, module, "", lambda several: "")),
    ),
    LegendWord("Owners.add(a)", "the result keeps a alive: if a is closed, it is released after the result", _adds),
    LegendWord(
        "Owners.lend(a)", "the result belongs to a, or to what a belongs to, which is released after it", _lends
    ),
    LegendWord(
        "give, keep_alive",
        "the result becomes a handle, and that keeps these alive",
        lambda function, module: bool(handle_in_forms(function.returns)),
    ),
    LegendWord(
        "iterator",
        "keeps alive what it goes over; a step locks what calls on that lock, and raises once that is closed",
        lambda function, module: iterates(function),
    ),
    LegendWord(
        "closes_lent",
        "of a type, above: closing such an object closes what belongs to it first, and ends iterators over it",
        lambda function, module: _closes_lent(module),
    ),
)
"""In the order in which a function has them."""

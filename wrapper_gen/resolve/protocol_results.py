"""What results of Python's protocols keep alive: a copy of what points into another object does that too."""

from __future__ import annotations

from collections.abc import Iterable

from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Mode
from wrapper_gen.model.inheritance import bases, subtypes
from wrapper_gen.model.protocols import Shape
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.queries import handles_in, is_iterator


def kept_types(functions: Iterable[Function], scope: Scope) -> frozenset[str]:
    """Handle types whose values may keep others alive, as a call says of its result or of its object; with what they
    extend, and what extends them.
    """
    functions = tuple(functions)
    said = (f for f in functions if f.lifetime.result.keeps and not f.lifetime.result.keeps_implicitly)
    found = {name for f in said for name in handles_in(f.returns)}
    found |= {f.handle for f in functions if f.handle and f.lifetime.held.holds}
    above = {each for name in found for each in bases(name, scope.names.extends)}
    below = {each for name in found for each in subtypes(name, scope.names.extends)}
    return frozenset(found | above | below)


def keeping(functions: tuple[Function, ...], kept: frozenset[str]) -> tuple[Function, ...]:
    """The same, where methods of protocols that return such types keep alive what they are made of."""
    return tuple(_keeping(_iterating(f), kept) for f in functions)


def _iterating(function: Function) -> Function:
    """A cursor that `__iter__` returns keeps its object alive, as iterators do: a loop has nothing else that does."""
    protocol, returns, lifetime = function.protocol, function.returns, function.lifetime.result
    if protocol is None or protocol.shape is not Shape.ITERATE or not handles_in(returns) or is_iterator(returns):
        return function
    if lifetime.keeps or lifetime.lenders or lifetime.is_static:
        return function
    return _with_kept(function, "h")


def _keeping(function: Function, kept: frozenset[str]) -> Function:
    protocol, returns, lifetime = function.protocol, function.returns, function.lifetime.result
    if protocol is None or protocol.shape is Shape.ENTER or is_iterator(returns) or not handles_in(returns) & kept:
        return function
    if lifetime.keeps or lifetime.lenders or lifetime.is_static or not lifetime.is_owned:
        return function
    operands = (p for p in function.parameters if p.mode is not Mode.TAKE and handles_in(p.type) & kept)
    return _with_kept(function, "h", *(p.name for p in operands))


def _with_kept(function: Function, *keeps: str) -> Function:
    result = replace(function.lifetime.result, keeps=keeps, keeps_implicitly=True)
    return replace(function, lifetime=replace(function.lifetime, result=result))

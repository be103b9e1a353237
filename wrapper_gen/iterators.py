"""Questions about iterators, results of type `iter[T]`: what they keep alive, and whose changes can end them."""

from __future__ import annotations

from wrapper_gen.model import Function, Mode, Module, Parameter
from wrapper_gen.types.kept import can_be_kept
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import handles_in, is_iterator, is_number


def iterates(function: Function) -> bool:
    """Whether its result is an iterator."""
    return is_iterator(function.returns)


def iterator_types(module: Module) -> list[Type]:
    """The iterators that calls give, each type once, in order."""
    return list(dict.fromkeys(f.returns for f in module.callables if iterates(f)))


def kept_by_iterator(function: Function) -> tuple[str, ...]:
    """What an iterator keeps alive: `h`, handles (of one that is taken, what that kept alive), and values."""
    if not iterates(function):
        return ()
    values = (p.name for p in function.parameters if keeps_in_iterator(function, p))
    return (*handles_kept_by_iterator(function), *values)


def handles_kept_by_iterator(function: Function) -> tuple[str, ...]:
    """Those of them that are handles."""
    if not iterates(function):
        return ()
    given = (p.name for p in function.parameters if handles_in(p.type))
    return (*(["h"] if function.handle else []), *given)


def keeps_in_iterator(function: Function, p: Parameter) -> bool:
    """Whether an iterator keeps alive what is given for a parameter, which is no handle."""
    return iterates(function) and not function.lifetime.result.is_static and can_be_kept(p.type)


def owns_its_range(function: Function) -> bool:
    """Whether the range has to own its elements: there is nothing to keep alive, and arguments end with the call."""
    has_owner = kept_by_iterator(function) or function.each
    return iterates(function) and not has_owner and not all(is_number(p.type) for p in function.parameters)


def iterated_types(module: Module) -> set[str]:
    """The handle types whose objects iterators may refer to."""
    found = {f.handle for f in module.methods if f.handle and iterates(f)}
    given = (p for f in module.callables if iterates(f) for p in f.parameters if p.mode is not Mode.TAKE)
    return found.union(*(handles_in(p.type) for p in given))

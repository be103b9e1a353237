"""What results and objects keep alive, and whose handles others lend."""

from __future__ import annotations

from collections.abc import Sequence, Set

from wrapper_gen.frozen import remembered
from wrapper_gen.iterators import keeps_in_iterator
from wrapper_gen.model import Function, Mode, Module, Parameter
from wrapper_gen.model.inheritance import with_relatives
from wrapper_gen.queries import callbacks, keeps_callables, keeps_objects, once
from wrapper_gen.types.kept import can_be_kept, is_kept_memory
from wrapper_gen.types.memory import is_array
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import called_with, handles_in


def owners(function: Function) -> tuple[str, ...]:
    """What a result of handles keeps alive: parameters by name, `h`; of what the call takes, what that kept alive."""
    if not handles_in(function.returns) and not is_array(function.returns):
        return ()
    taken = [*["h"] * bool(function.lifetime.takes_own)]
    taken += [p.name for p in function.parameters if p.mode is Mode.TAKE]
    return (*function.lifetime.result.keeps, *taken)


def keeps(function: Function) -> bool:
    """Whether the result keeps anything alive."""
    return bool(
        owners(function)
        or function.lifetime.result.lenders
        or function.lifetime.result.until
        or not function.lifetime.result.is_owned
    )


@once
def letting_go(module: Module) -> Set[str]:
    """The handle types whose objects let go of what they hold, and their relatives."""
    found = {f.handle for f in module.methods if f.handle and (f.lifetime.held.releases or f.lifetime.held.replaces)}
    return with_relatives(found, module.extends)


def may_copy_held(function: Function, module: Module) -> bool:
    """Whether the result, which holds an object of its type, uses what that holds, also after that lets go of it."""
    result = function.lifetime.result
    named = result.keeps if result.keeps_implicitly else result.only_holds
    made = letting_go(module) & handles_in(function.returns)
    if not named or not made:
        return False
    types = {p.name: handles_in(p.type) for p in function.parameters} | {"h": {function.handle}}
    return any(types[name] & with_relatives(made, module.extends) for name in named)


@once
def lent(module: Module) -> Set[str]:
    """The handle types that have owners."""
    return {h.name for h in module.known_handles if h.lent_by}


@once
def given_to_callables(module: Module) -> Set[str]:
    """The handle types among what callables are called with."""
    return {name for each in callbacks(module) for type_ in called_with(each.type) for name in handles_in(type_)}


def holding(module: Module) -> bool:
    """Whether some objects hold arguments of their calls."""
    return any(f.lifetime.held.holds or f.lifetime.held.releases for f in module.methods)


def _keeps_objects(function: Function) -> bool:
    """Whether the result keeps objects alive that may keep others alive, which texts and memory do not."""
    types = {p.name: p.type for p in function.parameters}
    objects = [name for name in owners(function) if name == "h" or handles_in(types[name])]
    return bool(
        objects
        or function.lifetime.result.lenders
        or function.lifetime.result.until
        or not function.lifetime.result.is_owned
    )


def keeping(module: Module) -> Set[str]:
    """The handle types that can keep others alive, and so be part of a cycle."""
    made = {name for f in module.callables if _keeps_objects(f) for name in handles_in(f.returns)}
    made |= {f.handle for f in module.methods if f.handle and (f.lifetime.held.holds or keeps_callables(f))}
    made |= lent(module) & given_to_callables(module)
    made |= {h.name for h in module.handles if h.has_identity}
    return with_relatives(made, module.extends)


@once
def kept_values(module: Module) -> Sequence[Type]:
    """The types of what results, or objects, keep alive of what is given for parameters, beside handles."""
    found = (p.type for f in module.callables for p in f.parameters if keeps_value(f, p))
    return tuple(dict.fromkeys(found))


def memory_is_kept(module: Module) -> bool:
    """Whether some result, or some object, keeps memory of the caller's alive, or C++ has other objects of Python."""
    return keeps_objects(module) or any(map(is_kept_memory, kept_values(module)))


def keeps_value(function: Function, p: Parameter) -> bool:
    """Whether the result, or the object, keeps alive what is given for a parameter, which is no handle."""
    return p.name in _kept_values(function)


@remembered
def _kept_values(function: Function) -> frozenset[str]:
    """The parameters of which it does so."""
    named = {*function.lifetime.result.keeps, *function.lifetime.held.holds}
    kept = (p for p in function.parameters if p.name in named and can_be_kept(p.type))
    in_iterator = (p for p in function.parameters if keeps_in_iterator(function, p))
    return frozenset(p.name for p in (*kept, *in_iterator))

"""Methods of Python's protocols: what several tiers ask of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from wrapper_gen import names
from wrapper_gen.interfaces import interface_types
from wrapper_gen.model import Function, Module, Parameter
from wrapper_gen.model.inheritance import bases
from wrapper_gen.model.protocols import Protocol, Shape
from wrapper_gen.queries import is_fixed, methods_of, once
from wrapper_gen.types.hints import Import, Way, hint
from wrapper_gen.types.keys import is_index, says_positions
from wrapper_gen.types.queries import handle_of, handles_in, is_integer, is_position, is_void


def keys(function: Function) -> Sequence[Parameter]:
    """The parameters that are the key."""
    is_setting = function.protocol is not None and function.protocol.shape is Shape.SET_ITEM
    return function.parameters[:-1] if is_setting else function.parameters


def has_key(function: Function) -> bool:
    """Whether its first parameters are a key."""
    return function.protocol is not None and function.protocol.has_key


def takes_anything(function: Function) -> bool:
    """Whether Python compares its object with whatever there is."""
    protocol = _protocol_of(function)
    return protocol is not None and protocol.takes_anything


def is_unknown_to_mypy(function: Function) -> bool:
    """Whether mypy does not know that it may return `NotImplemented`, as it knows of all other operators."""
    return function.name == "__rdivmod__" and may_refuse_operand(function)


def may_refuse_operand(function: Function) -> bool:
    """Whether it may return `NotImplemented`."""
    protocol = _protocol_of(function)
    return protocol is not None and protocol.is_operator


def _protocol_of(function: Function) -> Protocol | None:
    return function.member.protocol if function.member else function.protocol


def is_lookup(function: Function, module: Module) -> bool:
    """Whether a key that is not there is a `KeyError`, and not an `IndexError`.

    A library that has an IndexError of its own says itself which it is, of objects that are keys.
    """
    if not has_key(function):
        return False
    given = keys(function)
    if all(says_positions(p.type) for p in given):
        return any(p.counted and p.counted.is_key for p in given)
    are_objects = all(says_positions(p.type) or handle_of(p.type) for p in given)
    return not (are_objects and any(each.exception == "IndexError" for each in module.errors))


def length_of(function: Function, module: Module) -> Function | None:
    """The length of the object of a method, its own or the nearest inherited one."""
    handle = function.handle or ""
    found = {m.handle: m for m in module.methods if m.name == "__len__"}
    return next((found[each] for each in (handle, *bases(handle, module.extends)) if each in found), None)


def is_positional(function: Function) -> bool:
    """Whether Python gives it arguments, without their names."""
    protocol = function.protocol
    has_some = bool(function.parameters) or function.name in ("__deepcopy__", "__buffer__")
    return protocol is not None and protocol.shape is not Shape.CALL and has_some


def is_buffer(function: Function) -> bool:
    """Whether Python uses the memory that it returns as the object's own."""
    return function.protocol is not None and function.protocol.shape is Shape.BUFFER


def returns_itself(function: Function) -> bool:
    """Whether Python gets the object back."""
    if function.protocol is None:
        return False
    is_plain_enter = function.protocol.shape is Shape.ENTER and is_void(function.returns)
    return function.protocol.shape is Shape.IN_PLACE or is_plain_enter


def inherited(handle: str, module: Module) -> dict[str, Function]:
    """The methods of protocols that a class gets from those that it extends, by name: each from the nearest one."""
    own = _own_protocols(module)
    above = [own[base] for base in reversed(bases(handle, module.extends)) if base in own]
    return {name: method for of_base in above for name, method in of_base.items()}


@once
def _own_protocols(module: Module) -> dict[str, dict[str, Function]]:
    """The methods of protocols by handle type and name, of the types that have any."""
    found: dict[str, dict[str, Function]] = {}
    for method in module.methods:
        if method.handle and method.protocol:
            found.setdefault(method.handle, {})[method.name] = method
    return found


def _hides_iteration(methods: Sequence[Function], declared: Set[str], module: Module) -> bool:
    """Whether a class with these has items, but none at positions, over which Python would go otherwise."""
    getters = [m for m in methods if m.name == "__getitem__" and m.protocol]
    return bool(getters) and "__iter__" not in declared and not any(has_index(m, module) for m in getters)


def has_index(getter: Function, module: Module) -> bool:
    """Whether it gives items by their position alone."""
    given = keys(getter)
    is_one = len(given) == 1 and (is_integer(given[0].type) or is_index(given[0].type))
    return is_one and not is_lookup(getter, module)


def iterated_by(handle: str, methods: Sequence[Function], module: Module) -> Function | None:
    """What gives items by a number alone, over which Python iterates where nothing says of an iterator."""
    found = {m.name for m in methods if m.protocol} | inherited(handle, module).keys()
    if "__iter__" in found or is_its_own_iterator(methods):
        return None
    getters = [m for m in methods if m.name == "__getitem__" and m.protocol and has_index(m, module)]
    return next((m for m in getters if is_integer(keys(m)[0].type)), None)


def is_its_own_iterator(methods: Sequence[Function]) -> bool:
    """Whether a class with these gives elements itself, and says nothing of an iterator."""
    found = {m.name for m in methods if m.protocol}
    return "__next__" in found and "__iter__" not in found


def is_next(function: Function) -> bool:
    """Whether nothing as a result means the end."""
    return function.protocol is not None and function.protocol.shape is Shape.NEXT


# --- NumPy ---------------------------------------------------------------------------------------------------------

NO_UFUNC, PRIORITY = "__array_ufunc__", "__array_priority__"
FOR_NUMPY = {NO_UFUNC: "None", PRIORITY: "1000.0"}
"""Attributes of a class by which NumPy leaves operators to it, and their values."""


def has_reflected(methods: Sequence[Function]) -> bool:
    """Whether there is an operator for what stands on its left."""
    own = (m.member.protocol if m.member else m.protocol for m in methods)
    return any(each is not None and each.shape is Shape.REFLECTED for each in own)


def for_numpy(handle: str, methods: Sequence[Function], module: Module) -> str:
    """What a class with reflected operators has for NumPy, which would take its objects for elements otherwise.

    With `__buffer__` they are arrays to NumPy's functions; without, no function of it takes them.
    """
    if not has_reflected(methods):
        return ""
    has_memory = any(map(is_buffer, (*methods, *inherited(handle, module).values())))
    return PRIORITY if has_memory else NO_UFUNC


def declared_for_numpy(name: str) -> str:
    """This attribute in the type stub; empty without one."""
    return f"{name}: _ClassVar[{'float' if name == PRIORITY else 'None'}]" if name else ""


# --- the cffi engine's lines -----------------------------------------------------------------------------------------


def class_statements(handle: str, methods: Sequence[Function], module: Module) -> tuple[str, ...]:
    """What a class has beside its methods: for NumPy, and for iteration."""
    found = for_numpy(handle, methods, module)
    numpy = (f"{found} = {FOR_NUMPY[found]}",) if found else ()
    return (*numpy, *_of_iteration(handle, methods, module))


def _of_iteration(handle: str, methods: Sequence[Function], module: Module) -> tuple[str, ...]:
    """Statements of a class that has items and says nothing of an iterator, or that is one."""
    declared = {m.name for m in methods if m.protocol} | inherited(handle, module).keys()
    if iterated_by(handle, methods, module):
        return ("__iter__ = _over_items",)
    own = ("__iter__ = _itself",) if is_its_own_iterator(methods) else ()
    if not _hides_iteration(methods, declared, module):
        return own
    hidden = [
        name for name in ("__iter__", "__reversed__") if name not in declared and not (own and name == "__iter__")
    ]
    return (*own, *(f"{name} = None" for name in hidden))


def typed_result(function: Function, result: str) -> tuple[str, ...]:
    """The result with its type, where checkers know it by this only: a handle of `__next__`, what does not change."""
    if is_next(function) and handles_in(function.returns):
        return (f"_next: {hint(function.returns, Way.RESULT).code} = {result}",)
    return (f"_shown: {hint(function.returns, Way.FIXED).code} = _fixed({result})",) if is_fixed(function) else ()


def special_returned(function: Function, result: str) -> str:
    """What a method returns; `result` is what any other would."""
    if function.constructs:
        return ""
    if is_next(function):
        return f"_unless_ended({'_next' if typed_result(function, result) else result})"
    if is_buffer(function):
        return f"_memory_of({result}, _flags)"
    if is_fixed(function):
        return "_shown"
    return "self" if returns_itself(function) else result


def raised(function: Function, takes: Sequence[str], module: Module) -> str:
    """The exception of a call that failed."""
    failure = f"_bridge.failure({', '.join(takes)})"
    if not is_lookup(function, module):
        return failure
    given = keys(function)
    return f"_missing({failure}, {'_key' if len(given) > 1 else names.python(given[0].name)})"


def spread_key(function: Function) -> tuple[str, ...]:
    """The statement that takes a key apart."""
    given = keys(function)
    if not has_key(function) or len(given) < 2:
        return ()
    return (f"{', '.join(names.python(p.name) for p in given)} = _spread(_key, {len(given)}, self)",)


def runtime_imports(module: Module) -> Iterator[Import]:
    """What the engine needs of the runtime for them."""
    if any(map(is_fixed, module.callables)):
        yield Import(names.runtime_module("_fixed"), "fixed", "_fixed")
    own = names.runtime_module("_protocols")
    if any(f.constructs not in interface_types(module) for f in module.constructors):
        yield Import(own, "Constructed", "_Constructed")
    if any(map(is_next, module.methods)):
        yield Import(own, "unless_ended", "_unless_ended")
    of_classes = [(h.name, methods_of(h.name, module)) for h in module.handles]
    if any(is_its_own_iterator(methods) for _, methods in of_classes):
        yield Import(own, "itself", "_itself")
    if any(iterated_by(handle, methods, module) for handle, methods in of_classes):
        yield Import(own, "over_items", "_over_items")
    if any(map(is_buffer, module.methods)):
        yield Import(names.runtime_module("_cffi_exports"), "memory_of", "_memory_of")
    if any(spread_key(m) for m in module.methods):
        yield Import(own, "spread", "_spread")
    if any(is_lookup(m, module) for m in module.methods):
        yield Import(own, "missing", "_missing")


def hint_imports(module: Module) -> set[Import]:
    """What the hints of their signatures need, in the engine."""
    needs_any = any(
        takes_anything(m) or is_unknown_to_mypy(m) or (m.is_form and may_refuse_operand(m)) for m in module.methods
    )
    needs_any = needs_any or any(map(may_refuse_operand, module.record_methods))
    found = {Import("typing", "Any", "_Any")} if needs_any else set()
    return found | ({Import("typing", "Self", "_Self")} if any(map(returns_itself, module.methods)) else set())


# --- the bridge's ----------------------------------------------------------------------------------------------------


def asked_length(function: Function, module: Module, own: str, within: str = "") -> str:
    """The C++ that says what positions count from; `own` is the object, `within` the typed functions' namespace."""
    counted = length_of(function, module)
    assert counted is not None
    length = f"{within}{names.cpp_function(counted)}"
    if counted.handle == function.handle:
        return f"{length}({own})"
    return f"wg::as_base<{counted.handle}>({own}, []({counted.handle} &wg_base) {{ return {length}(wg_base); }})"


def counted_key(function: Function) -> Parameter | None:
    """The only key, where it is a position that the length counts: an engine may look at it before the call."""
    if not has_key(function) or len(function.positions) != 1 or function.positions[0].extent is not None:
        return None
    (position,) = function.positions
    return next((p for p in function.parameters if p.name == position.parameter and is_position(p.type)), None)


def lengths(module: Module) -> tuple[Function, ...]:
    """The lengths that positions count from, which other calls ask for."""
    counted = [length_of(f, module) for f in module.methods if any(each.extent is None for each in f.positions)]
    return tuple(f for f in module.methods if f in counted)

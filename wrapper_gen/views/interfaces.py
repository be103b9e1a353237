"""What both engines know of interfaces: their virtual functions, in the order in which C++ numbers them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set

from wrapper_gen import names
from wrapper_gen.interfaces import interface_types, overridable, passes_overridable
from wrapper_gen.model import Function, HandleType, Module, Virtual
from wrapper_gen.queries import once
from wrapper_gen.quoting import python_string
from wrapper_gen.types.queries import handle_of, handles_in
from wrapper_gen.views.held_objects import held_objects, with_held


def virtual_methods(methods: Iterable[Function]) -> list[tuple[Function, Virtual]]:
    return [(each, each.virtual) for each in methods if each.virtual]


def overriding_symbol(handle: HandleType, module: Module) -> str:
    """The C function that lets a method of Python override a virtual function of an object."""
    return names.support(module.name, f"override_{handle.name}")


def constructs_interface(function: Function, module: Module) -> bool:
    return function.constructs in interface_types(module)


def may_override(function: Function, module: Module) -> bool:
    """Whether C++ may call methods of Python meanwhile: of its object, or of others that it is passed."""
    return function.handle in overridable(module) or passes_overridable(function, module)


def raises_of(function: Function, module: Module, own: str, owners: Callable[[Sequence[str]], str]) -> tuple[str, ...]:
    """The statement that lets a call raise what methods raise on threads for which it waits; none with the GIL kept.

    Args:
        function: the function or method.
        module: its spec.
        own: the object, as C++ that makes a `wg::Held`.
        owners: C++ that makes a `wg::Owners` of parameters.
    """
    if not (function.blocking and may_override(function, module)):
        return ()
    passed = [p.name for p in function.parameters if overridable(module) & handles_in(p.type)]
    given = own if function.handle in overridable(module) else "wg::Held()"
    return (f"const wg::RaisesOf wg_raised({given}, {owners(passed) if passed else 'wg::Owners()'});",)


def interface_of(handle: HandleType, methods: Iterable[Function], module: Module) -> tuple[str, ...]:
    """The lines of the statement that lets Python classes override its methods, in the cffi engine."""
    rows = []
    for method, virtual in virtual_methods(methods):
        name, codec = python_string(names.of_function(method)), python_string(str(virtual.callback.type))
        rows.append(f"{name}: ({virtual.is_abstract}, _types[{codec}]),")
    return (
        f"{handle.name}._let_override(",
        "    _callables,",
        f"    _lib.{overriding_symbol(handle, module)},",
        *(["    {", *(f"        {row}" for row in rows), "    },"] if rows else ["    {},"]),
        ")",
    )


def closes_at_exit(function: Function, module: Module) -> bool:
    """Whether it makes an object whose release waits for threads, which may call methods of Python."""
    return passes_overridable(function, module) and handle_of(function.returns) in _released_blocking(module)


@once
def _released_blocking(module: Module) -> Set[str]:
    return frozenset(h.name for h in module.handles if h.blocking_drop)


# --- what the cffi engine says after calls ----------------------------------------------------------------------------


def keep_given(function: Function, module: Module) -> tuple[str, ...]:
    """The statements after a call about what its object was given."""
    at_exit = ("_close_at_exit(self)",) if function.constructs and closes_at_exit(function, module) else ()
    return (*held_objects(function, module), *at_exit)


def with_kept(function: Function, result: str, module: Module) -> str:
    """The result, which keeps what it was made of."""
    found = with_held(function, result, module)
    return f"_close_at_exit({found})" if closes_at_exit(function, module) and not function.constructs else found

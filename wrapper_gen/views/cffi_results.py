"""What the cffi engine does with a result, once the call has not failed."""

from __future__ import annotations

from collections.abc import Set

from wrapper_gen import names
from wrapper_gen.attributes import Attributed
from wrapper_gen.iterators import handles_kept_by_iterator
from wrapper_gen.model import NO_DEFAULT, Function, Module
from wrapper_gen.queries import callbacks, once
from wrapper_gen.quoting import python_string
from wrapper_gen.types.queries import handle_of
from wrapper_gen.types.rows import ResultRow
from wrapper_gen.types.tuples import named_tuple
from wrapper_gen.views.byte_offsets import indices
from wrapper_gen.views.formatting import tuple_of
from wrapper_gen.views.held_objects import tracked_classes
from wrapper_gen.views.inheritance import related
from wrapper_gen.views.literals import literal


def done(out: ResultRow, module: Module) -> tuple[str, ...]:
    """What raises what a callable raised during a call without a result."""
    return ("_callables.done(None)",) if callbacks(module) and not out.python_result else ()


def checked(function: Function, out: ResultRow, module: Module) -> str:
    """The result, unless a callable raised."""
    is_made = _is_of_class(function, module) or _has_no_type(function, out, module)
    result = "_made" if is_made else out.python_keeping.of(_kept(function)) if out.python_keeping else out.python_result
    return indices(f"_callables.done({result})" if callbacks(module) and result else result, function)


def _kept(function: Function) -> str:
    """What an iterator refers to, so that Python releases it no earlier."""
    return tuple_of(["self" if name == "h" else names.python(name) for name in handles_kept_by_iterator(function)])


def in_stub_mode(function: Function, out: ResultRow) -> str:
    """The statement that returns there; empty where it raises."""
    if function.stub is NO_DEFAULT:
        return ""
    value = literal(function.stub, mutable=True)
    if function.stub is not None and (named := named_tuple(function.returns)):
        value = f"{named.label}(*{value})"
    return f"return {value}" if out.python_result else "return"


def kept_attributes(found: Attributed) -> str:
    """The statement that tells the bridge the attributes of an exception."""
    listed = tuple_of([python_string(each.field.name) for each in found.attributes])
    return f"_bridge.attributes[{found.exception}] = {listed}, _types[{python_string(str(found.type))}]"


def made(function: Function, out: ResultRow, module: Module) -> tuple[str, ...]:
    """What makes the result, where that is more than an expression."""
    if _is_of_class(function, module):
        return out.python_made_of_class
    if _has_no_type(function, out, module):
        return (f"_made: {handle_of(function.returns)} = {out.python_result}",)
    return out.python_made


def _has_no_type(function: Function, out: ResultRow, module: Module) -> bool:
    """Whether checkers do not know the type of a handle: its class has several constructors."""
    is_plain = bool(out.python_made_of_class) and not out.python_made
    return is_plain and not function.constructs and handle_of(function.returns) in _of_several_constructors(module)


@once
def _of_several_constructors(module: Module) -> Set[str]:
    return {f.constructs for f in module.constructors if f.constructs and f.is_form}


def _is_of_class(function: Function, module: Module) -> bool:
    """Whether the handle's class makes it, which finds its objects again."""
    handle = handle_of(function.returns)
    return handle in tracked_classes(module) or handle in related(module)

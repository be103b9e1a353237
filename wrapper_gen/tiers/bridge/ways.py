"""Which way the typed function calls what implements a function: questions that several parts of the bridge ask."""

from __future__ import annotations

import re

from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import remembered
from wrapper_gen.model import (
    Accessor,
    Allocated,
    Body,
    Buffer,
    Function,
    Lambda,
    Module,
    Named,
    Place,
    Returned,
    Written,
)
from wrapper_gen.model.protocols import LOOKUPS
from wrapper_gen.queries import error_of, inherited_error, options_of, possible_errors, streaming_of, takes_struct
from wrapper_gen.tiers.bridge.status_names import struct
from wrapper_gen.types.queries import can_be_null, has_alternatives, has_length, is_optional, is_text, is_void
from wrapper_gen.types.tuples import items_of, optional_tuple

_OBJECT = "wg::object(wg_h.inner)"


@remembered
def is_deduced(function: Function) -> bool:
    """Whether it is not plain from the spec how to call: where the handle stands, what is written, what has a length.

    The compiler tries such calls out, which takes its time. A plain call over numbers, or of a member with no array, it
    only makes.
    """
    match function.implementation:
        case Named(arguments=None, buffer=None, streaming=None, is_member=is_member):
            items = len(items_of(function.returns))
            has_lengths = any(has_length(p.type) or can_be_null(p.type) for p in function.parameters)
            has_arrays = any(has_length(p.type) and not is_text(p.type) for p in function.parameters)
            is_written = items > 1 or (items == 1 and (function.raises is not None or _may_write(function)))
            is_ordered = has_arrays if is_member else function.handle is not None or has_lengths
            is_ordered &= not _is_one_of_several(function)  # of each, the function would have its own order
            return is_written or is_ordered or takes_struct(function) or is_prepared(function)
        case Named():
            return True
        case _:
            return False


def _may_write(function: Function) -> bool:
    """Whether the call may write its result and return a status, as far as the spec tells."""
    found = function.implementation
    is_function = isinstance(found, Named) and not found.names_class and not _is_macro(found.name.text, function)
    return function.reported.is_untold and is_function and not _is_one_of_several(function)


def _is_macro(name: str, function: Function) -> bool:
    """Whether it may be a macro without parameters, which is expanded only where its name stands before a call."""
    return name.strip().isupper() and not function.parameters and function.handle is None


def takes_status(function: Function) -> bool:
    """Whether the call's own value is a status, which `raises` takes away from what it writes; or throws away, where a
    written call writes all that there is.
    """
    reported = function.reported
    is_thrown_away = reported.is_ignored and _writes_all(function)
    return (bool(function.raises) or is_thrown_away) and reported.is_value_free


def _writes_all(function: Function) -> bool:
    """Whether the spec says that the call writes each item of the result."""
    match function.implementation:
        case Named(arguments=tuple() as arguments) if not is_void(function.returns):
            places = (Place.OUT, Place.INOUT, Place.FILLED)
            written = {each.item for each in arguments if each.place in places}
            return written.issuperset(range(len(items_of(function.returns))))
        case _:
            return False


def tells_none(function: Function, module: Module) -> bool:
    """Whether some status of the call means that there is no result."""
    return is_optional(function.returns) and has_none(function, module)


def misses_key(function: Function, module: Module) -> bool:
    """Whether some status of a lookup means that its key is not there, which is an exception of Python's."""
    is_lookup = (
        function.protocol is not None and function.protocol.shape in LOOKUPS and not is_optional(function.returns)
    )
    return is_lookup and not function.reported.each and has_none(function, module)


def has_none(function: Function, module: Module) -> bool:
    """Whether some statuses of the call mean that there is nothing; or may, where only C++ knows which it has."""
    if function.reported.none is not None:
        return bool(function.reported.none)
    error = error_of(function, module)
    return bool(error.none) if error else any(each.none for each in possible_errors(function, module))


def untold(function: Function, module: Module) -> str:
    """What tests the status of a call whose entry does not say of which error it is; empty where it is said."""
    if not function.reported.is_untold or function.raises:
        return ""
    inherited = inherited_error(function, module)
    given = [struct(inherited, module)] if inherited else []
    if tells_none(function, module) or misses_key(function, module):
        kind = "no_key" if misses_key(function, module) else "no_result"
        given = [*(given or ["wg::NoStatus"]), f"wg::IfNone::{kind}"]
    return f"wg::Untold<{', '.join(given)}>"


def shares_user_data(function: Function) -> bool:
    """Whether several of its callables have one user data."""
    match function.implementation:
        case Named(arguments=tuple() as arguments):
            return any(each.sharing for each in arguments)
        case _:
            return False


def has_optional_items(function: Function, module: Module) -> bool:
    """Whether the call may write several items, of which there are none where a status says so."""
    has_items = optional_tuple(function.returns) is not None and buffer_of(function) is None
    return has_items and is_deduced(function) and tells_none(function, module)


def has_statements(function: Function) -> bool:
    """Whether statements implement it, which convert what they return."""
    return isinstance(function.implementation, Body) and not function.implementation.is_expression


def _is_stated(function: Function) -> bool:
    """Whether the spec says C's order."""
    return isinstance(function.implementation, Named) and function.implementation.arguments is not None


def member(name: str) -> str:
    """A member by its name, which may have template arguments: C++ knows the type of the object only when it asks."""
    return "template " * ("<" in name and not re.match(r"template\b|operator\b", name)) + name


def taking_any(name: str, *, is_member: bool) -> str:
    """What C++ calls by a name, of a member of the handle's object: with any arguments."""
    return f"WG_CALLABLE_MEMBER({_OBJECT}, {name})" if is_member else f"WG_CALLABLE({name})"


def taking(count: int, name: str, *, is_member: bool) -> str:
    """The same with so many arguments; the name may be a macro's."""
    taken = [f"auto &&wg_a{i}" for i in range(count)]
    call = f"{name}({', '.join(f'static_cast<decltype(wg_a{i})>(wg_a{i})' for i in range(count))})"
    if not is_member:
        return f"[&]({', '.join(taken)}) -> decltype({call}) {{ return {call}; }}"
    lambda_ = f"[]({', '.join(['auto &wg_o', *taken])}) -> decltype(wg_o.{call}) {{ return wg_o.{call}; }}"
    return f"wg::on_object({_OBJECT}, {lambda_})"


def buffer_of(function: Function) -> Buffer | Allocated | Returned | None:
    """The buffer that the call fills, or memory that it hands over or returns."""
    return function.implementation.buffer if isinstance(function.implementation, Named) else None


def fills_items(function: Function) -> bool:
    """Whether memory of the result is made before the call, which fills it."""
    named = function.implementation
    return isinstance(named, Named) and any(each.place is Place.FILLED for each in named.arguments or ())


def may_be_written(function: Function) -> bool:
    """Whether only C++ knows if the call returns the address of memory or writes it."""
    buffer = buffer_of(function)
    return isinstance(buffer, Returned) and buffer.may_be_written


def has_plain_form(function: Function) -> bool:
    """Whether the call may turn out to be plain after all."""
    is_ours = buffer_of(function) is not None or streaming_of(function) is not None
    return is_deduced(function) and not _is_stated(function) and not is_ours and not is_prepared(function)


@remembered
def is_prepared(function: Function) -> bool:
    """Whether an argument is made of what Python gives."""
    has_options = options_of(function) is not None
    is_whole = has_options or is_pointed(function) or accessor_of(function) is not None
    return is_whole or any(p.callbacks or p.is_represented for p in function.parameters)


def is_pointed(function: Function) -> bool:
    """Whether C++ finds out if a smart pointer goes in, or what it points to."""
    return isinstance(function.implementation, Named) and function.implementation.is_pointed


def is_bound(function: Function) -> bool:
    """Whether C++ finds out if a plain pointer goes in, or what it points to."""
    return isinstance(function.implementation, Named | Lambda) and bool(function.implementation.bound)


def accessor_of(function: Function) -> Accessor | None:
    """What may read or set the property that a function stands for."""
    return function.implementation.accessor if isinstance(function.implementation, Named) else None


def gives_value(buffer: Buffer | Allocated | Returned | None) -> bool:
    """Whether the call's own value says how much there is, or where."""
    if isinstance(buffer, Buffer) and buffer.length is Written.SAID:
        return mentions(buffer.said, "value")
    return isinstance(buffer, Returned) or (buffer is not None and buffer.length is Written.RESULT)


def takes_alternatives(function: Function) -> bool:
    """Whether an argument may be of one of several types, for each of which C++ may have a function of that name."""
    return _is_one_of_several(function) and not is_deduced(function)


@remembered
def _is_one_of_several(function: Function) -> bool:
    return isinstance(function.implementation, Named) and any(has_alternatives(p.type) for p in function.parameters)

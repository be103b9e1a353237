"""Items of a result that lie in memory which is made before the call: arrays, and those that `capacity` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.model import Implementation, Named, Place
from wrapper_gen.resolve.fixes import place_of_call
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.memory import dimensions_of, has_arrays, is_array, is_on_device
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import if_given, is_bytes, is_integer, is_list_of_numbers, is_text, without_optional
from wrapper_gen.types.tuples import item_names, written_items
from wrapper_gen.written_calls import call_of


def names_items(entry: Map) -> bool:
    """Whether `capacity` has one for each item; that of a stream is the most that is written."""
    return isinstance(entry.get("capacity"), Mapping) and entry.get("stream") is None


def filled_items(entry: Map, scope: Scope, signature: Signature, outs: Sequence[str]) -> Mapping[int, str]:
    """The items by number, each with how many elements it has where its type does not say it."""
    found = {i: "" for i, each in enumerate(written_items(signature.returns)) if is_array(each)}
    if names_items(entry):
        capacities: Map = entry["capacity"]
        for name in capacities:
            if name in outs and _is_filled(written_items(signature.returns)[outs.index(name)]):
                found[outs.index(name)] = scope.expression(capacities, name)
    return found


def check_capacities(entry: Map, scope: Scope, signature: Signature) -> None:
    """`capacity` by item: each is one of the result, and says a parameter or C++."""
    capacities: Map = entry["capacity"]
    items = dict(zip(item_names(signature.returns), written_items(signature.returns), strict=True))
    if signature.item:
        items = {signature.item: signature.returns}
    for name in capacities:
        where = scope.document.key_span(capacities, name)
        if name not in items:
            hint = did_you_mean(name, items) or "name the items of the result: -> (low: text, high: text)"
            scope.error("WG085", f"{name!r} is no item of the result", where, hint)
        elif not _is_filled(items[name]):
            hint = "return text, bytes or a list of numbers; an array has its size in its type"
            scope.error("WG085", f"a buffer that becomes {items[name]}", where, hint)
        else:
            _check_capacity(capacities, name, scope, signature)
    for key in ("length", "grow"):
        if entry.get(key) is not None:
            hint = "drop it: of several buffers each is filled, text to its NUL; a lambda can do more"
            scope.error("WG085", f"{key!r} is for one buffer", scope.document.key_span(entry, key), hint)


def _check_capacity(capacities: Map, name: str, scope: Scope, signature: Signature) -> None:
    capacity = scope.expression(capacities, name)
    integers = [p.name for p in signature.parameters if is_integer(p.type)]
    dimensions = [each for p in signature.parameters for each in dimensions_of(without_optional(p.type))]
    if names.is_identifier(capacity) and capacity not in (*integers, *dimensions):
        hint = did_you_mean(capacity, integers) or f"write a parameter; or, where it is C++: ({capacity})"
        message = f"the capacity {capacity!r} is no integer parameter"
        scope.error("WG085", message, scope.span(capacities, name), hint)


def _is_filled(type_: Type) -> bool:
    return is_list_of_numbers(type_) or is_text(type_) or is_bytes(type_)


def check_ordered(entry: Map, scope: Scope, signature: Signature, found: Implementation) -> None:
    """Where such items are, a call says which arguments they are; this entry has none."""
    returns, by_item = signature.returns, names_items(entry)
    is_several = has_arrays(returns) and not is_array(if_given(returns))
    if not (is_several or by_item):
        return
    takes_handle = signature.handle is not None and not (isinstance(found, Named) and found.is_member)
    given = ["self"] * takes_handle + [p.name for p in signature.parameters]
    items = [signature.item] if signature.item else item_names(returns)
    callee, is_member = (found.name.text, found.is_member) if isinstance(found, Named) else ("f", False)
    order = call_of(callee, [*given, *items], is_member=is_member)
    message = "which arguments of C the memory of the result is, is not said"
    hint = f"name the items in C's order, of a function by name: {order}"
    is_named = "cpp_body" not in entry
    place = place_of_call(entry, scope)
    fixes = (place.fix("C takes these, and fills the items", order),) if is_named else ()
    scope.error("WG165", message, signature.returns_span, hint, fixes=fixes)


def check_filled_here(found: Implementation, signature: Signature, scope: Scope) -> None:
    """Memory that is made before the call, which fills it, is the CPU's."""
    is_filled = isinstance(found, Named) and any(each.place is Place.FILLED for each in found.arguments or ())
    if is_filled and is_array(signature.returns) and is_on_device(signature.returns):
        hint = "return what owns it, such as a std::unique_ptr with a deleter; or take it: &mut [f32; n; cuda]"
        message = "memory of a device is made by the library, and not before the call"
        scope.error("WG165", message, signature.returns_span, hint)

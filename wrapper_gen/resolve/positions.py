"""Integers that are positions or keys: each counts in something that there is, and every key says which it is."""

from __future__ import annotations

from wrapper_gen.model import Function, Parameter, Position
from wrapper_gen.model.inheritance import bases
from wrapper_gen.model.protocols import PROTOCOLS, Protocol, Shape
from wrapper_gen.resolve.entry_names import entry_name
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.queries import is_integer

_WHAT_CAN = (
    "write i64: positions are the keys of __getitem__, __setitem__ and __delitem__, or parameters of methods with "
    "names of their own; position[subject], of a text, is one of any call"
)


def check_keys(scope: Scope, signature: Signature, protocol: Protocol) -> None:
    """Report integer keys of which nobody says what checks them: many libraries do not."""
    unsaid = [p for p in _given(signature, protocol) if is_integer(p.type) and not p.counted]
    if not unsaid:
        return
    names = [p.name for p in unsaid]
    extents = {2: ["self.rows()", "self.cols()"]}.get(len(unsaid)) or [f"self.extent({i})" for i in range(len(unsaid))]
    counts = [f"{name}: position[{extent}]" for name, extent in zip(names, extents, strict=True)]
    if len(unsaid) == 1:
        counts = [f"{names[0]}: position"] if _has_length(signature, scope) else [f"{names[0]}: position[self.size()]"]
    hint = (
        f"write {', '.join(counts)}, which is checked and counts from the end where it is negative; "
        f"or {', '.join(f'{name}: key' for name in names)}, which C++ looks up; or position[...], which C++ counts"
    )
    scope.error("WG138", f"nothing says what checks {', '.join(names)} of {signature.name}", signature.span, hint)


def check_positions(scope: Scope, signature: Signature) -> None:
    """Report positions and keys where there is nothing to count in, or to look up."""
    if signature.base_of_member:  # of a record, whose own signature was looked at
        return
    for p in signature.parameters:
        if p.counted is None or p.counted.text:
            continue
        protocol = PROTOCOLS.get(signature.name)
        is_given = protocol is not None and p in _given(signature, protocol)
        is_named = signature.handle is not None and (protocol is None or protocol.shape is Shape.CALL)
        if not (is_given or (is_named and not (p.counted.is_key or p.counted.is_by_cpp))):
            what = "key" if p.counted.is_key else "position"
            scope.error("WG129", f"{p.name!r} cannot be a {what}", p.counted.span, _WHAT_CAN)
        elif p.counted.is_of_length and not _has_length(signature, scope):
            hint = "declare __len__, or say what it counts in: position[self.size()]; or position[...], if C++ counts"
            message = f"{p.name!r} is a position in an object that has no length"
            scope.error("WG129", message, p.counted.span, hint)


def read_positions(signature: Signature) -> tuple[Position, ...]:
    """The parameters that are counted."""
    counted = ((p, p.counted) for p in signature.parameters if p.counted and signature.handle)
    return tuple(Position(p.name, said.extent) for p, said in counted if said.extent or said.is_of_length)


def refuse_positions(function: Function, scope: Scope) -> None:
    """Report positions of a virtual function: what C++ passes a method of Python is not counted."""
    for p in function.parameters:
        if p.counted:
            message = f"{function.name!r} is a virtual function, whose numbers are not counted"
            scope.error("WG129", message, p.counted.span, "write i64: C++ and Python get the number as it is")


def _given(signature: Signature, protocol: Protocol) -> tuple[Parameter, ...]:
    """The parameters that are the key."""
    if not protocol.has_key:
        return ()
    return signature.parameters[:-1] if protocol.shape is Shape.SET_ITEM else signature.parameters


def _has_length(signature: Signature, scope: Scope) -> bool:
    owner = signature.handle or ""
    if any("__len__" in scope.names.protocols.get(h, ()) for h in (owner, *bases(owner, scope.names.extends))):
        return True
    records = dict(scope.named("structs", "name"))
    extends = {name: scope.text(about, "extends") for name, about in records.items() if "extends" in about}
    own = [records[each] for each in (owner, *bases(owner, extends)) if each in records]
    return any(entry_name(entry) == "__len__" for record in own for entry in scope.items(record, "methods"))


def refuse_extents(scope: Scope, signature: Signature) -> None:
    """Report positions of a record that count in C++ of the spec: nothing there is `self` before the call."""
    for p in signature.parameters:
        if p.counted and p.counted.extent:
            message = f"{p.name!r} counts in {p.counted.extent.text}, which a method of a record cannot ask for"
            hint = "write position, and declare __len__; or position[...], and let C++ check it"
            scope.error("WG129", message, p.counted.span, hint)

"""The calls of an entry, put together from what the compiler reports and what the spec says of each argument."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.explain import sources
from wrapper_gen.explain.reports import Report, ReportedCall, ReportedSignature
from wrapper_gen.explain.sources import ArgumentSource, SourceKind
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Accessor, Body, Function, HandleType, Lambda, Module, Named
from wrapper_gen.tiers.bridge.ways import is_deduced, takes_alternatives
from wrapper_gen.types.queries import has_alternatives

ORDERS = {"cpp": "as cpp has it", "found": "found by the compiler", "declared": ""}
"""What decides which arguments there are and their order, and how that is told; nothing of those of the `def`."""
_UNKNOWN = "wg::UnknownResult"
"""The result of a virtual function whose type only its class knows."""
_OBJECT = "wg::Overridable<"
"""An object of an interface."""
_CONVERTED = {
    "wg::probes::AnyBytes": "const void *",
    "wg::probes::AnyText": "const char *",
    "wg::Path": "std::filesystem::path",
}
"""Types of the runtime that are these, or others of the kind, as C++ wants."""
_OUT, _SYMBOL = "wg::Out<", "wg::Symbol<"


@frozen
class ChosenArgument:
    """An argument of a call, in C's order."""

    source: ArgumentSource
    type: str
    """The C++ type of the parameter; of one of several functions of a name, the type of what goes in."""
    given: str
    """The C++ type of what goes in."""


@frozen
class ChosenCall:
    """A call as the compiler has chosen it."""

    callee: str
    """As C++ calls it: with its class, where that is known; the member alone, of an object's."""
    text: str
    """The whole, with each argument by what it comes from."""
    kind: str
    """`function`, `member`, `constructor`, `virtual`, `field`, `field_set`, `operator`, `lambda` or `code`."""
    order: str
    """What decides the order: `cpp`, `found` or `declared`."""
    arguments: tuple[ChosenArgument, ...]
    result: str
    """The C++ type of what it returns; empty where only its class knows."""
    signature: str
    """The function's own type; empty where it may be one of several, a template, a macro, or no function."""
    defaults: int = 0
    """How many further parameters C++ has defaults for."""


def explained_calls(function: Function, report: Report, module: Module) -> tuple[ChosenCall, ...]:
    """The calls of an entry: one, or one for each type that an argument may have."""
    return tuple(_call(function, call, report.signature, module) for call in report.calls)


def written_call(function: Function) -> str:
    """A call that the spec has written, as `explain` shows it."""
    implementation = function.implementation
    if isinstance(implementation, Named) and implementation.arguments is not None:
        given = sources.stated(function, implementation, implementation.arguments)
        dot = "self." * implementation.is_member
        return f"{dot}{implementation.name.text}({', '.join(each.text for each in given)})"
    return "code" if not isinstance(implementation, Body) else " ".join(implementation.code.text.split())


def _call(function: Function, call: ReportedCall, signature: ReportedSignature | None, module: Module) -> ChosenCall:
    call = _without_object(function, call, module)
    units = _units(function, call)
    placed = [piece for source, size in units for piece in sources.pieces(source, size, function)]
    types = list(map(_readable, call.given))
    kind, callee, text = _called(function, call, [each.text for each in placed], module)
    if function.virtual or _is_protected(function):  # the runtime's own function, which calls it, has the object too
        placed, types = placed[1:], types[1:]
    declared = list(signature.parameters) if signature else []
    own = declared if len(declared) >= len(types) or (signature and signature.takes_more) else []
    arguments = (ChosenArgument(source, (own[i:] or types[i:])[0], types[i]) for i, source in enumerate(placed))
    is_ours = call.result == _UNKNOWN or call.result.startswith(_OBJECT)
    result = "" if is_ours else call.result.removesuffix("&&").rstrip()
    if signature and signature.of and kind == "member":
        callee = f"{signature.of.removeprefix('const ')}::{callee}"
    return ChosenCall(
        callee=callee,
        text=text,
        kind=kind,
        order=_order(function, call),
        arguments=tuple(arguments),
        result=signature.result if signature else result,
        signature=signature.text if signature else "",
        defaults=max(0, len(own) - len(types)),
    )


def _readable(given: str) -> str:
    """The type of what goes in, as a value: how it goes is the runtime's matter. Of what is written, C's type."""
    plain = given.rstrip("&").rstrip()
    value = plain if plain.endswith("*") else plain.removeprefix("const ")
    value = _CONVERTED.get(value, value)
    for wrapped in (_OUT, _SYMBOL):
        if value.startswith(wrapped):
            inner = value[len(wrapped) : -1]
            return pointer_to(inner) if wrapped == _OUT else inner
    return value


def pointer_to(type_: str) -> str:
    """The address of a value of this type."""
    return f"{type_}*" if type_.endswith("*") else f"{type_} *"


def _order(function: Function, call: ReportedCall) -> str:
    implementation = function.implementation
    if isinstance(implementation, Named) and implementation.arguments is not None:
        return "cpp"
    is_plain = call.units == tuple(range(len(call.units))) and set(call.sizes) <= {1}
    writes = is_plain and len(call.units) > len(sources.given(function)) + 1
    return "declared" if is_plain and not writes else "found"


def _is_protected(function: Function) -> bool:
    return isinstance(function.implementation, Named) and bool(function.implementation.protected)


# --- which argument is what ------------------------------------------------------------------------------------------


def _without_object(function: Function, call: ReportedCall, module: Module) -> ReportedCall:
    """The call with its arguments alone, in C's order: the runtime may count the object of a member among them."""
    is_member = isinstance(function.implementation, Named) and function.implementation.is_member
    several = [i for i, p in enumerate(function.parameters) if has_alternatives(p.type)]
    if takes_alternatives(function) and len(several) == 1:
        # The value that has alternatives is passed first there, and the object of a member last.
        at = several[0] + (function.handle is not None and not is_member)
        others = call.given[1 : len(call.given) - is_member]
        count = len(others) + 1
        given = (*others[:at], call.given[0], *others[at:])
        return replace(call, given=given, units=tuple(range(count)), sizes=(1,) * count)
    own = f"{names.namespace(module.name)}::{function.handle} &"
    if is_member and call.given[:1] in ((own,), (f"const {own}",)):
        units = tuple(unit - 1 for unit in call.units[1:])
        return replace(call, given=call.given[1:], units=units, sizes=call.sizes[1:])
    return call


def _units(function: Function, call: ReportedCall) -> list[tuple[ArgumentSource, int]]:
    """What each unit of the call comes from, in C's order, and how many arguments it is."""
    implementation = function.implementation
    if isinstance(implementation, Named) and implementation.arguments is not None:
        return list(zip(sources.stated(function, implementation, implementation.arguments), call.sizes, strict=True))
    own = sources.given(function)
    if isinstance(implementation, Named) and is_deduced(function):
        own = sources.found(function, implementation)
    elif len(call.units) > len(own):
        own = sources.in_pairs(own, function)
    return [(own[unit], size) for unit, size in zip(call.units, call.sizes, strict=True)]


# --- what is called --------------------------------------------------------------------------------------------------


def _called(function: Function, call: ReportedCall, given: Sequence[str], module: Module) -> tuple[str, str, str]:
    """The kind of the call, what is called, and the whole call."""
    arguments = ", ".join(given)
    implementation = function.implementation
    if isinstance(implementation, Lambda):
        if implementation.is_implied and function.protocol:
            made = function.protocol.cpp_of(given[0], given[1:])
            return "operator", function.protocol.cpp, made
        return "lambda", "the spec's lambda", f"lambda({arguments})"
    assert isinstance(implementation, Named)
    owner = _handle(function.constructs, module)
    if owner and owner.is_interface:
        own = owner.cpp_type.text.strip()
        return "constructor", own, f"new {own}({arguments}), with what Python overrides"
    dot = _dot(function, module)
    if accessor := implementation.accessor:
        return _accessed(accessor, call.way, arguments, dot, 1 + implementation.is_pointed + bool(implementation.bound))
    owner = _handle(function.handle or "", module)
    if function.virtual and owner:
        own = f"{owner.cpp_type.text.strip()}::{function.virtual.member.text}"
        return "virtual", own, f"self->{function.virtual.member.text}({', '.join(given[1:])})"
    if implementation.protected:
        return "member", implementation.protected, f"self->{implementation.protected}({', '.join(given[1:])})"
    name = " ".join(implementation.name.text.split())
    if implementation.is_member:
        return "member", name, f"self{dot}{name}({arguments})"
    return "constructor" if implementation.names_class else "function", name, f"{name}({arguments})"


def _handle(name: str, module: Module) -> HandleType | None:
    return next((h for h in module.known_handles if h.name == name), None)


def _dot(function: Function, module: Module) -> str:
    """How C++ reaches a member of what the handle holds."""
    handle = _handle(function.handle or "", module)
    held = handle.cpp_type.text.strip() if handle else ""
    is_pointer = held.endswith("*") or held.startswith(("std::unique_ptr<", "std::shared_ptr<"))
    return "->" if is_pointer or (handle is not None and (handle.is_interface or handle.in_place)) else "."


def _accessed(accessor: Accessor, way: int, arguments: str, dot: str, forms: int) -> tuple[str, str, str]:
    """The way to read or set a property that C++ has, of those that the bridge tries, in their order.

    `forms`: how many forms of the object functions are tried with.
    """
    own = f"self, {arguments}" if arguments else "self"
    set_to = f" = {arguments}" if accessor.sets else ""
    ways = [("member", name, f"self{dot}{name}({arguments})") for name in accessor.methods]
    ways += [("function", name, f"{name}({own})") for name in accessor.functions for _ in range(forms)]
    for name in accessor.members:
        ways += [("field_set" if accessor.sets else "field", name, f"self{dot}{name}{set_to}")] * (2 - accessor.sets)
    ways += [("member", name, f"self{dot}{name}({arguments})") for name in accessor.verbs]
    return ways[way]


def is_written(argument: ChosenArgument) -> bool:
    """Whether the call writes it, and it is an item of the result."""
    return argument.source.kind in (SourceKind.OUT, SourceKind.INOUT)

"""The classes of C++ exceptions in the bridge: what each becomes, and what is said of it."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.attributes import Attribute, Attributed, of_error
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Code, ErrorType, Module, Said
from wrapper_gen.queries import caught
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.bridge.status_names import alias
from wrapper_gen.tiers.bridge.statuses import AttributesView, described, exception_cases
from wrapper_gen.types.hints import Way
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.views.placement import placed_lines


@frozen
class CaughtView:
    """One exception class of the library."""

    alias: str
    cpp_type: str
    function: str
    index: int
    message: str
    name: str
    note: str
    """Empty where there is none."""
    code: str
    """Empty where it has none."""
    cases: str
    """The statements that return the index of an exception for some values; empty where there is none."""
    attributes: tuple[AttributesView, ...]
    has_more: bool
    """Whether something beside these is said of it: a code, exceptions of their own, or attributes."""
    separator: str
    """What follows it in a list of them."""


def caught_view(error: ErrorType, exceptions: tuple[str, ...], module: Module) -> CaughtView:
    """One of them; `exceptions` are the names whose indices cross the C ABI."""
    code = _code_of(error.code)
    attributes = tuple(_attributes(each, exceptions, module) for each in of_error(error, module))
    return CaughtView(
        alias=alias(error, module),
        cpp_type=placed_lines([(error.span, error.cpp_type)], module),
        function=f"wg_caught_{module.errors.index(error)}",
        index=exceptions.index(error.exception),
        message=described(_code_of(error.message) or Code("value.what()", error.span), module),
        name=described(name, module) if (name := _code_of(error.name)) else c_string(""),
        note=described(note, module) if (note := _code_of(error.note)) else "",
        code=described(code, module) if code else "",
        cases=exception_cases(error, exceptions, module),
        attributes=attributes,
        has_more=bool(code or error.cases or attributes),
        separator="" if error is caught(module)[-1] else ",",
    )


def derives_values(module: Module) -> str:
    """Which of the declared exception classes derives from which: a row for each."""
    qualified = [f"{names.namespace(module.name)}::{alias(error, module)}" for error in caught(module)]
    rows = [[f"wg::derives<{one}, {other}>" for other in qualified] for one in qualified]
    return "\n".join([*(f"    {', '.join(row)}," for row in rows), "    0,"])


def _attributes(found: Attributed, exceptions: tuple[str, ...], module: Module) -> AttributesView:
    values = ", ".join(_value(each, module) for each in found.attributes)
    return AttributesView(exceptions.index(found.exception), descriptor(found.type, Way.RESULT, module.name), values)


def _value(attribute: Attribute, module: Module) -> str:
    """What an exception, or the base of it that has the attribute, says of itself."""
    code = _code_of(attribute.field.value) or Code("0", attribute.field.span)
    result = f"wg::Value<{descriptor(attribute.type, Way.RESULT, module.name)}>"
    made = f"wg::convert<{result}>({described(code, module)})"
    if attribute.base is None:
        return made
    base = alias(attribute.base, module)
    return f"wg::of_base<{base}, {result}>(value, []([[maybe_unused]] const {base} &value) {{ return {made}; }})"


def _code_of(said: Said | None) -> Code | None:
    """What is said of an exception, which has no object."""
    return said.otherwise if said else None

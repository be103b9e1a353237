"""Cursors and linked lists in the bridge: the spec's expressions, and the calls that return what they are over."""

from __future__ import annotations

import re

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import replace
from wrapper_gen.iterators import owns_its_range
from wrapper_gen.model import ErrorType, Function, Module
from wrapper_gen.quoting import c_bool
from wrapper_gen.tiers.bridge.reports import asks_objects, handles_of
from wrapper_gen.tiers.bridge.status_names import struct
from wrapper_gen.types.around import ITSELF, Instead, in_call
from wrapper_gen.types.results import USED
from wrapper_gen.types.rows import ResultRow
from wrapper_gen.views.placement import placed_statements

_MEMBER_VALUE = re.compile(r"\bvalue\s*\(")


def over_each(function: Function, out: ResultRow, module: Module) -> ResultRow:
    """The row of a result that is gone over: by what `each` says, or as a range that may have to be its own."""
    if owns_its_range(function):
        returned = USED.around(in_call("wg::own_range"))
        return replace(out, cpp_returned=returned, cpp_body_returned=returned)
    if function.each is None:
        return out
    said = names.said_of("each", function)
    start = in_call(f"wg::start_of<{said}>") if function.each.of_object else ITSELF
    if function.each.of_object and function.each.valid and _is_in_family(function.handle or "", module):
        start = Instead(f"wg::StepObject<{function.handle}>(wg_h)")
    objects = "".join(f", {own}" for _, own in _objects(function, module))
    returned = USED.around(start.within(f"wg::cursor<{said}>(", f"{objects})"))
    return replace(out, cpp_returned=returned, cpp_body_returned=returned)


def _is_in_family(handle: str, module: Module) -> bool:
    """Whether a call may see an object of another type as one of this handle type, only while it runs."""
    return handle in module.extends.values()


def each_code(function: Function, module: Module) -> str:
    """The struct with the spec's expressions; empty where there are none."""
    each = function.each
    if each is None:
        return ""
    item = _over(each.item[0]) if len(each.item) == 1 else f"wg::items({', '.join(map(_over, each.item))})"
    parts = [_part("decltype(auto)", "item", f"return {item};")]
    reset = "errno = 0; " if mentions(each.error, "errno") else ""
    parts.append(_part("auto", "next", f"return {_over(each.next)};" if not each.valid else reset + _done(each.next)))
    parts.append(
        _part("bool", "valid", f"return static_cast<bool>({_over(each.valid)});" if each.valid else "return true;")
    )
    parts.append(_part("void", "first", reset + _done(each.first)))
    parts.append(_check(function, module))
    parts.append(_part("void", "free", _done(each.free)))
    if function.blocking:
        runs = "BesideOverrides" if function.beside_overrides else "StepsWithoutGil"
        parts.append(f"using wg_Runs = wg::{runs};")
    head = f"struct {names.said_of('each', function)} {{"
    lines = [head, f"static constexpr bool wg_is_list = {c_bool(not each.valid)};", *parts, "};"]
    return placed_statements(lines, each.span, module)


def _part(result: str, name: str, statement: str, more: str = "") -> str:
    given = f"[[maybe_unused]] wg_Value &value{more}"
    return f"template <class wg_Value> static {result} wg_{name}({given}) {{ {statement} }}"


def _check(function: Function, module: Module) -> str:
    """What tests the status at the end, which may be said of the objects of the call: `h` is the first of them."""
    each = function.each
    assert each is not None
    if not each.error:
        return _part("void", "check", "")
    objects = _objects(function, module)
    own = ["h", *(f"wg_object_{i}" for i in range(1, len(objects)))][: len(objects)]
    more = "".join(f", [[maybe_unused]] {type_} &{name}" for (type_, _), name in zip(objects, own, strict=True))
    error = each.error if mentions(each.error, "errno", *own[:1]) else _over(each.error)
    tested = ", ".join(struct(error, module) for error in _statuses(function, module))
    check = "check_end_as" if each.status_type else "check_end"
    return _part("void", "check", f"wg::{check}<{tested}>({', '.join([error, *own])});", more)


def _statuses(function: Function, module: Module) -> tuple[ErrorType, ...]:
    """The status types that the status at the end may be of."""
    wanted = function.each.status_type if function.each else ""
    return tuple(error for error in module.errors if error.ok and wanted in ("", error.type))


def _objects(function: Function, module: Module) -> list[tuple[str, str]]:
    """What the status at the end is said of: types of objects of the call, and their names in the typed function."""
    each = function.each
    if each is None or not each.error:
        return []
    found = list(handles_of(function))
    return found if mentions(each.error, "h") or asks_objects(_statuses(function, module)) else []


def _done(expression: str) -> str:
    return f"static_cast<void>({_over(expression)});" if expression else ""


def _over(expression: str) -> str:
    """An expression over `value`; one that does not speak of it is a member."""
    own = _MEMBER_VALUE.sub("(", expression)
    return expression if mentions(own, "value") else f"wg::object(value).{expression}"

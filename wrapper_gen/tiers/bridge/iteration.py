"""Cursors and linked lists in the bridge: the spec's expressions, and the calls that return what they are over."""

from __future__ import annotations

import re

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import replace
from wrapper_gen.iterators import owns_its_range
from wrapper_gen.model import Code, Function, Module
from wrapper_gen.quoting import c_bool
from wrapper_gen.tiers.bridge.statuses import struct
from wrapper_gen.types.rows import ResultRow
from wrapper_gen.views.placement import placed

_MEMBER_VALUE = re.compile(r"\bvalue\s*\(")


def over_each(function: Function, out: ResultRow) -> ResultRow:
    """The row of a result that is gone over: by what `each` says, or as a range that may have to be its own."""
    if owns_its_range(function):
        returned = "return wg_use(wg::own_range($));"
        return replace(out, cpp_returned=returned, cpp_body_returned=returned)
    if function.each is None:
        return out
    returned = f"return wg_use(wg::cursor<{names.said_of('each', function)}>($));"
    return replace(out, cpp_returned=returned, cpp_body_returned=returned)


def each_code(function: Function, module: Module) -> str:
    """The struct with the spec's expressions; empty where there are none."""
    each = function.each
    if each is None:
        return ""
    statuses = ", ".join(struct(error, module) for error in module.errors if error.ok)
    item = _over(each.item[0]) if len(each.item) == 1 else f"wg::items({', '.join(map(_over, each.item))})"
    parts = [_part("decltype(auto)", "item", f"return {item};")]
    parts.append(_part("auto", "next", f"return {_over(each.next)};" if not each.valid else _done(each.next)))
    parts.append(
        _part("bool", "valid", f"return static_cast<bool>({_over(each.valid)});" if each.valid else "return true;")
    )
    parts.append(_part("void", "first", _done(each.first)))
    error = f"wg::check_end<{statuses}>({_over(each.error)});" if each.error else ""
    parts.append(_part("void", "check", error))
    parts.append(_part("void", "free", _done(each.free)))
    if function.beside_overrides:
        parts.append("using Runs = wg::BesideOverrides;")
    head = f"struct {names.said_of('each', function)} {{"
    lines = [head, f"static constexpr bool is_list = {c_bool(not each.valid)};", *parts, "};"]
    return placed(Code(" ".join(lines), each.span), module)


def _part(result: str, name: str, statement: str) -> str:
    given = "[[maybe_unused]] wg_Value &value"
    return f"template <class wg_Value> static {result} {name}({given}) {{ {statement} }}"


def _done(expression: str) -> str:
    return f"static_cast<void>({_over(expression)});" if expression else ""


def _over(expression: str) -> str:
    """An expression over `value`; one that does not speak of it is a member."""
    own = _MEMBER_VALUE.sub("(", expression)
    return expression if mentions(own, "value") else f"wg::object(value).{expression}"

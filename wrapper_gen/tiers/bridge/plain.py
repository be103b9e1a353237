"""Calls in one line: `returns<f64>(WG_CALL(std::hypot, x_, y_))`, as `wg/entries/entry_calls.hpp` has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.model import Argument, Function, Mode, Module, Named, Parameter, Place
from wrapper_gen.queries import declared, error_of, error_text, options_of, possible_errors
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.bridge.arguments import argument_in
from wrapper_gen.tiers.bridge.deduced import OBJECT, counts
from wrapper_gen.tiers.bridge.dimensions import dimension_names, local
from wrapper_gen.tiers.bridge.items import stated_items, written
from wrapper_gen.tiers.bridge.reports import asks_objects, before_call, handles_of, tests_null, traits_of
from wrapper_gen.tiers.bridge.ways import (
    has_optional_items,
    is_bound,
    is_deduced,
    is_pointed,
    member,
    misses_key,
    takes_alternatives,
    takes_status,
    tells_none,
    untold,
)
from wrapper_gen.types.around import INNER
from wrapper_gen.types.queries import handles_in, is_optional, is_text_or_none, is_void
from wrapper_gen.types.results import USED, handle_made
from wrapper_gen.types.rows import Care, ParameterRow, ResultRow
from wrapper_gen.types.scalars import SCALARS

_MOST = 12
"""Arguments of one call: as many as the runtime has macros for."""
_PASSED = frozenset({Care.NONE, Care.NUMBER, Care.TEXT, Care.BYTES, Care.COMPOUND, Care.MAYBE_TEXT})
_NUMBERS = frozenset(map(str, SCALARS))


def plain_call(
    function: Function, own: Sequence[str], rows: Sequence[ParameterRow], out: ResultRow, module: Module
) -> str:
    """The statement that calls what implements a function; empty where it takes more than one.

    Args:
        own: what the typed function calls its parameters.
        rows: how each of them crosses.
        out: how the result does.
    """
    implementation = function.implementation
    if not isinstance(implementation, Named) or _has_more(function, module):
        return ""
    named = dict(zip((p.name for p in function.parameters), own, strict=True))
    is_method = function.handle is not None and not implementation.is_member
    if implementation.arguments is not None:
        macro, arguments = "WG_ORDERED", _stated(function, implementation.arguments, named, rows, module)
    elif is_deduced(function):
        macro, arguments = "WG_FIND_METHOD" if is_method else "WG_FIND", _found(function, named, rows)
    else:
        macro, arguments = "WG_CALL", _as_they_stand(function, named, rows)
    outcome = _outcome(function, out, module)
    if arguments is None or len(arguments) > _MOST or not outcome:
        return ""
    name = implementation.name.text.strip()
    if is_pointed(function):
        macro = f"{macro}_VIA(wg::pointing, "
    called = [f"{macro}_ON(wg_h", member(name)] if implementation.is_member else [f"{macro}({name}"]
    if is_pointed(function):
        called = [f"{macro}{name}"]
    before, after = outcome
    return f"{before}{', '.join([*called, *arguments])}){after}"


def _has_more(function: Function, module: Module) -> bool:
    """Whether the call has something besides arguments and an outcome."""
    implementation, reported = function.implementation, function.reported
    assert isinstance(implementation, Named)
    is_special = (
        implementation.buffer or implementation.streaming or implementation.accessor or "," in implementation.name.text
    )
    is_told = reported.each or reported.source or reported.none is not None
    is_told = is_told or error_text(function) is not None or bool(before_call(function, module))
    takes = any(p.is_represented or p.callbacks for p in function.parameters)
    converts = implementation.names_class and len(function.parameters) == 1  # which copies of an object take as well
    picks = takes_alternatives(function) or converts or is_bound(function) or _points_within(function)
    return bool(is_special or is_told or takes or picks or function.each)


def _points_within(function: Function) -> bool:
    """Whether what goes in as a pointer, or as what it points to, goes into a member, or stands as it is."""
    implementation = function.implementation
    assert isinstance(implementation, Named)
    return is_pointed(function) and (implementation.is_member or not is_deduced(function))


# --- arguments -------------------------------------------------------------------------------------------------------


def _as_they_stand(function: Function, named: Mapping[str, str], rows: Sequence[ParameterRow]) -> list[str] | None:
    implementation = function.implementation
    assert isinstance(implementation, Named)
    given = [_given(p, row, named[p.name], is_plain=True) for p, row in zip(function.parameters, rows, strict=True)]
    if options_of(function) or not all(given):
        return None
    return [*(["wg_h"] if function.handle and not implementation.is_member else []), *given]


def _found(function: Function, named: Mapping[str, str], rows: Sequence[ParameterRow]) -> list[str] | None:
    """The arguments of a call whose order C++ finds; None where one of them has no such form."""
    implementation = function.implementation
    assert isinstance(implementation, Named)
    by_name = {p.name: (p, row) for p, row in zip(function.parameters, rows, strict=True)}
    options = options_of(function)
    given = [
        _options(function, named) if options and name == options.name else _given(*by_name[name], named[name])
        for name in declared(function)
    ]
    own = ["wg_h"] if function.handle and not implementation.is_member else []
    return [*own, *given] if all(given) else None


def _options(function: Function, named: Mapping[str, str]) -> str:
    """The struct of options, of the parameters that are its fields."""
    options = options_of(function)
    assert options is not None
    return f"WG_OPTIONS({', '.join([options.struct, *(named[p.name] for p in function.parameters if p.is_option)])})"


def _given(p: Parameter, row: ParameterRow, own: str, *, is_plain: bool = False) -> str:
    """A parameter as an argument, which may have a length unless `is_plain`; empty where that has no such form."""
    shown = names.python(p.name)
    if p.mode is Mode.TAKE:
        return f"wg::taken_in({own})" if row.care is Care.TAKEN else ""
    if row.goes_by_address or row.is_gathered or row.care not in _PASSED:
        return ""
    if row.care is Care.COMPOUND and is_optional(p.type):
        return f"wg::fitted_in({own}, {c_string(shown)})"
    if row.care is not Care.NONE or (row.can_be_null and not row.lengths):
        return own
    length = c_string(row.lengths or f"len({shown})")
    if row.can_be_null:
        return f"wg::maybe_in({own}, {c_string(shown)}, {length})"
    if row.brings_length and not is_plain:
        return f"wg::array_in({own}, {length})"
    is_handle = row.cpython_is_handle and row.form.inner == INNER
    return own if is_handle else f"WG_PLAIN({row.form.inner.of(own)})"


def _stated(
    function: Function,
    arguments: Sequence[Argument],
    named: Mapping[str, str],
    rows: Sequence[ParameterRow],
    module: Module,
) -> list[str] | None:
    """The arguments in C's order; None where one of them has no such form."""
    outs = sorted((each for each in arguments if each.place is Place.OUT), key=lambda each: each.item)
    _, types = stated_items(outs, written(function, module), function, module)
    described = dict(zip((id(each) for each in outs), types, strict=True))
    found = []
    for each in arguments:
        if each.place is Place.HANDLE:
            found.append("wg_h")
        elif each.place is Place.OUT:
            found.append(f"WG_OUT({described[id(each)]})")
        else:
            found.append(_put(each, function, arguments, named, rows))
    return found if all(found) and outs == [each for each in arguments if each.place is Place.OUT] else None


def _put(
    argument: Argument,
    function: Function,
    arguments: Sequence[Argument],
    named: Mapping[str, str],
    rows: Sequence[ParameterRow],
) -> str:
    """What the spec puts in one place of the call; empty where that has no such form."""
    if argument.place is Place.VALUE:
        made = "cast_in" if argument.cast else "value_in"
        return _value(
            argument, function, arguments, named, rows, made + _types([argument.cast] if argument.cast else [])
        )
    options = options_of(function)
    if options and argument.name == options.name and argument.place is Place.PARAMETER and not argument.cast:
        return _options(function, named)
    by_name = {p.name: (p, row) for p, row in zip(function.parameters, rows, strict=True)}
    if argument.name not in by_name:
        return ""
    (p, row), own, shown = by_name[argument.name], named[argument.name], c_string(names.python(argument.name))
    match argument.place:
        case Place.ADDRESS:
            return (
                f"wg::cast_in<{argument.cast}>({own}, {shown})" if argument.cast else f"wg::address_in({own}, {shown})"
            )
        case Place.LENGTH if not (argument.cast or argument.value or row.can_be_null):
            return f"WG_LENGTH({own})"
        case Place.PARAMETER if argument.cast and p.mode is not Mode.TAKE:
            given = row.form.inner.of(own) if row.cpython_is_handle else own
            return f"wg::cast_in<{argument.cast}>({given}, {shown})"
        case Place.PARAMETER if not argument.cast:
            return _given(p, row, own)
        case Place.ALONE:
            return f"wg::alone({argument_in(row, own, names.python(p.name))})"
        case _:
            return ""


def _value(
    argument: Argument,
    function: Function,
    arguments: Sequence[Argument],
    named: Mapping[str, str],
    rows: Sequence[ParameterRow],
    made: str,
) -> str:
    """An expression of the spec, over what it names; empty where that is the struct of options."""
    text, options = argument.value, options_of(function)
    if options and mentions(text, options.name):
        return ""
    known = {name: row.form.held.of(named[name]) for name, row in zip(named, rows, strict=True)}
    used = {name: own for name, own in known.items() if mentions(text, name)}
    used |= {name: local(name) for name in dimension_names(function) if mentions(text, name)}
    if function.handle and mentions(text, OBJECT):
        used |= {OBJECT: "wg_h.inner"}
    shown = c_string(names.python(argument.name) if argument.name else text)
    if not used and not argument.cast and not argument.name:
        return f"WG_VALUE({'nullptr' if text == 'NULL' else text})"
    value = "nullptr" if text == "NULL" else f"({text})"
    if used:
        declared = ", ".join(f"[[maybe_unused]] auto &&{names.body(name)}" for name in used)
        value = f"WG_OVER(({declared}), ({', '.join(used.values())}), {text})"
    for p in function.parameters:
        is_text = is_text_or_none(p.type) and mentions(text, p.name)
        if is_text and not any(counts(each, p.name) for each in arguments):
            value = f"wg::ended_by_nul({value}, {named[p.name]}, {c_string(names.python(p.name))})"
    return f"wg::{made}({value}, {shown})"


# --- what becomes of the result --------------------------------------------------------------------------------------


def _outcome(function: Function, out: ResultRow, module: Module) -> tuple[str, str] | None:
    """What stands around the call; None where more than one function of the runtime says it."""
    error, reported = error_of(function, module), function.reported
    result, described = out.cpp.strip(), list(written(function, module).items)
    if described in _usual(result, module):
        described = []
    after = ");"
    if reported.result:
        objects = ["_OF"] if any(handles_of(function)) else [""]
        then = ", ".join([names.said_of("result", function), *[own for _, own in handles_of(function)][:1]])
        after = f", WG_THEN{objects[0]}({then}));"
    if not error and (own := untold(function, module)):
        return _outcome_by_type(own, described, after, function, out, module)
    if not error:
        if is_void(function.returns):
            return "wg::ignores(" if reported.is_ignored else "wg::returns<void>(", after
        if takes_status(function):  # which is thrown away
            return None
        if out.cpp_returned == USED:
            return f"return wg::uses{_types(described)}(WG_USED, ", after
        return (f"return wg::returns{_types([result, *described])}(", after) if _is_usual(out) else None
    status = traits_of(function, error, module)
    of = "wg::"
    if asks_objects((error,)):
        of = f"wg::of({', '.join(own for _, own in handles_of(function))})."
    has_none = tells_none(function, module) or misses_key(function, module)
    if out.cpp_returned == USED:
        return (
            None
            if has_none or reported.result
            else (f"return {of}uses_or_raises{_types([status, *described])}(WG_USED, ", after)
        )
    if is_void(function.returns):  # of which only a key may not be there
        return f"{of}{'key_or' if has_none else 'raises'}<{status}>(", after
    if not _is_usual(out) or (has_none and reported.result):
        return None
    word = "raises" if takes_status(function) else "tests"
    if has_none:
        word = "key_or" if misses_key(function, module) else "none_or"
    return f"return {of}{word}{_types([status, result, *described])}(", after


def _outcome_by_type(
    own: str, described: list[str], after: str, function: Function, out: ResultRow, module: Module
) -> tuple[str, str] | None:
    """The same where the type of what the call returns tells whether that is a status."""
    own_handles, of = [each for _, each in handles_of(function)], "wg::"
    makes_one = bool(handles_in(function.returns))  # what a failing call has written says more
    if (own_handles or makes_one) and asks_objects(possible_errors(function, module)):
        of = f"wg::of({', '.join(own_handles)})."
    word, first = ("tells", []) if own == "wg::Untold<>" else ("may_raise", [own])
    if is_void(function.returns):
        return f"{of}{word}{_types(first or ['void'])}(", after
    if out.cpp_returned == USED:
        may_be_none = has_optional_items(function, module)
        has_more = function.reported.result or tests_null(function, module) or may_be_none
        return None if has_more else (f"return {of}uses_or_may_raise{_types([own, *described])}(WG_USED, ", after)
    if not _is_usual(out) or (function.reported.result and tells_none(function, module)):
        return None
    return f"return {of}{word}{_types([*first, out.cpp.strip(), *described])}(", after


def _is_usual(out: ResultRow) -> bool:
    """Whether the result is converted to its type, or is a handle that is made."""
    return not out.cpp_returned or out.cpp_returned == handle_made(out.cpp.strip())


def _types(listed: Sequence[str]) -> str:
    return f"<{', '.join(listed)}>" if listed else ""


def _usual(result: str, module: Module) -> tuple[list[str], ...]:
    """What describes a result of this C++ type, where its type says it."""
    if result in _NUMBERS:
        return ([f"wg::types::Number<wg::{result}>"], [f"wg::types::Number<{result}>"])
    return ([f"wg::types::OwnedHandle<{names.namespace(module.name)}::{result}>"],)

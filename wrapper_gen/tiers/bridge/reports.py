"""How the typed function looks at what the user's code reports: its status is tested, its result converted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.model import Allocated, Buffer, Code, ErrorType, Function, Lambda, Mode, Module, Said, Written
from wrapper_gen.model.errors import may_be_status
from wrapper_gen.queries import (
    error_of,
    error_text,
    exception_names,
    fills_room,
    inherited_error,
    possible_errors,
)
from wrapper_gen.quoting import c_bool
from wrapper_gen.tiers.bridge.made_handles import made_of
from wrapper_gen.tiers.bridge.returned import memory_read
from wrapper_gen.tiers.bridge.status_names import alias, struct
from wrapper_gen.tiers.bridge.statuses import any_of
from wrapper_gen.tiers.bridge.user_code import parameter_names
from wrapper_gen.tiers.bridge.ways import (
    buffer_of,
    gives_value,
    has_statements,
    misses_key,
    takes_status,
    tells_none,
    untold,
)
from wrapper_gen.types.queries import handle_of, is_optional, is_text, is_void, without_optional
from wrapper_gen.types.rows import ResultRow
from wrapper_gen.views.placement import placed_in, placed_statements


def converted(call: str, function: Function, out: ResultRow, module: Module) -> str:
    """The statements that call the user's code, test what it reports, and convert its result."""
    error, reported = error_of(function, module), function.reported
    says_why = error is None and error_text(function) is not None
    if not (error or reported.result or says_why):
        return _unsaid(call, function, out, module)
    is_value_wanted = not is_void(function.returns)
    source = reported.source.text if reported.source else ""
    lines = before_call(function, module)
    status = of_status(function)
    if source:
        is_value_wanted = is_value_wanted or mentions(source, "value")
    returned = _returned_object(function, module) if error and _asks_of_object(source) else ""
    if is_value_wanted:
        lines.append(f"auto &&wg_value = {call};")
    elif says_why and (own := untold(function, module)):
        objects = objects_of_call(function, possible_errors(function, module))
        lines.append(f"wg::run_worded<{own}>([&]() -> decltype(auto) {{ return {call}; }}{objects});")
    elif source or says_why:
        lines.append(f"static_cast<void>({call});")
    else:
        status = call
    if returned:
        lines.append(f"{returned} {_RETURNED}(static_cast<decltype(wg_value)>(wg_value));")
    if error:
        lines += tested(status, error, function, out, module, _RETURNED * bool(returned))
    elif is_value_wanted and (own := untold(function, module)):
        lines += _tested_by_type(own, function, out, module)
    if returned:
        lines.append(f"{_RETURNED}.keep();")
    if says_why:
        lines.append(f"wg::check_text<{_own_index(module)}>(wg_error);")
    return "\n".join([*lines, *_returned(function, out, module)])


def _unsaid(call: str, function: Function, out: ResultRow, module: Module) -> str:
    """The same of a call of which the entry says nothing: the type of its value tells whether that is a status."""
    made = f"[&]() -> decltype(auto) {{ return {call}; }}"
    own, objects = untold(function, module), objects_of_call(function, possible_errors(function, module))
    if is_void(function.returns) and own:
        word = "run_body" if has_statements(function) else "run_untold"
        return f"wg::{word}<{own}>({made}{objects});"
    if has_statements(function):
        return out.cpp_body_returned.of(call)
    is_operator = isinstance(function.implementation, Lambda) and function.implementation.is_implied
    if function.reported.is_ignored or is_operator:
        return written_result(call, out)
    if is_void(function.returns):
        return f"wg::opened<void>({made});"
    lines = before_call(function, module)
    if own and tests_null(function, module):
        made = f"[&]() -> decltype(auto) {{ return wg::not_null<{own}>({made}{objects}); }}"
    opened = f"wg::opened<{out.cpp.strip()}>({made}{objects})"
    return "\n".join([*lines, written_result(opened, out)])


def _tested_by_type(own: str, function: Function, out: ResultRow, module: Module) -> Iterator[str]:
    """The statements that test the value of a call of which an expression makes the result."""
    test = f"{own}::is_none(wg_value{objects_of_call(function, possible_errors(function, module))})"
    if tells_none(function, module):
        yield f"if ({test}) {_NO_RESULT[bool(out.cpp_use)]}"
    else:
        yield f"static_cast<void>({test});"


def before_call(function: Function, module: Module) -> list[str]:
    """The statement before a call whose failure `errno` tells."""
    null = status_of_null(function, module)
    asked = (function.reported.source, *(null.codes if null else ()))
    return ["errno = 0;"] * any(code is not None and mentions(code.text, "errno") for code in asked)


def status_of_null(function: Function, module: Module) -> Said | None:
    """The status of a null pointer that the call returns where a result is needed."""
    error = error_of(function, module) or inherited_error(function, module)
    is_needed = not (is_void(function.returns) or is_optional(function.returns) or function.reported.source)
    return error.on_null if error and is_needed else None


def tests_null(function: Function, module: Module) -> bool:
    """Whether a null pointer that the call returns has a status, which is raised."""
    return status_of_null(function, module) is not None


def of_status(function: Function) -> str:
    """The status of a call whose value is `wg_value`."""
    source = function.reported.source
    if source is None:
        return "wg_value"
    return f"{names.said_of('status', function)}({given(function, _uses_value(source))})"


def _own_index(module: Module) -> int:
    """The index of the library's own error."""
    return exception_names(module).index(names.library_error(module.name))


_NO_KEY = 'throw std::out_of_range("there is no such item");'
"""Where a status of a lookup means that the key is not there."""
_NO_RESULT = ("return std::nullopt;", "return wg_use(std::nullopt);")
"""Where one means that there is no result; the second where an engine is asked to use it."""


def tested(
    status: str, error: ErrorType, function: Function, out: ResultRow, module: Module, returned: str = ""
) -> Iterator[str]:
    """The statements that test a status; some mean that there is no result. `returned` is the object that it is of."""
    reported, traits, objects = (
        function.reported,
        traits_of(function, error, module),
        objects_of_call(function, (error,)),
    )
    objects += f", {returned}" * (bool(returned) and asks_objects((error,)))
    if reported.each:
        yield f"wg::check_each<{traits}>({status}{objects});"
        return
    tested = f"wg::status<{alias(error, module)}>({status})"
    if error.on_null and not reported.source:
        yield f"wg::check_returned<{traits}>({status}{objects});"
        return
    if is_none := _means_none(function, error, module):
        if status != "wg_value":
            yield f"const auto wg_status = {tested};"
            tested = "wg_status"
        way = _NO_KEY if misses_key(function, module) else _NO_RESULT[bool(out.cpp_use)]
        yield f"if ({is_none}({tested})) {way}"
    yield f"wg::check<{traits}>({tested}{objects});"


def traits_of(function: Function, error: ErrorType, module: Module) -> str:
    """What describes the status of a call: with what the entry says is fine, and what a null pointer is."""
    found = struct(error, module)
    if function.reported.ok is not None:
        found = f"wg::FineAs<{found}, {names.said_of('ok', function)}>"
    return f"wg::NullIsNone<{found}>" if error.on_null and is_optional(function.returns) else found


def _means_none(function: Function, error: ErrorType, module: Module) -> str:
    """The C++ function that tells whether a status means that there is no result; empty where none does."""
    if not (tells_none(function, module) or misses_key(function, module)):
        return ""
    is_own = function.reported.none is not None
    return names.said_of("none", function) if is_own else f"{struct(error, module)}::wg_is_none"


_RETURNED = "wg_made"
_ASKED = re.compile(r"\bvalue\s*(?:->|\.)|[(,]\s*\*?\s*value\s*[,)]")


def _asks_of_object(source: str) -> bool:
    """Whether a status is asked of what the call returns, which is an object then: a member, or a function of it."""
    return _ASKED.search(source) is not None


def _returned_object(function: Function, module: Module) -> str:
    """What holds the object that the call returns until its status is tested; empty where it is no handle."""
    name = handle_of(without_optional(function.returns))
    handle = next((each for each in module.handles if each.name == name), None)
    if handle is None or handle.in_place or handle.is_interface:
        return ""
    is_ours = function.lifetime.result.is_owned and not handle.lent_by and not function.lifetime.result.is_static
    return f"wg::ReturnedObject<{name}, {c_bool(is_ours)}, decltype(wg_value)>"


def _returned(function: Function, out: ResultRow, module: Module) -> Iterator[str]:
    """The statement that returns the result, if there is one."""
    if is_void(function.returns):
        return
    made = "std::forward<decltype(wg_value)>(wg_value)"
    if function.reported.result:
        made = f"{names.said_of('result', function)}({given(function, uses_value=True)})"
    made = made_of(made, function, module)
    takes = out.cpp_use or out.is_array
    yield written_result(made, out) if takes else f"return wg::convert<{out.cpp}>({made});"


# --- results that the call writes ------------------------------------------------------------------------------------


def written_result(call: str, out: ResultRow) -> str:
    """The statement that returns what a call has written."""
    return out.cpp_returned.of(call) if out.cpp_returned else f"return wg::convert<{out.cpp}>({call});"


def filled(
    call: str, length: str, buffer: Buffer | Allocated, function: Function, out: ResultRow, module: Module
) -> Iterator[str]:
    """The statements that call what fills a buffer, and return that; `length` says how much it fills."""
    check = check_of_written(function, module) or _check_of_dropped(function, module)
    is_room = fills_room(function)
    may_be_none = isinstance(buffer, Allocated) and is_optional(function.returns)
    has_none = may_be_none and tells_none(function, module)
    if has_none:
        yield "bool wg_none = false;"
        check = f"wg::unless_none(wg_none, {check})"
    grow = buffer.grow if isinstance(buffer, Buffer) else ()
    if grow:
        assert isinstance(buffer, Buffer)
        own = "capacity" if buffer.is_computed else names.body(buffer.capacity)
        parameters = f"[[maybe_unused]] const auto &value, [[maybe_unused]] const auto {own}"
        yield f"const auto wg_small = []({parameters}) {{ return {any_of(grow)}; }};"
        yield "bool wg_again = false;"
        yield "do {"
        check = f"wg::unless_small(wg_again, wg_small, wg_buffer{f', {check}' if check else ''})"
    elif isinstance(buffer, Buffer) and buffer.asks:
        yield "do {"
    checked = f"{call.removesuffix('()')}({check})"
    if is_room:
        checked = f"wg_engine.run([&]() -> decltype(auto) {{ return {checked}; }})"
    yield from before_call(function, module)
    ends = isinstance(buffer, Buffer) and buffer.length is Written.FOUND and is_text(function.returns)
    if ends:
        yield "wg_buffer.start_text();"
    elif isinstance(buffer, Buffer) and buffer.length is Written.FOUND and not buffer.asks:
        yield "wg_buffer.start_bytes();"
    yield from _set_written(checked, length, buffer)
    if grow:
        yield "} while (wg_again && wg_buffer.grow());"
    elif isinstance(buffer, Buffer) and buffer.asks:
        yield f"}} while (wg_buffer.asks_again({c_bool(is_text(function.returns))}));"
    if ends:
        yield "wg_buffer.end_text();"
    if has_none:
        yield f"if (wg_none) {_NO_RESULT[bool(out.cpp_use)]}"
    view = "wg_buffer.view_or_none()" if may_be_none else "wg_buffer.view()"
    yield "return wg_buffer.take();" if is_room else written_result(view, out)


def _check_of_dropped(function: Function, module: Module) -> str:
    """What looks at the value of a call that fills a buffer, where it may be a status that nothing tests."""
    is_used = function.reported.is_ignored or gives_value(buffer_of(function))
    has_common = any(e.ok and not may_be_status(e.cpp_type) for e in module.errors)
    return "wg::Dropped<decltype(wg_call)>()" if has_common and not is_used else ""


def _set_written(checked: str, length: str, buffer: Buffer | Allocated) -> Iterator[str]:
    """The statements that make a call, and say how much it has written."""
    if buffer.length is Written.RESULT:
        yield f"wg_buffer.set_written({checked});"
        return
    if isinstance(buffer, Buffer) and mentions(buffer.said, "value"):
        yield f"auto &&wg_value = {checked};"
    else:
        yield f"static_cast<void>({checked});"
    if length:
        yield f"wg_buffer.set_written({length});"


def read_memory(call: str, length: str, function: Function, out: ResultRow, module: Module) -> Iterator[str]:
    """The statements that call what returns the address of memory, and return what is there."""
    error = error_of(function, module)
    yield from before_call(function, module)
    yield f"auto &&wg_value = {call};"
    yield "const wg::ReturnedMemory wg_memory(wg_value, wg_free);"
    own = untold(function, module)
    if error:
        yield from tested(of_status(function), error, function, out, module)
    elif error_text(function):
        yield f"wg::check_text<{_own_index(module)}>(wg_error);"
    elif own and tests_null(function, module):
        yield f"{own}::check_null(wg_value{objects_of_call(function, possible_errors(function, module))});"
    yield written_result(memory_read(length, function.returns), out)


def check_of_written(function: Function, module: Module) -> str:
    """What tests the status of a call before anybody reads what it has written: a lambda, which says whether there is
    no result where some statuses mean that; empty where there is no status."""
    error, reported = error_of(function, module), function.reported
    if not error and error_text(function):
        return f"[&](const auto &...) {{ wg::check_text<{_own_index(module)}>(wg_error); }}"
    if own := untold(function, module):
        return _check_by_type(own, function, module)
    if not error or not (takes_status(function) or reported.source):
        return ""
    traits, objects = traits_of(function, error, module), objects_of_call(function, (error,))
    status = of_status(function)
    if reported.source and not _uses_value(reported.source):
        head = "[&](const auto &...)"
    else:
        head = "[&](const auto &wg_value, [[maybe_unused]] auto &...wg_slots)"
        objects += ", wg_slots..." * asks_objects((error,))
    if reported.each:
        return f"{head} {{ wg::check_each<{traits}>({status}{objects}); }}"
    tested = f"wg::status<{alias(error, module)}>({status})"
    check = f"wg::check<{traits}>({tested}{objects});"
    if is_none := _means_none(function, error, module):
        if misses_key(function, module):
            check = f"if ({is_none}({tested})) {_NO_KEY} {check}"
        else:
            check = f"if ({is_none}({tested})) return true; {check} return false;"
    return f"{head} {{ {check} }}"


def _check_by_type(own: str, function: Function, module: Module) -> str:
    """What tests it where the type of the call's value tells whether that is a status, and not how much there is."""
    if gives_value(buffer_of(function)):
        return ""
    possible = possible_errors(function, module)
    objects = objects_of_call(function, possible) + ", wg_slots..." * asks_objects(possible)
    given = "const auto &wg_value, [[maybe_unused]] auto &...wg_slots"
    return f"wg::untold_check([&]({given}) {{ return {own}::test(wg_value{objects}); }})"


# --- objects of the call ---------------------------------------------------------------------------------------------


def handles_of(function: Function) -> Iterator[tuple[str, str]]:
    """The objects of a call, the instance first: their types, and what the typed function calls them."""
    if function.handle:
        yield function.handle, "wg_h"
    for p, own in zip(function.parameters, parameter_names(function), strict=True):
        if (handle := handle_of(p.type)) and p.mode is not Mode.TAKE:
            yield handle, own


def objects_of_call(function: Function, errors: tuple[ErrorType, ...]) -> str:
    """Further arguments: the text that the call writes, and the objects that something may be said by."""
    objects = ["wg_error"] if error_text(function) else []
    if asks_objects(errors):
        objects += [own for _, own in handles_of(function)]
    return "".join(f", {each}" for each in objects)


def asks_objects(errors: tuple[ErrorType, ...]) -> bool:
    """Whether something is said by the object of the call."""
    return any(said.of or said.asks_object for error in errors for said in error.said)


# --- the spec's expressions ------------------------------------------------------------------------------------------


def expressions(function: Function, module: Module) -> str:
    """Functions for the spec's expressions, which stand where no typed function can hide a name of the library's."""
    reported, error = function.reported, error_of(function, module)
    found = []
    if reported.source:
        name = names.said_of("status", function)
        found.append(_expression(name, reported.source, function, module))
    if reported.none and error:
        name = names.said_of("none", function)
        head = f"inline bool {name}([[maybe_unused]] const {alias(error, module)} &value)"
        found.append(placed_statements([f"{head} {{ return {any_of(reported.none)}; }}"], function.span, module))
    if reported.ok is not None and error:
        head = f"static bool wg_is_ok([[maybe_unused]] const {alias(error, module)} &value)"
        fine = f"struct {names.said_of('ok', function)} {{ {head} {{ return {any_of(reported.ok)}; }} }};"
        found.append(placed_statements([fine], function.span, module))
    if reported.result:
        name = names.said_of("result", function)
        found.append(_expression(name, reported.result, function, module, is_result=True))
    return "\n\n".join(found)


def _uses_value(code: Code | None) -> bool:
    return code is not None and mentions(code.text, "value")


def given(function: Function, uses_value: bool) -> str:
    """The arguments of such a function."""
    objects = [own for _, own in handles_of(function)][:1]
    return ", ".join(["wg_value"] * uses_value + objects)


def _expression(name: str, code: Code, function: Function, module: Module, *, is_result: bool = False) -> str:
    """A function over `value`, what the call gave, and `self`, its first object."""
    types, parameters = [], []
    if is_result or _uses_value(code):
        types.append("class wg_Value")
        parameters.append("[[maybe_unused]] wg_Value &value")
    objects = list(handles_of(function))[:1]
    parameters += [f"[[maybe_unused]] {handle} &h" for handle, _ in objects]
    template = f"template <{', '.join(types)}> " if types else ""
    head = f"{template}inline decltype(auto) {name}({', '.join(parameters)})"
    own = " [[maybe_unused]] auto &&self = h.inner;" if objects and mentions(code.text, "self") else ""
    return placed_in(f"{head} {{{own} return", code, module, "; }")

"""What C++ has to know of callbacks whose arguments a spec lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Callback, CallbackArgument, Code, ErrorType, Listed, Module, Part, UserData, Written
from wrapper_gen.queries import exception_names
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.bridge.statuses import any_of
from wrapper_gen.types.hints import Way
from wrapper_gen.types.queries import is_void
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.types.tuples import items_of
from wrapper_gen.views.placement import placed, placed_lines

_PARTS = {
    Part.LENGTH: "Length",
    Part.CONTEXT: "Context",
    Part.USER_DATA: "Data",
    Part.OUT: "Out",
    Part.ROOM: "Room",
    Part.CAPACITY: "Capacity",
    Part.ERROR: "Error",
}
_FILLED = {Written.ALL: "all", Written.RESULT: "returned", Written.CAPACITY: "at_capacity", Written.NUL: "with_nul"}


@frozen
class ListedView:
    """The struct with the spec's expressions, which has names of ours only; and what the callback's own struct has."""

    said: str
    data: str
    """Each of these holds the statements of a function, and its end; empty where the spec does not say it."""
    result: str
    failed: str
    members: tuple[str, ...]
    cpp_type: str
    """What C wants, where the spec says it."""
    fits: str
    """What does not compile where that has other arguments."""


def listed_view(callback: Callback, listed: Listed, module: Module) -> ListedView:
    arguments = listed.arguments
    return ListedView(
        said=names.callback_code(callback.type.label),
        data=_lines([(listed.user_data.span, f"return ({listed.user_data.text});")], arguments, module)
        if listed.user_data
        else "",
        result=_result(listed, module),
        failed=_failed(callback, listed, module) if callback.type.is_told else "",
        members=tuple(_members(callback, listed, module)),
        cpp_type=placed(listed.cpp_type, module, ">;") if listed.cpp_type else "",
        fits=_fits(callback, listed.cpp_type, module) if listed.cpp_type else "",
    )


def _fits(callback: Callback, cpp_type: Code, module: Module) -> str:
    tag, said = names.callback(callback.type.label), names.callback_code(callback.type.label)
    message = c_string("wrapper-gen: the C++ type of this callback has other arguments than the spec lists")
    return placed_lines([(cpp_type.span, f"static_assert(wg::goes_as<{tag}, {said}::wg_Type>, {message});")], module)


# --- what the callback's struct has ----------------------------------------------------------------------------------


def _members(callback: Callback, listed: Listed, module: Module) -> Iterator[str]:
    arguments = listed.arguments
    parts = ", ".join(_part(each, module) for each in arguments)
    outs = [i for i, each in enumerate(arguments) if each.part is Part.OUT]
    yield f"using Listed = wg::Types<{parts}>;"
    yield f"using Said = {names.callback_code(callback.type.label)};"
    if listed.cpp_type:
        yield "static constexpr bool has_type = true;"
    if callback.type.is_spread:
        yield "static constexpr bool is_spread = true;"
    if callback.type.is_told:
        yield "static constexpr bool answers_failure = true, has_fallback = true;"
    if callback.user_data is UserData.LISTED:
        yield f"static constexpr std::size_t user_data_part = {_index(arguments, Part.USER_DATA)};"
    if listed.result or listed.raises:
        yield "static constexpr bool gives_result = true;"
    if outs and listed.result and mentions(listed.result.text, "value"):
        yield "static constexpr bool reads_value = true;"
    if outs:
        yield f"using Outs = std::index_sequence<{', '.join(map(str, outs))}>;"
    returns = callback.type.returns
    items = len(items_of(returns)) if outs or listed.filled is not None else int(not is_void(returns))
    yield f"static constexpr std::size_t items = {items};"
    if listed.filled is not None:
        yield "static constexpr bool has_room = true;"
        yield f"static constexpr wg::Filled filled = wg::Filled::{_FILLED[listed.filled]};"
        yield f"static constexpr std::size_t room = {_index(arguments, Part.ROOM)}, capacity = {listed.capacity};"


def _index(arguments: Sequence[CallbackArgument], part: Part) -> int:
    return next(i for i, each in enumerate(arguments) if each.part is part)


def _part(argument: CallbackArgument, module: Module) -> str:
    if argument.type is None:
        return f"wg::parts::{_PARTS[argument.part]}"
    described = descriptor(argument.type, Way.LENT, module.name)
    match argument.part:
        case Part.SIZED:
            return f"wg::parts::Sized<{described}, {argument.length}>"
        case Part.POINTED:
            return f"wg::parts::Pointed<{described}>"
        case _:
            return described


# --- expressions -----------------------------------------------------------------------------------------------------


def _result(listed: Listed, module: Module) -> str:
    """What C gets: what the spec says, else the status that all is well."""
    if listed.result:
        code = listed.result
    elif listed.raises:
        code = Code(listed.raises.ok[0], listed.raises.span)
    else:
        return ""
    return _lines([(code.span, _expressed(code.text))], listed.arguments, module)


def _expressed(expression: str) -> str:
    return f"return wg::expressed<wg_T>(wg_returned, [&]() -> decltype(auto) {{ return ({expression}); }});"


def _failed(callback: Callback, listed: Listed, module: Module) -> str:
    """What C is told of an exception."""
    lines: list[tuple[Span, str]] = []
    for i, each in enumerate(listed.arguments):
        if each.part is Part.ERROR:
            lines.append((each.span, f"wg::tell_error(wg_given.template get<{i}>(), wg_failure);"))
    if listed.raises:
        lines += _statuses(listed.raises, module)
    if callback.on_exception:
        lines.append((callback.on_exception.span, _expressed(callback.on_exception.text)))
    else:
        lines.append((callback.span, "if constexpr (!std::is_void_v<wg_T>) return wg_T();"))
    return _lines(lines, listed.arguments, module)


def _statuses(error: ErrorType, module: Module) -> Iterator[tuple[Span, str]]:
    """The status of an exception of the package: its code, else one that raises its class."""
    known = exception_names(module)
    own = known.index(error.exception)
    code = "const auto value = static_cast<wg_T>(*wg_failure.code);"
    yield (
        error.span,
        f"if (wg_failure.is({own}) && wg_failure.code) {{ {code} if (!{any_of(error.ok)}) return value; }}",
    )
    classes = [(case.span, case.name, case.when) for case in error.cases]
    for span, name, when in classes:
        if first := next((each for each in when if not mentions(each, "value")), ""):
            yield span, f"if (wg_failure.is({known.index(name)})) {_expressed(first)}"


def _lines(lines: Sequence[tuple[Span, str]], arguments: Sequence[CallbackArgument], module: Module) -> str:
    """Statements, after the declarations of those arguments that they mention."""
    whole = "\n".join(text for _, text in lines)
    named = [(i, each) for i, each in enumerate(arguments) if each.name and mentions(whole, each.name)]
    declared = [(each.span, f"auto &&{each.name} = wg_given.template get<{i}>();") for i, each in named]
    return placed_lines([(span, f"        {text}") for span, text in (*declared, *lines)], module, " }")

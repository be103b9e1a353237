"""The status types of the bridge: which values are fine, what is said of the others, and what those raise."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wrapper_gen import names
from wrapper_gen.attributes import Attribute, Attributed, of_error
from wrapper_gen.diagnostics import a
from wrapper_gen.expressions import called, mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.lifetimes.ended import asks_owner, said_by_owner
from wrapper_gen.model import Code, ErrorType, Function, Module, Said
from wrapper_gen.model.errors import may_be_status
from wrapper_gen.model.inheritance import bases, subtypes
from wrapper_gen.queries import error_of
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.bridge.explained import status_explained
from wrapper_gen.tiers.bridge.status_names import alias, struct
from wrapper_gen.types.hints import Way
from wrapper_gen.types.queries import is_void
from wrapper_gen.types.rows import ResultRow
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.views.placement import placed, placed_lines


@frozen
class SaidView:
    """A function that says something of a status: for objects of one type, of any type (`is_generic`), or for none."""

    parameters: str
    is_generic: bool
    statements: str


@frozen
class TextView:
    """What is said of a status: by the object of the call."""

    name: str
    result: str
    alternatives: tuple[SaidView, ...]


@frozen
class AttributesView:
    """The attributes of one exception."""

    index: int
    descriptor: str
    values: str


@frozen
class StatusView:
    """One status type: what is fine, and what the rest becomes."""

    name: str
    alias: str
    cpp_type: str
    struct: str
    tag: str
    """What `wg::StatusOf` finds it by; empty where no code of the spec names it."""
    is_labelled: bool
    several: str
    """The mistake of a call that returns what several errors have as their C++ type; of the first of these."""
    ok: str
    none: str
    """Empty where no status means that there is no result."""
    kinds: str
    """Which exception each index is."""
    index: int
    cases: str
    """The statements that return another index; empty where there is none."""
    texts: tuple[TextView, ...]
    attributes: tuple[AttributesView, ...]
    explained: str
    """What names its C++ type, where calls are explained; empty elsewhere."""


def status_view(error: ErrorType, exceptions: tuple[str, ...], module: Module) -> StatusView:
    own = alias(error, module)
    return StatusView(
        name=error.type,
        alias=own,
        cpp_type=placed_lines([(error.span, error.cpp_type)], module),
        struct=struct(error, module),
        tag=names.status_tag(error.type) if error.has_tag else "",
        is_labelled=error.is_labelled,
        several=_several(error, module),
        ok=placed_lines([(error.span, f"        return {any_of(error.ok)};")], module),
        none=placed_lines([(error.span, f"        return {any_of(error.none)};")], module) if error.none else "",
        kinds=_kinds(error, exceptions),
        index=exceptions.index(error.exception),
        cases=exception_cases(error, exceptions, module),
        texts=(*_texts(error, module), *_of_fields(error, module)),
        attributes=tuple(_attributes(each, exceptions, module) for each in of_error(error, module)),
        explained=status_explained(own, module.errors.index(error), module),
    )


def _kinds(error: ErrorType, exceptions: tuple[str, ...]) -> str:
    """The exceptions by their indices, each with the builtin one that it is too."""
    found = {error.exception: ""} | {case.name: case.also for case in error.cases if case.when}
    numbered = sorted((exceptions.index(name), name, also) for name, also in found.items())
    return ", ".join(f"{index} {name}{f' ({also})' * bool(also)}" for index, name, also in numbered)


def _several(error: ErrorType, module: Module) -> str:
    """The words of the mistake."""
    alike = [e for e in module.errors if e.ok and not e.is_labelled and e.cpp_type == error.cpp_type]
    if len(alike) < 2 or alike[0] is not error or not may_be_status(error.cpp_type):
        return ""
    ways = ", or ".join(f"raises: {each.type}" for each in alike)
    return c_string(
        f"wrapper-gen: {len(alike)} errors have the C++ type {error.cpp_type}, which the call returns: say {ways}"
    )


# --- which statuses are meant ----------------------------------------------------------------------------------------


def any_of(listed: tuple[str, ...]) -> str:
    """The C++ condition under which one of these statuses is meant."""
    return f"static_cast<bool>({' || '.join(map(_matches, listed)) or 'false'})"


def _matches(text: str, status: str = "value") -> str:
    """The text itself where it speaks of `value`, else equality."""
    return f"({text})" if mentions(text, "value") else f"{status} == ({text})"


def exception_cases(error: ErrorType, exceptions: tuple[str, ...], module: Module) -> str:
    """The statements that return the index of another exception."""
    code = "value"
    if not error.ok and error.code and error.code.otherwise:  # a class of exceptions is told by its code
        code = f"({called(error.code.otherwise.text, 'value')})"
    lines = [
        (c.span, " || ".join(_matches(each, code) for each in c.when), exceptions.index(c.name))
        for c in error.cases
        if c.when
    ]
    placed = [(span, f"        if ({condition}) return {index};") for span, condition, index in lines]
    return placed_lines(placed, module) if placed else ""


# --- what is said of them --------------------------------------------------------------------------------------------


def described(code: Code, module: Module, of: str = "value") -> str:
    """The C++ expression that describes a failed status: a function of it, or an expression."""
    return f"\n{placed(Code(called(code.text, of), code.span, code.literal), module)}\n"


def _over_object(code: Code, made: str) -> str:
    """The statement that returns what is said by an object, which the spec's code calls `self`."""
    own = "[[maybe_unused]] auto &&self = h.inner; " if mentions(code.text, "self") else ""
    return f"{own}return {made};"


def _texts(error: ErrorType, module: Module) -> Iterator[TextView]:
    """What is said beside what `wg::UsualStatus` says."""
    of = f" with {a(error.cpp_type)}" if error.cpp_type != "bool" else ""  # it says no more than that
    if error.is_labelled:
        of = f" ({error.type})"
    own, failed = alias(error, module), c_string(f"the call failed{of}")
    yield _text(own, "wg_Message", "std::string", error.message, "wg::describe", f"std::string({failed})", module)
    if error.code:
        yield _text(own, "wg_Code", "std::optional<wg::i64>", error.code, "wg::code_of", "wg::code_of(value)", module)
    if error.name:
        yield _text(own, "wg_Name", "std::string", error.name, "wg::describe", "std::string()", module)
    if error.note:
        yield _text(own, "wg_Note", "std::string", error.note, "wg::describe", "std::string()", module)
    if error.on_null:
        yield _on_null(own, error.on_null, module)


def _on_null(own: str, said: Said, module: Module) -> TextView:
    """The status of a null pointer, of which there is no value yet."""
    result = f"std::optional<{own}>"

    def made(code: Code, _: str) -> str:
        return f"{result}(static_cast<{own}>(\n{placed(code, module)}\n))"

    return _asked("wg_OnNull", result, "[[maybe_unused]] wg::NullPointer value", said, made, "std::nullopt", module)


def _of_fields(error: ErrorType, module: Module) -> Iterator[TextView]:
    own = alias(error, module)
    for each in (each for found in of_error(error, module) for each in found.own):
        result = f"wg::Value<{descriptor(each.type, Way.RESULT, module.name)}>"
        missing, convert = "std::nullopt", "wg::convert<wg_Result>"
        yield _text(own, _field_text(each), result, each.field.value, convert, missing, module)


def _field_text(attribute: Attribute) -> str:
    return f"wg_field_{attribute.declared_by}_{attribute.field.name}"


def _text(own: str, name: str, result: str, said: Said | None, convert: str, missing: str, module: Module) -> TextView:
    """What is said of a status whose C++ type is `own`; `missing` where the spec says nothing."""

    def made(code: Code, of: str) -> str:
        return f"{convert}({described(code, module, of)})"

    return _asked(name, result, f"[[maybe_unused]] const {own} &value", said, made, missing, module)


def _asked(
    name: str,
    result: str,
    value: str,
    said: Said | None,
    make: Callable[[Code, str], str],
    missing: str,
    module: Module,
) -> TextView:
    """What is asked of a failure: of the object of the call, and without one; `value` is the parameter before that."""
    linked = said_by_owner(module)
    found = []
    for handle, code in _with_subtypes(said, module) if said else ():
        made = _over_object(code, make(code, "h.inner"))
        if handle in linked and asks_owner(code):
            by_owner = f"[&](auto &owner) -> wg_Result {{ {made} }}"
            without = f"wg_of<{handle}>(value, h)" if said and said.asks_object else "wg_of(value)"
            made = f"return wg::by_owner<wg_Result>(h, {by_owner}, [&] {{ return {without}; }});"
        found.append(SaidView(f"{value}, [[maybe_unused]] {handle} &h", False, made))
    otherwise = said.otherwise if said else None
    made = make(otherwise, "value") if otherwise else missing
    if said and said.asks_object and otherwise:
        found.append(SaidView(f"{value}, wg_Object &h", True, _over_object(otherwise, made)))
        made = missing
    return TextView(name, result, (*found, SaidView(value, False, f"return {made};")))


def _with_subtypes(said: Said, module: Module) -> Iterator[tuple[str, Code]]:
    """What is said by objects of each type, and of those that extend it: by the nearest type that says something."""
    own = dict(said.of)
    for handle, code in said.of:
        yield handle, code
        for each in reversed(subtypes(handle, module.extends)):
            if each not in own and next(base for base in bases(each, module.extends) if base in own) == handle:
                yield each, code


def _attributes(found: Attributed, exceptions: tuple[str, ...], module: Module) -> AttributesView:
    values = ", ".join(f"wg::said<{_field_text(each)}>(value, objects...)" for each in found.attributes)
    return AttributesView(exceptions.index(found.exception), descriptor(found.type, Way.RESULT, module.name), values)


# --- what a body returns ---------------------------------------------------------------------------------------------


def body_result(function: Function, out: ResultRow, module: Module) -> str:
    """What a `cpp_body` returns: its status, its result, or what either is part of."""
    reported, error = function.reported, error_of(function, module)
    if reported.each or reported.source or (reported.result and not error):
        return "auto"
    if reported.is_untold and is_void(function.returns):
        return "auto"
    if error:
        return alias(error, module)
    return out.cpp_body or f"wg::Result<{out.cpp}>"

"""What modules have besides functions: exceptions, constants, documentation; and memory of objects."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from wrapper_gen.bindings.callables import callable_of
from wrapper_gen.bindings.classes import Class
from wrapper_gen.bindings.code import CodeRewriter
from wrapper_gen.bindings.context import BindingContext
from wrapper_gen.bindings.cursors import bare, below, bound, is_local, literal, place, text_of
from wrapper_gen.bindings.definitions import BoundDefinition
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.bindings.spelled_types import element
from wrapper_gen.diagnostics import Span
from wrapper_gen.headers.declarations import CKind

_DEFINES = re.compile(r"class_|enum_|def\w*")
_CAUGHT = re.compile(r"catch\s*\(\s*(?:const\s+)?([\w:]+)\s*&\s*(\w*)\s*\)\s*\{(.*?)\}", re.DOTALL)
_RAISED = re.compile(
    r"(?:PyErr_SetString|set_error)\s*\(\s*PyExc_(\w+)\s*,\s*(\w+)\.what\(\)\s*\)|throw\s+(?:\w+)::(\w+_error)\s*\(\s*(\w+)\.what\(\)\s*\)"
)
_ERRORS = {"value_error": "ValueError", "index_error": "IndexError", "key_error": "KeyError", "type_error": "TypeError"}


def error(definition: BoundDefinition) -> dict[str, object]:
    """An entry of `errors` from `register_exception` or `exception`."""
    _, arguments = bound(definition.cursor.type)
    name = literal(definition.arguments[1])
    if not arguments or not name:
        raise Left("an exception whose class or name the code computes")
    base = text_of(definition.arguments[2]) if len(definition.arguments) > 2 else ""
    also = base.removeprefix("PyExc_") if base.startswith("PyExc_") else ""
    data = exception(name, f"::{arguments[0].get_canonical().spelling}", also)
    if definition.module:
        data["module"] = definition.module
    return data


def exception(name: str, cpp_type: str, also: str) -> dict[str, object]:
    """An entry of `errors` for a class of C++ exceptions, which in Python is a builtin one, too."""
    if also in ("", "Exception", "RuntimeError"):
        return {"name": name, "cpp_type": cpp_type}
    case = {"name": name, "when": "value.what() != nullptr", "also": also}
    return {"name": f"{name}Base", "cpp_type": cpp_type, "exceptions": [case]}


def translated(definition: BoundDefinition) -> list[dict[str, object]]:
    """Entries of `errors` from a translator that only maps classes to Python's."""
    text = text_of(definition.arguments[0])
    made = []
    for cpp, value, body in _CAUGHT.findall(text):
        said = _RAISED.fullmatch(body.strip().rstrip(";").removeprefix("py::").removeprefix("nb::"))
        if not said or (said[2] or said[4]) != value:
            raise Left("a translator that does more than raise an exception of Python's with the message")
        python = said[1] or _ERRORS.get(said[3], "")
        name = "".join(part[:1].upper() + part[1:] for part in cpp.rpartition("::")[2].split("_"))
        made.append(exception(name, cpp if cpp.startswith("std::") else f"::{cpp}", python))
    if not made:
        raise Left("a translator of which no class can be read")
    return made


_MAKE_NAMES = ("str_key", "str", "")
"""What binders call to make a name of a literal."""


def constant(context: BindingContext, definition: BoundDefinition) -> tuple[str, object]:
    """A constant of the module."""
    name, value = literal(definition.arguments[0]), definition.arguments[1]
    calls = [each.spelling for each in below(definition.arguments[0]) if each.kind.name == "CALL_EXPR"]
    if not name or set(calls) - set(_MAKE_NAMES):
        raise Left("an attribute whose name the code computes: write a constant for each")
    for each in (value, *below(value)):
        if each.kind.name == "DECL_REF_EXPR" and each.referenced is not None and is_local(each.referenced):
            raise Left(f"an attribute that is made of the variable {each.spelling} of the binding code")
    inside = bare(value)
    while inside.kind.name in ("CALL_EXPR", "CXX_FUNCTIONAL_CAST_EXPR", "UNEXPOSED_EXPR") and bound(inside.type)[0]:
        given = [each for each in inside.get_children() if each.extent.start.file is not None]
        if not given:
            break
        inside = bare(given[-1])
    if bound(inside.type)[0] or "_object" in inside.type.get_canonical().spelling:
        raise Left("an attribute that is a Python object")
    type = context.type(inside.type)
    is_text = type.kind is CKind.ARRAY and type.target is not None and type.target.canonical.endswith("char")
    spelled = "text" if is_text else context.spelling.of(type, is_result=True)
    return name, {"type": spelled, "cpp": CodeRewriter(inside).rewritten().text}


def documentation(definition: BoundDefinition) -> str:
    """What `m.doc() = …` says."""
    said = [each for each in definition.arguments if each.extent.start.file is not None]
    return inspect.cleandoc(literal(said[-1]) or "") if said else ""


def buffer(context: BindingContext, definition: BoundDefinition, owner: Class) -> dict[str, object]:
    """`__buffer__` from the `buffer_info` that a lambda makes."""
    what = callable_of(definition.arguments[0])
    if not what.parameters:
        raise Left("a buffer that a member function makes")
    made = next(
        (
            each
            for each in below(what.cursor)
            if bound(each.type)[0] == "buffer_info"
            and each.kind.name == "CALL_EXPR"
            and len(list(each.get_arguments())) > 3
        ),
        None,
    )
    if made is None or len([each for each in below(what.cursor) if each.kind.name == "DECL_STMT"]):
        raise Left("a buffer that is made in several steps")
    given = list(made.get_arguments())
    own = what.parameters[0][0]
    shape_at = next((at for at, each in enumerate(given) if text_of(each).startswith("{")), None)
    if shape_at is None:
        raise Left("a buffer whose dimensions are not written out")
    shape = [part.strip() for part in text_of(given[shape_at]).strip("{} \n").split(",")]
    pointee = bare(given[0]).type.get_canonical().get_pointee()
    arrow = "self" if owner.held == "value" else "(*self)"

    def inside(text: str) -> str:
        return re.sub(rf"\b{own}\b", arrow, text)

    dimensions = ", ".join(map(inside, shape))
    data: dict[str, object] = {"def": f"__buffer__() -> array[{element(pointee.spelling)}; {dimensions}]"}
    return {**data, "cpp": inside(text_of(bare(given[0]))), "belongs_to": "self"}


def within_template(template: Any) -> Iterator[tuple[str, Span]]:
    """The definitions within a function template, by their words."""
    for token in template.get_tokens():
        if token.kind.name == "IDENTIFIER" and _DEFINES.fullmatch(token.spelling):
            what = {"class_": "class", "enum_": "enum"}.get(token.spelling, "member")
            yield what, place(token)

"""Questions about libclang's cursors and types that every part of the converter asks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wrapper_gen.diagnostics import Span

BINDERS = ("pybind11", "nanobind")
_WRAPPERS = ("UNEXPOSED_EXPR", "PAREN_EXPR")
_OWN = re.compile(r"/(pybind11|nanobind)/|/Python\.h$|/(cpython|internal)/[\w]+\.h$|/python3[^/]*/[\w]+\.h$")
_BOUND = re.compile(r"(?:const )?(?:pybind11|nanobind)::(?:\w+::)*(\w+)")


_texts: dict[str, bytes] = {}


def use_texts(texts: Mapping[str, bytes]) -> None:
    """Says what the files are whose cursors are asked about: other texts than those on the disk, for some."""
    _texts.clear()
    _texts.update(texts)


def source(path: str) -> bytes:
    """The bytes of a file, which places of cursors count in."""
    if path not in _texts:
        _texts[path] = Path(path).read_bytes()
    return _texts[path]


def text_of(cursor: Any) -> str:
    """The source of a cursor as it stands; empty where it is nowhere."""
    extent = cursor.extent
    if extent.start.file is None:
        return ""
    return source(extent.start.file.name)[extent.start.offset : extent.end.offset].decode("utf-8", "replace")


def place(cursor: Any) -> Span:
    """Where a cursor is."""
    at = cursor.location
    return Span(at.file.name if at.file else "", at.line or 1, at.column or 1)


def below(cursor: Any) -> Iterator[Any]:
    """All cursors below one, in order."""
    for each in cursor.get_children():
        yield each
        yield from below(each)


def bare(cursor: Any) -> Any:
    """An expression without what the compiler puts around it."""
    while cursor.kind.name in _WRAPPERS:
        inside = list(cursor.get_children())
        if len(inside) != 1:
            break
        cursor = inside[0]
    return cursor


def first(cursor: Any, *kinds: str) -> Any:
    """The first cursor of these kinds, this one or below it; None where there is none."""
    if cursor.kind.name in kinds:
        return cursor
    return next((each for each in below(cursor) if each.kind.name in kinds), None)


def literal(cursor: Any) -> str | None:
    """The text of a string literal, or of a variable that is one; None where it is something else."""
    found = first(cursor, "STRING_LITERAL")
    if found is None:
        named = first(cursor, "DECL_REF_EXPR")
        of = named.referenced if named is not None else None
        found = first(of, "STRING_LITERAL") if of is not None and of.kind.name == "VAR_DECL" else None
    return None if found is None else unquoted(found.spelling)


def written_text(cursor: Any) -> str | None:
    """The text of an expression that is a string literal, or a variable that is one; None where it is another one."""
    inside = bare(cursor)
    return literal(inside) if inside.kind.name in ("STRING_LITERAL", "DECL_REF_EXPR") else None


def unquoted(spelling: str) -> str | None:
    """What a string literal of C++ says, as clang spells it."""
    raw = re.fullmatch(r'(?:u8)?R"(\w*)\((.*)\)\1"', spelling, re.DOTALL)
    if raw:
        return raw[2]
    try:
        said = ast.literal_eval("b" + spelling.removeprefix("u8"))
    except (SyntaxError, ValueError):
        return None
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else None


def is_of_binder(cursor: Any) -> bool:
    """Whether something is declared by pybind11, nanobind or Python's own headers."""
    file = cursor.location.file
    return file is not None and bool(_OWN.search(file.name))


def bound(type: Any) -> tuple[str, Sequence[Any]]:
    """The binder's class that a type is, and its template arguments: `("class_", (T, …))`; else `("", ())`."""
    canonical = type.get_canonical()
    if canonical.kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE"):
        canonical = canonical.get_pointee().get_canonical()
    found = _BOUND.match(canonical.spelling)
    if not found:
        return "", ()
    count = max(canonical.get_num_template_arguments(), 0)
    arguments = [canonical.get_template_argument_type(at) for at in range(count)]
    if found[1] == "def_visitor" and arguments:
        return bound(arguments[0])
    return found[1], arguments


def qualified(cursor: Any) -> str:
    """The name of a declaration with the namespaces and classes around it."""
    parts = [cursor.spelling]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind.name != "TRANSLATION_UNIT":
        if parent.kind.name not in ("LINKAGE_SPEC", "UNEXPOSED_DECL") and parent.spelling:
            parts.append(parent.spelling)
        parent = parent.semantic_parent
    return "::".join(reversed(parts))


def is_local(cursor: Any) -> bool:
    """Whether a declaration stands within a function."""
    parent = cursor.semantic_parent
    while parent is not None and parent.kind.name != "TRANSLATION_UNIT":
        if parent.kind.name in ("FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "FUNCTION_TEMPLATE"):
            return True
        parent = parent.semantic_parent
    return False


def bare_name(type: Any) -> str:
    """The canonical name of a type without references, pointers, `const` and `struct`."""
    canonical = type.get_canonical()
    while canonical.kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE", "POINTER"):
        canonical = canonical.get_pointee().get_canonical()
    return without_words(canonical.spelling)


def without_words(spelling: str) -> str:
    """The spelling of a type without `const` and `struct` before it."""
    return re.sub(r"^(?:(?:const|volatile|struct|class|union|enum) )+", "", spelling)


_WORDS = (
    "std const volatile unsigned signed long int short char bool double float void wchar_t char8_t char16_t char32_t "
    "auto struct class enum typename nullptr_t true false"
)
_NAME = re.compile(rf"(?<![\w:])(?!(?:{'|'.join(_WORDS.split())})\b)[A-Za-z_]\w*")


def shown(canonical: str) -> str:
    """A canonical type as a spec writes it: classes from the global namespace on, past those of the spec itself."""
    text = canonical.replace("(anonymous namespace)::", "").replace("std::basic_string<char>", "std::string")
    return _NAME.sub(r"::\g<0>", text)

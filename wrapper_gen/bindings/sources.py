"""The files of binding code: how they are parsed, and what of them is no binding and stands in the prelude."""

from __future__ import annotations

import importlib.util
import os
import re
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wrapper_gen.bindings.cursors import BINDERS, below, bound, is_of_binder, source
from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.headers.read import Clang, Source

_DECLARATIONS = (
    "FUNCTION_DECL", "FUNCTION_TEMPLATE", "STRUCT_DECL", "CLASS_DECL", "CLASS_TEMPLATE", "UNION_DECL", "ENUM_DECL",
    "TYPEDEF_DECL", "TYPE_ALIAS_DECL", "TYPE_ALIAS_TEMPLATE_DECL", "VAR_DECL", "USING_DIRECTIVE", "USING_DECLARATION",
    "NAMESPACE_ALIAS", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION",
    "LINKAGE_SPEC", "UNEXPOSED_DECL", "CONVERSION_FUNCTION", "STATIC_ASSERT",
)  # fmt: skip
_OF_BINDER = re.compile(r"^(?:pybind11|nanobind)/|^Python\.h$|^pybind11_|^nanobind")
_USES = ("TYPE_REF", "TEMPLATE_REF", "NAMESPACE_REF", "DECL_REF_EXPR", "MEMBER_REF_EXPR")
_INCLUDE = re.compile(rb'#\s*include\s*[<"]([^>"]+)[>"]')


def binder_folders(binder: str) -> list[str]:
    """The folders with the headers of pybind11 or nanobind as this Python has them, and with Python's own."""
    found = [sysconfig.get_paths()["include"]]
    spec = importlib.util.find_spec(binder)
    if spec is not None and spec.origin is not None:
        found.append(str(Path(spec.origin).parent / "include"))
    return found


def parsed(files: Sequence[str], source: Source, binder: str) -> tuple[list[Any], Clang]:
    """The translation units of these files.

    Raises:
        SpecError: one cannot be read, or does not parse (WG301).
    """
    assert binder in BINDERS
    clang = Clang(source)
    units, wrong = [], []
    for path in files:
        if not Path(path).is_file():
            wrong.append(Diagnostic("WG050", "there is no such file", Span(path, 1, 1)))
            continue
        try:
            units.append(clang.parse_file(path))
        except SpecError as error:
            wrong += error.diagnostics
    if wrong:
        raise SpecError(wrong)
    return units, clang


def includes(paths: Iterable[str]) -> list[str]:
    """What the files include, without the binder's headers; each as a spec names it."""
    found: dict[str, None] = {}
    for path in paths:
        for name in _INCLUDE.findall(source(path)):
            text = name.decode("utf-8", "replace")
            if not _OF_BINDER.search(text):
                found.setdefault(text)
    return list(found)


def header_folders(files: Iterable[str], included: Sequence[str], folders: Sequence[str], beside: str) -> list[str]:
    """The folders that the spec needs for these includes, as it names them."""
    own = [str(Path(each).parent) for each in files]
    found = [each for each in [*own, *folders] if any((Path(each) / name).is_file() for name in included)]
    return list(dict.fromkeys(Path(os.path.relpath(each, beside)).as_posix() for each in found))


class Prelude:
    """The declarations of the files that are no binding code, as they stand."""

    def __init__(self, left_out: set[str], trampolines: set[str]) -> None:
        self._left_out = left_out
        self._trampolines = trampolines
        self.dropped: list[Any] = []
        """Declarations that use the binder, and are not binding code: what needs them does not compile."""

    def text(self, units: Sequence[Any], paths: Sequence[str]) -> str:
        pieces: list[str] = []
        for unit, path in zip(units, paths, strict=True):
            pieces += self._pieces(unit.cursor, path)
        return "\n".join(pieces)

    def _pieces(self, cursor: Any, path: str) -> Iterator[str]:
        end = 0
        for each in cursor.get_children():
            file = each.location.file
            if file is None or file.name != path or each.extent.start.file is None:
                continue
            if each.kind.name == "MACRO_DEFINITION":
                if text := self._macro(each, path):
                    yield text
                continue
            if each.extent.start.offset < end or each.kind.name not in (*_DECLARATIONS, "NAMESPACE"):
                continue
            end = each.extent.end.offset
            if each.kind.name == "NAMESPACE":
                inside = "\n".join(self._pieces(each, path))
                if inside:
                    yield f"namespace {each.spelling} {{\n{inside}\n}}".replace("namespace  ", "namespace ")
            elif self._is_kept(each):
                yield _with_semicolon(path, each)

    def _macro(self, cursor: Any, path: str) -> str:
        text = source(path)[cursor.extent.start.offset : cursor.extent.end.offset].decode("utf-8", "replace")
        is_of_bindings = re.search(r"\b(def\w*|py|nb|pybind11|nanobind|class_|PYBIND11\w*|NB_\w+)\b", text)
        return "" if is_of_bindings else f"#define {text}"

    def _is_kept(self, cursor: Any) -> bool:
        usr, kind = cursor.get_usr(), cursor.kind.name
        if usr in self._left_out or usr in self._trampolines:
            return False
        if kind in ("USING_DIRECTIVE", "NAMESPACE_ALIAS", "USING_DECLARATION"):
            named = [each.referenced for each in below(cursor) if each.referenced is not None]
            return not any(is_of_binder(each) or each.spelling in BINDERS for each in named)
        if source(cursor.location.file.name)[cursor.extent.start.offset :].startswith((b"PYBIND11_", b"NB_")):
            return False
        if self._uses_binder(cursor):
            self.dropped.append(cursor)
            return False
        return True

    def _uses_binder(self, cursor: Any) -> bool:
        return any(
            each.referenced is not None and is_of_binder(each.referenced)
            for each in (cursor, *below(cursor))
            if each.kind.name in _USES
        ) or any(bound(each.type)[0] for each in cursor.get_children() if each.kind.name == "PARM_DECL")


def _with_semicolon(path: str, cursor: Any) -> str:
    data = source(path)
    text = data[cursor.extent.start.offset : cursor.extent.end.offset].decode("utf-8", "replace")
    kind = cursor.kind.name
    if kind in ("LINKAGE_SPEC",) or text.rstrip().endswith(";"):
        return text
    is_function = kind in (
        "FUNCTION_DECL",
        "FUNCTION_TEMPLATE",
        "CXX_METHOD",
        "CONSTRUCTOR",
        "DESTRUCTOR",
        "CONVERSION_FUNCTION",
    )
    return text if is_function and text.rstrip().endswith("}") else f"{text};"

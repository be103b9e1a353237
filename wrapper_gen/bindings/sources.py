"""The files of binding code: how they are parsed, and what of them is no binding and stands in the prelude."""

from __future__ import annotations

import importlib.util
import os
import re
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wrapper_gen.bindings.cursors import BINDERS, below, bound, is_of_binder, source, text_of
from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.frozen import replace
from wrapper_gen.headers.read import Clang, HeaderSource

_DECLARATIONS = (
    "FUNCTION_DECL", "FUNCTION_TEMPLATE", "STRUCT_DECL", "CLASS_DECL", "CLASS_TEMPLATE", "UNION_DECL", "ENUM_DECL",
    "TYPEDEF_DECL", "TYPE_ALIAS_DECL", "TYPE_ALIAS_TEMPLATE_DECL", "VAR_DECL", "USING_DIRECTIVE", "USING_DECLARATION",
    "NAMESPACE_ALIAS", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION",
    "LINKAGE_SPEC", "UNEXPOSED_DECL", "CONVERSION_FUNCTION", "STATIC_ASSERT",
)  # fmt: skip
_ERROR = 3  # of clang's severities
_STANDARD = (
    "algorithm", "array", "complex", "cstdint", "cstring", "deque", "functional", "list", "map", "memory", "optional",
    "set", "stdexcept", "string", "tuple", "unordered_map", "unordered_set", "utility", "variant", "vector",
)  # fmt: skip
_METHODS = ("CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "CONVERSION_FUNCTION", "FUNCTION_TEMPLATE", "FRIEND_DECL")
_FUNCTIONS = (*_METHODS, "FUNCTION_DECL")
_OF_BINDER = re.compile(r"^(?:pybind11|nanobind)/|^Python\.h$|^pybind11_|^nanobind")
_NAMES = ("USING_DIRECTIVE", "NAMESPACE_ALIAS", "USING_DECLARATION")
_USES = ("TYPE_REF", "TEMPLATE_REF", "NAMESPACE_REF", "DECL_REF_EXPR", "MEMBER_REF_EXPR")
_INCLUDE = re.compile(rb'#\s*include\s*[<"]([^>"]+)[>"]')


def binder_folders(binder: str) -> list[str]:
    """The folders with the headers of pybind11 or nanobind as this Python has them, and with Python's own."""
    found = [sysconfig.get_paths()["include"]]
    spec = importlib.util.find_spec(binder)
    if spec is not None and spec.origin is not None:
        found.append(str(Path(spec.origin).parent / "include"))
    return found


def parsed(files: Sequence[str], source: HeaderSource, binder: str) -> tuple[list[Any], Clang]:
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


def defined_first(units: Sequence[Any], paths: Sequence[str]) -> list[str]:
    """Macros that files define before headers of the library, and all their includes, as lines in their order.

    Empty where no file does that.
    """
    lines: list[str] = []
    has_macros = False
    for unit, path in zip(units, paths, strict=True):
        data, placed = source(path), []
        found = [each for each in _INCLUDE.finditer(data) if not _is_binders(each)]
        for each in found:
            placed.append((each.start(), f"#include <{each[1].decode('utf-8', 'replace')}>"))
        for each in _own_children(unit.cursor, path):
            if _is_early(each, path) and (text := _macro(each, path)):
                placed.append((each.extent.start.offset, text))
                has_macros = True
        lines += [line for _, line in sorted(placed)]
    return list(dict.fromkeys(lines)) if has_macros else []


def _is_early(cursor: Any, path: str) -> bool:
    """Whether a macro is defined before a header of the library."""
    found = [each.start() for each in _INCLUDE.finditer(source(path)) if not _is_binders(each)]
    is_macro = cursor.kind.name == "MACRO_DEFINITION"
    return bool(is_macro and found and cursor.extent.start.offset < found[-1])


def _is_binders(include: re.Match[bytes]) -> bool:
    return bool(_OF_BINDER.search(include[1].decode("utf-8", "replace")))


def missing_includes(said: HeaderSource, files: Sequence[str], included: Sequence[str], prelude: str) -> Sequence[str]:
    """Headers of C++ that the code needs and that only the binder's headers have included."""
    own = tuple(str(Path(each).parent) for each in files)
    clang = Clang(replace(said, folders=(*own, *said.folders)))
    wrong = []
    for more in ((), _STANDARD):
        text = "".join(f"#include <{each}>\n" for each in (*more, *included))
        unit = clang.parse(text + prelude, is_strict=False)
        wrong.append(sum(each.severity >= _ERROR for each in unit.diagnostics))
        if not wrong[0]:
            return ()
    return [each for each in _STANDARD if each not in included] if wrong[1] < wrong[0] else ()


class Prelude:
    """The declarations of the files that are no binding code, as they stand.

    Those that use the binder, and those that use these, are not among them.
    """

    def __init__(self, units: Sequence[Any], paths: Sequence[str]) -> None:
        self._units, self._paths = units, paths
        self._pieces = [each for unit, path in zip(units, paths, strict=True) for each in _declared(unit.cursor, path)]
        self._cut: dict[tuple[str, int, int], list[tuple[str, int, int]]] = {}
        self._dropped: set[tuple[str, int, int]] = set()
        left = [each for each in self._pieces if each.kind.name not in _NAMES]
        while more := [each for each in left if self._is_unusable(each)]:
            self._dropped |= set(map(_extent, more))
            left = [each for each in left if each not in more]
            for each in left:
                self._cut_members(each)

    def _is_unusable(self, cursor: Any) -> bool:
        """Whether a declaration uses the binder, or one that is dropped."""
        if not self._refers(cursor, self._cut.get(_extent(cursor), ())):
            return False
        return not self._cut_members(cursor)

    def _cut_members(self, cursor: Any) -> bool:
        """Leave out the methods of a class that cannot stand in the prelude, where it is no more than methods."""
        if cursor.kind.name not in ("STRUCT_DECL", "CLASS_DECL", "CLASS_TEMPLATE"):
            return False
        members = list(cursor.get_children())
        cut = [each for each in members if self._refers(each, ())]
        if any(each.kind.name not in _METHODS for each in cut):
            return False
        names = {each.spelling.partition("<")[0] for each in cut}
        while cut:
            words = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\s*\(")
            more = [each for each in members if each not in cut and each.kind.name in _METHODS and _calls(each, words)]
            if not more:
                break
            cut += more
            names |= {each.spelling.partition("<")[0] for each in more}
        extents = [_with_spaces(each) for each in cut]
        self._cut[_extent(cursor)] = extents
        self._dropped |= set(extents)
        return True

    def _refers(self, cursor: Any, but: Sequence[tuple[str, int, int]]) -> bool:
        """Whether a declaration refers to the binder or to what is dropped, outside of some parts of it."""
        if any(bound(each.type)[0] for each in cursor.get_children() if each.kind.name == "PARM_DECL"):
            return True
        own = _extent(cursor)
        for each in (cursor, *below(cursor)):
            to = each.referenced if each.kind.name in _USES else None
            if to is None or to.location.file is None or any(s <= each.location.offset < e for _, s, e in but):
                continue
            at = (to.location.file.name, to.location.offset)
            is_own = at[0] == own[0] and own[1] <= at[1] < own[2]
            if is_of_binder(to) or (at[0] in self._paths and not is_own and self._is_within(at)):
                return True
        return False

    def is_dropped(self, cursor: Any) -> bool:
        """Whether a declaration is in a part of the files that does not stand in the prelude."""
        file = cursor.location.file
        return file is not None and self._is_within((file.name, cursor.location.offset))

    def text(self, left_out: set[str]) -> str:
        """All of it; `left_out` are the USRs of what is binding code, or stands elsewhere."""
        pieces: list[str] = []
        for unit, path in zip(self._units, self._paths, strict=True):
            pieces += self._texts(unit.cursor, path, left_out)
        return "\n".join(pieces)

    def _is_within(self, at: tuple[str, int]) -> bool:
        return any(path == at[0] and start <= at[1] < end for path, start, end in self._dropped)

    def _texts(self, cursor: Any, path: str, left_out: set[str]) -> Iterator[str]:
        for each in _own_children(cursor, path):
            if each.kind.name == "MACRO_DEFINITION":
                if not _is_early(each, path) and (text := _macro(each, path)):
                    yield text
            elif each.kind.name == "NAMESPACE":
                if inside := "\n".join(self._texts(each, path, left_out)):
                    yield f"{f'namespace {each.spelling}'.rstrip()} {{\n{inside}\n}}"
            elif each.get_usr() not in left_out and _is_kept(each) and not self.is_dropped(each):
                yield _with_semicolon(path, each, self._cut.get(_extent(each), ()))


def _own_children(cursor: Any, path: str) -> Iterator[Any]:
    """The declarations and macros of one file; of several in one place, as a struct with its variable, the first."""
    end = 0
    for each in cursor.get_children():
        file = each.location.file
        if file is None or file.name != path or each.extent.start.file is None:
            continue
        if each.kind.name == "MACRO_DEFINITION":
            yield each
        elif each.extent.start.offset >= end and each.kind.name in (*_DECLARATIONS, "NAMESPACE"):
            end = each.extent.end.offset
            yield each


def _declared(cursor: Any, path: str) -> Iterator[Any]:
    """The same without namespaces and macros."""
    for each in _own_children(cursor, path):
        if each.kind.name == "NAMESPACE":
            yield from _declared(each, path)
        elif each.kind.name != "MACRO_DEFINITION":
            yield each


def _extent(cursor: Any) -> tuple[str, int, int]:
    return cursor.extent.start.file.name, cursor.extent.start.offset, cursor.extent.end.offset


def _macro(cursor: Any, path: str) -> str:
    text = source(path)[cursor.extent.start.offset : cursor.extent.end.offset].decode("utf-8", "replace")
    is_of_bindings = re.search(r"\b(def\w*|py|nb|pybind11|nanobind|class_|PYBIND11\w*|NB_\w+)\b", text)
    return "" if is_of_bindings else f"#define {text}"


def _is_kept(cursor: Any) -> bool:
    if cursor.kind.name in _NAMES:
        named = [each.referenced for each in below(cursor) if each.referenced is not None]
        return not any(is_of_binder(each) or each.spelling in BINDERS for each in named)
    data = source(cursor.location.file.name)
    return not data[cursor.extent.start.offset :].startswith((b"PYBIND11_", b"NB_"))


def _calls(cursor: Any, words: re.Pattern[str]) -> bool:
    body = next((each for each in cursor.get_children() if each.kind.name == "COMPOUND_STMT"), None)
    return body is not None and bool(words.search(text_of(body)))


def _with_spaces(cursor: Any) -> tuple[str, int, int]:
    """A member's place, with the semicolon behind it."""
    path, start, end = _extent(cursor)
    more = re.match(rb"\s*;", source(path)[end:])
    return path, start, end + (more.end() if more else 0)


def _with_semicolon(path: str, cursor: Any, cut: Sequence[tuple[str, int, int]] = ()) -> str:
    data, out, at = source(path), b"", cursor.extent.start.offset
    for _, start, end in sorted(cut):
        out += data[at:start]
        at = end
    end = cursor.extent.end.offset
    kind = cursor.kind.name
    is_whole = kind == "LINKAGE_SPEC" or (kind in _FUNCTIONS and data[:end].rstrip().endswith(b"}"))
    if not is_whole and (closing := data.find(b";", end)) >= 0:
        end = closing + 1  # with further variables of the same statement
    return (out + data[at:end]).decode("utf-8", "replace")

"""Reads headers with libclang, with the include folders of the machine's compiler.

Whatever clang calls an error ends it: what is read of a header that does not parse is not what the library has.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Span, SpecError, ToolchainError
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.headers import compilers
from wrapper_gen.headers.comments import Comments, shared
from wrapper_gen.headers.constants import constants
from wrapper_gen.headers.cursors import Reader
from wrapper_gen.headers.declarations import CFunction, Doc, Enum, Headers, Record
from wrapper_gen.headers.doxygen_groups import macro_groups

_MAIN = "headers"  # the name of the file that includes them all, which is only in memory
_AFTER = "after_headers"
_ERROR = 3  # of clang's severities
_INSTALL = "pip install 'wrapper-gen[import]'"
_WITH_MACROS = 1
_DETAILED = _WITH_MACROS | 64  # macros, and nothing of functions' bodies


@frozen
class HeaderSource:
    """Which headers to read, and how.

    `ours` are patterns (as `re.search` reads them) of the paths of files that are the library's, too: by default those
    that are named, and the folder of the same name, or that they are in, below a folder of headers.
    """

    headers: tuple[str, ...]
    language: str = "c"
    standard: str = ""
    defines: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    text_before: str = ""
    """C++ that stands before the includes: what a header needs and does not include."""

    @property
    def text(self) -> str:
        return self.text_before + "".join(f"#include <{each}>\n" for each in self.headers)

    @property
    def arguments(self) -> list[str]:
        standard = self.standard or ("gnu11" if self.language == "c" else "gnu++17")
        return [
            *("-x", self.language, f"-std={standard}", "-nostdinc", "-ferror-limit=0"),
            *("-fparse-all-comments", "-fretain-comments-from-system-headers"),
            *(f"-I{each}" for each in self.folders),
            *(part for each in compilers.include_folders(self.language) for part in ("-isystem", each)),
            *(f"-D{each}" for each in self.defines),
        ]


_ONLY_CPP = re.compile(r"^\s*(class|namespace|inline namespace|template|using|public|private|constexpr|virtual)\b")
_VECTORS = re.compile(r"/\w*(intrin|intrin_\w+)\.h$")
"""The compiler's headers for vector instructions."""
_NO_VECTORS = (
    "libclang cannot read vector instructions: switch them off by the library's macro, as --define "
    "EIGEN_DONT_VECTORIZE; one error stands for all of these"
)


def _line(path: str, number: int) -> str:
    """A line of a file; empty where there is none."""
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            return next((line for at, line in enumerate(file, 1) if at == number), "")
    except OSError:
        return ""


class Clang:
    """One use of libclang: parses what includes the headers, and says what is wrong with them."""

    def __init__(self, source: HeaderSource) -> None:
        self.source = source
        self.cindex = _cindex()
        self._index = self.cindex.Index.create()

    def parse(self, more: str = "", *, options: int = 0, is_strict: bool = True) -> Any:
        """A translation unit of the headers and `more` after them."""
        files = [(_MAIN, self.source.text + more)]
        try:
            unit = self._index.parse(_MAIN, args=self.source.arguments, unsaved_files=files, options=options)
        except self.cindex.TranslationUnitLoadError as error:
            raise SpecError([self._refused_options()]) from error
        if is_strict:
            self._refuse(unit)
        return unit

    def parse_after(self, unit: Any, text: str) -> Any:
        """A translation unit of `text` alone, which knows all that another one of this source has declared.

        Clang reads what it has written of that one, since reading the headers again takes as long as at first.
        """
        with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
            known = str(Path(folder) / f"{_MAIN}.pch")
            unit.save(known)
            arguments = [*self.source.arguments, "-include-pch", known]
            try:
                return self._index.parse(_AFTER, args=arguments, unsaved_files=[(_AFTER, text)])
            except self.cindex.TranslationUnitLoadError as error:  # of headers with errors, clang takes nothing back
                self._refuse(unit)
                raise SpecError([self._refused_options()]) from error

    def parse_file(self, path: str, text: bytes | None = None) -> Any:
        """The translation unit that a source file is, with the bodies of its functions and its macros.

        With `text`, the file is read as if it had this one.
        """
        files = [] if text is None else [(path, text.decode("utf-8", "replace"))]
        try:
            unit = self._index.parse(path, args=self.source.arguments, unsaved_files=files, options=_WITH_MACROS)
        except self.cindex.TranslationUnitLoadError as error:
            raise SpecError([Diagnostic("WG050", "the file cannot be read", Span(path, 1, 1))]) from error
        self._refuse(unit, "file", path)
        return unit

    def reader(self) -> Reader:
        """What makes plain data of cursors and types of units that this has parsed."""
        return Reader(self.cindex, self.source.language, _Ours(self.source))

    def _refuse(self, unit: Any, what: str = "header", main: str = _MAIN) -> None:
        wrong = [each for each in unit.diagnostics if each.severity >= _ERROR]
        if wrong:
            found = [self._diagnostic(each, what, main) for each in wrong]
            first = next((each for each in found if each.hint == _NO_VECTORS), None)
            raise SpecError([each for each in found if each is first or each.hint != _NO_VECTORS])

    def _advice(self, spelling: str, path: str, number: int) -> str:
        """What to do about an error."""
        line = _line(path, number)
        is_c, is_missing = self.source.language == "c", "file not found" in spelling
        if is_c and (re.search(r"'\w+' file not found", spelling) or (not is_missing and _ONLY_CPP.search(line))):
            return "it is a header of C++: --lang cpp"
        if is_missing and path in self.source.headers and Path(path).is_file():
            return "C does not look in this folder: add --include ."
        if is_missing and path in self.source.headers:
            return f"name it by its path, such as include/{Path(path).name}, or install what has it"
        if is_missing:
            return "name its folder with --include, or install what has it"
        if spelling.startswith("unknown type name") or re.match(r"\s*#\s*error\b", line):
            return "a header that has to be included first, a macro (--define) or --std may be missing"
        if re.search(r"__builtin_ia32|definition of builtin function '_", spelling) or _VECTORS.search(path):
            return _NO_VECTORS
        return ""

    def _refused_options(self) -> Diagnostic:
        """What is wrong where clang reads nothing at all: its options."""
        standard, language = self.source.standard, self.source.language
        other = "c" if language == "c++" else "cpp"
        what = f"clang does not read {'C' if language == 'c' else 'C++'}" + (f" as {standard}" if standard else "")
        return Diagnostic("WG301", what, Span(self.source.headers[0], 1, 1), f"name another --std, or --lang {other}")

    def _diagnostic(self, said: Any, what: str, main: str) -> Diagnostic:
        at, path = said.location, said.location.file.name if said.location.file else main
        if path == _MAIN and 0 < at.line <= len(self.source.headers):
            path = self.source.headers[at.line - 1]
            span = Span(path, 1, 1)
        else:
            span = Span(path, at.line or 1, at.column or 1)
        advice = self._advice(said.spelling, path, at.line)
        return Diagnostic("WG301", f"the {what} does not parse: {said.spelling}", span, advice)


def read(source: HeaderSource) -> Headers:
    """Everything that these headers declare."""
    clang = Clang(source)
    unit = clang.parse(options=_DETAILED)
    reader = Reader(clang.cindex, source.language, _Ours(source))
    found = reader.read(unit)
    known = constants(clang, unit, reader)
    others = {name: "" for name in reader.macros if name not in known}
    found = replace(found, constants=known, macro_texts={**reader.macro_texts, **others})
    return _with_docs(found, reader)


def _cindex() -> Any:
    try:
        from clang import cindex
    except ImportError as error:
        why = "libclang, which reads headers, is not installed"
        raise ToolchainError(Diagnostic("WG302", why, Span("libclang", 1, 1), _INSTALL)) from error
    try:
        cindex.Index.create()  # loads it
    except cindex.LibclangError as error:
        why = f"libclang cannot be loaded: {str(error).splitlines()[0]}"
        raise ToolchainError(Diagnostic("WG302", why, Span("libclang", 1, 1), _INSTALL)) from error
    return cindex


class _Ours:
    """Which files are the library's."""

    def __init__(self, source: HeaderSource) -> None:
        self._names = source.headers
        self._folders = {name for each in source.headers for name in _folders_of(each)}
        self._patterns = [re.compile(each) for each in source.ours]
        self._known: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        if path not in self._known:
            self._known[path] = self._is_ours(path)
        return self._known[path]

    def _is_ours(self, path: str) -> bool:
        if self._patterns:
            return any(each.search(path) for each in self._patterns)
        slashed = f"/{path}"
        return any(slashed.endswith(f"/{each}") for each in self._names) or any(
            f"/{each}/" in slashed for each in self._folders
        )

    def shown(self, path: str) -> str:
        """A header as an `#include` names it."""
        for each in self._names:
            if f"/{path}".endswith(f"/{each}"):
                return each
        for each in self._folders:
            if f"/{each}/" in f"/{path}":
                return each + f"/{path}".rpartition(f"/{each}")[2]
        return path.rpartition("/include/")[2] or path


def _folders_of(header: str) -> Iterator[str]:
    """`geo/all.h` is of the folder `geo`; `geo.h` has a folder `geo` beside it, also where it is a whole path."""
    folder, _, name = header.rpartition("/")
    beside = name.partition(".")[0]
    yield f"{folder}/{beside}".lstrip("/") if header.startswith("/") else folder or beside


def _with_docs(found: Headers, reader: Reader) -> Headers:
    """These declarations with their comments."""
    docs = _docs(reader.extents)
    groups = macro_groups(reader.extents)

    def documented(function: CFunction) -> CFunction:
        return replace(function, doc=docs.get(function.key, Doc()))

    records: dict[str, Record] = {}
    for name, each in found.records.items():
        fields = tuple(replace(f, doc=docs.get(f"{each.key}.{f.name}", Doc())) for f in each.fields)
        functions = tuple(map(documented, each.functions))
        doc = docs.get(each.key) or docs.get(f"{each.key};", Doc())  # of the definition, or a declaration before it
        records[name] = replace(each, doc=doc, fields=fields, functions=functions)
    enums: dict[str, Enum] = {}
    for name, enum in found.enums.items():
        values = tuple(replace(v, doc=docs.get(f"{enum.key}.{v.name}", Doc())) for v in enum.values)
        enums[name] = replace(enum, doc=docs.get(enum.key, Doc()), values=values)
    return replace(
        found,
        functions=tuple(map(documented, found.functions)),
        records=records,
        enums=enums,
        typedefs={k: replace(v, doc=docs.get(v.key, Doc())) for k, v in found.typedefs.items()},
        constants={
            k: replace(v, doc=docs.get(v.key, Doc()), group=groups.get(v.key)) for k, v in found.constants.items()
        },
    )


def _docs(extents: Mapping[str, tuple[str, int, int]]) -> dict[str, Doc]:
    """The comments of what stands at these places: `{key: (path, start, end)}`."""
    by_file: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for key, (path, start, end) in extents.items():
        by_file[path].append((start, end, key))
    found: dict[str, Doc] = {}
    for path, placed in by_file.items():
        comments = Comments(Path(path).read_bytes())
        placed.sort(key=lambda each: (each[0], -each[1]))
        own = [
            (start, end, comments.of(start, end, is_statement=_is_statement(key), is_class=_is_class(key)))
            for start, end, key in placed
        ]
        found.update(zip((key for _, _, key in placed), shared(own, comments), strict=True))
    return found


def _is_class(key: str) -> bool:
    """Whether what has this key is a struct, a class or a union."""
    return key.startswith(("struct ", "class ", "union ")) and "." not in key


def _is_statement(key: str) -> bool:
    """Whether what has this key ends with a semicolon: macros and the values of enums do not."""
    return not key.startswith("#") and not (key.startswith("enum ") and "." in key)

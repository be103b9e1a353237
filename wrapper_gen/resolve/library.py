"""How to compile against the library: includes, paths, requirements, further sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from wrapper_gen import disk, names
from wrapper_gen.diagnostics import Span
from wrapper_gen.model import (
    Code,
    Folders,
    Library,
    LibraryInit,
    PkgConfig,
    PythonPackage,
    PythonSource,
    Requirement,
    Source,
)
from wrapper_gen.resolve.blocking import check_blocking
from wrapper_gen.resolve.scope import Map, Scope

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl")
_HEADER = re.compile(r'[^<>"\x00-\x1f\x7f]+|<[^<>"\x00-\x1f\x7f]+>|"[^"\x00-\x1f\x7f]+"')
_IN_QUOTES = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
PYTHON = (".py", ".pyi")
"""What the names of Python files end in."""
_STANDARD = 17
_MOST_BYTES = 16 << 20  # of a source; as much as of a spec


def resolve_library(lib: Map, scope: Scope, python_sources: tuple[PythonSource, ...]) -> Library:
    """What `wrapper_lib` says about building."""
    check_blocking(lib, scope)
    return Library(
        includes=_includes(lib, scope),
        link=tuple(n for n in scope.texts(lib, "link") if n.strip()),
        requires=tuple(_requirements(lib, scope)),
        dynamic=scope.texts(lib, "dynamic"),
        sources=_sources(lib, scope),
        cpp_std=int(lib.get("std") or _STANDARD),
        compile_args=scope.texts(lib, "compile_args"),
        link_args=scope.texts(lib, "link_args"),
        optional=bool(lib.get("optional")),
        init=_init(lib, scope),
        python_sources=python_sources,
        places=tuple(_places(lib, scope)),
    )


def read_prelude(container: Map, scope: Scope) -> Code | None:
    """The `cpp_prelude` of a mapping. It stands in a file of the package: quotes find files of the package first."""
    code = scope.code(container, "cpp_prelude")
    for found in _IN_QUOTES.finditer(code.text) if code else ():
        if code and found[1] in names.FILES_OF_CPP:
            line = code.span.line + code.text.count("\n", 0, found.start()) * code.literal
            scope.error(
                "WG021",
                f"{found[1]!r} is also a file of the package, which quotes find first",
                code.span._replace(line=line, column=1, end_column=1) if code.literal else code.span,
                f"include that of the library by angle brackets: #include <{found[1]}>",
            )
    return code


def _places(lib: Map, scope: Scope) -> Iterator[tuple[str, Span]]:
    for key in ("cpp_include", "link"):
        listed = lib.get(key)
        for i, name in enumerate(scope.texts(lib, key)):
            yield name.strip(), scope.document.span(listed, i) if isinstance(listed, list) else scope.span(lib, key)
    if lib:
        said = next((key for key in ("requires", "link", "cpp_include", "name") if lib.get(key)), None)
        yield "", scope.document.key_span(lib, said) if said else scope.document.start(lib)


def _init(lib: Map, scope: Scope) -> LibraryInit | None:
    """What starts and ends the library; a bare name is called."""
    init, shutdown = scope.code(lib, "init"), scope.code(lib, "shutdown")
    return LibraryInit(init, scope.names.raises.get(""), shutdown) if init or shutdown else None


def _includes(lib: Map, scope: Scope) -> tuple[str, ...]:
    """Headers, in quotes or angle brackets where the spec has them so."""
    listed = lib.get("cpp_include")
    spans = [scope.document.span(listed, i) for i in range(len(listed))] if isinstance(listed, list) else []
    found = []
    for i, text in enumerate(scope.texts(lib, "cpp_include")):
        header = text.strip()
        if header and not _HEADER.fullmatch(header):
            span = spans[i] if spans else scope.span(lib, "cpp_include")
            scope.error("WG013", f"{header!r} is not the name of a header", span, 'write name.h, <name.h> or "name.h"')
        found.append(header)
    return tuple(filter(None, found))


def _requirements(lib: Map, scope: Scope) -> Iterator[Requirement]:
    listed = lib.get("requires")
    for each in listed if isinstance(listed, list) else filter(None, [listed]):
        if not isinstance(each, dict):
            yield PkgConfig(str(each).strip())
            continue
        package, dirs = scope.text(each, "python"), scope.texts(each, "dirs")
        yield PythonPackage(package, dirs) if package else Folders(dirs)


def _sources(lib: Map, scope: Scope) -> tuple[Source, ...]:
    taken: set[str] = set()
    listed = scope.texts(lib, "sources")
    found = (_source(lib, i, taken, scope) for i, name in enumerate(listed) if not name.endswith(PYTHON))
    return tuple(source for source in found if source)


def _source(lib: Map, index: int, taken: set[str], scope: Scope) -> Source | None:
    """One further source: copied into the package, so that the package builds on its own."""
    listed = lib["sources"]
    name = scope.document.text(listed, index)
    span = scope.document.span(listed, index)
    base = PurePosixPath(name).name
    if base in taken:
        scope.error("WG022", f"two sources are named {base!r}", span, "rename one: they come to lie in one folder")
    taken.add(base)
    text = read_source(name, span, scope)
    return None if text is None else Source(base, name, text, compiled=not base.endswith(_HEADERS))


def read_source(name: str, span: Span, scope: Scope) -> str | None:
    """The text of a file of the user's, or None after reporting why there is none."""
    path = scope.document.path.parent / name
    try:
        return disk.read_regular(path, _MOST_BYTES).decode("utf-8")
    except (OSError, ValueError) as error:
        message = f"cannot read the source {name!r}: {disk.why_not_read(error)}"
        scope.error("WG050", message, span, "the path is relative to the spec")
        return None

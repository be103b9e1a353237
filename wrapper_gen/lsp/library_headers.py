"""The headers that a spec names: which they are, read once in the background, and again when one has changed."""

from __future__ import annotations

import importlib.util
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from wrapper_gen.diagnostics import Diagnostic, SpecError, ToolchainError
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.headers import Headers, HeaderSource, compilers, read
from wrapper_gen.lsp.declared_in_c import DeclaredInC
from wrapper_gen.lsp.outline import Outline, OutlineNode

_STANDARDS = ("17", "20", "23", "26")
_MOST_KEPT = 16
"""Sets of headers that are kept: while `cpp_include` is typed, there is a new one with each word."""
_LOOK_AGAIN = 1.0
"""Seconds for which the times of files are taken as known."""


@frozen
class NamedHeaders:
    """The headers that a spec names: how they are read, where they are, and which are nowhere."""

    source: HeaderSource
    paths: Mapping[str, Path]
    missing: tuple[str, ...]


def named_headers(outline: Outline, spec: Path) -> NamedHeaders:
    """The headers of a spec, as far as it says which."""
    lib = outline.root.get("wrapper_lib") or OutlineNode(0, 0)
    is_c = lib.said("lang") == "c"
    options = [word for each in lib.listed("requires") if each.is_scalar for word in _pkg_config(each.text)]
    options += [each.text for each in lib.listed("compile_args") if each.is_scalar]
    folders = [*_folders(lib, spec.parent), *(word[2:] for word in options if word.startswith("-I"))]
    names = [
        each.text.strip().strip("<>") for each in lib.listed("cpp_include") if each.is_scalar and each.text.strip()
    ]
    if is_c:  # those of C++ are for code of the spec
        names = [each for each in names if Path(each).suffix]
    language = "c" if is_c else "c++"
    found = {name: path for name in names if (path := _located(name, folders, language))}
    source = HeaderSource(
        headers=tuple(found),
        language=language,
        standard="" if is_c else f"gnu++{lib.said('std') if lib.said('std') in _STANDARDS else 17}",
        defines=tuple(word[2:] for word in options if word.startswith("-D")),
        folders=tuple(dict.fromkeys(folders)),
        ours=tuple(_ours(found, folders)) if folders else (),
    )
    return NamedHeaders(source, found, tuple(each for each in names if each not in found))


def _ours(headers: Iterable[str], folders: list[str]) -> Iterator[str]:
    """Patterns of the library's files: those that the spec names, and all that lie in its folders."""
    yield from (rf"(?:^|/){re.escape(each)}$" for each in headers)
    yield from (rf"(?:^|/){re.escape(each.rpartition('/')[0])}/" for each in headers if "/" in each)
    yield from (f"^{re.escape(each)}/" for each in folders)


@lru_cache(maxsize=64)
def _pkg_config(name: str) -> tuple[str, ...]:
    try:
        return tuple(compilers.pkg_config(name) or ()) if name and not name.startswith("-") else ()
    except (ToolchainError, ValueError):
        return ()


def _folders(lib: OutlineNode, folder: Path) -> Iterator[str]:
    """Folders with headers, in the order of the spec; those of its own sources are searched, too."""
    for each in lib.listed("requires"):
        if each.pairs is None:
            continue
        roots = _package_folders(each.said("python")) if each.said("python") else (folder,)
        for path in each.listed("dirs"):
            for root in roots:
                found = root / Path(os.path.expandvars(path.text)).expanduser()
                if path.text and found.is_dir():
                    yield os.path.normpath(found)
    for each in lib.listed("include_paths"):  # of earlier versions
        if each.is_scalar and each.text:
            yield os.path.normpath(folder / os.path.expandvars(each.text))
    for each in lib.listed("sources"):
        if each.is_scalar and each.text:
            yield os.path.normpath((folder / each.text).parent)


@lru_cache(maxsize=64)
def _package_folders(name: str) -> tuple[Path, ...]:
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return ()
    return tuple(Path(each) for each in (found.submodule_search_locations or ())) if found else ()


def _located(name: str, folders: list[str], language: str) -> Path | None:
    try:
        everywhere = [*folders, *compilers.include_folders(language)]
    except ToolchainError:
        everywhere = folders
    try:
        return next((path for folder in everywhere if (path := Path(folder, name)).is_file()), None)
    except (OSError, ValueError):
        return None


class _ReadHeaders:
    """What is known of some headers: the last reading, when the files had been changed, and what was wrong."""

    def __init__(self) -> None:
        self.found: DeclaredInC | None = None
        self.problem = ""
        self.times: dict[str, int] = {}
        self.looked_at = 0.0
        self.running: Future[None] | None = None


class HeaderReader:
    """Reads headers in a thread of its own; keeps what it has read until a file changes."""

    def __init__(self, tell: Callable[[], None] = lambda: None) -> None:
        self._entries: dict[HeaderSource, _ReadHeaders] = {}
        self._one_at_a_time = threading.Lock()
        self._tell = tell

    def known(self, named: NamedHeaders) -> DeclaredInC | None:
        """What these headers declare, as far as that is read by now; what is out of date is read again."""
        return self._entry(named).found

    def problem(self, named: NamedHeaders) -> str:
        """Why nothing is known of these headers; empty while they are read."""
        return self._entry(named).problem

    def reading(self, named: NamedHeaders) -> Future[None] | None:
        """What is done when these headers are read; None where they are."""
        running = self._entry(named).running
        return None if running is None or running.done() else running

    def _entry(self, named: NamedHeaders) -> _ReadHeaders:
        entry = self._entries.setdefault(named.source, _ReadHeaders())
        if len(self._entries) > _MOST_KEPT:
            del self._entries[next(iter(self._entries))]
        if not named.source.headers or (entry.running is not None and not entry.running.done()):
            return entry
        now = time.monotonic()
        is_first = entry.running is None
        if is_first or now - entry.looked_at > _LOOK_AGAIN:
            entry.looked_at = now
            if is_first or _times(entry.times) != entry.times:
                entry.running = Future()
                threading.Thread(target=self._run, args=(named, entry, entry.running), daemon=True).start()
        return entry

    def _run(self, named: NamedHeaders, entry: _ReadHeaders, done: Future[None]) -> None:
        """In a thread that no exit waits for: large headers take long, and libclang cannot be stopped."""
        with self._one_at_a_time:
            self._read(named, entry)
        with suppress(InvalidStateError):  # who waited for it is gone
            done.set_result(None)
        self._tell()

    def _read(self, named: NamedHeaders, entry: _ReadHeaders) -> None:
        before = entry.times = _times(str(path) for path in named.paths.values())
        try:
            found = DeclaredInC(read_as(named.source))
        except SpecError as error:
            entry.found, entry.problem = None, _said(error.diagnostics[0])
        except ToolchainError as error:
            entry.found, entry.problem = None, _said(error.diagnostic)
        except Exception as error:  # of libclang's
            entry.found, entry.problem = None, f"{type(error).__name__}: {error}"
        else:
            entry.times = {**_times({each.place.path for each in found.headers.declarations()}), **before}
            entry.found, entry.problem = found, ""


def _said(wrong: Diagnostic) -> str:
    place = f"{wrong.span}: " if wrong.span.end_column or wrong.span.line > 1 else ""
    return f"{place}{wrong.message}" + f"\n{wrong.hint}" * bool(wrong.hint)


def read_as(source: HeaderSource) -> Headers:
    """What these headers declare; those of C that are written for C++, too, in that language."""
    try:
        return read(source)
    except SpecError:
        if source.language != "c":
            raise
    return read(replace(source, language="c++", standard=""))


def _times(files: Iterable[str]) -> dict[str, int]:
    found = {}
    for each in files:
        try:
            found[each] = Path(each).stat().st_mtime_ns
        except OSError:
            found[each] = 0
    return found

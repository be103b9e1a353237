"""The runtime's functions that are no templates, compiled once for a machine: see `wg/base/once.hpp`.

A package's units have declarations of them, and are linked with their object. It lies in the cache folder, for all
packages with the same text of the runtime, compiler, flags and Python. It is copied from there before it is compared
with its record: another build may write it meanwhile. Where a folder with a library's headers has one by the name of
what the object read, the package has an object of its own, compiled with those folders. It also has one where a flag
may name a file by its place from the package's folder: there may be another one of that name beside each package.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from ._dependencies import RECORD, digest, read_by
from ._incremental import Store, Unit, included_of_runtime, made_by
from ._toolchain import HERE, LOADED_FUNCTIONS, PACKAGE, RUNTIME, Extension, Tools, cache_for_all, relative, run

APART = "-DWG_RUNTIME_APART"
"""Makes a unit that is linked with the object."""
_MOST = 16
"""So many objects are kept on a machine."""
_SECTIONS = ("-ffunction-sections", "-fdata-sections")
"""Let the linker leave out what a package does not call."""
_RUNTIME_FOLDER = f"-I{relative(RUNTIME, HERE)}"
_FOLDERS = ("-iquote", ".", "-iquote", RUNTIME.name if RUNTIME.parent == HERE else str(RUNTIME))
"""Where the runtime's headers lie: among others there may be some with names of the system's.

The places of those that a package carries are relative to it: its asserts have them, and so have those of all packages.
"""
_SEARCHED = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
"""Environment variables that say where the compiler looks for headers."""
_SAME_ANYWHERE = re.compile(
    r"-(?:[DU]\S.*|O\w*|std(?:lib)?=.*|-target=.*|-param=.*|[gm][\w=+,-]*|f(?!auto-profile|modul|plugin|profile)[\w=+,-]*|W(?!p,)[\w=+-]*|pipe|pthread|w)"
    r"|(?:-I|-isystem|-iquote|-idirafter|-include|-B|--sysroot=)?/.*|-isystem|-iquote|-idirafter|-include"
)
"""Words of a command that name no file, or one by its whole path."""
_ABOVE = re.compile(r"\A(?://.*\n)+")


class RuntimeObject:
    """The object for one package."""

    def __init__(self, extension: Extension, tools: Tools, folders: Sequence[Path], units: tuple[Unit, Unit]) -> None:
        """`folders` have the library's headers; of the two units, which are the package's, the second has them, too."""
        self._extension, self._folders = extension, [*folders, HERE / "sources"]
        self._target, self._source = tools.work / "runtime.o", tools.work / "runtime.cpp"
        self._text = included_of_runtime(units[0].source)
        own = [word for word in units[1].command if not word.startswith("-DWG_UNIT")]
        common = [word for word in units[0].command if not _is_of_package(word, extension)]
        self._common, self._own = [*common, *_FOLDERS], own
        headers_in = RUNTIME if RUNTIME.parent == HERE else RUNTIME / "wg"
        headers = [[os.path.relpath(path, RUNTIME), _code(path)] for path in sorted(headers_in.glob("**/*.hpp"))]
        searched = [os.environ.get(name, "") for name in _SEARCHED]
        self._known = [_SECTIONS, self._text, headers, searched]
        is_same_anywhere = all(map(_SAME_ANYWHERE.fullmatch, common[len(tools.cxx) :]))
        self._keys = {False: self._key(common, "" if is_same_anywhere else str(HERE)), True: self._key(own, str(HERE))}
        folder = cache_for_all("runtimes")
        self._store, self._folder = Store(folder) if folder else None, folder

    @cached_property
    def is_there(self) -> bool:
        """Whether it is as it was made in the cache, from where it is taken then."""
        read = self._taken(is_own=False)
        if read is None:
            return False
        return not self._is_hidden(read) or self._taken(is_own=True) is not None

    def make(self) -> str:
        """Compile it, and keep it for other builds."""
        read = self._taken(is_own=False)
        if self._is_hidden(self._made(is_own=False) if read is None else read):
            self._made(is_own=True)
        return str(self._target)

    @property
    def path(self) -> str:
        return str(self._target)

    def _key(self, command: Sequence[str], place: str) -> str:
        known = [made_by(command), place, *self._known]
        return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:32]

    def _taken(self, *, is_own: bool) -> Mapping[str, str] | None:
        """What the object in the cache read; None where there is none that is as it was made."""
        if self._store is None or self._folder is None:
            return None
        key = self._keys[is_own]
        found = self._store.found(key, lambda path: Path(shutil.copy(path, self._target)))
        if found is None:
            return None
        with suppress(OSError):
            os.utime(self._folder / f"{key}.json")
        return found[1]

    def _made(self, *, is_own: bool) -> Mapping[str, str]:
        """What it read."""
        started = time.time()
        self._source.write_text(self._text, encoding="utf-8")
        command = [*(self._own if is_own else self._common), *_SECTIONS, "-DWG_RUNTIME_OBJECT"]
        run(self._extension, [*command, *RECORD, str(self._record), "-c", str(self._source), "-o", str(self._target)])
        own = (RUNTIME, self._source.parent)
        read = [name for name in read_by(self._record) if not any(map(Path(name).is_relative_to, own))]
        files = {name: digest(Path(name)) for name in read}
        is_certain = all(Path(name).stat().st_mtime < started for name in read)
        if self._store is not None and self._folder is not None and is_certain:
            self._store.keep(self._keys[is_own], self._target, files)
            _forget_old(self._folder)
        return files

    def _is_hidden(self, read: Iterable[str]) -> bool:
        """Whether a library's folder may have another file in the place of one of these."""
        for folder in self._folders:
            for path in map(Path, read):
                names = (Path(*path.parts[start:]) for start in range(1, len(path.parts)))
                if any((folder / name).is_file() and not (folder / name).samefile(path) for name in names):
                    return True
        return False

    @property
    def _record(self) -> Path:
        return self._target.with_name(f"{self._target.name}.d")


def _forget_old(folder: Path) -> None:
    with suppress(OSError):
        records = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for record in records[_MOST:]:
            record.unlink(missing_ok=True)
            record.with_suffix(".o").unlink(missing_ok=True)


def _code(header: Path) -> str:
    """The digest of a header without the comment above it, which says what package carries it."""
    text = header.read_text(encoding="utf-8")
    return hashlib.sha256(_ABOVE.sub("", text).encode()).hexdigest()


def _is_of_package(word: str, extension: Extension) -> bool:
    """Whether a word of a command is for the package alone: no function of the runtime depends on it."""
    macros = (f"-D{extension.guard}=1", "-DWG_CPYTHON_ONLY", APART)
    return word in (*macros, PACKAGE, "-Isources", _RUNTIME_FOLDER) or word.startswith(
        ("-DWG_UNIT", "-DWG_GROUP_", LOADED_FUNCTIONS)
    )

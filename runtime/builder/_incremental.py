"""Builds again after a small change: each group of functions is compiled by itself, where its text has changed.

The first build compiles a package as a whole, which takes least. From the second one on, each group is a unit, and what
there is once is another one. Objects lie in the cache folder, under a key of what they were made of: the texts of the
groups and what these stand on, the compiler, its flags.
What an object read of other files is recorded beside it, with digests. An object that does not agree with any of that,
or with its own digest, is compiled anew; nothing stale is ever linked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ._dependencies import RECORD, are_current, digest, read_by
from ._msvc import is_msvc
from ._processes import execute
from ._toolchain import HERE, is_clang

REST = ""
"""Stands for the group of what is there once."""
_CHOICES = ("-DWG_GROUP_", "-DWG_REST=")
"""How the macros start that say what a unit has."""
_CONDITION = re.compile(r"#\s*(if|ifdef|ifndef)\b\s*(.*)")
_GROUP = re.compile(r"WG_HAS\((\w+)\)")
_PLACE_IN_SPEC = re.compile(
    r"^(#line .*|//.*|#undef \w+|#define WG_NUMBER_.*)$|(?<=wrapper-gen: )\S+?(?: \(for [^)\n]*\))?:\d+(?=:)",
    re.MULTILINE,
)
"""What of a text says where the spec has it, which groups there are, or takes a macro away; no code is made of it."""
_TELLS_LINE = re.compile(r"\b(?:__LINE__|source_location|\w*(?<!static_)assert\w*)\b", re.IGNORECASE)
"""Words of code that becomes another one on another line."""
_HEAD = re.compile(r"^(?:static |extern )?(?!return\b)[A-Za-z_][\w ]*[ *](?:wg|rt)_\w+\([^;{}]*\);$")
"""The declaration of a function of a group: who needs it has its text in a group of its own."""
_INCLUDED = re.compile(
    r"^#(?:(?:define|undef) (?:PY_SSIZE_T_CLEAN|WG_NO_OVERLOADS|WG_CPYTHON|WG_USE_\w+)\b.*"
    r'|include (?:<Python\.h>|"(?:_runtime/)?wg[\w/.]*"))$',
    re.MULTILINE,
)
"""What the package includes of the runtime, and what that depends on."""
_BY_TEXT = ("bridge.h", "docs.hpp", "lines.hpp")
"""Headers of the package that each unit has a part of, and what says where the spec has it."""
_WORD_OF_C = re.compile(r"\w+")
_SAID_ONCE = re.compile(
    r"^inline constexpr char (\w+)\[\] =.*?(?=^inline constexpr char |^}  // namespace)", re.MULTILINE | re.DOTALL
)
_MOST_PREFIXES = 4
"""So many precompiled headers are kept on a machine: one takes up to 90 MB."""


@dataclass(frozen=True)
class Unit:
    """A part of the package that is compiled by itself."""

    source: str
    command: Sequence[str]
    groups: frozenset[str] = frozenset()
    """Their names, or `REST`; empty of a source that is compiled as it stands."""


def dealt_out(groups: Sequence[str]) -> list[frozenset[str]]:
    """The groups of each unit: the rest, and each of these."""
    return [frozenset({name}) for name in (REST, *groups)]


def macros(groups: frozenset[str]) -> list[str]:
    """The macros that make a unit of these groups."""
    return [f"-DWG_REST={int(REST in groups)}", *(f"-DWG_GROUP_{name}=1" for name in sorted(groups - {REST}))]


def included_of_runtime(source: str) -> str:
    """What a unit includes of the runtime, in order."""
    whole = (HERE / source).read_text(encoding="utf-8")
    whole = whole.replace('#include "bridge.cpp"', (HERE / "bridge.cpp").read_text(encoding="utf-8"))
    return "".join(f"{line}\n" for line in _INCLUDED.findall(whole))


class Store:
    """Objects in a folder, each under a key of what it was made of, with a record beside it of what it read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def found(self, key: str, read: Callable[[Path], Path] = lambda path: path) -> tuple[Path, dict[str, str]] | None:
        """The object of this key and what it read, where both are as they were; `read` may copy it before that."""
        try:
            recorded = json.loads((self._folder / f"{key}.json").read_text(encoding="utf-8"))
            files: dict[str, str] = recorded["files"]
            path = read(self._folder / f"{key}.o")
            return (path, files) if digest(path) == recorded["object"] and are_current(files) else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def keep(self, key: str, made: Path, files: Mapping[str, str]) -> Path:
        """Keep an object; itself where the folder takes none."""
        target, record = self._folder / f"{key}.o", self._folder / f"{key}.json"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            record.unlink(missing_ok=True)
            _put(target, lambda near: shutil.copy(made, near))
            text = json.dumps({"object": digest(made), "files": files})
            _put(record, lambda near: near.write_text(text, encoding="utf-8"))
        except OSError:
            return made
        return target


class Objects:
    """What was compiled before, and is used as long as it agrees with what it was made of."""

    def __init__(self, folder: Path, prefixes: Path, guard: str) -> None:
        """`folder` keeps the objects of this package, `prefixes` the precompiled headers of all; `guard` is defined."""
        self._guard = guard
        self._folder = folder
        self._store = Store(folder)
        self._prefixes = prefixes
        self._texts: dict[str, str] = {}
        own = sorted(
            path for path in HERE.glob("**/*.h*") if path.is_file() and path not in map(HERE.joinpath, _BY_TEXT)
        )
        self._headers = [[os.path.relpath(path, HERE), digest(path)] for path in own]
        self._prefix: tuple[Path, Mapping[str, str]] | None = None
        self.used: set[str] = set()
        self.read: dict[str, str] = {}
        """The digest of each file outside of the package that the used objects are made of."""

    def key(self, unit: Unit) -> str:
        """A name for what the object is made of, apart from the headers that it reads."""
        if not unit.groups:
            is_ours = Path(unit.source).is_absolute()
            parts = [digest(HERE / unit.source), digest(HERE / "bridge.h") if is_ours else ""]
        else:
            parts = [self._text(name, unit.groups) for name in dict.fromkeys((unit.source, "bridge.cpp", "bridge.h"))]
            parts += self._said(unit.groups, {*_WORD_OF_C.findall("".join(parts))})
            if any(map(_TELLS_LINE.search, parts)):
                parts.append(digest(HERE / "lines.hpp"))
        command = [word for word in unit.command if not word.startswith(_CHOICES)]
        known = [*made_by(command), unit.source, REST in unit.groups, self._headers]
        return hashlib.sha256(json.dumps([known, parts]).encode()).hexdigest()[:32]

    def _text(self, name: str, groups: frozenset[str]) -> str:
        if name not in self._texts:
            self._texts[name] = (HERE / name).read_text(encoding="utf-8")
        return "\n".join(of_groups(self._texts[name], groups, self._guard))

    def _said(self, groups: frozenset[str], used: set[str]) -> Iterator[str]:
        """The documentation that a unit has: all of it has what there is once."""
        said = HERE / "docs.hpp"
        text = said.read_text(encoding="utf-8") if said.is_file() else ""
        yield from [text] if REST in groups else (each[0] for each in _SAID_ONCE.finditer(text) if each[1] in used)

    def found(self, key: str) -> Path | None:
        """The object of this key, where it agrees with all that it was made of."""
        found = self._store.found(key)
        if found is None:
            return None
        self.used.add(key)
        self.read |= found[1]
        return found[0]

    def keep(self, key: str, made: Path, started: float) -> Path:
        """Keep an object, and what it read, by the record beside it; the object itself where the cache takes none."""
        files = {name: digest(Path(name)) for name in read_by(made.with_name(f"{made.name}.d"))}
        files = {name: of for name, of in files.items() if not Path(name).is_relative_to(self._prefixes)}
        files |= self._prefix[1] if self._prefix else {}
        self.read |= files
        if any(Path(name).stat().st_mtime >= started for name in files):
            return made  # it may be of the file as it was, or as it is
        self.used.add(key)
        return self._store.keep(key, made, files)

    def forget_others(self) -> None:
        """Remove what this build did not use."""
        for path in self._folder.glob("*"):
            if path.stem not in self.used:
                with suppress(OSError):
                    path.unlink()

    # --- the precompiled header --------------------------------------------------------------------------------------

    def prefix(self, unit: Unit) -> list[str]:
        """The options that let such a unit start from a precompiled header; none where there is none."""
        if is_msvc(unit.command):  # whose precompiled headers need an object each
            return []
        text = included_of_runtime(unit.source)
        plain = [word for word in unit.command if not word.startswith(_CHOICES)]
        known = [*made_by(plain), str(HERE), self._headers, text]
        folder = self._prefixes / hashlib.sha256(json.dumps(known).encode()).hexdigest()[:32]
        recorded = _prefix_at(folder) or self._made_prefix(folder, plain, text)
        if recorded is None:
            return []
        with suppress(OSError):
            os.utime(folder)
        self._prefix = (folder, recorded)
        return ["-include", str(folder / "prefix.hpp")]

    def _made_prefix(self, folder: Path, command: Sequence[str], text: str) -> Mapping[str, str] | None:
        """Precompile these includes; what they read, or None where the compiler or the disk refuses."""
        kind = "pch" if is_clang(command) else "gch"
        header, record = folder / "prefix.hpp", folder / "record.json"
        try:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700, parents=True)  # it is made where it stays: clang looks for its text there
            header.write_text(text, encoding="utf-8")
            output = ["-o", f"{header}.{kind}", *RECORD, str(folder / "read.d")]
            if execute([*command, "-x", "c++-header", str(header), *output], HERE).returncode != 0:
                return None
            own = str(folder)
            files = {name: digest(Path(name)) for name in read_by(folder / "read.d") if not name.startswith(own)}
            made = {"files": files, "size": Path(f"{header}.{kind}").stat().st_size}
            _put(record, lambda near: near.write_text(json.dumps(made), encoding="utf-8"))
        except OSError:
            return _prefix_at(folder)  # which another build may have made
        self._forget_old_prefixes()
        return files

    def _forget_old_prefixes(self) -> None:
        with suppress(OSError):
            folders = sorted(self._prefixes.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
            for folder in folders[_MOST_PREFIXES:]:
                shutil.rmtree(folder, ignore_errors=True)


def made_by(command: Sequence[str]) -> list[object]:
    """A command, and the compiler that it calls."""
    compiler = Path(shutil.which(command[0]) or command[0]).resolve()
    return [[*command], str(compiler), compiler.stat().st_mtime_ns]


def _prefix_at(folder: Path) -> dict[str, str] | None:
    """What a precompiled header was made of; None where there is none that agrees with that."""
    try:
        record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        files: dict[str, str] = record["files"]
        made = next(path for path in folder.iterdir() if path.suffix in (".gch", ".pch"))
        return files if made.stat().st_size == record["size"] and are_current(files) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration):
        return None


def _put(target: Path, write: Callable[[Path], object]) -> None:
    """Write a file in one step."""
    handle, name = tempfile.mkstemp(prefix="new-", dir=target.parent)
    os.close(handle)
    try:
        write(Path(name))
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)


def of_groups(text: str, groups: frozenset[str], guard: str) -> Iterator[str]:
    """The lines that the unit of these groups is compiled from, without what says where the spec has them.

    Of other groups there is nothing, also no declaration; `REST` has all that is in no group. `guard` is defined.
    """
    open_: list[
        bool | None
    ] = []  # whether what a condition guards belongs to the unit; None where that is another matter
    guards: list[bool] = []
    for line in _PLACE_IN_SPEC.sub("", text).split("\n"):
        condition = _CONDITION.match(line)
        if condition:
            open_.append(_decided(condition[2], groups) if condition[1] == "if" else None)
            guards.append(condition[1] == "ifdef" and condition[2].split()[:1] == [guard])
        is_kept = False not in open_ and (REST in groups or True in open_ or not _HEAD.match(line))
        if line.startswith("#endif") and open_:
            open_.pop()
            guards.pop()
        elif line.startswith("#else") and guards and guards[-1]:
            open_[-1] = False
        if line and is_kept:
            yield line


def _decided(condition: str, groups: frozenset[str]) -> bool | None:
    found = _GROUP.fullmatch(condition.strip())
    if found:
        return found[1] in groups
    return REST in groups if condition.strip() == "WG_IS_FIRST" else None

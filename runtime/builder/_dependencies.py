"""The files outside of its package that an extension was built from, as the compiler and the linker name them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ._toolchain import HERE, STALE, Extension, Stopped, from_here

RECORD = ("-MD", "-MF")
"""Before a file's name: the compiler writes there what a source includes, the system's headers with it."""
TRACE = "-Wl,--trace"
"""The linker prints what it reads."""
_WORD = re.compile(r"(?:\\[ #:\\]|\$\$|[^\s\\]|\\(?![\s#:\\]))+")
_ARCHIVE = re.compile(r"[^\s()]+\.a(?=[\s()]|$)")


def digests(work: Path, linked: str, started: float) -> dict[str, str]:
    """The digest of each file that the last build read: headers, and the static libraries that the linker named.

    Args:
        work: the folder with what the compilers wrote at `RECORD`.
        linked: what the linker said at `TRACE`.
        started: when the build did; a file that has changed since has no digest, since it may be compiled or not.
    """
    found = {name for rule in work.glob("*.d") for name in _inputs(rule)}
    found |= {str(HERE / name) for name in _ARCHIVE.findall(linked)}
    outside = sorted(path for path in map(Path, found) if not path.is_relative_to(HERE) and path.is_file())
    return {
        str(path): digest(path) if path.stat().st_mtime < started else ""
        for path in outside
        if not path.is_relative_to(work)
    }


def read_by(rule: Path) -> list[str]:
    """The files that a source read and that were not generated, by what the compiler wrote at `RECORD`."""
    return sorted({name for name in _inputs(rule) if not _is_generated(Path(name)) and Path(name).is_file()})


def are_current(recorded: Mapping[str, str]) -> bool:
    """Whether each of these files has the content that it had then."""
    try:
        return all(digest(Path(path)) == expected for path, expected in recorded.items())
    except OSError:
        return False


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def inputs_here(extension: Extension) -> dict[Path, str]:
    """What the package was generated from, as far as it lies where it was, with the digest that it had."""
    folder = HERE.parents[1]
    return {path: known for name, known in extension.made_from.items() if (path := folder / name).is_file()}


def refuse_stale(extension: Extension) -> None:
    """Stop where the spec or a source has changed since: what would be compiled is the former one, or a copy of it.

    The generator need not be here. A source archive has each file as it was, so that it builds without.
    """
    for path, known in inputs_here(extension).items():
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
        if hashlib.sha256(text).hexdigest()[: len(known)] != known:
            command = shlex.join(["wrapper-gen", from_here(HERE.parents[1] / extension.spec)])
            output = from_here(HERE.parent)
            message = f"{from_here(path)} has changed since {from_here(HERE)} was generated from it"
            raise Stopped(message, STALE, f"run `{command} -o {shlex.quote(output)}`, and commit what that writes")


def write_rule(depfile: Path, target: Path, inputs: Iterable[str]) -> None:
    """Write a Makefile rule: the target depends on these files, each of which has an empty rule, since it may go."""
    words = [_make_word(each) for each in inputs]
    rules = [f"{_make_word(from_here(target))}: {' '.join(words)}", *(f"{each}:" for each in words)]
    depfile.write_text("".join(f"{rule}\n" for rule in rules), encoding="utf-8")


def _inputs(rule: Path) -> Iterator[str]:
    text = rule.read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ")
    if text.startswith("{"):  # of Microsoft's compiler
        yield from (os.path.realpath(HERE / name) for name in json.loads(text)["Data"]["Includes"])
        return
    for word in _WORD.findall(text.partition(": ")[2].partition("\n")[0]):
        yield os.path.realpath(HERE / re.sub(r"\\([ #:\\])", r"\1", word.replace("$$", "$")))


def _is_generated(path: Path) -> bool:
    """Whether it is of the package, and no file of its author's."""
    return path.is_relative_to(HERE) and not path.is_relative_to(HERE / "sources")


def _make_word(path: str) -> str:
    """A path as make and ninja read it."""
    word = path.replace("$", "$$")
    return "".join(f"\\{char}" if char in " #" else char for char in word)

"""Microsoft's compiler: the build says to every compiler what GCC takes, and reads what GCC prints.

Here a command of GCC's becomes one of cl's or of link's, and what these print becomes what GCC would have printed.
`clang-cl`, which takes the same options, counts as cl.
"""

from __future__ import annotations

import ntpath
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

_PROGRAM = re.compile(r"(?:.*[\\/])?(clang-)?cl(?:\.exe)?", re.IGNORECASE)
_ALWAYS = ("/nologo", "/EHsc", "/utf-8", "/MD", "/bigobj", "/permissive-", "/Zc:__cplusplus")
_OF_CL = ("/Zc:preprocessor", "/external:W0")
"""What clang does by itself, and warns of when it is told."""
_SAME = {
    "-O0": "/Od",
    "-O1": "/O1",
    "-Os": "/O1",
    "-O2": "/O2",
    "-O3": "/O2",
    "-g": "/Z7",
    "-g1": "/Z7",
    "-c": "/c",
    "-fsyntax-only": "/Zs",
    "-Werror=return-type": "/we4716",
    "-Werror=return-local-addr": "/we4172",
    "-Werror=return-stack-address": "/we4172",
    "-ffunction-sections": "/Gy",
    "-fdata-sections": "/Gw",
}
_OF_GCC = re.compile(r"-(?:[fm][A-Za-z].*|W[a-z].*|W|E|P|MD|g0|p(?:ipe|thread))")
"""Options without a counterpart, and those that stand for others."""
_LIMITS = ("-ferror-limit=", "-ftemplate-backtrace-limit=")
"""Options of clang's that it takes in its own words only."""
_LATEST_STANDARD = 20
"""The last version of C++ that has an option of its own."""
_ARCHITECTURES = {"win-amd64": "X64", "win-arm64": "ARM64", "win32": "X86"}
_SAID = re.compile(
    r"^(?P<path>\S.*?)\((?P<line>\d+)(?:,(?P<column>\d+))?\) ?: "
    r"(?P<kind>fatal error|error|warning|note|message)(?: (?P<code>[A-Z]+\d+))? ?: (?P<what>.*)$",
    re.MULTILINE,
)
_NO_HEADER = re.compile(r"Cannot open include file: '(.+)': (No such file or directory)")


def is_msvc(command: Sequence[str]) -> bool:
    """Whether a command calls it; a cache of objects may stand before it."""
    return _place(command) is not None


def as_cl(command: Sequence[str], stdin: str) -> list[str]:
    """The command in its words; `stdin` is the file with what GCC would read there."""
    place = _place(command) or 0
    program, words = list(command[: place + 1]), command[place + 1 :]
    if "-shared" in words:
        return [_linker(program[-1]), "/nologo", "/DLL", *_linker_words(words), *_of_python()]
    is_clang = (found := _PROGRAM.fullmatch(program[-1])) is not None and found[1] is not None
    always = [*_ALWAYS, *(() if is_clang else _OF_CL), *(["/EP" if "-P" in words else "/E"] if "-E" in words else [])]
    return [*program, *always, *_compiler_words(words, stdin, is_clang=is_clang)]


def _place(command: Sequence[str]) -> int | None:
    return next((i for i, word in enumerate(command[:2]) if _PROGRAM.fullmatch(word)), None)


def _compiler_words(words: Sequence[str], stdin: str, *, is_clang: bool) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word in _SAME:
            yield _SAME[word]
        elif word == "-":
            yield stdin
        elif word == "-x":
            next(rest)
        elif word == "-o":
            target = next(rest)
            yield from () if "-E" in words else (f"/Fo{target}",)
        elif word == "-MF":
            yield from ("/clang:-MD", f"/clang:-MF{next(rest)}") if is_clang else ("/sourceDependencies", next(rest))
        elif word == "-include":
            yield f"/FI{next(rest)}"
        elif word == "-isystem":
            yield from ("/external:I", next(rest))
        elif word == "-iquote":
            yield f"-I{next(rest)}"
        elif word.startswith("-idirafter"):
            yield f"-I{word.removeprefix('-idirafter')}"
        elif standard := re.fullmatch(r"-std=(?:c|gnu)\+\+(\d+)", word):
            yield f"/std:c++{standard[1] if int(standard[1]) <= _LATEST_STANDARD else 'latest'}"
        elif is_clang and word.startswith(_LIMITS):
            yield f"/clang:{word}"
        elif not _OF_GCC.fullmatch(word):
            yield word


def _linker_words(words: Sequence[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word == "-":
            yield "/NOENTRY"  # nothing but libraries
        elif word == "-x":
            next(rest)
        elif word == "-o":
            yield f"/OUT:{next(rest)}"
        elif word.startswith("-L"):
            yield f"/LIBPATH:{word[2:]}"
        elif word.startswith("-l"):
            yield word[3:] if word[2:3] == ":" else f"{word[2:]}.lib"
        elif not word.startswith("-"):
            yield word


def _linker(compiler: str) -> str:
    """The linker beside the compiler: the first on the PATH may be another program of that name."""
    path = Path(shutil.which(compiler) or compiler)
    names = ("lld-link", "link") if path.stem.lower().startswith("clang") else ("link",)
    beside = (path.with_name(f"{name}{path.suffix}") for name in names)
    return next((str(each) for each in beside if each.is_file()), next(filter(shutil.which, names), "link"))


def _of_python() -> list[str]:
    """Where Python's import library lies, which its header names."""
    machine = _ARCHITECTURES.get(sysconfig.get_platform())
    return [f"/LIBPATH:{Path(sys.base_prefix, 'libs')}", *([f"/MACHINE:{machine}"] if machine else [])]


def as_gcc(said: str, command: Sequence[str], folder: str) -> str:
    """What it printed of a command, as GCC would have: each place as `path:line:column`, relative to the folder."""
    names = {ntpath.basename(word) for word in command if word.endswith((".c", ".cpp"))}
    lines = [line for line in said.splitlines(keepends=True) if line.strip() not in names]  # it names what it compiles
    return _SAID.sub(lambda found: _as_gcc(found, folder), "".join(lines))


def _as_gcc(found: re.Match[str], folder: str) -> str:
    what, code = found["what"], f" [{found['code']}]" if found["code"] else ""
    if found["code"] == "C2338":
        what, code = "static assertion failed: " + what.removeprefix("static_assert failed: ").strip("'"), ""
    elif absent := _NO_HEADER.fullmatch(what):
        what, code = f"{absent[1]}: {absent[2]}", ""
    kind = "note" if found["kind"] == "message" else found["kind"]
    column = f":{found['column']}" if found["column"] else ""
    return f"{_relative(found['path'], folder)}:{found['line']}{column}: {kind}: {what}{code}"


def _relative(path: str, folder: str) -> str:
    """A path whose drive is no part of it."""
    drive = ntpath.splitdrive(path)[0]
    if drive and drive.lower() == ntpath.splitdrive(folder)[0].lower():
        path = ntpath.relpath(path, folder)
    return path.removeprefix(drive).replace("\\", "/")

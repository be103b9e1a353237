"""Compiles a generated package, by running its own build script; knows nothing of how that works."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from wrapper_gen import files
from wrapper_gen.diagnostics import Diagnostic, Span, ToolchainError
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.mends import Mend, Mends

_NO_TOOL, _NO_LIBRARY, _UNDEFINED = 3, 4, 5  # exit codes of the build script
_OF_ROW = r"(?: \(for (?P<row>[^\n]*?)\))?"
"""Follows the spec's path where code stands there once for several rows of a `for` (`views/placement.py`)."""
_ERROR = re.compile(
    rf"^(?P<path>[^\s:][^:\n]*?){_OF_ROW}:(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<what>.*)$",
    re.MULTILINE,
)
_MOST_ERRORS = 20
_TICK = 0.25  # seconds
_INSTALL = "install one: apt install g++ (Debian, Ubuntu), dnf install gcc-c++ (Fedora), xcode-select --install (macOS)"


@frozen
class BuildResult:
    """A compiled package: its extension module, whether it is a stub, and whether anything had to be done."""

    extension: Path
    stub: bool
    rebuilt: bool
    missing: str = ""
    """What of the library was not there, of a stub."""


def build(
    package: Path,
    *,
    report: Callable[[str], None],
    tick: Callable[[float], None] | None = None,
    stub: bool = False,
    allow_stub: bool = False,
    require: bool = False,
    engine: str = "auto",
    abi3: bool = False,
    force: bool = False,
    mends: Mends | None = None,
    places: Sequence[tuple[str, Span]] = (),
) -> BuildResult:
    """Compile the package in this folder with the running Python.

    Args:
        package: the folder of a generated package.
        report: gets each line about progress, and the compiler's warnings.
        tick: gets the seconds since the start, a few times a second.
        stub: leave the library out, even where it is.
        allow_stub: leave the library out if it is not there, which otherwise only a spec with `optional` allows.
        require: a missing library is an error even when it is optional.
        engine: "cpython", "cffi" or "both"; "auto" is the one that the running Python uses.
        abi3: one extension for CPython 3.11 and all later versions, instead of one for this Python.
        force: compile even when nothing changed.
        mends: by line of the spec and row of a `for`, what may mend a call there whose arguments C++ refuses.
        places: where the spec names what may be missing of the library, as `Library` has them.

    Raises:
        ToolchainError: a tool is missing (WG060), or failed (WG061) with its own words; the library is missing (WG062),
            or a function of it (WG063).
    """
    script = package.absolute() / "ffi_build.py"
    spec = files.owner(script)
    if spec is None:
        raise ToolchainError(
            Diagnostic("WG061", "nothing to compile here", Span(package.as_posix(), 1, 1), "generate tier 2 first")
        )
    chosen = {"--stub": stub, "--allow-stub": allow_stub, "--require": require, "--abi3": abi3, "--force": force}
    flags = [flag for flag, wanted in chosen.items() if wanted]
    run = _Run([sys.executable, str(script), "--engine", engine, *flags])
    said, last, hint = [], "", ""
    for line in run.lines(tick):
        if line.startswith(f"{package.name}: hint: "):
            hint = line.removeprefix(f"{package.name}: hint: ")
        elif line.startswith(f"{package.name}: "):
            last = line.removeprefix(f"{package.name}: ")
            report(line)
        else:
            said.append(line)
    if run.code != 0:
        failure = _Failure(run.code, last, hint, "".join(f"{line}\n" for line in said))
        raise _error(failure, _shown(spec, package), package, mends or {}, dict(places))
    for line in said:
        report(line)
    outcome = json.loads(run.output)
    return BuildResult(package / outcome["extension"], outcome["stub"], outcome["rebuilt"], outcome["missing"])


class _Run:
    """A running build script: yields the lines it says, and keeps its exit code and its standard output."""

    def __init__(self, command: Sequence[str]) -> None:
        self.code = 0
        self.output = ""
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "LC_ALL": "C"},  # the compiler's messages as `_ERROR` knows them
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )

    def lines(self, tick: Callable[[float], None] | None) -> Iterator[str]:
        assert self._process.stdout is not None
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()
        started = time.monotonic()
        try:
            while True:
                try:
                    line = lines.get(timeout=_TICK if tick else None)
                except queue.Empty:
                    if tick:
                        tick(time.monotonic() - started)
                    continue
                if line is None:
                    break
                yield line.rstrip("\n")
            self.output = self._process.stdout.read()
            self.code = self._process.wait()
        finally:
            self._process.kill()  # when we are interrupted; nothing otherwise

    def _listen(self, lines: queue.Queue[str | None]) -> None:
        assert self._process.stderr is not None
        try:
            for line in self._process.stderr:
                lines.put(line)
        finally:
            lines.put(None)  # whatever happens: who reads the lines waits for it


# --- what went wrong -------------------------------------------------------------------------------------------------


@frozen
class _Failure:
    """How a build script ended: its code, its last line, its hint, and what the compiler said."""

    code: int
    last: str
    hint: str
    output: str


_MISSING = re.compile(r"(?:header|library) (.+?)(?:, which (.+?) includes,)? was not found")


@frozen
class _Blamed:
    """A place of the spec, what is wrong there, and what to do about it where that is known."""

    span: Span
    message: str
    hint: str = ""
    rows: tuple[str, ...] = ()
    """For which rows of a `for`; none where nothing repeats what stands there."""


def _shown(spec: str, package: Path) -> str:
    """The spec as the build script shows it: relative to the current folder, if it is there."""
    path = Path(os.path.realpath(package)).parent.parent / spec
    return os.path.relpath(path).replace(os.sep, "/") if path.is_file() else spec


def _place_of_missing(missing: str, places: Mapping[str, Span], spec: str) -> Span:
    """Where the spec names the header or the library that this message is about, or what finds it."""
    named = _MISSING.match(missing)
    found = places.get((named[2] or named[1]) if named else "") or places.get("")
    return found._replace(path=spec) if found else Span(spec, 1, 1)


def _error(failure: _Failure, spec: str, package: Path, mends: Mends, named: Mapping[str, Span]) -> ToolchainError:
    whole = Span(spec, 1, 1)
    last, hint, output = failure.last, failure.hint, failure.output
    more: list[Diagnostic] = []
    if failure.code == _NO_TOOL:
        found = Diagnostic("WG060", last, whole, _INSTALL if "compiler" in last else hint)
    elif failure.code == _NO_LIBRARY:
        found = Diagnostic("WG062", last, _place_of_missing(last, named, spec), hint)
    elif failure.code == _UNDEFINED:
        places = _all_blamed(failure.output) or [(whole, last)]
        found = Diagnostic("WG063", places[0][1], places[0][0], hint, related=tuple(places[1:]))
    else:
        columns = rf"(?<![\w/])(?P<line>{re.escape(spec)}{_OF_ROW}:\d+):\d+(?=[:,])"
        output = re.sub(columns, r"\g<line>", output)  # the bridge's columns
        what = f"the build {last.partition(':')[0]}"  # what follows is the command
        found, *more = _compiler_errors(_blame(failure.output, spec, package, mends) or [_Blamed(whole, what)], mends)
    return ToolchainError(found, output, more)


def _compiler_errors(places: Sequence[_Blamed], mends: Mends) -> list[Diagnostic]:
    count = f", and {len(places) - _MOST_ERRORS} more errors" if len(places) > _MOST_ERRORS else ""
    shown, words = places[:_MOST_ERRORS], _WORDS_ABOVE + count
    return [
        Diagnostic("WG061", each.message + _of(each.rows), each.span, each.hint or _way_out(each, mends) or words)
        for each in shown
    ]


def _of(rows: Sequence[str]) -> str:
    """The rows of a `for` that have a mistake."""
    return f", for {'; '.join(rows)}" if rows else ""


_WORDS_ABOVE = "the compiler's own words are above"
_NO_MEMBER = re.compile(r"has no member named|no member named|non-class type|incomplete type|not a structure or union")
_OTHER_ARGUMENTS = re.compile(r"(too few|too many) arguments to function|no matching function for call")
_UNKNOWN = re.compile(
    r"'(?:::)?(\w+)' (?:has not been|was not) declared"
    r"|(?:undeclared identifier|no member named(?=.* in (?:the global )?namespace)) '(\w+)'"
)
_REFUSED = re.compile(r"'(?:struct )?wg::CppTakes<(\d+)\w*, (?P<type>.*)>'")
"""The number of an argument and what it is to C++ (`wg_refused_calls.hpp`)."""
_MEMBER = re.compile(r"\bcpp_method:\s*[\"']?(\w+)")


def _way_out(blamed: _Blamed, mends: Mends) -> str:
    """What to do where C++ takes other arguments, or a function of C was taken for a member; empty for other errors."""
    span, message = blamed.span, blamed.message
    mend = mends.get((span.line, (*blamed.rows, "")[0]))
    if mend and mend.hint and _OTHER_ARGUMENTS.search(message):
        return mend.hint
    if mend and (unknown := _UNKNOWN.search(message)):
        name = unknown[1] or unknown[2]
        return f"C++ knows no {name}: check the name, and that a header of `cpp_include` declares it"
    method = _MEMBER.search(_text_of(span.path, span.line)) if _NO_MEMBER.search(message) else None
    if not method:
        return ""
    name = method[1]
    way = f'cpp_method: "[](auto &&h) {{ return {name}(h); }}"'
    return f"{name} is no member of what the handle holds: call a function of C in a lambda, {way}"


def _all_blamed(output: str) -> list[tuple[Span, str]]:
    return [
        (_line_of(found["path"], int(found["line"])), found["what"] + _of([found["row"]] if found["row"] else []))
        for found in _ERROR.finditer(output)
    ]


def _blame(output: str, spec: str, package: Path, mends: Mends) -> list[_Blamed]:
    """The errors, the first of each line: at the spec's line where that is at fault, or where it led to the error."""
    errors = list(_ERROR.finditer(output))
    code = _compiled_code(package / "bridge.cpp")
    found: dict[tuple[str, int], _Blamed] = {}
    rows: dict[tuple[str, int], dict[str, None]] = {}
    for i, error in enumerate(errors):
        before = output[errors[i - 1].end() if i else 0 : error.start()]
        after = output[error.end() : errors[i + 1].start() if i + 1 < len(errors) else len(output)]
        led = (int(error["line"]), error["row"] or "") if error["path"] == spec else _led_to_it(before, after, spec)
        line, row = led
        elsewhere = Span(error["path"], int(error["line"]), int(error["column"] or 1))
        place = _place(spec, error, code.get(line, set())) if error["path"] == spec else None
        refused = _REFUSED.search(error["what"])
        span = (place if not refused else None) or (_line_of(spec, line) if line or refused else elsewhere)
        at = (span.path, span.line)
        rows.setdefault(at, {}).update({row: None} if row else {})
        if refused:
            found[at] = _refused(refused, _line_of(spec, line), mends.get(led))
        else:
            found.setdefault(at, _Blamed(span, f"the compiler says: {error['what']}"))
    return [replace(each, rows=tuple(rows[at])) for at, each in found.items()]


def _refused(refused: re.Match[str], line: Span, mend: Mend | None) -> _Blamed:
    """One argument that C++ has another type for."""
    cpp = refused["type"].replace("std::__cxx11::basic_string<char>", "std::string")
    given = mend.arguments[int(refused[1])] if mend and int(refused[1]) < len(mend.arguments) else None
    if mend is None or given is None:
        return _Blamed(line, f"the compiler says: an argument of this call is {cpp} in C++")
    way_out = f"declare it as C++ has it; or {mend.way_out}"
    if given.is_written:
        wanted = cpp.removesuffix("*").strip()
        return _Blamed(line, f"{given.name} is declared as {given.declared}, and C++ writes {wanted}", way_out)
    declared = f"is declared as {given.declared}" if given.declared else "stands there"
    return _Blamed(given.span._replace(path=line.path), f"{given.name} {declared}, and C++ takes {cpp}", way_out)


def _led_to_it(before: str, after: str, spec: str) -> tuple[int, str]:
    """The spec's line that led to an error in a header, and the row of a `for`: gcc names it before the error, clang
    after it; 0 for none."""
    place = rf"(?<![\w/]){re.escape(spec)}{_OF_ROW}:(\d+)(?::\d+)?"
    required = re.findall(rf"{place}:? +(?:recursively )?required", before)
    mentioned = required[-1:] or re.findall(rf"{place}: note", after)[:1] or re.findall(place, before)[-1:]
    return (int(mentioned[0][1]), mentioned[0][0]) if mentioned else (0, "")


_LINE = re.compile(r'#line (\d+) "(.*)"')


def _compiled_code(bridge: Path) -> dict[int, set[str]]:
    """What was compiled for each line of the spec: the compiler counts its columns there."""
    found: dict[int, set[str]] = {}
    number = 0
    with suppress(OSError):
        for text in bridge.read_text(encoding="utf-8").split("\n"):
            if directive := _LINE.match(text):
                number = 0 if directive[2] == bridge.name else int(directive[1])
            elif number:
                found.setdefault(number, set()).add(text)
                number += 1
    return found


def _place(spec: str, error: re.Match[str], code: set[str]) -> Span | None:
    """Where in the spec the compiler's column is: its line has the code as it is, or once the word that is blamed."""
    line, column = int(error["line"]), int(error["column"] or 1) - 1
    # Compilers count columns in different units where a line has tabs or more than ASCII.
    meant = {text for text in code if len(text) >= column and text.isascii() and "\t" not in text}
    if len(code) > 1:
        meant = {text for text in meant if f"'{_word(text[column:])}'" in error["what"]}
    line_text = _text_of(spec, line)
    found = {
        (line, line_text.index(text.strip()) + column - len(text) + len(text.lstrip()), _word(text[column:]))
        for text in meant
        if text.strip() and line_text.count(text.strip()) == 1
    }
    if not found:
        found = {
            (number, match.start(), match[0])
            for word in {_word(text[column:]) for text in meant} - {""}
            for number, text in _value_at(spec, line)
            for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)
        }
    if len(found) != 1:
        return None
    number, start, word = found.pop()
    return Span(spec, number, start + 1, start + 1 + max(len(word), 1))


def _word(text: str) -> str:
    return match[0] if (match := re.match(r"\w+", text)) else text[:1]


def _value_at(spec: str, line: int) -> list[tuple[int, str]]:
    """The lines of a value that starts on this one: those below that are indented more belong to it."""
    lines = [(line, _text_of(spec, line))]
    indent = len(lines[0][1]) - len(lines[0][1].lstrip())
    while (text := _text_of(spec, line + len(lines))) and len(text) - len(text.lstrip()) > indent:
        lines.append((line + len(lines), text))
    return lines


def _line_of(path: str, line: int) -> Span:
    """The whole line: the compiler's columns are those of the bridge."""
    text = _text_of(path, line)
    return Span(path, line, len(text) - len(text.lstrip()) + 1, len(text) + 1 if text else 0)


def _text_of(path: str, line: int) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").split("\n")[line - 1].rstrip()
    except (OSError, ValueError, IndexError):
        return ""

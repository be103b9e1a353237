"""Generated text as the expected files of entries have it: without comments, and with no line that says nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import cleandoc

_QUOTED = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_CPP = re.compile(
    rf'R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"|{_QUOTED}'
    r"|(?P<comment>(?<=\n) *(?://[^\n]*|/\*(?! cdef).*?\*/)\n| *//[^\n]*| */\*(?! cdef).*?\*/)",
    re.DOTALL,
)
"""What cffi reads of a header stands in comments of its own."""
_PYTHON = re.compile(
    rf'"""(?:\\.|[^\\])*?"""|{_QUOTED}|(?P<comment>(?<=\n) *#(?! type: )[^\n]*\n| *#(?! type: )[^\n]*)', re.DOTALL
)
"""What is said to type checkers is no comment."""
_HELD = re.compile("\0(\\d+)\0")
_PLACE = re.compile(r"#line (?P<macro>\w+) (?:WG_SPEC|\"[^\"]*?(?P<row> \(for .*\))\")")
_PLACE_ALONE = re.compile(r"@\d+( \(for .*\))?")
_CLOSING = re.compile(r"[\])};,]+|; \}")
_GOES_ON = re.compile(r"(?:\w|\]) =$|\[\] = \"[^\n]*\"$")
_UNDERLINE = re.compile(r"-+")
_LINE_END = "\N{PILCROW SIGN}"
"""Stands where a line of documentation ends: each docstring is one."""


@dataclass(frozen=True)
class Folding:
    """How files of one language are shown."""

    without_comments: Callable[[str], str]
    folded: Callable[[str, Mapping[str, int]], str]
    """A piece of such a file; what the macros of lines stand for is told by the mapping."""


def _uncommented(tokens: re.Pattern[str]) -> Callable[[str], str]:
    return lambda text: tokens.sub(lambda found: "" if found["comment"] else found[0], text)


# --- C++ -------------------------------------------------------------------------------------------------------------


def _cpp(text: str, line_of: Mapping[str, int]) -> str:
    """A `#line` of the spec is `@` and its number there."""
    held: list[str] = []

    def token(found: re.Match[str]) -> str:
        raw = found["raw"]
        held.append(found[0] if raw is None or found["mark"] != "_" else f'R"_({_documentation(raw)})_"')
        return f"\0{len(held) - 1}\0"

    lines = filter(str.strip, _directives(_CPP.sub(token, text).split("\n")))
    placed = (_PLACE.sub(lambda found: f"@{_number(found, line_of)}", _HELD.sub(_back(held), line)) for line in lines)
    return "\n".join(_folded(placed))


def _back(held: list[str]) -> Callable[[re.Match[str]], str]:
    return lambda found: held[int(found[1])]


def _number(found: re.Match[str], line_of: Mapping[str, int]) -> str:
    macro = found["macro"]
    return f"{macro if macro.isdecimal() else line_of[macro]}{found['row'] or ''}"


def _documentation(text: str) -> str:
    """Documentation on one line: of a section its title, and all that is in it."""
    sections = []
    for section in text.split("\n\n"):
        title, *lines = section.split("\n")
        if lines and _UNDERLINE.fullmatch(lines[0]):
            title, lines = f"{title}: {lines[1].strip()}" if lines[1:] else title, lines[2:]
        sections.append(f" {_LINE_END} ".join(line.strip() for line in (title, *lines)))
    return f" {_LINE_END}{_LINE_END} ".join(sections)


def _directives(lines: Iterable[str]) -> Iterator[str]:
    """Lines, of which a directive is one with those that go on with it."""
    directive = ""
    for line in lines:
        if not (directive or line.lstrip().startswith("#")):
            yield line
            continue
        directive = f"{directive} {line.strip()}".strip()
        if not directive.endswith("\\"):
            yield directive
            directive = ""
        directive = directive.removesuffix("\\").rstrip()
    if directive:
        yield directive


def _folded(lines: Iterable[str]) -> list[str]:
    """What only closes brackets stands behind what it closes, a value behind its name, and code behind its place."""
    found: list[str] = []
    for line in lines:
        own, before = line.strip(), found[-1] if found else "#"
        goes_on = _GOES_ON.search(before) or _PLACE_ALONE.fullmatch(before) or _CLOSING.fullmatch(own)
        if goes_on and not before.startswith("#") and not own.startswith("#"):
            found[-1] = f"{before} {own}"
        else:
            found.append(line.rstrip())
    return found


# --- Python ----------------------------------------------------------------------------------------------------------


def _python(text: str, _: Mapping[str, int]) -> str:
    """What stands in brackets is on one line, and a body that is `...` behind its head."""
    held: list[str] = []

    def token(found: re.Match[str]) -> str:
        if found["comment"]:
            return found[0]
        is_docstring = found[0].startswith('"""')
        held.append(f'"""{_documentation(cleandoc(found[0][3:-3]))}"""' if is_docstring else found[0])
        return f"\0{len(held) - 1}\0"

    lines: list[str] = []
    depth = 0
    for line in filter(str.strip, _PYTHON.sub(token, text).split("\n")):
        if depth > 0:
            lines[-1] = _in_brackets(lines[-1], line.strip())
        elif line.strip() == "..." and lines and lines[-1].endswith(":"):
            lines[-1] += " ..."
        else:
            lines.append(line.rstrip())
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
    return _HELD.sub(_back(held), "\n".join(lines))


def _in_brackets(before: str, line: str) -> str:
    if before.endswith(("(", "[", "{")):
        return before + line
    return f"{before.removesuffix(',')}{line}" if line.startswith((")", "]", "}")) else f"{before} {line}"


FOLDINGS: Mapping[str, Folding] = {
    **dict.fromkeys((".cpp", ".h", ".hpp"), Folding(_uncommented(_CPP), _cpp)),
    **dict.fromkeys((".py", ".pyi"), Folding(_uncommented(_PYTHON), _python)),
}
"""By the suffix of the file."""

"""The values and types of macros and constants, which a second parse tells: clang computes them, not we."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from wrapper_gen.headers.declarations import Constant, Doc

if TYPE_CHECKING:
    from wrapper_gen.headers.cursors import Reader


class Parses(Protocol):
    """Parses headers, and more text after them; `source` has how."""

    source: Any

    def parse(self, more: str = "", *, options: int = 0, is_strict: bool = True) -> Any: ...


_STRING = re.compile(r'(?:u8)?"(?:[^"\\]|\\.)*"')
_QUESTION = "wg_question_"


def constants(
    clang: Parses, reader: Reader, expressions: Sequence[str] = ()
) -> tuple[dict[str, Constant], Mapping[str, int]]:
    """Macros without parameters that have a value: numbers and texts. Others (attributes, types) are none.

    The second item has the values of those of the `expressions` that are constant.
    """
    texts = {name: text for name, cursor in reader.macros.items() if (text := _text(cursor))}
    numbers = [name for name, text in texts.items() if not _STRING.match(text)]
    types = _types(clang, numbers)
    said = ask(clang, [f"(long long)({each})" for each in (*numbers, *expressions)])
    values = said[: len(numbers)]
    known = {each: value for each, value in zip(expressions, said[len(numbers) :], strict=True) if value is not None}
    found: dict[str, Constant] = {}
    for name, value in zip(numbers, values, strict=True):
        kind = types.get(name, "")
        if kind in ("double", "float", "long double"):
            real = _real(texts[name])
            if real is not None:
                found[name] = _constant(reader, name, real, kind, texts[name])
        elif value is not None and kind and "*" not in kind:
            found[name] = _constant(reader, name, value, kind, texts[name])
    for name, text in texts.items():
        if name not in found and (literal := _literal(text)) is not None:
            found[name] = _constant(reader, name, literal, "const char *", text)
    return {name: found[name] for name in texts if name in found}, known


def ask(clang: Parses, expressions: Sequence[str], more: str = "") -> list[int | None]:
    """The values of constant expressions, None of what is none."""
    if not expressions:
        return []
    asked = "".join(f"enum {{ {_QUESTION}{at} = {each} }};\n" for at, each in enumerate(expressions))
    unit, wrong = _asked(clang, more, asked)
    found: dict[int, int] = {}
    for enum in unit.cursor.get_children():
        if enum.kind.name == "ENUM_DECL":
            for each in enum.get_children():
                if each.spelling.startswith(_QUESTION):
                    found[int(each.spelling.removeprefix(_QUESTION))] = each.enum_value
    return [None if at in wrong else found.get(at) for at in range(len(expressions))]


def _types(clang: Parses, names: Sequence[str]) -> Mapping[str, str]:
    """The types of these expressions; those that are none are left out."""
    if not names:
        return {}
    word = "__auto_type" if clang.source.language == "c" else "auto"
    asked = "".join(f"static const {word} {_QUESTION}{at} = ({each});\n" for at, each in enumerate(names))
    unit, wrong = _asked(clang, "", asked)
    found = {}
    for each in unit.cursor.get_children():
        if each.kind.name == "VAR_DECL" and each.spelling.startswith(_QUESTION):
            at = int(each.spelling.removeprefix(_QUESTION))
            if at not in wrong:
                found[names[at]] = each.type.get_canonical().spelling.removeprefix("const ")
    return found


def _asked(clang: Parses, more: str, asked: str) -> tuple[Any, set[int]]:
    """A unit with one question on each line after the headers, and which of them are no C."""
    more += "\n" * (not more.endswith("\n") and bool(more))
    unit = clang.parse(more + asked, is_strict=False)
    first = (clang.source.text + more).count("\n") + 1
    wrong = {
        each.location.line - first
        for each in unit.diagnostics
        if each.severity >= 3 and each.location.file and each.location.file.name == unit.spelling
    }
    return unit, wrong


def _text(cursor: Any) -> str:
    words = [token.spelling for token in cursor.get_tokens()][1:]
    return " ".join(words)


def _real(text: str) -> float | None:
    bare = text.replace("(", "").replace(")", "").strip().rstrip("fFlL").replace(" ", "")
    try:
        return float(bare)
    except ValueError:
        return None


def _literal(text: str) -> str | bytes | None:
    """The value of one or several literals of text, side by side."""
    parts = list(_literals(text))
    if not parts or "".join(parts).replace(" ", "") != text.replace(" ", ""):
        return None
    try:
        raw = b"".join(ast.literal_eval("b" + each.removeprefix("u8")) for each in parts)
    except (SyntaxError, ValueError):
        return None
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _literals(text: str) -> Iterator[str]:
    return (each.group() for each in _STRING.finditer(text))


def _constant(reader: Reader, name: str, value: int | float | str | bytes, kind: str, text: str) -> Constant:
    cursor = reader.macros[name]
    key = f"#define {name}"
    extent = cursor.extent
    reader.extents.setdefault(key, (extent.start.file.name, extent.start.offset, extent.end.offset))
    return Constant(
        key=key,
        name=name,
        qualified=name,
        place=reader.place(cursor),
        doc=Doc(),
        is_deprecated=False,
        value=value,
        type=kind,
        text=text,
    )

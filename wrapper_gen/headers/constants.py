"""The values and types of macros: clang computes what is no plain literal, after the headers as it has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from wrapper_gen.headers.declarations import Constant, Doc

if TYPE_CHECKING:
    from wrapper_gen.headers.cursors import Reader


class Parses(Protocol):
    """Parses text after headers that were read before; `source` has how they were."""

    source: Any

    def parse_after(self, unit: Any, text: str) -> Any: ...


_STRING = re.compile(r'(?:u8)?"(?:[^"\\]|\\.)*"')
_INTEGER = re.compile(r"0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*")
_NO_VALUE = re.compile(
    r"(?:__attribute__|__declspec|__extension__|extern|static|inline|constexpr|const|noexcept|override|final|virtual"
    r"|explicit|typedef|template|namespace|using|struct|class|enum|union|void|if|do|while|return|throw|try)\b|[{}#\[;]"
)
"""What no expression begins with."""
_STATEMENT = re.compile(r"[{};]|##|\b(?:template|using|namespace)\b")
"""What no expression has in it."""
_UNDEFINED = re.compile(rb"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
_WORDS_OF_TYPES = frozenset("char int long short float double unsigned signed bool _Bool wchar_t auto nullptr".split())
_DEEPEST = 20  # names of macros that stand for one another
_LARGEST = (1 << 31) - 1  # of what is an int on every machine
_QUESTION = "wg_question_"


def constants(clang: Parses, unit: Any, reader: Reader) -> dict[str, Constant]:
    """Macros without parameters that have a value: numbers and texts. Others (attributes, types) are none.

    What a literal says is read here; clang computes the rest, after what it keeps of the unit of the headers.
    """
    all_texts = {name: _text(cursor) for name, cursor in reader.macros.items()}
    texts = {name: text for name, text in all_texts.items() if text}
    undefined = _undefined(reader) if texts else set[str]()
    plain = {
        name: value
        for name, text in texts.items()
        if name not in undefined and (value := _integer(text, texts, undefined)) is not None
    }
    numbers = [name for name, text in texts.items() if name not in plain and _may_be_number(text, all_texts)]
    kinds, values = ask(clang, unit, numbers)
    found = {name: _constant(reader, name, value, "int", texts[name]) for name, value in plain.items()}
    for name, value in values.items():
        kind = kinds.get(name, "")
        if kind in ("double", "float", "long double"):
            real = _real(texts[name])
            if real is not None:
                found[name] = _constant(reader, name, real, kind, texts[name])
        elif value is not None and kind and "*" not in kind:
            found[name] = _constant(reader, name, value, kind, texts[name])
    for name, text in texts.items():
        if name not in found and (literal := _literal(text)) is not None:
            found[name] = _constant(reader, name, literal, "const char *", text)
    return {name: found[name] for name in texts if name in found}


def ask(clang: Parses, unit: Any, expressions: Sequence[str]) -> tuple[Mapping[str, str], Mapping[str, int | None]]:
    """The types of these expressions, and the values of those that are constant integers."""
    if not expressions:
        return {}, {}
    word = "__auto_type" if clang.source.language == "c" else "auto"
    types = [f"static const {word} {_QUESTION}type_{at} = ({each});" for at, each in enumerate(expressions)]
    asked = [f"enum {{ {_QUESTION}{at} = (long long)({each}) }};" for at, each in enumerate(expressions)]
    told = clang.parse_after(unit, "\n".join([*types, *asked]) + "\n")
    wrong = {
        each.location.line - 1
        for each in told.diagnostics
        if each.severity >= 3 and each.location.file and each.location.file.name == told.spelling
    }
    found: dict[int, str] = {}
    values: dict[int, int] = {}
    for each in told.cursor.get_children():
        if each.kind.name == "VAR_DECL" and each.spelling.startswith(f"{_QUESTION}type_"):
            at = int(each.spelling.removeprefix(f"{_QUESTION}type_"))
            found[at] = each.type.get_canonical().spelling.removeprefix("const ")
        elif each.kind.name == "ENUM_DECL":
            for value in each.get_children():
                if value.spelling.startswith(_QUESTION):
                    values[int(value.spelling.removeprefix(_QUESTION))] = value.enum_value
    count = len(expressions)
    return (
        {each: found[at] for at, each in enumerate(expressions) if at not in wrong and at in found},
        {each: None if at + count in wrong else values.get(at) for at, each in enumerate(expressions)},
    )


def _undefined(reader: Reader) -> set[str]:
    """The names that a header of ours undefines somewhere: what they are at its end, only clang knows."""
    paths = {cursor.location.file.name for cursor in reader.macros.values()}
    texts = (Path(each).read_bytes() for each in paths)
    return {name.decode() for text in texts for name in _UNDEFINED.findall(text)}


def _integer(text: str, texts: Mapping[str, str], undefined: Collection[str], depth: int = 0) -> int | None:
    """The value of a literal that is an `int` everywhere, of a negative one, or of another macro that is one."""
    bare = text.strip()
    while bare.startswith("( ") and bare.endswith(" )") and bare.count("(") == 1:
        bare = bare[2:-2]
    if bare in texts and bare not in undefined and depth < _DEEPEST:
        return _integer(texts[bare], texts, undefined, depth + 1)
    sign, digits = (-1, bare[1:].strip()) if bare.startswith("-") else (1, bare)
    if not _INTEGER.fullmatch(digits):
        return None
    value = int(digits, 8 if digits.startswith("0") and digits[:2].lower() != "0x" else 0)
    return sign * value if value <= _LARGEST else None


def _may_be_number(text: str, texts: Mapping[str, str], depth: int = 0) -> bool:
    """Whether clang has to be asked: not what is a text, empty, or begins as no expression does."""
    if _STRING.match(text) or _NO_VALUE.match(text) or _STATEMENT.search(text) or text in _WORDS_OF_TYPES:
        return False
    if text in texts and depth < _DEEPEST:
        return bool(texts[text]) and _may_be_number(texts[text], texts, depth + 1)
    return text.count("(") == text.count(")")


def _text(cursor: Any) -> str:
    """What a macro is written as; empty of one with parameters, which clang does not tell of once it is undefined."""
    name, *rest = cursor.get_tokens()
    if rest and rest[0].spelling == "(" and rest[0].extent.start.offset == name.extent.end.offset:
        return ""
    return " ".join(token.spelling for token in rest)


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

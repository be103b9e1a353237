"""C++ types as g++ and clang++ print them, in one spelling: `const std::string &`, `unsigned long`."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TOKEN = re.compile(
    r"\s*((?:\(anonymous namespace\)|\{anonymous\})::|\(lambda at [^)]*\)|'[^']*'|::|->|&&|\.\.\.|\w+|\S)"
)
_LAMBDA = re.compile(
    r"\(lambda at .*? ?(?:\(for [^)]*\))?:\d+:\d+\)|[^<>,\s]*\([^()]*(?:\([^()]*\)[^()]*)*\)::<lambda\([^<>]*\)>"
)
_DEFAULTS = {
    "wg::MaybeInner": 1,
    "std::vector": 1,
    "std::list": 1,
    "std::deque": 1,
    "std::forward_list": 1,
    "std::unique_ptr": 1,
    "std::set": 1,
    "std::multiset": 1,
    "std::unordered_set": 1,
    "std::unordered_multiset": 1,
    "std::map": 2,
    "std::multimap": 2,
    "std::unordered_map": 2,
    "std::unordered_multimap": 2,
}
"""How many arguments of a template have no default; the others are left out where they are of these kinds."""
_USUAL = re.compile(r"std::(?:allocator|char_traits|default_delete|less|hash|equal_to)<|void$")
_SHORT = {
    "std::basic_string<char>": "std::string",
    "std::basic_string_view<char>": "std::string_view",
    "std::basic_string<wchar_t>": "std::wstring",
}
_INTEGER = frozenset("long short int unsigned signed char".split())
_UNNAMED = re.compile(r"<unnamed (?:enum|struct|class|union)>|\((?:unnamed|anonymous)[^()]* at [^()]*\)")
_SUFFIX = re.compile(r"^(-?\d+)[uUlL]+$")


def split(listed: str) -> list[str]:
    """The arguments of a template, of which this is the text between `<` and `>`."""
    found, depth, start = list[str](), 0, 0
    for i, char in enumerate(listed):
        if char in "<([{":
            depth += 1
        elif char in ")]}" or (char == ">" and listed[i - 1 : i] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            found.append(listed[start:i].strip())
            start = i + 1
    last = listed[start:].strip()
    return [*found, last] if last or found else []


def spelled(printed: str) -> str:
    """A type as we print it, of one that a compiler has printed."""
    text = re.sub(r"::__(?:cxx11|1)::", "::", _UNNAMED.sub("unnamed", _LAMBDA.sub("lambda", printed)))
    text = re.sub(r"\((?:anonymous namespace|anonymous)\)::|\{anonymous\}::|\b(?:struct|class|enum) ", "", text)
    return _spaced(_type(text.strip()))


def _type(text: str) -> str:
    """The same with the arguments of its templates."""
    if matched := _SUFFIX.match(text):
        return matched[1]
    pieces, at = list[str](), 0
    while (start := text.find("<", at)) >= 0:
        end = _closing(text, start)
        head = text[at:start]
        arguments = [_spaced(_type(each)) for each in split(text[start + 1 : end])]
        name = re.search(r"[\w:]*$", head)
        pieces.append(head + _arguments(name[0] if name else "", arguments))
        at = end + 1
    made = "".join([*pieces, text[at:]])
    for long, short in _SHORT.items():
        made = made.replace(long, short)
    return made


def _closing(text: str, start: int) -> int:
    depth = 0
    for i in range(start, len(text)):
        if text[i] == "<":
            depth += 1
        elif text[i] == ">" and text[i - 1] != "-":
            depth -= 1
            if depth == 0:
                return i
    return len(text)


def _arguments(template: str, arguments: Sequence[str]) -> str:
    name = template.removeprefix("::")
    least = 1 if name.startswith("std::basic_") else _DEFAULTS.get(name, len(arguments))
    kept = [each for i, each in enumerate(arguments) if i < least or not _USUAL.match(each)]
    for default in ("wg::Order::C", "1") if name == "wg::Span" else ():
        kept = kept[:-1] if kept[-1] == default else kept
    return f"<{', '.join(kept)}>"


def _spaced(text: str) -> str:
    """Tokens with the spaces that we put between them, and integers as they are usually called."""
    made = ""
    for token in _integers(_TOKEN.findall(text)):
        made += f" {token}" if made and _has_space(made, token) else token
    return made


def _has_space(before: str, token: str) -> bool:
    last = before[-1]
    if token in ("*", "&", "&&"):
        return last not in "*&(:"
    if token == "(":
        return not before.endswith(("<", "(", "lambda")) and (last != ")")
    if token[0].isalnum() or token[0] == "_":
        return last not in "<(:[~{*"
    return False


def _integers(tokens: Sequence[str]) -> list[str]:
    """`long unsigned int` is `unsigned long`."""
    made, run = list[str](), list[str]()
    for token in [*tokens, ""]:
        if token in _INTEGER:
            run.append(token)
            continue
        if run:
            made += _integer(run)
            run = []
        if token:
            made.append(token)
    return made


def _integer(run: Sequence[str]) -> list[str]:
    if len(run) == 1:
        return ["unsigned", "int"] if run == ["unsigned"] else list(run)
    sizes = [each for each in run if each in ("long", "short", "char")]
    sign = [each for each in run if each == "unsigned" or (each == "signed" and "char" in run)]
    return [*sign, *(sizes or ["int"])]

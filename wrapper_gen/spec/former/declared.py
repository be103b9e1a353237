"""How many parameters functions have, by their declarations in the prelude and in headers that stand with the spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from wrapper_gen.cpp_tokens import PlacedToken, closing_of, divided, placed_tokens, text_at
from wrapper_gen.spec.former.walk import At

_STATEMENTS = frozenset(
    {"return", "else", "new", "throw", "case", "goto", "delete", "co_return", "co_await", "typedef"}
)
_BEHIND = frozenset({"{", ";", ":", "const", "noexcept", "override", "final", "=", "->"})
_IN_EXPRESSIONS = frozenset({".", "->", "?", "!", "+", "-", "/", "%", "|"})
_TYPES = frozenset({"int", "long", "short", "char", "bool", "float", "double", "unsigned", "signed", "size_t", "void"})
_MOST = 1 << 20
"""Of a header that is read."""


class Count(NamedTuple):
    """How many arguments a function takes."""

    least: int
    most: float

    def takes(self, number: int) -> bool:
        return self.least <= number <= self.most


def declared(at: At, callee: str) -> Set[Count]:
    """Of each declaration of a function that can be read; empty where there is none."""
    *scopes, name = callee.removeprefix(".").removeprefix("::").split("::")
    texts = [each for each in _texts(at) if name in each]
    if scopes and not any(scopes[-1] in _scopes(each) for each in texts):
        return frozenset()
    return frozenset().union(*(_counts(each).get(name, frozenset()) for each in texts))


def called_with(at: At, callee: str) -> Set[Count]:
    """With how many arguments a function calls the one function that it takes a pointer to; by its declarations."""
    name = callee.removeprefix(".").rpartition("::")[2]
    return frozenset().union(*(_pointed(each).get(name, frozenset()) for each in _texts(at) if name in each))


def _texts(at: At) -> Iterator[str]:
    prelude, library = at.spec.get("cpp_prelude"), at.library
    if isinstance(prelude, str):
        yield prelude
    folder = at.rewriter.document.path.parent
    sources = [folder / each for each in _listed(library.get("sources"))]
    for name in _listed(library.get("cpp_include")):
        plain = name.strip('<>"')
        for path in (folder / plain, *(each for each in sources if each.name == Path(plain).name)):
            if (text := _read(path)) is not None:
                yield text


def _listed(value: Any) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.is_file() and path.stat().st_size < _MOST else None
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=64)  # asked for each entry of a spec
def _scopes(text: str) -> Set[str]:
    """The namespaces and classes that a text opens."""
    tokens = [each.text for each in placed_tokens(text)]
    found: set[str] = set()
    for i, token in enumerate(tokens):
        if token in ("namespace", "class", "struct"):
            end = next((k for k in range(i + 1, len(tokens)) if tokens[k] in ("{", ";", ":", "<", "=")), i)
            found.update(tokens[i + 1 : end])
    return found


@lru_cache(maxsize=64)
def _counts(text: str) -> dict[str, Set[Count]]:
    tokens = placed_tokens(text)
    found: dict[str, Set[Count]] = {}
    for i, token in enumerate(tokens):
        if token.text == "(" and text_at(tokens, i - 1).isidentifier() and (count := _declaration(tokens, i)):
            name = text_at(tokens, i - 1)
            found[name] = found.get(name, frozenset()) | {count}
    return found


@lru_cache(maxsize=64)
def _pointed(text: str) -> dict[str, Set[Count]]:
    """The parameters of functions that functions take a pointer to, by the names of the latter."""
    tokens = placed_tokens(text)
    found: dict[str, Set[Count]] = {}
    for i, token in enumerate(tokens):
        if token.text != "(" or not text_at(tokens, i - 1).isidentifier() or _declaration(tokens, i) is None:
            continue
        inside = range(i + 1, closing_of(tokens, i))
        pointers = [k for k in inside if text_at(tokens, k) == "(" and text_at(tokens, k + 1) == "*"]
        listed = [k for k in (closing_of(tokens, each) + 1 for each in pointers) if text_at(tokens, k) == "("]
        counts = [_list(tokens, each, closing_of(tokens, each)) for each in listed]
        if len(counts) == 1 and counts[0] is not None:
            name = text_at(tokens, i - 1)
            found[name] = found.get(name, frozenset()) | {counts[0]}
    return found


def _declaration(tokens: Sequence[PlacedToken], opening: int) -> Count | None:
    """What a declaration, or a definition, takes; None of anything else in parentheses."""
    before, closing = text_at(tokens, opening - 2), closing_of(tokens, opening)
    is_typed = before.isidentifier() or before in (">", "*", "&", "::", ";", "{", "}", ":", "]", "~", "")
    if before in _STATEMENTS or not is_typed or text_at(tokens, closing + 1) not in _BEHIND:
        return None
    return _list(tokens, opening, closing)


def _list(tokens: Sequence[PlacedToken], opening: int, closing: int) -> Count | None:
    """The parameters in parentheses; None where these have arguments."""
    least = most = 0
    for parameter in divided(tokens[opening + 1 : closing], with_angles=True):
        texts = [each.text for each in parameter]
        type_ = texts[: texts.index("=")] if "=" in texts else texts
        if texts == ["void"]:
            continue
        if texts == ["..."]:
            return Count(least, float("inf"))
        if not _is_parameter(type_):
            return None
        most += 1
        least += "=" not in texts
    return Count(least, most)


def _is_parameter(texts: Sequence[str]) -> bool:
    """Whether it is a type, with a name or without, rather than an argument of a call."""
    if not texts or not _IN_EXPRESSIONS.isdisjoint(texts) or not all(_is_of_types(each) for each in texts):
        return False
    words = [each for i, each in enumerate(texts) if each.isidentifier() and "::" not in texts[max(i - 1, 0) : i]]
    return len(words) > 1 or texts[-1] in ("&", "*", ">", "...") or texts[0] in _TYPES or texts[-1].endswith("_t")


def _is_of_types(token: str) -> bool:
    return (
        token.isidentifier() or token in ("::", "<", ">", "*", "&", ",", "(", ")", "[", "]", "...") or token.isdigit()
    )

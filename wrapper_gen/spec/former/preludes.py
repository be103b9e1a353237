"""Function templates of the prelude that took the handle of an object: they take what it holds, as a call gives it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wrapper_gen.cpp_tokens import PlacedToken, closing_of, divided, placed_tokens, text_at
from wrapper_gen.spec.former.calls import classes_of
from wrapper_gen.spec.former.entries import parameters_of
from wrapper_gen.spec.former.rewriter import Piece
from wrapper_gen.spec.former.walk import At

_PROSE = frozenset({"cpp_prelude", "def", "name", "type", "return", "doc", "return_doc", "names", "cpp_type"})
"""Keys whose values call nothing of the prelude."""
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_BEFORE_VALUE, _AFTER_VALUE = ("return", "?", ":", "(", ",", "{", "="), (";", ":", ")", ",", "}", "?")


class _Template(NamedTuple):
    """A function template over one handle."""

    name: str
    argument: int
    """Which of its parameters the handle is."""
    is_pointer: bool
    edits: Sequence[tuple[int, int, str]]
    """What its code says in place of the handle's `inner`, with the places in the prelude."""


def templates(at: At) -> None:
    """`template <class H> S f(const H *x) { return x->inner; }` → `return *x`, where orders alone call it."""
    text = at.value
    if not isinstance(text, str) or "inner" not in text or "template" not in text:
        return
    found = [each for each in _templates(placed_tokens(text)) if _is_called_with_objects(at, each)]
    if not found:
        return
    pieces: list[Piece] = []
    last = 0
    for start, end, new in sorted(edit for each in found for edit in each.edits):
        pieces += [(last, start), new]
        last = end
    pieces.append((last, len(text)))
    at.replace("".join(each if isinstance(each, str) else text[slice(*each)] for each in pieces), pieces)
    at.rewriter.over_held.update((each.name, each.argument) for each in found)


def held_arguments(text: str, functions: Mapping[str, int]) -> Iterator[PlacedToken]:
    """The arguments in an expression that are what an object holds, since these functions take that."""
    tokens = placed_tokens(text) if any(each in text for each in functions) else []
    for i, token in enumerate(tokens):
        if token.text in functions and text_at(tokens, i + 1) == "(":
            end = closing_of(tokens, i + 1)
            arguments = list(divided(tokens[i + 2 : end], with_angles=False))
            number = functions[token.text]
            if number < len(arguments) and len(arguments[number]) == 1:
                yield arguments[number][0]


# --- what the prelude has ---------------------------------------------------------------------------------------------


def _templates(tokens: Sequence[PlacedToken]) -> Iterator[_Template]:
    """The function templates of which nothing but the handle's `inner` is used."""
    texts = [each.text for each in tokens]
    for i in range(len(texts) - 5):
        if texts[i : i + 2] != ["template", "<"] or texts[i + 2] not in ("class", "typename") or texts[i + 4] != ">":
            continue
        opening = next((k for k in range(i + 5, len(texts)) if texts[k] in ("(", "{", ";")), -1)
        if opening < 0 or texts[opening] != "(" or not texts[opening - 1].isidentifier():
            continue
        closing = closing_of(tokens, opening)
        if text_at(tokens, closing + 1) != "{" or texts.count(texts[opening - 1]) != 1:
            continue
        end = closing_of(tokens, closing + 1)
        if texts[i + 5 : end].count(texts[i + 3]) == 1:
            yield from _template(tokens, texts[i + 3], (opening, closing, end))


def _template(tokens: Sequence[PlacedToken], type_: str, at: tuple[int, int, int]) -> Iterator[_Template]:
    opening, closing, end = at
    for number, parameter in enumerate(divided(tokens[opening + 1 : closing], with_angles=True)):
        texts = [each.text for each in parameter if each.text != "const"]
        if len(texts) == 3 and texts[0] == type_ and texts[1] in ("*", "&"):
            edits = _edits(tokens[closing + 1 : end + 1], texts[2], is_pointer=texts[1] == "*")
            if edits is not None:
                yield _Template(tokens[opening - 1].text, number, texts[1] == "*", edits)


def _edits(body: Sequence[PlacedToken], name: str, *, is_pointer: bool) -> list[tuple[int, int, str]] | None:
    """What a body has in place of the handle's `inner`; None where it does anything else with the handle."""
    found = []
    for i, token in enumerate(body):
        if token.text != name or text_at(body, i - 1) in (".", "->", "::"):
            continue
        if text_at(body, i + 1) == ("->" if is_pointer else ".") and text_at(body, i + 2) == "inner":
            found.append(_edit(body, i) if is_pointer else (token.start, body[i + 2].end, name))
        elif not is_pointer or not _is_test(body, i):
            return None
    return found


def _edit(body: Sequence[PlacedToken], i: int) -> tuple[int, int, str]:
    """`x->inner`, where `x` is a pointer to what the handle held."""
    name, start, end = body[i].text, body[i].start, body[i + 2].end
    before, after = text_at(body, i - 1), text_at(body, i + 3)
    if after == ".":
        return start, body[i + 3].end, f"{name}->"
    if before == "&" and text_at(body, i - 2) in _BEFORE_VALUE and after in _AFTER_VALUE:
        return body[i - 1].start, end, name
    is_alone = before in _BEFORE_VALUE and after in _AFTER_VALUE
    return start, end, f"*{name}" if is_alone else f"(*{name})"


def _is_test(body: Sequence[PlacedToken], i: int) -> bool:
    """Whether it is only asked whether there is an object."""
    after = text_at(body, i + 1) + text_at(body, i + 2)
    in_parentheses = [text_at(body, k) for k in (i - 2, i - 1, i + 1)] == ["if", "(", ")"]
    return after.startswith("?") or after in ("&&", "||", "==", "!=") or text_at(body, i - 1) == "!" or in_parentheses


# --- how the spec calls them ------------------------------------------------------------------------------------------


def _is_called_with_objects(at: At, template: _Template) -> bool:
    """Whether all that calls it are orders of arguments, with a parameter that is an object."""
    types = {str(each.get("name")): each.get("cpp_type") for each in classes_of(at)}
    call = re.compile(rf"(?<!\w){template.name}\b")
    everywhere = sum(len(call.findall(text)) for text in _code(at.spec))
    fitting = 0
    for entry in _entries(at.spec):
        parameters = dict(parameters_of(entry))
        for text in _values(entry):
            for argument in held_arguments(text, {template.name: template.argument}):
                type_ = parameters.get(argument.text, "").strip()
                held = types.get(type_.removesuffix("?"))
                fitting += (
                    isinstance(held, str)
                    and template.is_pointer == type_.endswith("?")
                    and (not template.is_pointer or not _is_pointer(held))
                )
    return 0 < fitting == everywhere


def _is_pointer(held: str) -> bool:
    """Whether an object that may be missing is what it holds, rather than a pointer to that."""
    return held.rstrip().endswith(("*", ">")) or re.search(r"_t\s*$|\bvoid\b", held) is not None


def _code(value: Any) -> Iterator[str]:
    """All texts that may be C++."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            if key == "params" and isinstance(each, dict):
                each = [about for about in each.values() if isinstance(about, dict)]
            if key not in _PROSE:
                yield from _code(each)
    elif isinstance(value, list):
        for each in value:
            yield from _code(each)


def _entries(value: Any) -> Iterator[dict[str, Any]]:
    """All mappings that have an order of arguments."""
    if isinstance(value, dict):
        if isinstance(value.get("cpp_params"), list) or isinstance(value.get("params"), list):
            yield value
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from _entries(each)


def _values(entry: Mapping[str, Any]) -> Iterator[str]:
    """The C++ that an order of arguments passes."""
    for key in ("cpp_params", "params"):
        listed = entry.get(key)
        for item in listed if isinstance(listed, list) else ():
            if isinstance(item, dict) and isinstance(item.get("value"), str):
                yield item["value"]

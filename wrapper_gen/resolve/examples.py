"""Examples in documentation: those that no test would run, and those that Python cannot read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wrapper_gen.examples import START, are_examples
from wrapper_gen.resolve.scope import Map, Scope

_WITHIN = re.compile(r">>> (?=\S)")
_QUOTED = re.compile(r"`[^`]*`")
_OF_DOCTEST = re.compile(r"line (\d+) of the doc\w* for \S+ (?:has )?(.*)", re.DOTALL)
_WORDS = {
    "lacks blank after": "a space has to follow >>> and ...",
    "inconsistent leading whitespace": "its lines begin in different columns",
}
"""What doctest says, and what that means; of an option that is none it says it well."""
_FORM = "an example is what is typed, behind `>>> ` or `... `, and below it what Python prints, up to an empty line"


def check_examples(scope: Scope) -> None:
    """Warn of what looks like an example in a `doc`, or in what `params` says, and is none."""
    for container, key in _documentation(scope.document.data):
        if START in container[key] and id(container) in scope.document.places:
            _check(container, key, scope)


def _documentation(data: Any) -> Iterator[tuple[Map, str]]:
    """Where documentation stands, as mappings and their keys."""
    if isinstance(data, list):
        for each in data:
            yield from _documentation(each)
    for key, value in data.items() if isinstance(data, dict) else ():
        if key == "doc" and isinstance(value, str):
            yield data, key
        elif key == "params" and isinstance(value, dict):
            yield from ((value, name) for name, text in value.items() if isinstance(text, str))
        yield from _documentation(value)


def _check(container: Any, key: str, scope: Scope) -> None:
    text: str = container[key]
    for start, end, what, hint in (*_within_lines(text), *_unreadable(text)):
        scope.warn("WG298", what, scope.document.part(container, key, start, end), hint)


def _within_lines(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Examples that begin in the middle of a line, where doctest looks for none."""
    at, lines = 0, text.split("\n")
    for line, inside in zip(lines, are_examples(lines), strict=True):
        plain = _QUOTED.sub(lambda found: "x" * len(found[0]), line)
        if not inside and (found := _WITHIN.search(plain)):
            hint = "write `doc: |`, and the example below it on a line of its own; in prose, put >>> into backticks"
            yield at + found.start(), at + len(line), "an example in the middle of a line is no test", hint
        at += len(line) + 1


def _unreadable(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Examples that doctest or Python cannot read."""
    import doctest  # rarely needed: not worth its import on every start
    import warnings

    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError as error:
        if found := _OF_DOCTEST.match(str(error)):
            why = next((plain for words, plain in _WORDS.items() if found[2].startswith(words)), found[2])
            yield *_line(text, int(found[1])), f"this example cannot be read: {why}", _FORM
        return
    for example in examples:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(example.source, "example", "single")
        except (SyntaxError, ValueError) as error:
            line = example.lineno + (getattr(error, "lineno", 1) or 1)
            why = error.msg if isinstance(error, SyntaxError) else error
            yield *_line(text, line), f"Python cannot read this example: {why}", _FORM


def _line(text: str, number: int) -> tuple[int, int]:
    """Where a line, counted from 1, begins and ends without the spaces around it."""
    lines = text.split("\n")
    line = lines[min(number, len(lines)) - 1]
    start = sum(len(each) + 1 for each in lines[: min(number, len(lines)) - 1]) + len(line) - len(line.lstrip())
    return start, start + max(1, len(line.strip()))

"""Why a text is not YAML, in our own words; turns the parser's errors into diagnostics and no more."""

from __future__ import annotations

import re

import yaml

from wrapper_gen.diagnostics import Diagnostic, Span
from wrapper_gen.spec.source import Source

_QUOTE_IT = "put the whole value in quotes, or write it as a block after '|'"
_QUOTE_OR_INDENT = f"{_QUOTE_IT}; or is this line indented wrongly?"
_BACKSLASH = "write '\\\\' for a backslash, or use '…'"
_NEXT_LINE = "start the text on the next line"

# The parser's own words (the C and the Python one differ a little) → ours, and the hint.
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("mapping values are not allowed", "a ':' where no key can stand", _QUOTE_OR_INDENT),
    ("sequence entries are not allowed", "a '- ' where no item can be", "start the list on its own line"),
    ("mapping keys are not allowed", "a '?' where no key can stand", _QUOTE_IT),
    ("unexpected end of stream", "this quote is never closed", "close it; a quote inside '…' is doubled"),
    ("unknown escape character", "unknown escape in a double-quoted text", _BACKSLASH),
    ("hexdecimal number", "an escape needs hexadecimal digits", _BACKSLASH),
    ("hexadecimal numbers", "an escape needs hexadecimal digits", _BACKSLASH),
    ("',' or ']'", "a list in brackets is not closed", "add ',' or ']', or quote what contains brackets"),
    ("',' or '}'", "a mapping in braces is not closed", "add ',' or '}', or quote what contains braces"),
    ("alphabetic or numeric character", "a plain value cannot start with '&' or '*'", "quote it: \"&[f32]\""),
    ("cannot start any token", "a plain value cannot start with this character", "quote the value"),
    ("node content", "a value was expected here", "quote what starts with a bracket or comma"),
    ("could not find expected ':'", "a key without ':'", "add ':' after it, or quote the value above"),
    ("comment or line break", "nothing but a comment can follow '|' or '>'", _NEXT_LINE),
    ("chomping or indentation", "nothing but a comment can follow '|' or '>'", _NEXT_LINE),
    ("indentation indicator", "the indentation after '|' must be 1 to 9", "leave it out"),
    ("undefined tag handle", "unknown tag", "quote a value that starts with '!'"),
    ("incompatible YAML document", "not a version of YAML that is read here", "remove the %YAML line"),
    ("expected <document start>", "the document has ended before this", "remove '...' and '%' lines"),
    ("'-' indicator", "not an item of the list above", "start it with '- ', or indent it differently"),
    ("expected key", "neither a key nor the end of what is above", ""),
    ("<block end>", "neither a key nor the end of what is above", ""),
)
_AT_CONTEXT = ("unexpected end of stream",)  # reported where the construct opens, not where the text ends
_AFTER_VALUE = re.compile(r":[ \t]+[\[{\"'].*\S")


def broken_yaml(error: yaml.YAMLError, source: Source) -> Diagnostic:
    """The one diagnostic (WG004) for what the YAML parser could not read."""
    problem = str(getattr(error, "problem", None) or error)
    opened = _offset(getattr(error, "context_mark", None))
    place = _offset(getattr(error, "problem_mark", None))
    place = min(place if place is not None else 0, len(source.text))
    if (tab := _indenting_tab(source, place)) is not None:
        hint = "indent with spaces; YAML forbids tabs here"
        return Diagnostic("WG004", "a tab is used for indentation", source.span(tab), hint)
    message, hint = _in_our_words(problem)
    if problem.endswith(_AT_CONTEXT) and opened is not None:
        return Diagnostic("WG004", message, source.span(opened), hint)
    span = source.span(place)
    if not hint:
        hint = _why_no_key(source, place)
    return Diagnostic("WG004", message, span, hint, related=_opening(source, problem, opened, span))


def _in_our_words(problem: str) -> tuple[str, str]:
    for theirs, message, hint in _WORDS:
        if theirs in problem:
            return message, hint
    return f"this is not YAML: {problem}", _QUOTE_IT


def _offset(mark: object) -> int | None:
    return getattr(mark, "index", None)


def _indenting_tab(source: Source, place: int) -> int | None:
    number = source.line_number(place)
    line = source.line(number)
    indentation = line[: len(line) - len(line.lstrip())]
    if "\t" not in indentation:
        return None
    return source.line_start(number) + indentation.index("\t")


def _why_no_key(source: Source, place: int) -> str:
    """Two causes share one symptom: text after a closed value, and a line that is indented wrongly."""
    number = source.line_number(place)
    before = source.text[source.line_start(number) : place]
    if _AFTER_VALUE.search(before):
        return _QUOTE_IT
    return "indent it exactly as the keys that it belongs to"


def _opening(source: Source, problem: str, opened: int | None, span: Span) -> tuple[tuple[Span, str], ...]:
    if opened is None or not ("']'" in problem or "'}'" in problem):
        return ()
    start = source.span(opened)
    return ((start, "opened here"),) if start.line != span.line else ()

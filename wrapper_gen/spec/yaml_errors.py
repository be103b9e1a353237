"""Why a text is not YAML, in our own words; turns the parser's errors into diagnostics and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import yaml

from wrapper_gen.diagnostics import Diagnostic, Span
from wrapper_gen.spec.source import SpecText

_QUOTE_IT = "put the whole value in quotes, or write it as a block after '|'"
_BACKSLASH = "write '\\\\' for a backslash, or use '…'"
_NEXT_LINE = "start the text on the next line"
_SEE_INDENT = "indent it exactly as the keys that it belongs to"

# The words of PyYAML's own parser → ours, and the hint.
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("'\\t' that cannot start", "a tab between values", "use spaces"),
    ("sequence entries are not allowed", "a '- ' where no item can be", "start the list on its own line"),
    ("mapping keys are not allowed", "a '?' where no key can be", _QUOTE_IT),
    ("unexpected end of stream", "this quote is never closed", "close it; a quote inside '…' is doubled"),
    ("unknown escape character", "unknown escape in a double-quoted text", _BACKSLASH),
    ("hexadecimal numbers", "an escape needs hexadecimal digits", _BACKSLASH),
    ("',' or ']'", "a list in brackets is not closed", "add ',' or ']', or quote what contains brackets"),
    ("',' or '}'", "a mapping in braces is not closed", "add ',' or '}', or quote what contains braces"),
    ("alphabetic or numeric", "a plain value cannot start with '&' or '*'", 'quote it: "&[f32]"'),
    ("cannot start any token", "a plain value cannot start with {character!r}", "quote the value"),
    ("node content", "a value was expected here", "quote what starts with a bracket, a comma or a colon"),
    ("could not find expected ':'", "a key without ':'", "add ':', or indent it as part of what is above"),
    ("a line break", "nothing but a comment can follow '|' or '>'", _NEXT_LINE),
    ("chomping or indentation", "nothing but a comment can follow '|' or '>'", _NEXT_LINE),
    ("indentation indicator", "the indentation after '|' must be 1 to 9", "leave it out"),
    ("undefined tag handle", "unknown tag", "quote a value that starts with '!'"),
    ("incompatible YAML", "not a version of YAML that is read here", "remove the %YAML line"),
    ("directive", "not a directive of YAML", "remove the line that starts with '%'"),
    ("<document start>", "the document has ended before this", "remove '...' and '%' lines"),
)
_NO_KEY = "<block end>"
_QUESTION_MARK = "but got '?'"
_IN_BRACES = (_QUESTION_MARK, "',' or ']'", "',' or '}'", "cannot start any token", "node content")
_CODE_IN_BRACES = re.compile(
    r"""[{,]\s*(cpp|cpp_body|cpp_fn|cpp_method|cpp_drop|release|get|set):(?:\s+(?!["'\s])(?:(?!,\s*\w+:\s).)*|\s*)\Z"""
)
"""Before what YAML does not read: code that is no quoted text, in a mapping in braces."""
_QUOTE_CODE = (
    "quote it, {key}: '…', since commas, braces and '?' mean something to YAML there; or write the entry without "
    "braces, a key on each line, with `{key}: |` above the code"
)
_PLAIN_END = re.compile(r"""[^\s,:\[\]{}'"]*$""")
_NO_COLON = "mapping values are not allowed"
_AT_ITS_START = ("unexpected end of stream", "could not find expected ':'")  # the end is of no help


def yaml_errors(error: yaml.YAMLError, source: SpecText) -> list[Diagnostic]:
    """The diagnostics (WG004) for what the YAML parser could not read: it stops there, but sees all unquoted `?`."""
    first = _yaml_error(error, source)
    if _QUESTION_MARK not in str(getattr(error, "problem", None)):
        return [first]
    marks = (place for place in _question_marks(source) if source.span(place) > first.span)
    return [first, *(_question_mark(source, place) for place in marks)]


def _question_marks(source: SpecText) -> Iterator[int]:
    """Each `?` that ends a plain value in brackets or braces, where YAML reads the start of a key."""
    with suppress(yaml.YAMLError):  # what is wrong behind it is found when these are quoted
        for token in yaml.scan(source.text, yaml.SafeLoader):
            place = token.start_mark.index
            is_mark = isinstance(token, yaml.KeyToken) and source.text[place : place + 1] == "?"
            if is_mark and place and not source.text[place - 1].isspace():
                yield place


def _question_mark(source: SpecText, place: int) -> Diagnostic:
    message, hint = _in_our_words(_QUESTION_MARK, source, place)
    return Diagnostic("WG004", message, source.span(place), hint)


def _yaml_error(error: yaml.YAMLError, source: SpecText) -> Diagnostic:
    problem = str(getattr(error, "problem", None) or error)
    place = min(_offset(error, "problem_mark") or 0, len(source.text))
    opened = _offset(error, "context_mark")
    tab = _indenting_tab(source, place)
    if tab is not None:
        hint = "indent with spaces; YAML forbids tabs here"
        return Diagnostic("WG004", "a tab is used for indentation", source.span(tab), hint)
    message, hint = _in_our_words(problem, source, place)
    if opened is not None and any(words in problem for words in _AT_ITS_START):
        return Diagnostic("WG004", message, source.span(opened), hint)
    span = source.span(place)
    return Diagnostic("WG004", message, span, hint, related=_opening(source, problem, opened, span))


def _in_our_words(problem: str, source: SpecText, place: int) -> tuple[str, str]:
    before = source.text[source.line_start(source.line_number(place)) : place].strip()
    if (code := _CODE_IN_BRACES.search(before)) and any(words in problem for words in _IN_BRACES):
        key = code[1]
        return f"the code of {key} is not quoted, in braces", _QUOTE_CODE.format(key=key)
    if _NO_COLON in problem:
        if ":" in before:
            return "a ':' inside a plain value", _QUOTE_IT
        return "a ':' where no key can be", "this line continues the value above: check its indentation"
    if _QUESTION_MARK in problem:
        rest = source.text[place : source.line_start(source.line_number(place) + 1)]
        after = re.split(r"[\s,\[\]{}]", rest, maxsplit=1)[0]
        found = _PLAIN_END.search(before)
        word = (found[0] if found else "") + after
        return "a '?' inside a plain value in brackets or braces", f'quote it: "{word}"'
    if _NO_KEY in problem:
        if before:
            return "text after the end of a value", _QUOTE_IT
        return "this line does not continue what is above it", _SEE_INDENT
    for theirs, message, hint in _WORDS:
        if theirs in problem:
            return message.format(character=source.text[place : place + 1]), hint
    return f"this is not YAML: {problem}", "check the quotes and the indentation here"


def _offset(error: yaml.YAMLError, mark: str) -> int | None:
    return getattr(getattr(error, mark, None), "index", None)


def _indenting_tab(source: SpecText, place: int) -> int | None:
    number = source.line_number(place)
    line = source.line(number)
    tab = line[: len(line) - len(line.lstrip())].find("\t")
    return source.line_start(number) + tab if tab >= 0 else None


def _opening(source: SpecText, problem: str, opened: int | None, span: Span) -> tuple[tuple[Span, str], ...]:
    """Where the bracket that is not closed was opened, when that is on another line."""
    if opened is None or not ("']'" in problem or "'}'" in problem):
        return ()
    start = source.span(opened)
    return ((start, "opened here"),) if start.line != span.line else ()

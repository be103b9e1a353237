"""What a file of answers may say: its groups, the words of each, and the mistakes that can be told without headers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Span, did_you_mean
from wrapper_gen.spec import Document

OPEN = "?"
"""The value of a question that nothing answers yet."""
SKIP = "skip"
"""The answer that leaves something out."""
TOP = "import"
OF_TYPES = ("records", "statuses", "results", "keeps", "ends")
"""The groups whose keys are names of types."""
WORDS: Mapping[str, frozenset[str]] = {
    "library": frozenset(),
    "leave": frozenset(),
    "statuses": frozenset("name ok of and but message none on_null exceptions also".split()),
    "records": frozenset(
        "handle in_place struct options type status exception interface always view release belongs_to pointer holds"
        " match init in out inout ask make name data length ok message const empty identity blocking thread"
        " none exceptions also".split()
    ),
    "results": frozenset({"owned", "borrowed", "ask"}),
    "memory": frozenset({"release", "of", "kept"}),
    "keeps": frozenset({"holds", "holds_last", "takes", "uses", "ask"}),
    "ends": frozenset({"all", "on_success", "when", "nothing", "ask"}),
    "callables": frozenset(),
    "lengths": frozenset({"ask"}),
    "buffers": frozenset({"capacity", "length"}),
    "templates": frozenset(),
    "writes": frozenset({"out", "in", "inout", "ask"}),
    "constants": frozenset({"enum", "flags", "takes", "ask"}),
    "entries": frozenset({"ask", "skip"}),
}
"""The groups of questions, and the words that an answer in braces may have."""
SCOPES = frozenset({"call", "once", "object", "destroy", SKIP, OPEN})
"""How long callables are called: the keys of their group."""
OF_FUNCTIONS = ("leave", "buffers")
"""The groups whose keys are names of functions, or patterns of them."""
PATTERN_LISTS = (
    "of",
    "and",
    "but",
    "owned",
    "borrowed",
    "kept",
    "in",
    "out",
    "inout",
    "ask",
    "holds",
    "holds_last",
    "takes",
    "uses",
    "all",
    "on_success",
    "nothing",
    SKIP,
)
"""The words of answers whose lists have such names."""
_OF_LISTS = ("results", "memory", "keeps", "ends", "writes", "entries")
"""The groups whose answers have lists of functions alone, and what releases."""


_HAS_BRACES = {
    "statuses": "{name: StoreError, ok: [0], of: all}",
    "records": "{handle: Store, release: store_close}",
    "results": "{owned: [store_open], borrowed: []}",
    "memory": "{release: free, of: [store_dump]}",
    "keeps": "{holds: [], takes: [], uses: []}",
    "ends": "{all: [], nothing: []}",
    "writes": "{out: [], in: [], inout: []}",
    "buffers": '{capacity: "32"}',
    "constants": "{enum: Level}",
    "entries": "{skip: [store_walk]}",
}
"""The groups whose answers have words, with an answer as it could be."""
_LISTED = frozenset({"records", "memory"})
"""Those of which an answer may be a list of such."""
_IS_TRUTH = frozenset({"pointer", "const", "flags", "identity"})
_HAS_ANY = frozenset({"ok", "message", "thread", "blocking", "none", "on_null", "exceptions", "also", "when", "of"})
"""Words whose values the reader of specs checks, or another check here."""


def mistakes(document: Document) -> list[Diagnostic]:
    """All that is wrong with a file of answers, whatever its headers are."""
    wrong = [
        Diagnostic("WG304", f"{group} is a mapping of questions", document.key_span(document.data, group), "one a line")
        for group, values in document.data.items()
        if values is not None and not isinstance(values, dict)
    ]
    wrong = wrong or [*_unknown_words(document), *_no_lists(document), *_no_patterns(document)]
    return wrong or list(_shapes(document)) or list(_contradictions(document))


def _unknown_words(document: Document) -> Iterator[Diagnostic]:
    """Errors of groups, and of words in answers, that are none."""
    for group, values in document.data.items():
        if group == TOP:
            continue
        if group not in WORDS:
            span = document.key_span(document.data, group)
            yield Diagnostic("WG304", f"no question is of {group!r}", span, did_you_mean(group, WORDS))
            continue
        for key, value in values.items() if isinstance(values, dict) else ():
            if group == "callables" and key not in SCOPES:
                span = document.key_span(values, key)
                yield Diagnostic("WG304", f"callables are not called {key!r}", span, did_you_mean(key, SCOPES))
            for answer in value if isinstance(value, list) else [value]:
                for word in answer if isinstance(answer, dict) else ():
                    if word not in WORDS[group]:
                        span, near = document.key_span(answer, word), did_you_mean(word, WORDS[group])
                        yield Diagnostic("WG304", f"an answer of {group} has no {word!r}", span, near)


def _no_lists(document: Document) -> Iterator[Diagnostic]:
    """Errors of answers that have lists of functions, where they have something else."""
    for group in _OF_LISTS:
        values = document.data.get(group)
        for key, value in values.items() if isinstance(values, dict) else ():
            words = " ".join(f"{each}: […]," for each in sorted(WORDS[group] - {"ask", "release", "when"})).rstrip(",")
            is_taken = isinstance(value, dict) and "takes" in value
            if (group, key) == ("keeps", "memory") and (is_taken or value == SKIP):
                what = "text, bytes and arrays are held or used, and never taken"
                span = document.key_span(value, "takes") if is_taken else document.span(values, key)
                yield Diagnostic("WG304", what, span, "memory: {holds: […], holds_last: […], uses: […]}")
            if not isinstance(value, dict | list | None) and value not in (OPEN, SKIP, "TODO"):
                span = document.span(values, key)
                yield Diagnostic("WG304", f"an answer of {group} has lists of functions", span, f"{{{words}}}")
            for each in value if isinstance(value, list) else [value]:
                for word, names in each.items() if isinstance(each, dict) else ():
                    if word == "when" and not isinstance(names, dict):
                        span, hint = document.span(each, word), 'when: {lib_remove: "lib_is_below(value, child.inner)"}'
                        yield Diagnostic("WG304", "when has C++ for each function", span, hint)
                    elif word not in ("release", "when") and names is not None and not isinstance(names, list):
                        span = document.span(each, word)
                        yield Diagnostic("WG304", f"{word} is a list of functions", span, f"{word}: [{names}]")


def _no_patterns(document: Document) -> Iterator[Diagnostic]:
    """Errors of names that are read as patterns, and are none."""
    for group, values in document.data.items():
        if group == TOP or not isinstance(values, dict):
            continue
        for key, value in values.items():
            if group in OF_FUNCTIONS and (why := _wrong_with(key)):
                yield _no_pattern(key, why, document.key_span(values, key))
            words = value if isinstance(value, dict) else {}
            for names in (each for word, each in words.items() if word in PATTERN_LISTS and isinstance(each, list)):
                for at, name in enumerate(names):
                    if why := _wrong_with(name):
                        yield _no_pattern(name, why, document.span(names, at))


def _no_pattern(name: str, why: str, span: Span) -> Diagnostic:
    hint = "names are regular expressions of Python: json_load.* is each name that begins so"
    return Diagnostic("WG304", f"{name!r} is no pattern: {why}", span, hint)


def _wrong_with(name: object) -> str:
    if not isinstance(name, str) or name == OPEN:
        return ""
    try:
        re.compile(name)
    except re.error as error:
        return str(error)
    return ""


def _answers(document: Document) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Each question that is answered: its group, the mapping that it is of, and its key."""
    for group, values in document.data.items():
        if group != TOP and isinstance(values, dict):
            yield from ((group, values, key) for key, value in values.items() if value is not None)


def _shapes(document: Document) -> Iterator[Diagnostic]:
    """Errors of answers that are something else than what is asked for."""
    for group, values, key in _answers(document):
        value, span = values[key], document.span(values, key)
        if wrong := _wrong_shape(group, key, value):
            yield Diagnostic("WG304", wrong[0], span, wrong[1])
            continue
        for each in value if isinstance(value, list) and group in _LISTED else [value]:
            if isinstance(each, dict):
                yield from _shapes_of_words(document, group, each)


def _wrong_shape(group: str, key: str, value: Any) -> tuple[str, str] | None:
    """What is wrong with a whole answer, and what to write; None where nothing is."""
    if group in _HAS_BRACES:
        items = value if isinstance(value, list) and group in _LISTED else [value]
        is_listed = (group, key) == ("buffers", OPEN) and isinstance(value, list)
        words = (OPEN, SKIP, "TODO", *(("bytes", "text") if group == "records" else ()))
        is_good = bool(items) and all(isinstance(each, dict) or each in words for each in items)
        hint = f"{_HAS_BRACES[group]}, or skip"
        return None if is_good or is_listed else (f"no answer of {group} is {_told(value)}", hint)
    if group == "library":
        is_good = isinstance(value, str) or value is False
        return None if is_good else (f"{key} is C++, and no {_told(value)}", f"{key}: demo_{key}(), or skip")
    if group == "callables" and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
        scopes = ", ".join(sorted(SCOPES - {OPEN}))
        hint = f"one of {scopes} has a list of them" if key == OPEN else f'{key}: ["void (*)(void *)"]'
        return f"{key} has a list of types of callables", hint
    if group == "lengths" and not isinstance(value, dict) and value not in ("text", "bytes", "apart", OPEN, "TODO"):
        return f"no answer of lengths is {_told(value)}", "text, bytes or apart"
    if group == "templates" and not isinstance(value, list) and value not in (SKIP, OPEN, "TODO"):
        return f"{key} has a list of types", f"{key}: [{_told(value)}], or skip"
    return None


def _told(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else "a list" if isinstance(value, list) else "a mapping"


def _shapes_of_words(document: Document, group: str, said: dict[str, Any]) -> Iterator[Diagnostic]:
    """The same of the words of an answer."""
    for word, value in said.items():
        is_list = word in PATTERN_LISTS or word == "init"
        is_other = (word == "holds" and isinstance(value, str)) or (word == "belongs_to" and _names_one(value))
        if value is None or word in _HAS_ANY or (group == "records" and is_other):
            continue
        if word in _IS_TRUTH:
            is_good, wanted, hint = isinstance(value, bool), "true or false", f"{word}: true"
        elif is_list:
            is_good, wanted, hint = isinstance(value, list), "a list of functions", f"{word}: [{_told(value)}]"
        else:
            is_number = group == "buffers" and isinstance(value, int)
            is_good, wanted, hint = isinstance(value, str) or is_number, "a text", f"{word}: NAME"
            hint += f", or {word}: {{property: NAME}}" if word == "belongs_to" else ""
        if not is_good:
            yield Diagnostic("WG304", f"{word} is {wanted}", document.span(said, word), hint)


def _names_one(value: Any) -> bool:
    """Whether this is a class by the name of a property: `{root: Node}`."""
    return isinstance(value, dict) and len(value) == 1 and all(isinstance(each, str) for each in value.values())


def _contradictions(document: Document) -> Iterator[Diagnostic]:
    """Errors of answers that say two things of one function."""
    for group, values, key in _answers(document):
        value = values[key]
        for said in value if isinstance(value, list) else [value]:
            if not isinstance(said, dict):
                continue
            if group in (*_OF_LISTS, "statuses", "records"):
                yield from _said_twice(document, said)
            own = (said.get("handle"), *(() if isinstance(value, list) else (key,)))
            if group == "records" and said.get("release") == "nothing" and owner_in(said) in own:
                span = document.span(said, "belongs_to")
                hint = "name the class whose objects have to outlive it, or what releases a root"
                yield Diagnostic("WG304", f"a {key} that nothing releases cannot belong to itself", span, hint)


def owner_in(said: Mapping[str, Any]) -> object:
    """The class that `belongs_to` names, alone or under the name of its property; None where it names none."""
    owner = said.get("belongs_to")
    return next(iter(owner.values()), None) if isinstance(owner, Mapping) else owner


def _said_twice(document: Document, said: dict[str, Any]) -> Iterator[Diagnostic]:
    """Errors of functions that stand in the lists of two words."""
    first: dict[str, str] = {}
    for word, names in said.items():
        listed = names if isinstance(names, list | dict) and word in (*PATTERN_LISTS, "when") else ()
        for at, name in enumerate(listed):
            before = first.setdefault(str(name), word)
            if before != word:
                span = document.key_span(names, name) if isinstance(names, dict) else document.span(names, at)
                what = f"{name} is in {before} and in {word}"
                yield Diagnostic("WG304", what, span, "a function is in one of these lists: delete it in the other")

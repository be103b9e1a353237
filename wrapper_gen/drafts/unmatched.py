"""Warnings of answers that nothing of the headers matches: types, names and patterns of functions, constants."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Severity, did_you_mean, nearest
from wrapper_gen.drafts.answer_rules import OF_FUNCTIONS, OF_TYPES, OPEN, PATTERN_LISTS, owner_in
from wrapper_gen.drafts.answers import Answers, Question
from wrapper_gen.drafts.questions.calls import has_pairs, spelling_of
from wrapper_gen.drafts.questions.context import is_listed
from wrapper_gen.drafts.questions.kept_memory import MEMORY
from wrapper_gen.drafts.questions.kept_numbers import is_number_by_address
from wrapper_gen.drafts.report import Became, Row
from wrapper_gen.drafts.uses import function_type
from wrapper_gen.headers import Headers

_NAMES = (*PATTERN_LISTS, "init")
_IDLE = {
    "results": "this changes nothing: {} gives no {}",
    "memory": "this changes nothing: {} gives no {} that something frees",
    "keeps": "this changes nothing: {} is given no {} beside its own object",
    "ends": "this changes nothing: {} is no method of {}, or of what belongs to one, that may change it",
}
_IDLE_OF_MEMORY = "this changes nothing: {} is given no text, bytes or array that it only reads"
_CALLED = re.compile(r"[A-Za-z_]\w*")
_OF_C = {"free", "fclose", "close", "delete", "nothing"}
"""What releases and is of no header of the library: functions of C, and words."""
_ALIKE = 0.8  # of a name that is no function of these headers, and may be one of another library


def unmatched(
    answers: Answers, asked: Collection[Question], headers: Headers, rows: Collection[Row]
) -> list[Diagnostic]:
    """What stands in a file of answers and speaks of nothing, each at its place, with the nearest name.

    `rows` tell what became of functions: of those that are left out, an answer changes nothing.
    """
    return list(_Unmatched(answers, asked, headers, rows).found()) if answers.document is not None else []


class _Unmatched:
    def __init__(self, answers: Answers, asked: Collection[Question], headers: Headers, rows: Collection[Row]) -> None:
        self.answers = answers
        self.headers = headers
        self.asked = {(each.group, each.key) for each in asked}
        self.decides = {(each.group, each.key): each for each in asked if each.of}
        others = {each.declaration.name for each in rows if each.word is not Became.LEFT_OUT}
        left_out = {each.declaration.name: each.why for each in rows if each.word is Became.LEFT_OUT}
        self.left_out = {name: why for name, why in left_out.items() if name not in others}
        """Why a function is left out, with all of its overloads."""
        by_answer = {str(each) for each in answers.values.get("leave", {}).values()}
        self.left_by_answer = {name for name, why in self.left_out.items() if why in by_answer}
        self.functions = frozenset(each.name for each in headers.all_functions())
        self.qualified = self.functions | {each.qualified for each in headers.all_functions()}
        typedefs = {name for each in headers.records.values() for name in each.typedefs}
        self.types = frozenset({"int", *headers.records, *headers.enums, *headers.typedefs, *typedefs})
        self.values = {value.name for each in headers.enums.values() for value in each.values}
        self.values |= {*headers.constants, *headers.macros, *headers.macro_texts}

    def found(self) -> Iterator[Diagnostic]:
        """All of them, group by group."""
        for group, values in self.answers.values.items():
            for key, value in values.items():
                wrong = self._key(group, key)
                if wrong is not None:
                    yield wrong
                    continue
                said = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]
                told = [wrong for each in said for wrong in (*self._answer(group, each), *self._idle(group, key, each))]
                told += [wrong for each in said for wrong in self._several_numbers(group, key, each)]
                yield from told or self._unasked(group, key, said)
                if group == "callables" and isinstance(value, list):
                    yield from self._listed(value, self._spellings(), "no function is given a {!r}")

    def _key(self, group: str, key: str) -> Diagnostic | None:
        """What is wrong with the key of an answer."""
        if (group, key) in self.asked or key == OPEN:
            return None
        assert self.answers.document is not None
        span = self.answers.document.key_span(self.answers.document.data[group], key)
        if group in OF_TYPES and key not in self.types:
            return _warning(f"the headers do not ask for {key!r}", span, self._asked_of(group) | self.types, key)
        if group in OF_FUNCTIONS and not self._is_matched(key):
            return _warning(f"no function is called {key!r}", span, self.functions, key)
        if group in ("templates", "constants", "lengths", "writes") and not self._is_told(group, key):
            return _warning(f"the headers do not ask for {key!r}", span, self._asked_of(group), key)
        return None

    def _is_told(self, group: str, key: str) -> bool:
        """Whether a question could have this key, though it is not asked in this run."""
        if group == "lengths":
            names = {f"{a.name}, {b.name}" for f in self.headers.all_functions() for a, b in pairwise(f.parameters)}
            return key in names or key in self._spellings(with_pairs=True)
        if group == "constants":
            return any(each.startswith(key) for each in self.values)
        return any(each.qualified == key and each.template for each in self.headers.all_functions())

    def _asked_of(self, group: str) -> frozenset[str]:
        return frozenset(key for each, key in self.asked if each == group)

    def _answer(self, group: str, said: Mapping[str, Any]) -> Iterator[Diagnostic]:
        """What is wrong with the words of an answer."""
        document = self.answers.document
        assert document is not None
        for word, value in said.items():
            span = document.span(said, word)
            if group == "constants" and isinstance(value, list):
                yield from self._parameters(value)
            elif word in _NAMES and isinstance(value, list):
                known = self.qualified if group in ("entries", "keeps", "ends", "writes") else self.functions
                if group in ("keeps", "writes"):
                    known |= self._all_parameters()
                yield from self._listed(value, known, "no function is called {!r}", has_patterns=True)
            elif word == "when" and isinstance(value, dict):
                for name in value:
                    if not self._is_matched(name):
                        yield _warning(
                            f"no function is called {name!r}", document.key_span(value, name), self.functions, name
                        )
            elif word == "of" and isinstance(value, str) and value not in ("comment", "all"):
                if not self._is_matched(value):
                    yield _warning(f"no function is called {value!r}", span, self.functions, value)
            elif word == "match" and not any(re.search(str(value), each) for each in self.functions):
                yield _warning(f"no function is called {value!r}", span, self.functions, str(value))
            elif word in ("release", "message", "make"):
                name = re.split(r"[ (]", str(value))[0]
                known = self.functions | self.values
                if name not in known | _OF_C and nearest(name, known, _ALIKE) and _CALLED.fullmatch(name):
                    yield _warning(f"the headers have no {name!r}", span, known, name)
            elif word == "belongs_to" and not self._is_class(owner := str(owner_in(said))):
                yield _warning(f"no class is {owner!r}", span, self._asked_of("records"), owner)
            elif word == "ok" and group == "statuses" and isinstance(value, list):
                yield from self._listed(value, frozenset(self.values), "the headers have no {!r}", is_value=True)

    def _idle(self, group: str, key: str, said: Mapping[str, Any]) -> Iterator[Diagnostic]:
        """Warnings of functions that the answer names, and for which it changes nothing."""
        document, question = self.answers.document, self.decides.get((group, key))
        if document is None or question is None:
            return
        proposal = question.proposal if isinstance(question.proposal, dict) else {}
        lists = [(word, names) for word, names in said.items() if word in PATTERN_LISTS and isinstance(names, list)]
        for word, names in lists:
            for at, name in enumerate(names):
                why = self.left_out.get(str(name), "")
                is_proposed = name in (proposal.get(word) or ())
                is_proposed |= name in self.left_by_answer
                if not is_proposed and (why or self._is_idle(str(name), question, group)):
                    idle = _IDLE_OF_MEMORY if (group, key) == ("keeps", "memory") else _IDLE[group]
                    what = f"this changes nothing: {name} is left out: {why}" if why else idle.format(name, key)
                    hint = "write its entry into the spec, or delete the name" if why else "delete the name"
                    yield Diagnostic("WG305", what, document.span(names, at), hint, Severity.WARNING)

    def _several_numbers(self, group: str, key: str, said: Mapping[str, Any]) -> Iterator[Diagnostic]:
        """Errors of functions that are given several numbers by address, where no answer tells which is meant."""
        document, question = self.answers.document, self.decides.get((group, key))
        if document is None or question is None or (group, key) != ("keeps", MEMORY):
            return
        lists = [names for word, names in said.items() if word in PATTERN_LISTS and isinstance(names, list)]
        all_ = {str(name) for names in lists for name in names}
        for names in lists:
            for at, name in enumerate(names):
                numbers = self._numbers_of(str(name), question.of)
                if len(numbers) > 1 and not all_ & numbers.keys():
                    what = f"{name} is given several numbers by address, and this does not say which is meant"
                    hint = f"name each that is meant: {', '.join(numbers)}"
                    yield Diagnostic("WG304", what, document.span(names, at), hint)

    def _numbers_of(self, name: str, of: Collection[str]) -> dict[str, None]:
        """The numbers that a function of this name may keep the addresses of, as answers name them."""
        functions = [each for each in self.headers.all_functions() if name in (each.name, each.qualified)]
        named = ((f"{f.name}.{each.name}", each) for f in functions for each in f.parameters)
        return {full: None for full, each in named if full in of and is_number_by_address(each)}

    def _is_idle(self, name: str, question: Question, group: str) -> bool:
        """Whether functions are called so, or match it, and the question is of none of them."""
        known = self.qualified | (self._all_parameters() if group == "keeps" else frozenset())
        matched = {name} & known or {each for each in known if re.fullmatch(name, each)}
        of = {each.rpartition("::")[2] for each in question.of} | question.of
        is_left = any(each in self.left_by_answer for each in matched)
        return bool(matched) and not is_left and not any({each, each.rpartition("::")[2]} & of for each in matched)

    def _unasked(self, group: str, key: str, said: Sequence[Mapping[str, Any]]) -> Iterator[Diagnostic]:
        """A warning of an answer that lists functions, of which nothing is asked, and which no answer leaves out."""
        document = self.answers.document
        names = [str(name) for each in said for value in each.values() if isinstance(value, list) for name in value]
        is_left = not names or any(is_listed(each, names) for each in self.left_by_answer)
        if group in _IDLE and (group, key) not in self.asked and key != OPEN and document is not None and not is_left:
            what = f"this changes nothing: nothing is asked of {key} under {group}"
            span = document.key_span(document.data[group], key)
            yield Diagnostic("WG305", what, span, "delete it", Severity.WARNING)

    def _is_class(self, name: str) -> bool:
        if name in self.types or ("records", name) in self.asked:
            return True
        answers = self.answers.values.get("records", {}).values()
        return any(name in (each.get("handle"), each.get("in_place")) for each in answers if isinstance(each, Mapping))

    def _listed(
        self, names: list[Any], known: frozenset[str], what: str, *, is_value: bool = False, has_patterns: bool = False
    ) -> Iterator[Diagnostic]:
        document = self.answers.document
        assert document is not None
        for at, name in enumerate(names):
            bare = str(name).rpartition("::")[2]
            is_known = name == OPEN or name in known
            if is_value:
                is_known = not isinstance(name, str) or bare in known or not _CALLED.fullmatch(bare)
            elif has_patterns:
                is_known = is_known or any(re.fullmatch(str(name), each) for each in known)
            if not is_known:
                yield _warning(what.format(name), document.span(names, at), known, str(name))

    def _parameters(self, names: list[Any]) -> Iterator[Diagnostic]:
        """Warnings of `function.parameter` that no function has."""
        document = self.answers.document
        assert document is not None
        known = self._all_parameters()
        for at, name in enumerate(names):
            if str(name) not in known and not any(re.fullmatch(str(name), each) for each in known):
                yield _warning(f"no function has a parameter {name!r}", document.span(names, at), known, str(name))

    def _all_parameters(self) -> frozenset[str]:
        named = ((name, f) for f in self.headers.all_functions() for name in (f.name, f.qualified))
        return frozenset(f"{name}.{each.name}" for name, function in named for each in function.parameters)

    def _is_matched(self, pattern: str) -> bool:
        return pattern in self.functions or any(re.fullmatch(pattern, each) for each in self.functions)

    def _spellings(self, *, with_pairs: bool = False) -> frozenset[str]:
        """The types of callables that functions are given."""
        given = [each.type for function in self.headers.all_functions() for each in function.parameters]
        called = ((each, function_type(each)) for each in given)
        return frozenset(
            spelling_of(each) for each, of in called if of is not None and (not with_pairs or has_pairs(of))
        )


def _warning(what: str, span: Any, known: Collection[str], name: str) -> Diagnostic:
    near = nearest(name, frozenset(known)) if known else ""
    hint = str(did_you_mean(name, frozenset(known))) if near else "delete it, or name the header that has it"
    return Diagnostic("WG305", what, span, hint, Severity.WARNING)

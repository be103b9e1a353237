"""The file of questions and answers, `NAME.import`: what is proposed, what a person has decided, and what is open."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from wrapper_gen.diagnostics import Span, SpecError
from wrapper_gen.drafts.answer_rules import OPEN, SKIP, TOP, mistakes
from wrapper_gen.frozen import frozen
from wrapper_gen.spec import Document, read_document
from wrapper_gen.spec.former.scalars import flow, scalar

__all__ = ["NO_ANSWERS", "OPEN", "SKIP", "Answers", "Question", "Questions", "State", "answers_text", "read_answers"]

_HEAD = (
    "# Questions about the headers, with what is proposed and why: one line each. Write another value to decide one;",
    '# "?" is open. What you write stays. The spec follows from this: run `wrapper-gen import` again.',
)


class State(StrEnum):
    """How far a question is."""

    SURE = "sure"
    PROPOSED = "proposed"
    DECIDED = "decided"
    OPEN = "open"


@frozen
class Question:
    """A question, the value that its line has, and why that is proposed."""

    group: str
    key: str
    value: Any
    evidence: str
    state: State
    frees: int
    """How many declarations wait for it."""
    comment: str
    """What the header says of it."""
    proposal: Any
    of: frozenset[str] = frozenset()
    """The functions that its lists decide; empty of a question that has no such lists."""


@frozen
class Answers:
    """What a file has: its options, and values by group and key."""

    options: Mapping[str, Any]
    values: Mapping[str, Mapping[str, Any]]
    document: Document | None = None

    def span(self, group: str, key: str) -> Span:
        """Where the value of a key stands."""
        assert self.document is not None
        container: Any = self.document.data[group]
        return self.document.span(container, key)


NO_ANSWERS = Answers({}, {})


def read_answers(path: Path, shown: str) -> Answers:
    """The answers of a file; none where there is no file.

    Raises:
        SpecError: the file is not one of these (WG304), or no YAML.
    """
    if not path.exists():
        return NO_ANSWERS
    document = read_document(path, shown, kind="file of answers", start=f"{TOP}: {{name: …}}, or delete it")
    if wrong := mistakes(document):
        raise SpecError(wrong)
    values: dict[str, Any] = {k: v for k, v in document.data.items() if k != TOP and v}
    options: Any = document.data.get(TOP) or {}
    return Answers(options, {group: dict(said) for group, said in values.items()}, document)


class Questions:
    """Asks: each question is answered by what was decided, else by what is proposed."""

    def __init__(self, answers: Answers, proposals: Mapping[str, Any]) -> None:
        self._answers = answers
        self._proposals = proposals
        """What was proposed when the file was last written: what still is that, nobody has decided."""
        self.asked: list[Question] = []

    def said(self, group: str) -> Mapping[str, Any]:
        """Everything that the file has of a group."""
        return self._answers.values.get(group, {})

    def ask(
        self,
        group: str,
        key: str,
        proposal: Any,
        evidence: str,
        *,
        of: Collection[str] = (),
        is_sure: bool = False,
        frees: int = 0,
        comment: str = "",
    ) -> Any:
        """The value of a question; `of` are the functions that its lists can decide."""
        said = self.said(group)
        value, state = proposal, State.SURE if is_sure else State.PROPOSED
        if key in said and said[key] not in (proposal, self._proposals.get(f"{group}/{key}", proposal)):
            value, state = said[key], State.DECIDED
        is_part_open = isinstance(value, dict) and (OPEN in value.values() or bool(value.get("ask")))
        if value in (OPEN, "TODO", None) or is_part_open:
            state = State.OPEN
        asked = Question(group, key, value, evidence, state, frees, comment, proposal, frozenset(of))
        self.asked.append(asked)
        return OPEN if value in ("TODO", None) else value

    def put(
        self, group: str, key: str, value: Any, proposal: Any, evidence: str, *, frees: int = 0, comment: str = ""
    ) -> None:
        """A question whose value follows from several answers of its group."""
        state = State.OPEN if key == OPEN and value else State.PROPOSED if value == proposal else State.DECIDED
        self.asked.append(Question(group, key, value, evidence, state, frees, comment, proposal))

    def is_decided(self, group: str, key: str) -> bool:
        """Whether a person has written this value."""
        said = self.said(group)
        return key in said and said[key] != self._proposals.get(f"{group}/{key}")

    def proposals(self) -> dict[str, Any]:
        """What is proposed now, for the next run."""
        return {f"{each.group}/{each.key}": each.proposal for each in self.asked}


def answers_text(answers: Answers, options: Mapping[str, Any], asked: Sequence[Question]) -> str:
    """The text of the file; lines of what was decided, and whatever else a person has written, stay as they are."""
    if answers.document is None:
        return _written_anew(options, asked)
    lines = answers.document.source.text.split("\n")
    ends: dict[str, int] = {}
    for group, values in answers.values.items():
        container: Any = answers.document.data[group]
        last = max(_end(answers.document, container, key) for key in values)
        ends[group] = last
    for each in asked:
        if each.key in answers.values.get(each.group, {}) and each.state is not State.DECIDED:
            at = answers.document.key_span(answers.document.data[each.group], each.key).line - 1
            if lines[at].startswith("  ") and _end(answers.document, answers.document.data[each.group], each.key) == at:
                lines[at] = _line(each)
    added: dict[str, list[str]] = {}
    for each in asked:
        if each.key not in answers.values.get(each.group, {}):
            added.setdefault(each.group, []).append(_line(each))
    for group in sorted((group for group in added if group in ends), key=lambda each: -ends[each]):
        lines[ends[group] + 1 : ends[group] + 1] = added.pop(group)
    text = "\n".join(_with_options(answers.document, lines, options)).rstrip("\n") + "\n"
    return text + "".join(f"\n{group}:\n" + "\n".join(new) + "\n" for group, new in added.items())


def _with_options(document: Document, lines: list[str], options: Mapping[str, Any]) -> list[str]:
    """The same with the options that the command was given, where they are others."""
    if TOP not in document.data:
        return [f"{TOP}: {flow(dict(options))}", *lines]
    if document.data[TOP] != options and isinstance(document.data[TOP], dict):
        at = document.key_span(document.data, TOP).line - 1
        if _end(document, document.data, TOP) == at:
            lines[at] = f"{TOP}: {flow(dict(options))}"
    return lines


def _end(document: Document, container: Any, key: str) -> int:
    """The last line of a value, from 0."""
    value = container[key]
    last = document.span(container, key).line - 1
    if isinstance(value, dict | list):
        keys: Any = value if isinstance(value, dict) else range(len(value))
        return max([last, *(_end(document, value, each) for each in keys)])
    return last


def _written_anew(options: Mapping[str, Any], asked: Sequence[Question]) -> str:
    lines = [*_HEAD, f"{TOP}: {flow(dict(options))}"]
    for group in dict.fromkeys(each.group for each in asked):
        lines += ["", f"{group}:", *(_line(each) for each in asked if each.group == group)]
    return "\n".join(lines) + "\n"


def _line(each: Question) -> str:
    value = flow(each.value) if isinstance(each.value, dict | list) else scalar(each.value, is_flow=False)
    words = [*(["sure"] if each.state is State.SURE else []), *([each.evidence] if each.evidence else [])]
    comment = " ".join("; ".join(words).split())
    return f"  {scalar(each.key, is_flow=False)}: {value}" + (f"  # {comment}" if comment else "")

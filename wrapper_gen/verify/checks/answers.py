"""What a spec says otherwise than the answers that an import of its headers was given, `NAME.import`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wrapper_gen.frozen import frozen
from wrapper_gen.headers import Headers
from wrapper_gen.model import Module
from wrapper_gen.spec import read_document
from wrapper_gen.types.queries import is_characters
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt, plain
from wrapper_gen.verify.uses import record_named


@frozen
class SaidOwnership:
    """Answers by group and key; `path` is shown."""

    path: str
    groups: Mapping[str, Any]

    def of(self, group: str) -> Mapping[str, Any]:
        """The answers of a group; none where it has none, or something else than a mapping."""
        found = self.groups.get(group)
        return found if isinstance(found, dict) else {}

    def reason(self, name: str) -> str:
        """Why a function is left out; empty where nothing says so."""
        return next((str(why) for pattern, why in self.of("leave").items() if why and _matches(name, [pattern])), "")


NO_ANSWERS = SaidOwnership("", {})


def read_answers(spec: Path) -> SaidOwnership:
    """The answers beside a spec; none where there is no such file.

    Raises:
        SpecError: it is no YAML.
    """
    path = spec.with_name(f"{spec.name.partition('.')[0]}.import")
    if not path.is_file():
        return NO_ANSWERS
    data = read_document(path, path.as_posix()).data
    return SaidOwnership(path.name, data if isinstance(data, dict) else {})


def of_entry(subject: ComparedEntry, answers: SaidOwnership) -> Iterator[Doubt]:
    """The status, the memory and the objects of an entry."""
    name, outcome = subject.declared.name, subject.explained.outcome
    for type_, said in answers.of("statuses").items():
        if isinstance(said, dict) and not outcome.status and _is_status(name, type_, said, subject):
            yield subject.doubt(
                f"nothing tests its status, and {answers.path} says that it returns one", "say `raises`"
            )
    for type_, said in answers.of("memory").items():
        if not isinstance(said, dict) or not is_characters(subject.function.returns):
            continue
        used, release = outcome.source.rpartition(", then ")[2], str(said.get("release", ""))
        is_released = ", then " in outcome.source
        is_of = _matches(name, said.get("of"))
        if "of" not in said and subject.declared.result.canonical == type_:
            is_of = not _matches(name, said.get("kept"))
        if release and is_of and not (is_released and re.search(rf"\b{release}\b", used)):
            yield subject.doubt(
                f"{answers.path} says that {release} releases what it returns", f"say `release: {release}`"
            )
        elif is_released and _matches(name, said.get("kept")):
            yield subject.doubt(f"{answers.path} says that the library keeps what it returns", "leave `release` out")
    for handle in outcome.handles:
        said = _of_class(handle.type, "results", subject.module, subject.headers, answers)
        if handle.is_owned and handle.release and "static_cast<void>" not in handle.release:
            if _matches(name, said.get("borrowed")):
                what = f"Python releases the {handle.type}, and {answers.path} says that it is borrowed"
                yield subject.doubt(what, "say `belongs_to`")
        elif _matches(name, said.get("owned")):
            what = f"nothing releases the {handle.type}, and {answers.path} says that it is ours to release"
            yield subject.doubt(what, "say `belongs_to: nothing`")


def of_handles(module: Module, headers: Headers, answers: SaidOwnership) -> Iterator[Doubt]:
    """What releases the objects of a class, and what they belong to."""
    for kind in module.handles:
        said = _of_class(kind.name, "records", module, headers, answers)
        release, owner = str(said.get("release", "")), str(said.get("belongs_to", ""))
        code = kind.drop.text if kind.drop else ""
        is_nothing = "static_cast<void>" in code
        if release == "nothing" and code and not is_nothing:
            yield Doubt(
                kind.name, kind.span, f"`{code}` releases it, and {answers.path} says nothing", "say `release: nothing`"
            )
        elif release.isidentifier() and release != "nothing" and not re.search(rf"\b{release}\b", code):
            shown = "nothing" if is_nothing else f"`{code}`"
            what = f"{shown} releases it, and {answers.path} says {release}"
            yield Doubt(kind.name, kind.span, what, f"say `release: {release}`")
        if owner and not kind.lent_by and not _keeps(kind.name, module):
            what = f"it keeps nothing alive, and {answers.path} says that it belongs to {owner}"
            yield Doubt(kind.name, kind.span, what, "say `belongs_to`")


def _keeps(kind: str, module: Module) -> bool:
    """Whether any call that makes one says what it belongs to or holds."""
    makers = [each for each in module.callables if each.constructs == kind or str(each.returns).rstrip("?") == kind]
    return any(each.lifetime.result.keeps or each.lifetime.result.lenders for each in makers)


def _of_class(name: str, group: str, module: Module, headers: Headers, answers: SaidOwnership) -> Mapping[str, Any]:
    """What a group says of the record of a class."""
    kind = next((each for each in module.handles if each.name == name), None)
    record = record_named(kind.cpp_type.text, headers) if kind else None
    names = {record.qualified, record.name, *(each.removesuffix(" *") for each in record.typedefs)} if record else set()
    for key, said in answers.of(group).items():
        if key in names:
            several = said if isinstance(said, list) else [said]
            found = next((each for each in several if isinstance(each, dict) and name in each.values()), None)
            first = several[0] if several and isinstance(several[0], dict) else {}
            return found if found is not None else first if len(several) == 1 else {}
    return {}


def _is_status(name: str, type_: str, said: Mapping[str, Any], subject: ComparedEntry) -> bool:
    result = subject.declared.result
    if type_ not in (result.spelling, plain(result.canonical), result.name) or _matches(name, said.get("but")):
        return False
    return said.get("of") == "all" or _matches(name, said.get("of")) or _matches(name, said.get("and"))


def _matches(name: str, patterns: object) -> bool:
    """Whether a name is one of these, which may be patterns."""
    listed: Sequence[object] = patterns if isinstance(patterns, list) else [patterns] if patterns else []
    for each in listed:
        try:
            if re.fullmatch(str(each), name):
                return True
        except re.error:
            continue
    return False

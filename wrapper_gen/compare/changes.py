"""Differences of two surfaces, each with whether it breaks those who call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen.compare.surface import Member, StubParameter, StubSignature, Surface
from wrapper_gen.frozen import frozen

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")
_WIDER = {"int": {"float", "complex"}, "float": {"complex"}, "bytes": {"Buffer"}, "bool": {"int", "float", "object"}}
"""What else takes a value of a type."""


@frozen
class ApiChange:
    """One difference: of `Python` or `C`, where, what, and whether it breaks callers."""

    of: str
    name: str
    kind: str
    """`removed`, `added` or `changed`."""
    is_breaking: bool
    what: str


def compared(old: Surface, new: Surface) -> list[ApiChange]:
    """All differences, those that break callers first."""
    found = [*_python(old.python, new.python), *_c(old.c, new.c)]
    return sorted(found, key=lambda each: (not each.is_breaking, each.of != "Python", each.name))


def breaks_python(changes: Sequence[ApiChange]) -> bool:
    """Whether any of them breaks callers in Python; few call the C functions, which are the package's own."""
    return any(each.is_breaking and each.of == "Python" for each in changes)


def next_version(old: str, changes: Sequence[ApiChange]) -> str:
    """The version that the changes for Python ask for by semantic versioning; empty where the old one has no numbers.

    Before 1.0, what breaks callers counts as a minor version, and all else as a patch.
    """
    numbers = _VERSION.match(old)
    if not numbers:
        return ""
    major, minor, patch = int(numbers[1]), int(numbers[2]), int(numbers[3] or 0)
    breaks = breaks_python(changes)
    adds = any(each.kind == "added" for each in changes)
    if not changes:
        return old
    if major == 0:
        return f"0.{minor + 1}.0" if breaks else f"0.{minor}.{patch + 1}"
    if breaks:
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if adds else f"{major}.{minor}.{patch + 1}"


# --- Python ----------------------------------------------------------------------------------------------------------


def _python(old: Mapping[str, Member], new: Mapping[str, Member]) -> Iterator[ApiChange]:
    for name, was in old.items():
        if name not in new:
            if name.rpartition(".")[0] in new or "." not in name:  # a class that is gone stands for what it had
                yield ApiChange("Python", name, "removed", True, f"the {was.kind} is gone")
        elif was != new[name]:
            yield from _changed(name, was, new[name])
    for name, member in new.items():
        if name not in old and (name.rpartition(".")[0] in old or "." not in name):
            yield ApiChange("Python", name, "added", False, f"a new {member.kind}")


def _changed(name: str, was: Member, now: Member) -> Iterator[ApiChange]:
    if was.kind != now.kind:
        is_breaking = (was.kind, now.kind) != ("property", "property that can be set")
        yield ApiChange("Python", name, "changed", is_breaking, f"it was a {was.kind}, and is a {now.kind}")
    elif was.kind == "function":
        yield from _forms(name, was.forms, now.forms)
    elif was.kind == "class":
        if was.type != now.type:
            gone = [each for each in was.type.split(", ") if each and each not in now.type.split(", ")]
            what = f"its bases were {was.type or 'none'}, and are {now.type or 'none'}"
            yield ApiChange("Python", name, "changed", bool(gone), what)
        yield from _forms(name, was.forms, now.forms)
    elif was.type != now.type:
        is_breaking = not _fits(now.type, was.type) or "set" in was.kind
        yield ApiChange("Python", name, "changed", is_breaking, f"its type was {was.type}, and is {now.type}")
    elif was.value and now.value:
        yield from _values(name, was.value, now.value)


def _values(name: str, was: str, now: str) -> Iterator[ApiChange]:
    """A value of an enum, or a constant: another number breaks callers, and so does another name of C++."""
    numbers = [_number(each) for each in (was, now)]
    if numbers[0] is None or numbers[0] != numbers[1]:
        may_be_same = (numbers[0] is None) != (numbers[1] is None)  # a name in place of a number, or the reverse
        what = f"its value was {was}, and is {now}" + ", which may be the same" * may_be_same
        yield ApiChange("Python", name, "changed", not may_be_same, what)


def _number(text: str) -> int | None:
    try:
        return int(text.rstrip("uUlL"), 0)
    except ValueError:
        return None


def _forms(name: str, was: Sequence[StubSignature], now: Sequence[StubSignature]) -> Iterator[ApiChange]:
    """Overloads: each form that was there must fit one that is there."""
    if len(was) == len(now) == 1:
        for is_breaking, what in _differences(was[0], now[0]):
            yield ApiChange("Python", name, "changed", is_breaking, what)
        return
    for form in was:
        if form not in now:
            fits = any(not any(breaks for breaks, _ in _differences(form, other)) for other in now)
            yield ApiChange("Python", name, "changed", not fits, f"the form {shown(form)} is gone")
    for form in now:
        if form not in was:
            yield ApiChange("Python", name, "added", False, f"a new form {shown(form)}")


def _differences(was: StubSignature, now: StubSignature) -> Iterator[tuple[bool, str]]:
    yield from _parameters(was.parameters, now.parameters)
    if was.result != now.result:
        what = f"the result was {was.result or 'none'}, and is {now.result or 'none'}"
        yield not _fits(now.result, was.result), what


def _parameters(was: Sequence[StubParameter], now: Sequence[StubParameter]) -> Iterator[tuple[bool, str]]:
    there = {each.name: each for each in now}
    known = {each.name for each in was}
    places = {each.name: at for at, each in enumerate(each for each in now if each.way in ("position", "either"))}
    own = [each for each in was if each.way in ("position", "either")]
    added = [each for each in now if each.name not in known]
    for at, each in enumerate(own):
        if each.name in places and places[each.name] != at:
            yield True, f"`{each.name}` was parameter {at + 1}, and is parameter {places[each.name] + 1}"
    for each in was:
        if each.name in there:
            yield from _parameter(each, there[each.name])
        elif each.way == "position" and len(now) > (at := was.index(each)) and now[at].way == "position":
            yield from _parameter(each, now[at])
            added = [other for other in added if other is not now[at]]
        else:
            yield True, f"the parameter `{each.name}` is gone"
    for each in added:
        is_needed = not each.default and each.way not in ("rest", "names")
        has_default = f" = {each.default}" if each.default else ""
        yield is_needed, f"a new parameter `{each.name}: {each.type}{has_default}`"


def _parameter(was: StubParameter, now: StubParameter) -> Iterator[tuple[bool, str]]:
    if was.type != now.type:
        yield not _fits(was.type, now.type), f"`{was.name}` was {was.type}, and is {now.type}"
    if was.default and not now.default:
        yield True, f"`{was.name}` has no default any more; it was {was.default}"
    elif was.default != now.default:
        changed = f"the default of `{was.name}` was {was.default}, and is {now.default}"
        yield bool(was.default), changed if was.default else f"`{was.name}` has a default: {now.default}"
    if was.way != now.way and was.way != "position" and now.way != "either":
        yield True, f"`{was.name}` is given by {_WAYS[now.way]}"


_WAYS = {
    "position": "its position only",
    "either": "position or name",
    "name": "its name only",
    "rest": "any number of values",
    "names": "any names",
}


def _fits(given: str, wanted: str) -> bool:
    """Whether each value of a type is one of another, as far as names tell."""
    options = _options(wanted)
    return "object" in options or all(each in options or options & _WIDER.get(each, set()) for each in _options(given))


def _options(type_: str) -> set[str]:
    try:
        node: ast.expr = ast.parse(type_, mode="eval").body
    except SyntaxError:
        return {type_}
    found: set[str] = set()
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found.add(ast.unparse(node.right))
        node = node.left
    return {*found, ast.unparse(node)}


def shown(form: StubSignature) -> str:
    """A form as Python has it."""
    return f"({', '.join(f'{each.name}: {each.type}' for each in form.parameters)}) -> {form.result}"


# --- C ---------------------------------------------------------------------------------------------------------------


def _c(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[ApiChange]:
    for name, was in old.items():
        if name not in new:
            yield ApiChange("C", name, "removed", True, f"it was {was}")
        elif was != new[name]:
            yield ApiChange("C", name, "changed", True, f"it was {was}, and is {new[name]}")
    yield from (ApiChange("C", name, "added", False, text) for name, text in new.items() if name not in old)

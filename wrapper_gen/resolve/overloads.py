"""Functions of one name: which of them are forms of one, and whether each of those can be reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.model import NO_DEFAULT, Function, Parameter
from wrapper_gen.resolve.entry_names import EntryName
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.fitting import kinds, label


def declared_overloads(entries: Iterable[EntryName]) -> frozenset[tuple[str, str]]:
    """The names that several entries have, of one class or of the module."""
    found = Counter(
        (each.name, each.name) if each.is_constructor else (each.owner, each.name) for each in entries if each.is_called
    )
    return frozenset(name for name, count in found.items() if count > 1)


def with_label(entry: Map, scope: Scope, signature: Signature) -> Signature:
    """The signature under a name of its own where others share it: with its `label`, or its parameters' types."""
    name = signature.name
    module = scope.text(entry, "module")
    owner = signature.handle or (f".{module}" if module else "")
    key = (name, name) if signature.is_constructor else (owner, name)
    said = scope.text(entry, "label")
    if said:
        scope.check_identifier(f"{name.strip('_')}_{said}", scope.span(entry, "label"), "a C function")
    elif key not in scope.names.overloaded or signature.is_property:
        return signature
    types = label([p.type for p in signature.parameters])
    return replace(signature, name=f"{name}_{said or types}")


def grouped(functions: Sequence[Function]) -> tuple[Function, ...]:
    """The same functions, the forms of each side by side where the first stands, and marked."""
    return tuple(
        replace(each, is_form=len(group) > 1) if len(group) > 1 else each
        for group in _groups(functions)
        for each in group
    )


def _groups(functions: Sequence[Function]) -> Iterator[list[Function]]:
    found: dict[tuple[str | None, str, bool], list[Function]] = {}
    for i, function in enumerate(functions):
        called = not function.property and not function.sets
        own = names.of_function(function) if called else str(i)
        owner = function.handle or function.static or f".{function.module}"
        found.setdefault((owner, own, called), []).append(function)
    yield from found.values()


def distinct(functions: Sequence[Function], scope: Scope) -> Iterator[Function]:
    """The functions that need a name of their own; forms that no call reaches are reported."""
    for group in _groups(functions):
        for i, function in enumerate(group):
            if i == 0 or any(_takes_alike(each, function) for each in group[:i]):
                yield function
            elif hiding := next((each for each in group[:i] if _covers(each, function)), None):
                hint = "move it before that one, or drop it"
                message = f"no call reaches this {function.name!r}: another one before it takes the same"
                scope.error("WG137", message, function.span, hint, (hiding.span, "this one"))


def _takes_alike(one: Function, other: Function) -> bool:
    return list(map(_taken, one.parameters)) == list(map(_taken, other.parameters))


def _taken(p: Parameter) -> tuple[frozenset[str], str]:
    """What it takes, and under which name where it has to have one."""
    return kinds(p.type), p.name if p.is_keyword else ""


def _covers(one: Function, other: Function) -> bool:
    """Whether whatever the other takes fits this one as well."""
    given, more = one.parameters[: len(other.parameters)], one.parameters[len(other.parameters) :]
    if len(given) < len(other.parameters) or not all(map(_may_be_left_out, more)):
        return False
    pairs = list(zip(given, other.parameters, strict=True))
    if [_taken(p)[1] for p in given] != [_taken(p)[1] for p in other.parameters]:
        return False
    return all(kinds(b.type) <= kinds(a.type) and (_may_be_left_out(a) or not _may_be_left_out(b)) for a, b in pairs)


def _may_be_left_out(p: Parameter) -> bool:
    return p.default is not NO_DEFAULT

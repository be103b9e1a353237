"""`= ...` after a parameter: what C++ has by default. Each number of such arguments is a form of the entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, raise_errors
from wrapper_gen.resolve.lambdas import is_lambda
from wrapper_gen.resolve.signatures import OVERRIDDEN, BadSignature, Definition, DefParameter, parse_def
from wrapper_gen.spec import Document
from wrapper_gen.spec.offsets import Offsets, composed
from wrapper_gen.written_calls import BadCall, WrittenName, read_cpp

_OF_PARAMETERS = (
    "params",
    "scope",
    "thread",
    "on_exception",
    "on_failure",
    "holds",
    "holds_last",
    "lets_go",
    "takes",
    "ends",
    "belongs_to",
)
"""Keys of an entry that may speak of parameters, by name: of those that a form does not have they say nothing."""
_OF_CALLABLES = ("scope", "on_exception")
_IN_ONE_FORM = ("label",)
"""Keys of an entry that are of its longest form alone."""
_SEVERAL_CALLS = "a default of C++ beside `cpp` that says the arguments"
_WRITE = "let `cpp` be a name, whose arguments are found; or write the entry once for each number of arguments"


def with_shorter_forms(document: Document) -> None:
    """Let each entry whose last parameters have `= ...` stand once for each number of them that a call may give.

    Raises:
        SpecError: WG074, C++ has no such default here; WG036, a parameter without one stands behind it.
    """
    findings: list[Diagnostic] = []
    for container, key in _lists(document.data):
        listed = container[key]
        if any(_may_be_shorter(entry) for entry in listed):
            container[key] = _expanded(document, listed, findings)
    raise_errors(findings)


def _lists(data: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """What holds a list of entries, and by which key."""
    classes = [each for key in ("handle_types", "structs") if isinstance(data.get(key), list) for each in data[key]]
    for container in (data, *(each for each in classes if isinstance(each, dict))):
        yield from ((container, key) for key in ("functions", "methods") if isinstance(container.get(key), list))


def _may_be_shorter(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("def"), str) and "..." in entry["def"]


def _expanded(document: Document, listed: list[Any], findings: list[Diagnostic]) -> list[Any]:
    """The same list, with all forms of an entry where that stands."""
    places: Any
    _, places, start, end = document.places[id(listed)]
    made: list[Any] = []
    made_places: list[Any] = []
    for entry, place in zip(listed, places, strict=True):
        forms = list(_forms(document, entry, findings)) if _may_be_shorter(entry) else [entry]
        made += forms
        made_places += [place] * len(forms)
    document.places[id(made)] = (made, made_places, start, end)
    return made


def _forms(document: Document, entry: dict[str, Any], findings: list[Diagnostic]) -> Iterator[dict[str, Any]]:
    """The entry with all of its parameters, and with ever fewer."""
    text: str = entry["def"]
    try:
        found = parse_def(text)
    except BadSignature:  # which is reported where the entry is read
        yield entry
        return
    parameters = found.parameters or ()
    first = next((i for i, each in enumerate(parameters) if each.by_default), len(parameters))
    if first == len(parameters):
        yield entry
        return
    mistake = _mistake(document, entry, found, first)
    if mistake is not None:
        findings.append(mistake)
        return
    for count in range(len(parameters), first - 1, -1):
        yield _form(document, entry, parameters, first, count)


def _mistake(document: Document, entry: dict[str, Any], found: Definition, first: int) -> Diagnostic | None:
    """Why this entry has no shorter forms."""
    parameters = found.parameters or ()
    of_cpp = parameters[first]
    odd = next((each for each in parameters[first:] if not each.by_default), None)

    def at(part: DefParameter) -> Any:
        return document.part(entry, "def", part.name.start, part.name.end)

    if odd is not None:
        message = f"{odd.name.text!r} stands behind {of_cpp.name.text!r}, which C++ has by default, and is always given"
        hint = (
            "C++ leaves out arguments from the last one on: give it `= ...`, too; or write both calls, as two entries"
        )
        return Diagnostic("WG036", message, at(odd), hint)
    if found.kind is not None and found.kind.text in OVERRIDDEN:
        hint = "write a value, which C++ calls the method with"
        return Diagnostic("WG074", "a default of C++ in a method that Python overrides", at(of_cpp), hint)
    if not _finds_arguments(entry):
        return Diagnostic("WG074", _SEVERAL_CALLS, at(of_cpp), _WRITE)
    return None


def _finds_arguments(entry: dict[str, Any]) -> bool:
    """Whether the arguments of the call are the parameters, whichever there are."""
    cpp = entry.get("cpp")
    if entry.get("cpp_body") is not None or isinstance(cpp, list | dict):
        return False
    if not isinstance(cpp, str) or not cpp.strip() or is_lambda(cpp):
        return True
    try:
        return isinstance(read_cpp(cpp), WrittenName)
    except BadCall:  # which is reported where it is read
        return True


def _form(
    document: Document, entry: dict[str, Any], parameters: Sequence[DefParameter], first: int, count: int
) -> dict[str, Any]:
    """The entry with its first `count` parameters, which are given: also those before them that have a value."""
    text: str = entry["def"]
    given = parameters[:count] if count > first else ()
    cuts = [(each.type.end, each.end) for i, each in enumerate(given) if i >= first or not each.is_keyword]
    if count < len(parameters):
        start = parameters[count - 1].end if count else text.index("(", 0, parameters[0].name.start) + 1
        cuts.append((start, parameters[-1].end if count else text.index(")", parameters[-1].end)))
    kept = [i for i in range(len(text)) if not any(start <= i < end for start, end in cuts)]
    characters: Offsets = [(i, i + 1) for i in kept]
    made: dict[str, Any] = document.without(entry, _IN_ONE_FORM if count < len(parameters) else ())
    made["def"] = "".join(text[i] for i in kept)
    for key in _OF_PARAMETERS if count < len(parameters) else ():
        _leave_out(document, made, key, parameters[:count], parameters[count:])
    originals = document.repeated.originals
    earlier = originals.get((id(entry), "def"))
    originals[id(made), "def"] = (text, characters) if earlier is None else composed(earlier, characters)
    document.keep_row(entry, made)
    return made


def _leave_out(
    document: Document,
    entry: dict[str, Any],
    key: str,
    rest: Sequence[DefParameter],
    gone: Sequence[DefParameter],
) -> None:
    """Let a key say nothing of parameters that are gone; one word for all callables, where none is left, neither."""
    names, said = {each.name.text for each in gone}, entry.get(key)
    is_of_callables = key in _OF_CALLABLES and _has_callables(gone) and not _has_callables(rest)
    if isinstance(said, str) and (said in names or is_of_callables):
        del entry[key]
    elif isinstance(said, dict) and names & said.keys():
        entry[key] = document.without(said, names)
    elif isinstance(said, list) and any(isinstance(each, str) and each in names for each in said):
        places: Any
        _, places, start, end = document.places[id(said)]
        kept = [i for i, each in enumerate(said) if not (isinstance(each, str) and each in names)]
        others = [said[i] for i in kept]
        document.places[id(others)] = (others, [places[i] for i in kept], start, end)
        entry[key] = others


def _has_callables(parameters: Sequence[DefParameter]) -> bool:
    return any("fn(" in each.type.text for each in parameters)

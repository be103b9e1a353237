"""Explanations as text for people and as data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen.explain import Explanation, FurtherCall
from wrapper_gen.explain.calls import ORDERS, ChosenArgument, ChosenCall
from wrapper_gen.explain.outcomes import MadeHandle, Outcome
from wrapper_gen.explain.sources import SourceKind
from wrapper_gen.headers.lock import Lock, Locked, same_named
from wrapper_gen.resolve.lifetime_words import in_spec

_MOST = 4
"""Fields of a struct of options that are listed."""


def as_text(entries: Sequence[Explanation], spec: str, lock: Lock | None = None) -> str:
    """A paragraph for each entry; `spec` is the path to show, and `lock` has the declarations of what is called."""
    return "\n\n".join("\n".join(_paragraph(each, spec, lock)) for each in entries)


def declared(call: ChosenCall, lock: Lock | None) -> list[Locked]:
    """What is called, as the headers declare it; several where it has overloads."""
    if lock is None or call.kind not in ("function", "member", "virtual", "constructor"):
        return []
    name = call.callee.partition("<")[0].removeprefix("::")
    known = same_named(lock.declarations)
    return [each for found, forms in known.items() if found == name or found.endswith(f"::{name}") for each in forms]


def as_list(entries: Sequence[Explanation], spec: str, _lock: Lock | None = None) -> str:
    """A line for each call of an entry, with the status that is tested; `spec` is the path to show."""
    return "\n".join(line for each in entries for line in _listed(each, spec))


def _listed(entry: Explanation, spec: str) -> Iterator[str]:
    head = f"{spec}:{entry.span.line}: {entry.name}"
    if entry.problem:
        yield f"{head}: {entry.problem}"
        return
    tested = "no status"
    what = f"`{' '.join(entry.code.text.split())}`" if entry.code else ""
    if entry.outcome.status:
        raised, fine = entry.outcome.raises[-1].exception, entry.outcome.fine
        tested = f"{raised} unless {fine}; the status is {entry.outcome.status}"
    for call in entry.calls:
        result = f" -> {call.result}" if call.result else ""
        yield f"{head}: {what or call.text}{result}; {tested}"
    for each in entry.further:
        yield f"{head}: {_further(each)}"


def _further(call: FurtherCall) -> str:
    where = f", where {call.when}" if call.when else ""
    return f"{'' if where else 'then '}{call.text}{where}; a status is tested as its type says"


def _paragraph(entry: Explanation, spec: str, lock: Lock | None) -> Iterator[str]:
    yield f"{spec}:{entry.span.line}:{entry.span.column}: {entry.name}{_shown_signature(entry)}"
    if entry.problem:
        yield f"  {entry.problem}"
        return
    if entry.code:
        yield f"  the code at {spec}:{entry.code.span.line}:{entry.code.span.column}"
    for call in entry.calls:
        yield from _call(call)
        yield from (f"    {each.at} declares {each.signature}" for each in declared(call, lock))
    for each in entry.further:
        yield f"  {_further(each)}"
    yield from _outcome(entry.outcome)


def _shown_signature(entry: Explanation) -> str:
    return (
        " (property)"
        if entry.kind == "property"
        else " = value (property)"
        if entry.kind == "setter"
        else entry.signature
    )


def _call(call: ChosenCall) -> Iterator[str]:
    order = f"  [{ORDERS[call.order]}]" if ORDERS[call.order] else ""
    result = f" -> {call.result}" if call.result else ""
    yield f"  {call.text}{result}{order}"
    if call.kind == "virtual":
        yield f"    virtual {call.callee}: {call.signature or 'one of several'}; Python may override it"
    width = max((len(each.source.text) for each in call.arguments), default=0)
    for each in call.arguments:
        yield f"    {f'{each.source.text}:':{width + 1}} {_argument(each)}".rstrip()
    if call.defaults:
        yield f"    and {call.defaults} more, of which C++ has defaults"


def _argument(argument: ChosenArgument) -> str:
    source = argument.source
    is_same = _bare(argument.type) == _bare(argument.given) or "wg::" in argument.given
    given = "" if is_same else f", given {argument.given}"
    note = source.note
    if source.kind is SourceKind.OPTIONS and len(source.parameters) > _MOST:
        note = f"made of {len(source.parameters)} keyword arguments"
    return f"{argument.type}{given}{f' ({note})' if note else ''}"


def _bare(type_: str) -> str:
    """A type without reference and `const`, which tell nothing of what goes in."""
    return type_.removeprefix("const ").rstrip("& ").removesuffix("const").rstrip()


def _outcome(outcome: Outcome) -> Iterator[str]:
    source = f": {outcome.source}" if outcome.source else ""
    none = f"; None where {outcome.none}" if outcome.none else ""
    yield f"  returns {outcome.returns}{source}{none}"
    for handle in outcome.handles:
        yield f"    {handle.type}: {_handle(handle)}"
    if outcome.status:
        *cases, last = outcome.raises
        yield f"  raises {last.exception} unless {outcome.fine}; the status is {outcome.status}"
        if cases:
            yield f"    {', '.join(f'{each.exception} where {each.when}' for each in cases)}"
    if outcome.holds:
        yield f"  self holds {', '.join(outcome.holds)} from then on"


def _handle(handle: MadeHandle) -> str:
    how = f" with `{handle.release}`" if handle.release else ""
    owned = f"Python releases it{how}" if handle.is_owned else "C++ owns it"
    owner = f", belongs to {_as_in_spec(handle.lent_by)}" if handle.lent_by else ""
    kept = f", keeps {_as_in_spec(handle.keeps)} alive" if handle.keeps else ""
    return f"{owned}{owner}{kept}"


def _as_in_spec(names: Sequence[str]) -> str:
    return ", ".join(in_spec(each) for each in names)


def as_data(entries: Sequence[Explanation], spec: str, lock: Lock | None = None) -> dict[str, object]:
    """All that is known, for JSON."""
    return {"spec": spec, "entries": [_entry(each, lock) for each in entries]}


def _entry(entry: Explanation, lock: Lock | None) -> dict[str, object]:
    code = entry.code
    return {
        "name": entry.name,
        "kind": entry.kind,
        "line": entry.span.line,
        "column": entry.span.column,
        "signature": entry.signature,
        "symbol": entry.symbol,
        "problem": entry.problem,
        "code": {"line": code.span.line, "column": code.span.column, "text": code.text} if code else None,
        "calls": [_call_data(each, declared(each, lock)) for each in entry.calls],
        "further": [{"text": each.text, "when": each.when} for each in entry.further],
        "outcome": _outcome_data(entry.outcome),
    }


def _call_data(call: ChosenCall, found: Sequence[Locked]) -> dict[str, object]:
    return {
        "kind": call.kind,
        "callee": call.callee,
        "text": call.text,
        "order": call.order,
        "arguments": [_argument_data(each) for each in call.arguments],
        "defaults": call.defaults,
        "result": call.result,
        "signature": call.signature,
        "declared": [{"header": each.at, "signature": each.signature} for each in found],
    }


def _argument_data(argument: ChosenArgument) -> dict[str, object]:
    return {
        "kind": argument.source.kind.value,
        "text": argument.source.text,
        "parameters": list(argument.source.parameters),
        "note": argument.source.note,
        "type": argument.type,
        "given": argument.given,
    }


def _outcome_data(outcome: Outcome) -> dict[str, object]:
    return {
        "returns": outcome.returns,
        "source": outcome.source,
        "none": outcome.none,
        "handles": [
            {
                "type": each.type,
                "owned": each.is_owned,
                "release": each.release,
                "keeps": list(each.keeps),
                "lent_by": list(each.lent_by),
            }
            for each in outcome.handles
        ],
        "status": outcome.status,
        "fine": outcome.fine,
        "raises": [{"exception": each.exception, "when": each.when} for each in outcome.raises],
        "holds": list(outcome.holds),
    }

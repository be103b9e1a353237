"""Objects that hold arguments of their calls: which object, what, and when it lets go of that."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.diagnostics import Fix, Span, did_you_mean
from wrapper_gen.frozen import frozen
from wrapper_gen.model import ALL, HeldArguments, Mode
from wrapper_gen.resolve.lifetime_words import NOTHING, SELF, LifetimeWord, in_model, listed, says_nothing, words
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.same_class import may_need_maker
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.kept import can_be_kept
from wrapper_gen.types.queries import handles_in

_KEYS = ("holds", "holds_last", "lets_go")
_WHAT_IS_HELD = "only handles, text, bytes, memory and lists of values can be held"
_WHAT_GOES = "a text, bytes and memory are released by lets_go: all, or by holds_last where they are held"


@frozen
class Holding:
    """What `holds` of an entry says."""

    of_object: tuple[LifetimeWord, ...] = ()
    """What the object of the method holds."""
    of_result: tuple[LifetimeWord, ...] = ()
    """What the new object holds."""
    is_said: bool = False
    """Whether the entry says it."""
    is_nothing: bool = False
    """Whether it says that the new object holds nothing."""


def read_holding(entry: Map, scope: Scope, signature: Signature) -> Holding:
    """Which object holds what; an error where both the object of the method and the result could."""
    said = entry.get("holds")
    if said is None:
        return Holding()
    span = scope.span(entry, "holds")
    makes, has_object = bool(handles_in(signature.returns)), signature.handle is not None
    if says_nothing(entry, "holds"):
        if not signature.is_constructor and not may_need_maker(signature, scope):
            hint = "drop it: only constructors hold arguments without a word"
            scope.error("WG090", "nothing is held here anyway", span, hint)
        return Holding(is_said=True, is_nothing=signature.is_constructor)
    if isinstance(said, dict):
        return _of_mapping(said, span, scope, has_object=has_object, makes=makes)
    given = words(entry, "holds", scope)
    if has_object and makes:
        _report_two(entry, given, span, scope)
    elif has_object:
        return Holding(given, is_said=True)
    elif makes:
        return Holding((), given, is_said=True)
    else:
        hint = "make it a method of what holds it; or return the object that does"
        scope.error("WG090", "no object holds anything here: this is a function", span, hint)
    return Holding(is_said=True)


def _of_mapping(said: Map, span: Span, scope: Scope, *, has_object: bool, makes: bool) -> Holding:
    of_object, of_result = words(said, SELF, scope), words(said, "result", scope)
    if not of_object and not of_result:
        scope.error("WG090", "`holds` names nothing", span, "say what holds what: {self: plug}, or {result: plug}")
    if of_object and not has_object:
        hint = "write {result: …} for the object that it returns; or make it a method of what holds it"
        where = scope.document.key_span(said, SELF)
        scope.error("WG090", "no object holds anything here: this is a function", where, hint)
        of_object = ()
    if of_result and not makes:
        hint = "write {self: …} for the object of the method; memory and iterators belong to something: belongs_to"
        scope.error("WG090", "this result is no object that could hold anything", span, hint)
        of_result = ()
    return Holding(of_object, of_result, is_said=True)


def _report_two(entry: Map, given: tuple[LifetimeWord, ...], span: Span, scope: Scope) -> None:
    """Reports `holds` of a method that returns a handle, with both readings."""
    names = [each.text for each in given]
    shown = listed(names)
    ways = {"result": "the object that it returns holds it"}
    if SELF not in names:
        ways = {SELF: "the object of the method holds it"} | ways
    fixes = tuple(Fix(why, span, f"{{{key}: {shown}}}") for key, why in ways.items())
    hint = "say which: " + "; or ".join(f"holds: {{{key}: {shown}}}" for key in ways)
    message = "the object of the method or the one that it returns may hold this"
    scope.error("WG090", message, span, hint, fixes=fixes)


def read_held(entry: Map, scope: Scope, signature: Signature, holding: Holding) -> HeldArguments:
    """What the object of a method holds, only holds until its next call, and lets go of."""
    if entry.keys().isdisjoint(_KEYS):
        return HeldArguments()
    last, goes = words(entry, "holds_last", scope), words(entry, "lets_go", scope)
    for key in ("holds_last", "lets_go"):
        if entry.get(key) is not None and signature.handle is None:
            hint = "make it a method of what holds it; what a new object holds is `holds`"
            verb = "holds" if key == "holds_last" else "lets go of"
            scope.error("WG090", f"no object {verb} anything here: this is a function", scope.span(entry, key), hint)
            return HeldArguments()
        if says_nothing(entry, key):
            scope.error("WG090", f"`{key}: {NOTHING}` says nothing", scope.span(entry, key), f"drop `{key}`")
    if holding.of_object and last:
        hint = "keep one of the two"
        message = "`holds` keeps what each call was given, and `holds_last` only the last"
        scope.error("WG090", message, scope.span(entry, "holds_last"), hint)
    for word in (*holding.of_object, *last):
        _check(word, scope, signature, lets_go=False)
    for word in goes:
        _check(word, scope, signature, lets_go=True)
    held, released = tuple(_names((*holding.of_object, *last))), tuple(_names(goes))
    both = next((name for name in held if name in released), None)
    if both is not None or (held and ALL in released):
        hint = "drop one of the two; to let go of what the same method had it hold, write holds_last in place of holds"
        message = f"the object holds {both or held[0]!r} and lets go of it"
        scope.error("WG090", message, scope.span(entry, "lets_go"), hint)
    return HeldArguments(held, bool(last), released)


def _names(listed_: tuple[LifetimeWord, ...]) -> Iterator[str]:
    return (each.text for each in listed_)


def _check(word: LifetimeWord, scope: Scope, signature: Signature, *, lets_go: bool) -> None:
    known = {p.name: p for p in signature.parameters if handles_in(p.type) or (not lets_go and can_be_kept(p.type))}
    name = word.text
    if lets_go and name == ALL:
        return
    if name not in known:
        hint = did_you_mean(name, known) or (_WHAT_GOES if lets_go else _WHAT_IS_HELD)
        if name == SELF:
            hint = "an object is there as long as itself: name what it is given"
        scope.error("WG090", f"{name!r} is no handle that this call is given", word.span, hint)
    elif known[name].mode is Mode.TAKE:
        message = f"the call takes {name!r}, and nothing is left to hold"
        scope.error("WG090", message, word.span, "drop one of the two")


def held_names(entry: Map, scope: Scope) -> set[str]:
    """Whatever an entry says that something holds, or belongs to, as the model names it."""
    said = entry.get("holds")
    below = said if isinstance(said, dict) else {}
    keys = [(entry, key) for key in ("belongs_to", "holds_last")] + [(below, key) for key in (SELF, "result")]
    keys += [(entry, "holds")] * (not below)
    return {in_model(word.text, has_object=True) for about, key in keys for word in words(about, key, scope)}

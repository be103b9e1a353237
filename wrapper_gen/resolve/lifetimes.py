"""Lifetimes: which handles lend others, and what lends what a call gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Fix, a, did_you_mean
from wrapper_gen.model import (
    ALL,
    WITHIN,
    Function,
    HandleType,
    HeldArguments,
    Implementation,
    Lifetime,
    Mode,
    Named,
    Parameter,
    ResultLifetime,
)
from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve import protocols
from wrapper_gen.resolve.ending import read_ends
from wrapper_gen.resolve.fixes import with_key, with_value
from wrapper_gen.resolve.held_types import is_pointer
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.kept import can_be_kept
from wrapper_gen.types.memory import is_array
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import handle_in_forms, handle_of, handles_in, is_iterator
from wrapper_gen.types.tuples import written_items

# --- handle types ----------------------------------------------------------------------------------------------------


def read_lender(entry: Map, scope: Scope, name: str) -> tuple[str, str]:
    """The type that lends the handles of an entry, and the property that is their owner; nothing where none does."""
    lender, owner = scope.names.lent.get(name, ""), scope.text(entry, "owner")
    span = scope.span(entry, "lent_by")
    if scope.text(entry, "lent_by") and not lender:
        used = {each for each, type_ in scope.names.used.items() if handle_of(type_)}
        known = (scope.names.handles - scope.names.foreign) | used
        hint = did_you_mean(scope.text(entry, "lent_by"), known) or "declare it under `handle_types`"
        scope.error("WG089", f"no handle type {scope.text(entry, 'lent_by')!r} lends {a(name)}", span, hint)
    elif not lender and owner:
        _not_lent(name, owner, entry, scope)
    elif name in (circle := _above(name, scope)):
        shown = ", which is lent by ".join([*circle[: circle.index(name) + 1]])
        scope.error("WG089", f"{a(name)} is lent by {shown}", span, "one of them owns itself: drop its `lent_by`")
        return "", ""
    if not lender:
        return "", ""
    if owner:
        scope.check_identifier(owner, scope.span(entry, "owner"), "a property")
        if names.python_method(owner) != owner:
            hint = "give it another name, such as owner: document"
            scope.error("WG021", f"{owner!r} is taken in Python", scope.span(entry, "owner"), hint)
    return lender, owner or "owner"


def _not_lent(name: str, owner: str, entry: Map, scope: Scope) -> None:
    """Reports `owner` of a type that nothing lends: it names a property, and may be meant for the type."""
    is_type = owner in scope.names.handles
    hint = (
        f"`owner` names the property: lent_by: {owner}"
        if is_type
        else "say what owns it: lent_by: Document; or drop `owner`"
    )
    key = scope.document.key_span(entry, "owner")
    fixes = (Fix(f"{a(owner)} owns it", key, "lent_by"),) * is_type
    scope.error("WG089", f"{a(name)} is not lent, so it has no owner", scope.span(entry, "owner"), hint, fixes=fixes)


def declared_lenders(
    entries: Mapping[str, Map], extends: Mapping[str, str], types: Mapping[str, Type]
) -> dict[str, str]:
    """Which handle type lends which, as far as the spec says it well; `types` are those of other specs."""
    found = {name: entry.get("lent_by") for name, entry in entries.items()}  # of any shape
    used = {name: handle for name, type_ in types.items() if (handle := handle_of(type_))}
    found = {name: used.get(each, each) if isinstance(each, str) else each for name, each in found.items()}
    lenders = {*entries, *used.values()}
    known = {name: each for name, each in found.items() if isinstance(each, str) and each in lenders}
    of_bases = {n: [known[b] for b in bases(n, extends) if b in known] for n in extends if n not in known}
    return known | {name: above[0] for name, above in of_bases.items() if above}


def _above(name: str, scope: Scope) -> list[str]:
    """What lends a type, what lends that, and so on; one that lends its own values has no more above it."""
    found: list[str] = []
    while (lender := scope.names.lent.get(name)) and lender != name and lender not in found:
        found.append(lender)
        name = lender
    return found


# --- calls -----------------------------------------------------------------------------------------------------------


def read_lifetime(
    entry: Map, scope: Scope, signature: Signature, implementation: Implementation, *, is_status: bool
) -> Lifetime:
    """All that an entry says of lifetimes; `is_status`: its call returns one."""
    ends, keeps, held = (
        read_ends(entry, scope, signature),
        _keep_alive(entry, scope, signature),
        _read_held(entry, scope, signature),
    )
    borrow = entry.get("borrow")
    result = ResultLifetime(
        keeps=keeps,
        keeps_implicitly=_keeps_implicitly(entry, signature) and {*keeps} <= _values(signature),
        is_static=entry.get("keep_alive") == [],
        is_unending=isinstance(borrow, dict) and borrow.get("until") == [],
        is_owned=_is_owned(entry, scope, signature),
        is_owned_on_failure=_is_owned_on_failure(entry, scope, signature, implementation, is_status=is_status),
        lenders=_find_lenders(entry, signature, keeps, scope),
        until=_read_until(entry, scope, signature),
    )
    return Lifetime(result, held, ends, concurrent=scope.text(entry, "thread") == "any")


# --- results ---------------------------------------------------------------------------------------------------------


def _find_lenders(entry: Map, signature: Signature, keep_alive: Sequence[str], scope: Scope) -> tuple[str, ...]:
    """What lends the handles of a result: parameters, `h`, or `return` for another part of the result."""
    wanted = sorted(handles_in(signature.returns) & scope.names.lent.keys())
    found = [_lender_of(name, entry, signature, keep_alive, scope) for name in wanted]
    return tuple(dict.fromkeys(each for each in found if each))


def _lender_of(name: str, entry: Map, signature: Signature, keep_alive: Sequence[str], scope: Scope) -> str:
    """What lends the handles of one type."""
    lender = scope.names.lent[name]
    is_own = signature.handle is not None and _reaches(signature.handle, lender, scope)
    given = [*["h"] * is_own, *(p.name for p in signature.parameters if _lends(p, lender, scope))]
    said = scope.texts(entry, "keep_alive") if is_own else keep_alive
    named = [each for each in said if each in given]
    if named:
        return named[0]
    if is_own and not _is_unclear(name, lender, signature, scope):
        return "h"
    if len(given) > 1:
        said = [each for each in given if each != "h"]
        hint = f"say which: keep_alive: {said[0]}" + f"; or h, the {signature.handle} of the method" * is_own
        message = f"{', '.join(given[:-1])} or {given[-1]} may own the {name} that this returns"
        fixes = tuple(with_value(entry, "keep_alive", each, f"{each} owns it", scope) for each in given)
        scope.error("WG089", message, signature.returns_span, hint, fixes=fixes)
    if given:
        return given[0]
    if lender != name and lender in handles_in(signature.returns):
        return WITHIN
    if lender != name:
        hint = f"take {a(lender)}, or make it a method of one; or return it beside its owner: ({lender}, {name})"
        message = f"nothing in this call owns the {name} that it returns"
        scope.error("WG089", message, signature.returns_span, hint)
    return ""


def _is_unclear(name: str, lender: str, signature: Signature, scope: Scope) -> bool:
    """Whether an argument of a method is as likely the owner as its object is, or the owner of that.

    Arguments that something lends mostly have the same owner as the object; in a tree that owns itself all are such.
    """
    if lender in (name, *bases(name, scope.names.extends)):
        return False
    given = (handle_of(p.type) for p in signature.parameters if _lends(p, lender, scope))
    return any(lender in (each, *bases(each, scope.names.extends)) for each in given if each)


def _lends(p: Parameter, lender: str, scope: Scope) -> bool:
    """Whether an argument is an owner, or has one that the result can have too; what the call takes is none itself."""
    handle = handle_of(p.type)
    if handle is None or not _reaches(handle, lender, scope):
        return False
    return p.mode is not Mode.TAKE or handle != lender


def _reaches(handle: str, lender: str, scope: Scope) -> bool:
    return any(lender in (each, *bases(each, scope.names.extends)) for each in (handle, *_above(handle, scope)))


def without_owner(found: str) -> str:
    """What is wrong with a result of which nobody knows who releases it."""
    return f"the spec does not say who owns the {found} that this returns"


def _check_owner(entry: Map, scope: Scope, signature: Signature) -> None:
    """A pointer that nothing is said of dangles once what it points into is released, or leaks.

    Where the entry is a `def`, that is an error; the first edition's form has a warning where an argument may own it.
    """
    found = next(iter(sorted(handles_in(signature.returns) & scope.findings.borrowing)), None)
    if found is None or scope.text(entry, "transfer") == "none":
        return
    lent = [p.name for p in signature.parameters if handles_in(p.type) and p.mode is not Mode.TAKE]
    owners = ["h"] * bool(signature.handle) + lent
    fixes = [with_key(entry, f"it points into {each}", f"keep_alive: {each}", scope) for each in owners]
    ways = f"say what it points into: keep_alive: {owners[0]}" if owners else ""
    ways += f" (or {', '.join(owners[1:])})" if len(owners) > 1 else ""
    if "def" not in entry:
        if owners:
            message = f"{a(found)} only points to what something else owns, and nothing keeps that alive"
            scope.warn("WG037", message, signature.returns_span, ways, tuple(fixes))
        return
    if owners or found in scope.findings.leaking:
        fixes.append(with_key(entry, "it stays the library's own", "transfer: none", scope))
        ways += f"{'; or' if ways else 'say'} that it stays the library's own: transfer: none"
        ways += f"; or on {found} what releases it, cpp_drop, or what lends it, lent_by"
        scope.error("WG109", without_owner(found), signature.returns_span, ways, fixes=tuple(fixes))


def _keeps_implicitly(entry: Map, signature: Signature) -> bool:
    """Whether it is a constructor of which the entry does not say what its object keeps alive."""
    return signature.is_constructor and "keep_alive" not in entry


def _keep_alive(entry: Map, scope: Scope, signature: Signature) -> tuple[str, ...]:
    """What the handles of the result keep alive: what the entry names, and handles among the options of the call.

    Of a constructor whose entry names nothing: the values that C++ may keep the address of.
    """
    options = tuple(p.name for p in signature.parameters if p.is_option and handles_in(p.type))
    options *= bool(handles_in(signature.returns))
    kept = scope.texts(entry, "keep_alive")
    if not kept:
        _check_owner(entry, scope, signature)
        own = sorted(_values(signature)) if _keeps_implicitly(entry, signature) else []
        return (*own, *options, *["h"] * protocols.exports_memory(signature))
    listed = entry["keep_alive"]
    span = scope.span(entry, "keep_alive")
    owners = {p.name for p in signature.parameters if handles_in(p.type) and p.mode is not Mode.TAKE}
    known = owners | _values(signature) | ({"h"} if signature.handle else set())
    for i, name in enumerate(kept):
        if name not in known:
            hint = did_you_mean(name, known) or _why_not_kept(name, signature)
            where = scope.document.span(listed, i) if isinstance(listed, list) else span
            scope.error("WG048", f"{name!r} is no handle of this call", where, hint)
    keeps = handles_in(signature.returns) or is_array(signature.returns) or is_iterator(signature.returns)
    if not keeps:
        hint = "return a handle or an array, or drop `keep_alive`"
        scope.error("WG048", "only a handle or an array can keep another alive", span, hint)
    return tuple(dict.fromkeys((*kept, *options)))


def _values(signature: Signature) -> set[str]:
    """The values that a result can keep alive; an iterator has none of its own."""
    return set() if is_iterator(signature.returns) else {p.name for p in signature.parameters if can_be_kept(p.type)}


def _why_not_kept(name: str, signature: Signature) -> str:
    """What to do about something that a result cannot keep alive."""
    found = next((p.type for p in signature.parameters if p.name == name), None)
    if found is not None and not handles_in(found) and is_iterator(signature.returns):
        return "an iterator keeps its arguments alive by itself; its elements keep handles alive only"
    return "only handles, text, bytes, memory and lists of values can be kept alive"


# --- objects that hold arguments -------------------------------------------------------------------------------------


def _read_held(entry: Map, scope: Scope, signature: Signature) -> HeldArguments:
    """The keys `holds`, `replaces` and `releases` of an entry."""
    if entry.keys().isdisjoint(_OF_HELD):
        return HeldArguments()
    holds, releases = scope.texts(entry, "holds"), scope.texts(entry, "releases")
    for key in ("holds", "releases"):
        if scope.texts(entry, key) and signature.handle is None:
            hint = "make it a method of what holds it; for a handle that is returned, write keep_alive"
            scope.error("WG090", f"no object {key} anything here: this is a function", scope.span(entry, key), hint)
            return HeldArguments((), False, ())
        if key in entry:
            _check_held(entry, key, scope, signature)
    if entry.get("replaces") and not holds:
        hint = "say what the object holds: holds: reader; to let go of all, write releases: all"
        scope.error("WG090", "nothing is held that could replace anything", scope.span(entry, "replaces"), hint)
    both = next((name for name in holds if name in releases), None)
    if both is not None or (holds and ALL in releases):
        hint = "drop one of the two; to let go of what the same method had it hold, write replaces: true"
        message = f"the object holds {both or holds[0]!r} and lets go of it"
        scope.error("WG090", message, scope.span(entry, "releases"), hint)
    return HeldArguments(holds, bool(entry.get("replaces")), releases)


_OF_HELD = ("holds", "replaces", "releases")
_WHAT_IS_HELD = {
    "holds": "only handles, text, bytes, memory and lists of values can be held",
    "releases": "a text, bytes and memory are released by releases: all, or by replaces: true where they are held",
}


def _check_held(entry: Map, key: str, scope: Scope, signature: Signature) -> None:
    listed, span = entry.get(key), scope.span(entry, key)
    values = key == "holds"
    handles = {p.name: p for p in signature.parameters if handles_in(p.type) or (values and can_be_kept(p.type))}
    for i, name in enumerate(scope.texts(entry, key)):
        where = scope.document.span(listed, i) if isinstance(listed, list) else span
        if name not in handles and not (key == "releases" and name == ALL):
            hint = did_you_mean(name, handles) or _WHAT_IS_HELD[key]
            scope.error("WG090", f"{name!r} is no handle that this call is given", where, hint)
        elif name in handles and handles[name].mode is Mode.TAKE:
            message = f"the call takes {name!r}, and nothing is left to hold"
            scope.error("WG090", message, where, "drop one of the two")


# --- results that a call ends ----------------------------------------------------------------------------------------


def _read_until(entry: Map, scope: Scope, signature: Signature) -> tuple[str, ...]:
    """The methods of `borrow: {until: …}`, which end what a call gives."""
    borrow = entry.get("borrow")
    if not isinstance(borrow, dict) or borrow.get("until") == []:
        return ()
    span = scope.span(entry, "borrow")
    if signature.handle is None:
        hint = "make it a method of what lends the result; or keep that alive: keep_alive"
        scope.error("WG091", "no object lends this result: this is a function", span, hint)
        return ()
    if not handles_in(signature.returns) and not is_iterator(signature.returns):
        hint = "drop `borrow`: text, bytes and numbers are copied"
        scope.error("WG091", "this result is no handle, so it cannot end", span, hint)
        return ()
    found = scope.texts(borrow, "until")
    is_list = isinstance(borrow.get("until"), list)
    for i, name in enumerate(found):
        at = scope.document.span(borrow["until"], i) if is_list else scope.span(borrow, "until")
        scope.findings.places_of_until[signature.handle, signature.name, name] = at
    return found


def check_until(scope: Scope, methods: Sequence[Function]) -> None:
    """Each method that ends a result exists."""
    for method in methods:
        ended_by = method.lifetime.result.until
        known = {m.name for m in methods if m.handle == method.handle and m is not method} if ended_by else set()
        for name in ended_by:
            if name not in known and name != method.name:
                hint = did_you_mean(name, known) or "name methods of the same handle type"
                message = f"{method.handle} has no method {name!r} that could end what {method.name!r} gives"
                where = scope.findings.places_of_until.get((method.handle or "", method.name, name), method.span)
                scope.error("WG091", message, where, hint)


# --- who releases ----------------------------------------------------------------------------------------------------


def _is_owned(entry: Map, scope: Scope, signature: Signature) -> bool:
    """Whether releasing the result drops it: `transfer: none` says that it does not."""
    if scope.text(entry, "transfer") != "none":
        return True
    span = scope.span(entry, "transfer")
    if not handles_in(signature.returns):
        hint = "drop `transfer`; it is for results that are handles, or have some"
        scope.error("WG092", "this result is no handle, so it is not dropped in any case", span, hint)
    return False


def _is_owned_on_failure(
    entry: Map, scope: Scope, signature: Signature, implementation: Implementation, *, is_status: bool
) -> bool:
    """Whether the handle that a failing call leaves in its out-parameter has to be released."""
    if entry.get("owned_on_failure") is not False:
        return True
    makes = any(handle_in_forms(each) for each in written_items(signature.returns))
    if not (makes and is_status and isinstance(implementation, Named)):
        hint = "it is for a function by name that returns a status, and a handle through a pointer; drop it"
        where = scope.document.key_span(entry, "owned_on_failure")
        scope.error("WG101", "`owned_on_failure` of an entry that cannot leave a handle", where, hint)
    return False


def check_modes(scope: Scope, handles: Sequence[HandleType], functions: Sequence[Function]) -> None:
    """What is shared has a reference of ours, and something that gives it back; what is not dropped is a pointer."""
    known = {h.name: h for h in handles}
    for function in functions:
        for p in function.parameters:
            handle = known.get(handle_of(p.type) or "")
            if p.mode is Mode.SHARE and handle is not None and (why := _why_not_shared(handle)):
                hint = "the library's object is not counted: take it, or keep_alive or hold it"
                scope.error("WG092", f"{p.name!r} cannot be shared: {why}", p.span, hint)
            elif p.mode is Mode.TAKE and handle is not None and _stays_open(handle, function):
                _takes_one_of_several(p, handle, scope)
        if not function.lifetime.result.is_owned:
            made = [known[name] for name in sorted(handles_in(function.returns)) if name in known]  # some are reported
            _check_not_ours(function, made, scope)


def _stays_open(handle: HandleType, function: Function) -> bool:
    """Whether a call that takes one handle leaves others with its pointer open; one that returns it may not end it."""
    has_others = bool(handle.lent_by) and handle.drop is None and not handle.has_identity
    return has_others and is_pointer(handle.cpp_type.text.strip()) and handle.name not in handles_in(function.returns)


def _takes_one_of_several(p: Parameter, handle: HandleType, scope: Scope) -> None:
    first = [handle.name, *bases(handle.name, scope.names.extends)][-1]
    message = f"the call takes {p.name!r}, and other handles of that {handle.name} would stay open"
    hint = f"say on {first} that one object stands for each pointer, which is closed then: identity: true"
    entry = scope.names.handle_entries.get(first)
    fix = [with_key(entry, f"{a(first)} for a pointer is one object", "identity: true", scope)] if entry else []
    scope.error("WG092", message, p.span, hint, fixes=tuple(fix))


def _check_not_ours(function: Function, handles: Sequence[HandleType], scope: Scope) -> None:
    """Whether releasing these would drop something, and can do without."""
    if len(handles) == 1 and handles[0].lent_by and handles[0].drop is None:
        message = f"{a(handles[0].name)} has no cpp_drop, so releasing it drops nothing"
        scope.error("WG092", message, function.span, "its owner releases it: drop `transfer`")
        return
    for handle in handles:
        if not is_pointer(handle.cpp_type.text.strip()):
            hint = "let the handle hold a pointer, or drop `transfer`"
            message = f"{a(handle.name)} holds a {handle.cpp_type.text.strip()}, whose destructor runs in any case"
            scope.error("WG092", message, function.span, hint)


def _why_not_shared(handle: HandleType) -> str:
    """Why the library can have no reference of its own beside ours; empty where it can."""
    spelling = handle.cpp_type.text.strip()
    if spelling.startswith("std::unique_ptr"):
        return f"a {spelling} has one owner"
    if handle.lent_by and handle.drop is None:
        return f"{a(handle.name)} is lent, and has no reference of its own"
    if handle.drop is None and is_pointer(spelling):
        return f"{a(handle.name)} has no cpp_drop that gives our reference back"
    return ""

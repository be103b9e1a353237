"""Lifetimes: which handles lend others, and what lends what a call gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span, a, did_you_mean
from wrapper_gen.model import (
    WITHIN,
    Function,
    HandleType,
    Implementation,
    Lifetime,
    Mode,
    Parameter,
    ResultLifetime,
)
from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve import protocols
from wrapper_gen.resolve.ending import read_ends
from wrapper_gen.resolve.failures import read_is_owned
from wrapper_gen.resolve.fixes import with_key, with_value
from wrapper_gen.resolve.held import Holding, read_held, read_holding
from wrapper_gen.resolve.held_types import is_pointer, may_be_pointer
from wrapper_gen.resolve.lifetime_words import (
    OBJECT,
    SELF,
    LifetimeWord,
    class_owner,
    in_model,
    in_spec,
    says_nothing,
    words,
)
from wrapper_gen.resolve.own_taken import read_own_taken, takes_own
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.said_of_callables import word_of
from wrapper_gen.resolve.same_class import warn_of_maker
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.kept import can_be_kept
from wrapper_gen.types.memory import is_array, lies_in_memory
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import handle_of, handles_in, is_iterator, without_optional

# --- handle types ----------------------------------------------------------------------------------------------------


def read_lender(entry: Map, scope: Scope, name: str) -> tuple[str, str]:
    """The type that lends the handles of an entry, and the property that is their owner; nothing where none does."""
    said = entry.get("belongs_to")
    if said is None:
        return "", ""
    wanted, owner = class_owner(entry)
    span = scope.span(entry, "belongs_to")
    at = span
    if isinstance(said, dict) and wanted:
        at, span = scope.document.key_span(said, owner), scope.span(said, owner)
    lender = scope.names.lent.get(name, "")
    if not wanted:
        message = f"`belongs_to` of {a(name)} names no class"
        scope.error("WG089", message, span, "write one: Document; or name the property, too: {document: Document}")
    elif not lender:
        used = {each for each, type_ in scope.names.used.items() if handle_of(type_)}
        known = (scope.names.handles - scope.names.foreign) | used
        hint = did_you_mean(wanted, known) or "declare it under `handle_types`"
        scope.error("WG089", f"there is no class {wanted!r} that {a(name)} could belong to", span, hint)
    elif name in (circle := _above(name, scope)):
        shown = ", which belongs to ".join([*circle[: circle.index(name) + 1]])
        scope.error("WG089", f"{a(name)} belongs to {shown}", span, "one of them owns itself: drop its `belongs_to`")
        return "", ""
    if not lender or not wanted:
        return "", ""
    scope.check_identifier(owner, at, "a property")
    if names.python_method(owner) != owner:
        hint = f"name the property, such as belongs_to: {{document: {wanted}}}"
        scope.error("WG021", f"{owner!r} is taken in Python", at, hint)
    return lender, owner


def declared_lenders(
    entries: Mapping[str, Map], extends: Mapping[str, str], types: Mapping[str, Type]
) -> dict[str, str]:
    """Which handle type lends which, as far as the spec says it well; `types` are those of other specs."""
    used = {name: handle for name, type_ in types.items() if (handle := handle_of(type_))}
    said = {name: class_owner(entry)[0] for name, entry in entries.items()}
    found = {name: used.get(each, each) for name, each in said.items()}
    lenders = {*entries, *used.values()}
    known = {name: each for name, each in found.items() if each in lenders}
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
    ends, holding = read_ends(entry, scope, signature), read_holding(entry, scope, signature)
    owners = _named_owners(entry, scope, signature, holding)
    keeps, held = _keeps(entry, scope, signature, owners, holding), read_held(entry, scope, signature, holding)
    in_result = {in_model(word.text, has_object=bool(signature.handle)) for word in holding.of_result}
    result = ResultLifetime(
        keeps=keeps,
        keeps_implicitly=_keeps_implicitly(signature, holding) and {*keeps} <= _values(signature),
        is_static=says_nothing(entry, "belongs_to") or (holding.is_nothing and not owners),
        only_holds=tuple(name for name in keeps if name in in_result),
        is_owned=_is_owned(entry, scope, signature),
        is_owned_on_failure=read_is_owned(entry, scope, signature, implementation, ends, is_status=is_status),
        lenders=_find_lenders(entry, signature, keeps, owners, scope),
    )
    warn_of_maker(entry, signature, result, scope)
    is_concurrent = _is_concurrent(entry, scope)
    own = read_own_taken(entry, scope, signature)
    return Lifetime(result, held, ends, own, ends_nothing=says_nothing(entry, "ends"), concurrent=is_concurrent)


def _is_concurrent(entry: Map, scope: Scope) -> bool:
    """Whether the call may run beside others of its object: `thread: any`, or `{self: any}` beside its callables."""
    return word_of(entry, "thread", SELF, ("any",), scope) == "any"


# --- results ---------------------------------------------------------------------------------------------------------


def _find_lenders(
    entry: Map, signature: Signature, keeps: Sequence[str], owners: Sequence[str], scope: Scope
) -> tuple[str, ...]:
    """What lends the handles of a result: parameters, `h`, or `return` for another part of the result."""
    wanted = sorted(handles_in(signature.returns) & scope.names.lent.keys())
    found = [_lender_of(name, entry, signature, keeps, owners, scope) for name in wanted]
    return tuple(dict.fromkeys(each for each in found if each))


def _lender_of(
    name: str, entry: Map, signature: Signature, keeps: Sequence[str], owners: Sequence[str], scope: Scope
) -> str:
    """What lends the handles of one type."""
    lender = scope.names.lent[name]
    if says_nothing(entry, "belongs_to"):
        return _without_lender(name, lender, entry, signature, scope)
    is_own = signature.handle is not None and _reaches(signature.handle, lender, scope)
    is_own = is_own and not (takes_own(entry) and signature.handle == lender)
    given = [*["h"] * is_own, *(p.name for p in signature.parameters if _lends(p, lender, scope))]
    named = [each for each in (owners if is_own else keeps) if each in given]
    if named:
        return named[0]
    if is_own and not _is_unclear(name, lender, signature, scope):
        return "h"
    if len(given) > 1:
        said = [in_spec(each) for each in given]
        hint = "say which: " + "; or ".join(f"belongs_to: {each}" for each in said)
        message = f"{', '.join(said[:-1])} or {said[-1]} may own the {name} that this returns"
        fixes = tuple(with_value(entry, "belongs_to", each, f"{each} owns it", scope) for each in said)
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


def _without_lender(name: str, lender: str, entry: Map, signature: Signature, scope: Scope) -> str:
    """The same where the result belongs to nothing, as the entry says: one of a class that owns itself does so then."""
    if lender in (name, *bases(name, scope.names.extends)) or signature.is_constructor:  # that is an error elsewhere
        return ""
    if lender in handles_in(signature.returns):
        return WITHIN
    span = scope.span(entry, "belongs_to")
    hint = f"name its owner, such as belongs_to: self; or return it beside its owner: ({lender}, {name})"
    scope.error("WG089", f"every {name} belongs to {a(lender)}, and this one to nothing", span, hint)
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
    if scope.text(entry, "release") == "nothing":
        return
    if not scope.document.is_original(entry):
        note_unsaid(signature, scope)
    found = next(iter(sorted(handles_in(signature.returns) & scope.findings.borrowing)), None)
    if found is None:
        return
    lent = [p.name for p in signature.parameters if handles_in(p.type) and p.mode is not Mode.TAKE]
    owners = [SELF] * bool(signature.handle) + lent
    fixes = [with_key(entry, f"it points into {each}", f"belongs_to: {each}", scope) for each in owners]
    ways = f"say what it points into: belongs_to: {owners[0]}" if owners else ""
    ways += f" (or {', '.join(owners[1:])})" if len(owners) > 1 else ""
    if scope.document.is_original(entry):
        if owners:
            message = f"{a(found)} only points to what something else owns, and nothing keeps that alive"
            scope.warn("WG037", message, signature.returns_span, ways, tuple(fixes))
        return
    if owners or found in scope.findings.leaking:
        fixes.append(with_key(entry, "it stays the library's own", "release: nothing", scope))
        ways += f"{'; or' if ways else 'say'} that it stays the library's own: release: nothing"
        ways += f"; or on {found} what releases it, `release`, or what it belongs to, belongs_to"
        scope.error("WG109", without_owner(found), signature.returns_span, ways, fixes=tuple(fixes))


def note_unsaid(signature: Signature, scope: Scope) -> None:
    """Keep where a call stands that leaks what it returns if that is a pointer, for C++ to tell."""
    for name in handles_in(signature.returns) & scope.findings.perhaps_leaking:
        scope.findings.unsaid.setdefault(name, signature.returns_span)


def _keeps_implicitly(signature: Signature, holding: Holding) -> bool:
    """Whether it is a constructor of which the entry does not say what its object holds."""
    return signature.is_constructor and not holding.is_said


def _keeps(entry: Map, scope: Scope, signature: Signature, owners: Sequence[str], holding: Holding) -> tuple[str, ...]:
    """What the handles of the result keep alive: what the entry names, and handles among the options of the call.

    Of a constructor whose entry does not say what the object holds: the values that C++ may keep the address of.
    """
    options = tuple(p.name for p in signature.parameters if p.is_option and handles_in(p.type))
    options *= bool(handles_in(signature.returns))
    said = (*owners, *_result_names(scope, signature, holding.of_result, "holds"))
    own = sorted(_values(signature) - {*said}) if _keeps_implicitly(signature, holding) else []
    if not said:
        _check_owner(entry, scope, signature)
        return (*own, *options, *[OBJECT] * protocols.exports_memory(signature))
    return tuple(dict.fromkeys((*said, *own, *options)))


def _named_owners(entry: Map, scope: Scope, signature: Signature, holding: Holding) -> tuple[str, ...]:
    """What `belongs_to` names."""
    if says_nothing(entry, "belongs_to") and signature.is_constructor:
        hint = "drop it; where C++ copies what a constructor is given, say holds: nothing"
        span = scope.span(entry, "belongs_to")
        scope.error("WG048", "a new object belongs to what its class says, and holds its arguments", span, hint)
    named = words(entry, "belongs_to", scope)
    if named and not _can_belong(signature):
        hint = "return a handle or an array, or drop `belongs_to`"
        span = scope.span(entry, "belongs_to")
        scope.error("WG048", "only a handle, an array or an iterator belongs to anything", span, hint)
    for word in named:
        if word in holding.of_result or word.text in {each.text for each in holding.of_result}:
            hint = "drop it from `holds`: what belongs to it keeps it alive"
            scope.error("WG048", f"the result belongs to {word.text!r}, and holds it", word.span, hint)
    return _result_names(scope, signature, named, "belongs_to")


def _can_belong(signature: Signature) -> bool:
    returns = signature.returns
    return bool(handles_in(returns)) or is_array(returns) or is_iterator(returns)


def _result_names(scope: Scope, signature: Signature, named: Sequence[LifetimeWord], key: str) -> tuple[str, ...]:
    """What these name, as the model does; an error where a result cannot keep it alive."""
    owners = {p.name for p in signature.parameters if handles_in(p.type) and p.mode is not Mode.TAKE}
    known = owners | _values(signature) | ({SELF} if signature.handle else set())
    for word in named:
        if word.text not in known:
            hint = did_you_mean(word.text, known) or _why_not_kept(word.text, signature)
            scope.error("WG048", f"{word.text!r} is no handle of this call", word.span, hint)
    has_object = signature.handle is not None
    return tuple(dict.fromkeys(in_model(word.text, has_object=has_object) for word in named))


def _values(signature: Signature) -> set[str]:
    """The values that a result can keep alive; an iterator has none of its own."""
    return set() if is_iterator(signature.returns) else {p.name for p in signature.parameters if can_be_kept(p.type)}


def _why_not_kept(name: str, signature: Signature) -> str:
    """What to do about something that a result cannot keep alive."""
    if name == SELF:
        return "this is a function, which has no object: name a parameter"
    found = next((p.type for p in signature.parameters if p.name == name), None)
    if found is not None and not handles_in(found) and is_iterator(signature.returns):
        return "an iterator keeps its arguments alive by itself; its elements keep handles alive only"
    return "only handles, text, bytes, memory and lists of values can be kept alive"


# --- who releases ----------------------------------------------------------------------------------------------------


def _is_owned(entry: Map, scope: Scope, signature: Signature) -> bool:
    """Whether releasing the result drops it: `release: nothing` says that it does not."""
    if scope.text(entry, "release") != "nothing":
        return True
    span = scope.span(entry, "release")
    if not handles_in(signature.returns):
        if lies_in_memory(without_optional(signature.returns)):
            return True
        hint = "drop `release`; it is for results that are handles, or have some"
        scope.error("WG092", "this result is no handle, so it is not dropped in any case", span, hint)
    return False


def check_modes(scope: Scope, handles: Sequence[HandleType], functions: Sequence[Function]) -> None:
    """What is taken leaves no other handle open; what is not dropped is a pointer."""
    known = {h.name: h for h in handles}
    for function in functions:
        taken = [(p.name, p.span, handle_of(p.type) or "") for p in function.parameters if p.mode is Mode.TAKE]
        taken += [(SELF, function.span, function.handle or "")] * bool(function.lifetime.takes_own)
        for name, span, of in taken:
            handle = known.get(of)
            if handle is not None and _stays_open(handle, function):
                _takes_one_of_several(name, span, handle, scope)
        if not function.lifetime.result.is_owned:
            made = [known[name] for name in sorted(handles_in(function.returns)) if name in known]  # some are reported
            _check_not_ours(function, made, scope)


def _stays_open(handle: HandleType, function: Function) -> bool:
    """Whether a call that takes one handle leaves others with its pointer open; one that returns it may not end it."""
    has_others = bool(handle.lent_by) and handle.drop is None and not handle.has_identity
    return has_others and is_pointer(handle.cpp_type.text.strip()) and handle.name not in handles_in(function.returns)


def _takes_one_of_several(name: str, span: Span, handle: HandleType, scope: Scope) -> None:
    first = [handle.name, *bases(handle.name, scope.names.extends)][-1]
    message = f"the call takes {name!r}, and other handles of that {handle.name} would stay open"
    hint = f"say on {first} that one object stands for each pointer, which is closed then: identity: true"
    entry = scope.names.handle_entries.get(first)
    fix = [with_key(entry, f"{a(first)} for a pointer is one object", "identity: true", scope)] if entry else []
    scope.error("WG092", message, span, hint, fixes=tuple(fix))


def _check_not_ours(function: Function, handles: Sequence[HandleType], scope: Scope) -> None:
    """Whether releasing these would drop something, and can do without."""
    if len(handles) == 1 and handles[0].lent_by and handles[0].drop is None:
        message = f"{a(handles[0].name)} has no `release`, so releasing it drops nothing"
        scope.error("WG092", message, function.span, "its owner releases it: drop `release`")
        return
    for handle in handles:
        spelling = handle.cpp_type.text.strip()
        if may_be_pointer(spelling):
            scope.findings.not_ours.setdefault(handle.name, function.span)
        elif not is_pointer(spelling):
            hint = "let the handle hold a pointer, or drop `release`"
            message = f"{a(handle.name)} holds a {spelling}, whose destructor runs in any case"
            scope.error("WG092", message, function.span, hint)

"""What a spec leaves open of what calls end: of arguments that lend, and of objects of which no call says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from wrapper_gen.diagnostics import a
from wrapper_gen.lifetimes.ended import handle_types
from wrapper_gen.lifetimes.kept import owners
from wrapper_gen.model import ALL, Function, HandleType, HeldArguments, Mode
from wrapper_gen.model.ending import ending_lenders
from wrapper_gen.model.inheritance import bases, with_relatives
from wrapper_gen.resolve.lifetime_words import OBJECT, SELF, says_nothing
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.memory import is_memory_result
from wrapper_gen.types.queries import handle_of, handles_in, if_given, is_iterator, is_void

_WHERE_NONE = "where it does not: ends: nothing, of the call or of the whole class"
_REMOVES = re.compile(r"(^|_)(remove|unlink|free|delete|erase|destroy|discard|prune|drop|cut)(_|$)")
"""What calls are named that may free an object that they are given, or their own."""
_MOST = 4
"""How many of each a message names."""


def check_unsaid_endings(scope: Scope, handles: Sequence[HandleType], functions: Sequence[Function]) -> None:
    """Warn of both."""
    lent_by = {h.name: h.lent_by for h in handles}
    parts = {h.name: h.lent_by for h in handles if h.lent_by and h.drop is None}  # else objects of their own
    for function in functions:
        if function.lifetime.ends and not (function.lifetime.ends and function.lifetime.ends.is_explicit):
            _check_arguments(function, lent_by, scope)
    ending = _ending_types(functions, lent_by) | {h.name for h in handles if h.closing_ends}
    over_owned = ending | {
        f.handle or _first_given(f) for f in functions if f.lifetime.ends
    }  # what ends all of an owner's
    methods: dict[str, list[Function]] = {}
    for function in functions:
        methods.setdefault(function.handle or _first_given(function), []).append(function)
    for handle in handles:
        alike, own = with_relatives({handle.name}, scope.names.extends), methods.get(handle.name, ())
        if _says_nothing(handle.name, scope):
            continue
        lent = [f for f in own if _lends(f, handle.name, parts)] if not alike & ending else []
        iterators = [f for f in own if _borrows(f)] if not alike & over_owned else []
        if not _check_object(handle, lent, iterators, own, scope) and not alike & over_owned:
            _check_handles_of_one(handle, own, scope)
            _check_siblings(handle, parts, own, scope)


def _check_arguments(function: Function, lent_by: Mapping[str, str], scope: Scope) -> None:
    """A call that ends what its object has lent, and is given another such object."""
    lenders = ending_lenders(function.handle or "", function.lifetime.ends, lent_by, handle_types(function))
    alike, own = with_relatives(lenders - {""}, scope.names.extends), function.handle or ""
    others = [p.name for p in function.parameters if handle_of(if_given(p.type)) in alike and p.mode is not Mode.TAKE]
    is_of_one_owner = lent_by.get(own, "") in with_relatives({own}, scope.names.extends)  # of what lends itself
    if not others or own not in alike or is_of_one_owner:
        return
    listed = ", ".join(others)
    message = f"`{function.name}` ends what belongs to its object, and does not say whether that of {listed}, too"
    hint = f"if it does: ends: [{ALL}, {listed}]; if not: ends: {SELF}"
    scope.warn("WG231", message, function.span, hint)


def _ending_types(functions: Sequence[Function], lent_by: Mapping[str, str]) -> Set[str]:
    """The handle types of which some call says that it ends what their objects lend."""
    found = set[str]()
    for function in functions:
        if function.lifetime.ends:
            found |= ending_lenders(function.handle or "", function.lifetime.ends, lent_by, handle_types(function))
        if function.lifetime.result.until:
            found.add(function.handle or "")
    return found


def _check_object(
    handle: HandleType,
    lent: Sequence[Function],
    iterators: Sequence[Function],
    methods: Sequence[Function],
    scope: Scope,
) -> bool:
    """Whether it is an object that lends, and that calls change of which none says that it ends that."""
    changing = [f for f in methods if _may_change(f)]
    if not (lent or iterators) or not changing:
        return False
    by = _listed(changing)
    ways = dict.fromkeys(ALL if each.handle else _object(each) for each in changing)
    hint = f"say so where a call does: ends: {' or '.join(ways)}; {_WHERE_NONE}"
    if lent:
        message = f"results of {_listed([*lent, *iterators])} lie in {a(handle.name)}, and {by} may move or free them"
    else:
        message = f"iterators of {_listed(iterators)} go over {a(handle.name)}, and {by} may change what they go over"
        hint += "; where an iterator has a copy: belongs_to: nothing"
    scope.warn("WG232", message, (lent or iterators)[0].span, hint)
    return True


def _check_handles_of_one(handle: HandleType, methods: Sequence[Function], scope: Scope) -> None:
    """An object whose entries say of handles that they belong to it, and that calls change of which none ends them."""
    lent = [f for f in methods if _lends_by_entry(f)]
    changing = [f for f in methods if _may_change(f) and not _says_what_becomes_of_arguments(f)]
    if not lent or not changing:
        return
    by, listed = _listed(changing), ", ".join(dict.fromkeys(f.name for f in lent))
    ways = dict.fromkeys(f"[{listed}]" if each.handle else _object(each) for each in changing)
    message = f"what {_listed(lent)} {_give(lent)} belongs to {a(handle.name)}, and {by} may free it"
    hint = f"say so where a call does: ends: {' or '.join(ways)}; {_WHERE_NONE}"
    scope.warn("WG232", message, lent[0].span, hint)


def _check_siblings(handle: HandleType, parts: Mapping[str, str], methods: Sequence[Function], scope: Scope) -> None:
    """Objects of one owner, of which one is given to a call of another that may free it: other handles stay open."""
    owner = parts.get(handle.name)
    alike = {name for name, each in parts.items() if each == owner}
    lent = [f for f in methods if handles_in(f.returns) & alike]
    changing = [f for f in methods if _may_change(f) and _freed_by(f, alike)[0]]
    if owner is None or not lent or not changing:
        return
    name, class_ = _freed_by(changing[0], alike)
    what = "its object" if name == SELF else "what is given"
    message = f"{_listed(changing)} may free {what}, of which {_listed(lent)} {_give(lent)} other handles"
    is_method = bool(changing[0].handle)
    condition = f'{{{class_}: "is_within(value, {name if is_method else SELF})"}}'
    by = "" if is_method else f"make it a method of {class_}, and "
    of_owner = f"{SELF if is_method else name}.owner"
    hint = f"{by}say which end, in C++ over `value`: ends: {condition}; or all: ends: {of_owner}; {_WHERE_NONE}"
    scope.warn("WG232", message, changing[0].span, hint)


def _give(functions: Sequence[Function]) -> str:
    return "gives" if len({f.name for f in functions}) == 1 else "give"


def _says_what_becomes_of_arguments(function: Function) -> bool:
    """Whether the object takes, holds or lets go of what the call is given, which is what it changes."""
    return function.lifetime.held != HeldArguments() or any(p.mode is Mode.TAKE for p in function.parameters)


def _lends_by_entry(function: Function) -> bool:
    """Whether its handles belong to its object, as the entry says, and release nothing themselves."""
    result, own = function.lifetime.result, _object(function)
    is_of_object = own in result.keeps and own not in result.only_holds and own not in result.lenders
    return is_of_object and not result.is_owned and bool(handles_in(function.returns)) and not result.until


def _freed_by(function: Function, alike: Set[str]) -> tuple[str, str]:
    """What a call may free, and its class: what a method is given beside its object; by its name, the object itself,
    and what a function is given. Nothing where there is none."""
    given = [(p.name, p.type) for p in function.parameters if p.mode is Mode.BORROW]
    removes = _REMOVES.search(function.name) is not None
    found = ((name, handle_of(if_given(type_)) or "") for name, type_ in given if function.handle or removes)
    own = [(SELF, function.handle)] if function.handle and removes and not given else []
    return next((each for each in (*found, *own) if each[1] in alike), ("", ""))


def _first_given(function: Function) -> str:
    """The class of the first handle that a function is given; empty of a constructor, and where there is none."""
    given = (handle_of(if_given(p.type)) for p in function.parameters if p.mode is Mode.BORROW)
    return "" if function.constructs else next(filter(None, given), "")


def _object(function: Function) -> str:
    """What a call is a method of: its object, or the first handle that a function is given."""
    if function.handle:
        return OBJECT
    return next((p.name for p in function.parameters if handle_of(if_given(p.type))), "")


def _lends(function: Function, handle: str, parts: Mapping[str, str]) -> bool:
    """Whether a result lies in the object of a method: memory, or handles that this lends."""
    if function.constructs:
        return False
    if is_memory_result(function.returns):
        own = _object(function)
        return own in owners(function) and own not in function.lifetime.result.only_holds
    return any(parts.get(made) == handle for made in handles_in(function.returns))


def _borrows(function: Function) -> bool:
    """Whether a result may be an iterator over what its object has; a cursor that is the object is only moved."""
    is_object = function.each is not None and function.each.of_object and bool(function.each.valid)
    return is_iterator(function.returns) and not function.lifetime.result.is_static and not is_object


def _may_change(function: Function) -> bool:
    """Whether a call is there for what it does to its object; what sets a property leaves that where it is."""
    if function.lifetime.ends_nothing or function.lifetime.takes_own:
        return False
    return is_void(function.returns) and not function.sets and not function.property and not function.static


def _says_nothing(handle: str, scope: Scope) -> bool:
    """Whether a class, or one that it extends, says that no call ends what belongs to its objects."""
    entries = (scope.names.handle_entries.get(each, {}) for each in (handle, *bases(handle, scope.names.extends)))
    return any(says_nothing(entry, "ends") for entry in entries)


def _listed(functions: Sequence[Function]) -> str:
    return " and ".join(_quoted(functions))


def _quoted(functions: Sequence[Function]) -> Iterator[str]:
    names = list(dict.fromkeys(f"`{f.name}`" for f in functions))
    yield ", ".join(names[:_MOST])
    if len(names) > _MOST:
        yield f"{len(names) - _MOST} more"

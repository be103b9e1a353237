"""What objects belong to, what they hold, and what calls take away."""

from __future__ import annotations

import re
from typing import Any

from wrapper_gen.spec.former.endings import ending_entries
from wrapper_gen.spec.former.entries import Spelled, belongs, classes, is_released, said_by
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.todo import OPEN

_FORMER = re.compile(
    r"(?m)(?:^|[{,\s])(?:cpp_fn|cpp_method|cpp_params|cpp_drop|drop_fn|lent_by|keep_alive|replaces|releases|invalidates|"
    r"borrow|mode|owned_on_failure|transfer|interfaces|properties|callbacks|free|out)\s*:"
)
"""Keys by which a spec shows that it is in an earlier spelling, where others mean something else now."""
_NAME = re.compile(r"[\w$]+\??\Z")


def belongs_to(at: At) -> None:
    """`lent_by: Store, owner: store` → `belongs_to: Store`; with another property `belongs_to: {owner: Store}`."""
    lender, owner = at.value, at.container.get("owner")
    if not isinstance(lender, str) or not isinstance(owner, str | None):
        return
    at.rename("belongs_to")
    if "owner" in at.container:
        at.rewriter.remove(at.container, "owner")
    if "belongs_to" in at.container and lender != OPEN and (owner or "owner") != lender.rpartition(".")[2].lower():
        at.rewriter.replace(at.container, "belongs_to", {owner or "owner": lender})


def ends_of_class(at: At) -> None:
    """`invalidates: lent` → `ends: all`, of a class."""
    if at.value == "lent":
        at.rename("ends")
        at.rewriter.replace(at.container, "ends", "all")


def lets_go(at: At) -> None:
    """`releases: plug` → `lets_go: plug`."""
    at.rename("lets_go")


def replaces(at: At) -> None:
    """`holds: plug, replaces: true` → `holds_last: plug`."""
    entry, is_last = at.container, at.value is True
    if at.value not in (True, False, None):
        return
    at.remove()
    if is_last and "holds" in entry:
        at.rewriter.rename(entry, "holds", "holds_last")
    elif is_last:
        at.rewriter.error(entry, next(iter(entry)), "WG090", "nothing is held that could replace anything", _HELD)


_HELD = "say what the object holds: holds_last: reader; to let go of all, write lets_go: all"


def holds(at: At) -> None:
    """`holds: plug` of a method that returns something → `holds: {self: plug}`."""
    said = said_by(at)
    if not isinstance(at.value, str | list) or not said.has_object or not _may_be_object(said.result):
        return
    if _FORMER.search(at.rewriter.document.source.text):
        at.replace({"self": at.value})


def _may_be_object(result: str) -> bool:
    """Whether a result may be an object, or have some: any type whose name is not one of the language's."""
    return any(name[:1].isupper() or name.startswith("$") or "." in name for name in re.findall(r"[\w$.]+", result))


def kept(at: At) -> None:
    """`keep_alive: h` → `belongs_to: self`; of new objects `holds`; an empty list → `nothing`."""
    value, said = at.value, said_by(at)
    if isinstance(value, list) and not value:
        _nothing(at, said)
    elif isinstance(value, str | list):
        _named(at, said)


def _nothing(at: At, said: Spelled) -> None:
    key = "holds" if said.is_constructor else "belongs_to"
    at.rename(key)
    if key in at.container:
        at.rewriter.replace(at.container, key, "nothing")


def _named(at: At, said: Spelled) -> None:
    entry = at.container
    if said.has_object:
        _name_self(at)
    names = [at.value] if isinstance(at.value, str) else list(at.value)
    made = said.name if said.is_constructor else said.result.rstrip("?") if _NAME.match(said.result) else ""
    if _holds(at, said, made):
        if said.has_object or "holds" in entry:
            _into_holds(at)
        else:
            at.rename("holds")
        return
    is_unending = _is_unending(entry)
    at.rename("belongs_to")
    if is_unending and len(names) > 1:  # the first is the owner; the others are only used
        at.rewriter.replace(entry, "belongs_to", names[0])
        at.rewriter.insert(entry, "holds", {"result": names[1:]}, because="belongs_to")
    elif said.is_constructor and set(said.parameters) - set(names) and "holds" not in entry:
        at.rewriter.insert(entry, "holds", "nothing", because="belongs_to")


def _holds(at: At, said: Spelled, made: str) -> bool:
    """Whether a result holds what it keeps alive, in place of belonging to it."""
    if belongs(made, at.spec):
        return False
    if said.is_constructor or _is_unending(at.container):
        return said.is_constructor or _may_be_object(said.result)
    is_theirs = at.container.get("transfer") == "none" or at.container.get("release") == "nothing"
    return made in classes(at.spec) and is_released(made, at.spec) and not is_theirs


def _is_unending(entry: dict[str, Any]) -> bool:
    borrow = entry.get("borrow")
    return isinstance(borrow, dict) and borrow.get("until") == []


def _name_self(at: At) -> None:
    """`h` → `self`."""
    if at.value == "h":
        at.replace("self")
    elif isinstance(at.value, list):
        for i, each in enumerate(at.value):
            if each == "h":
                at.rewriter.replace(at.value, i, "self")


def _into_holds(at: At) -> None:
    """`keep_alive: plug` → `holds: {result: plug}`, beside what the object holds."""
    entry = at.container
    if "holds" not in entry:
        at.rename("holds")
        at.rewriter.replace(entry, "holds", {"result": entry["holds"]})
        return
    below = entry["holds"] if isinstance(entry["holds"], dict) else {"self": entry["holds"]}
    value = at.value
    at.remove()
    at.rewriter.replace(entry, "holds", {**below, "result": value})


def unending(at: At) -> None:
    """`borrow: {until: []}` → nothing; or `ends: nothing` on the class, where none of its calls ends anything."""
    if not _is_unending(at.container):
        return
    said = said_by(at)
    at.remove()
    about = classes(at.spec).get(said.handle)
    key = "name" if about and "name" in about else ""
    if about is None or not key or not isinstance(about, dict) or {"ends", "invalidates"} & about.keys():
        return
    if not any(ending_entries(at.spec, said.handle)):
        at.rewriter.insert(about, "ends", "nothing", because=key)

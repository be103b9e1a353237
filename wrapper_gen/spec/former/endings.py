"""What calls end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wrapper_gen.spec.former.entries import Mapped, Spelled, methods_of, said_by
from wrapper_gen.spec.former.failing import rewrite_failing
from wrapper_gen.spec.former.rewriter import Rewriter
from wrapper_gen.spec.former.walk import At


def ending_entries(spec: Mapped, handle: str) -> Iterator[dict[str, Any]]:
    """The methods of a class that end something, in either spelling."""
    for entry, _ in methods_of(spec, handle):
        borrow = entry.get("borrow")
        is_ended = isinstance(borrow, dict) and bool(borrow.get("until"))
        if is_ended or entry.get("invalidates") is not None or entry.get("ends") not in (None, "nothing"):
            yield entry


def ends(at: At) -> None:
    """`invalidates: lent` → `ends: all`; a mapping → what it lists, or its conditions."""
    _to_ends(at.rewriter, at.container, has_object=said_by(at).has_object)


def _to_ends(rewriter: Rewriter, entry: dict[str, Any], *, has_object: bool) -> None:
    about = entry["invalidates"]
    if about == "lent":
        rewriter.replace(entry, "invalidates", "all")
    elif isinstance(about, dict):
        if not _rewrite_mapping(rewriter, entry, about, has_object=has_object):
            return
    elif about is not None:
        return  # for the schema to tell
    rewriter.rename(entry, "invalidates", "ends")


def _rewrite_mapping(rewriter: Rewriter, entry: dict[str, Any], about: dict[str, Any], *, has_object: bool) -> bool:
    """Rewrite `{lent_by: …, when: …}`, whose `on` is read before; whether it has the right shape."""
    lent_by, when = about.get("lent_by"), about.get("when")
    if not isinstance(lent_by, str | list | None) or not isinstance(when, str | dict | None):
        return False
    if isinstance(lent_by, list) and not all(isinstance(each, str) for each in lent_by):
        return False
    listed = [lent_by] if isinstance(lent_by, str) else lent_by or []
    one = _word(listed[0], is_alone=True, has_object=has_object) if len(listed) == 1 else "all"
    if when is not None and len(listed) < 2 and (not listed or one in ("self", "self.owner")):
        if isinstance(when, dict) and not listed:
            rewriter.replace(entry, "invalidates", when)
        else:
            for key in [each for each in about if each != "when"]:
                rewriter.remove(about, key)
            rewriter.rename(about, "when", one)
    elif isinstance(lent_by, list) and len(listed) > 1:
        for i, each in enumerate(listed):
            if (word := _word(each, is_alone=False, has_object=has_object)) != each:
                rewriter.replace(lent_by, i, word)
        rewriter.replace(entry, "invalidates", lent_by if when is None else [*lent_by, {"all": when}])
    else:
        rewriter.replace(entry, "invalidates", one if when is None else [one, {"all": when}])
    return True


def _word(text: str, *, is_alone: bool, has_object: bool) -> str:
    """What `lent_by` calls an object, in the present language."""
    name, dot, owner = text.partition(".")
    if name != "h" or not has_object:
        return text
    return f"self{dot}{owner}" if dot or is_alone else "all"


def ended_results(at: At) -> None:
    """`borrow: {until: [step]}` on `row` → `ends: [row]` on `step`."""
    said, until = said_by(at), _until(at.container)
    if not until or any(not isinstance(each, str) for each in until):
        return
    if not said.has_object:
        hint = "make it a method of what it belongs to; or say what that is: belongs_to"
        at.rewriter.error(at.container, at.key, "WG091", "no object ends this result: this is a function", hint)
        at.remove()
        return
    forms = [entry for entry, other in methods_of(at.spec, said.handle) if other.name == said.name and other.result]
    if any(_until(entry) != until for entry in forms):
        at.undecided(f"forms of {said.name} end differently: on the calls that end it, say ends: [{said.name}]")
        return
    missing = [name for name in until if not _end_by(at, said, name)]
    for name in missing:
        known = ", ".join(dict.fromkeys(other.name for _, other in methods_of(at.spec, said.handle) if other.name))
        message = f"{said.handle} has no entry {name!r} that could end what {said.name!r} gives"
        at.rewriter.error(at.container, at.key, "WG091", message, f"known here: {known}")
    for entry in [at.container, *forms]:
        if at.key in entry:
            at.rewriter.remove(entry, at.key)


def _until(entry: Mapped) -> list[Any]:
    """The methods that `borrow` names, in order of their names' text."""
    borrow = entry.get("borrow")
    until = borrow.get("until") if isinstance(borrow, dict) else None
    return until if isinstance(until, list) else [] if until is None else [until]


def _end_by(at: At, said: Spelled, name: str) -> bool:
    """Say that the calls of a name end the results of this entry; whether there are such calls."""
    found = [(entry, other) for entry, other in methods_of(at.spec, said.handle) if other.name == name]
    for entry, other in found:
        word = f"{said.name}()" if said.name in other.parameters else said.name
        if "invalidates" in entry:
            rewrite_failing(at.rewriter, entry, other)
            _to_ends(at.rewriter, entry, has_object=other.has_object)
        value = entry.get("ends")
        listed = value if isinstance(value, list) else [] if value in (None, "nothing") else [value]
        if word in listed:
            continue
        if "ends" in entry:
            at.rewriter.replace(entry, "ends", [*listed, word])
        else:
            key = "def" if "def" in entry else "name"
            at.rewriter.insert(entry, "ends", [word], because=key, after=next(reversed(entry)))
    return bool(found)

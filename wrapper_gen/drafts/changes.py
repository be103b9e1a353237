"""What headers declare otherwise than when they were last imported, and how a comment of one line tells it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wrapper_gen.drafts.importing import Imported
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import Declaration
from wrapper_gen.headers import lock as locks
from wrapper_gen.headers.lock import Locked

NEW, CHANGED, GONE = "new", "changed", "gone"
_MOST = 400
"""Characters of a declaration in a comment."""
_NAME = re.compile(r"\(\*(\w+)\)|(?<=[\s*&\])])(\w+)(?:\[[^\]]*\])*$")
"""The name of a parameter, in the declaration of one."""
_OF_TYPES = frozenset("int long short char unsigned signed double float bool void const volatile".split())


@frozen
class Changed:
    """A declaration that is not what it was: by its key, what it was and is, and what was done about it."""

    what: str
    name: str
    done: str
    key: str = ""
    was: str = ""
    now: str = ""
    has_moved: bool = False
    """Whether parameters have changed places, which no type tells: positions in Python mean something else."""


def changes(before: locks.Lock, imported: Imported) -> list[Changed]:
    """The declarations that are new, changed or gone since the last run; the values of macros the compiler reads."""
    now = locks.locked(imported.source, imported.headers).declarations
    declared = {each.key: each for each in imported.headers.declarations()}
    gone = {key: each for key, each in before.declarations.items() if key not in now}
    found: list[Changed] = []
    moved: set[str] = set()
    for key, each in now.items():
        old = before.declarations.get(key)
        if old is None:
            former = next((g for g in gone if g not in moved and name_of(g) == name_of(key) and "(" in g), None)
            if former is not None:  # the key of an overload has its parameters
                moved.add(former)
                found.append(_changed(declared[key], gone[former].signature, each.signature))
            else:
                found.append(Changed(NEW, declared[key].qualified, str(declared[key].place), key, "", each.signature))
        elif _is_another(old, each):
            found.append(_changed(declared[key], *_told(old, each)))
        elif _has_moved(old, each):
            found.append(_changed(declared[key], old.shown, each.shown, has_moved=True))
        elif each.kind in locks.FUNCTIONS and old.members and old.members != each.members:
            found.append(_changed(declared[key], _defaults(old), _defaults(each)))
    for key, old in gone.items():
        if key not in moved:
            found.append(Changed(GONE, name_of(key), "the headers do not have it any more", key, old.signature))
    return found


def note_of(each: Changed, declared: Declaration) -> str:
    """The comment above an entry whose declaration has changed."""
    what = "parameters have changed places; it was" if each.has_moved else "it was"
    return f"# CHECK {each.name} ({declared.place}): {what} {each.was}; it is {each.now}"


def shortened(text: str) -> str:
    """A text that a line has room for."""
    return text if len(text) <= _MOST else text[:_MOST].rsplit(" ", 1)[0].rstrip(",;") + " …"


def name_of(key: str) -> str:
    """The qualified name in a key."""
    bare = key.partition("(")[0]
    for word in ("struct ", "class ", "union ", "enum ", "typedef ", "#define "):
        bare = bare.removeprefix(word)
    return bare


def _changed(declared: Declaration, was: str, now: str, *, has_moved: bool = False) -> Changed:
    done = f"{'parameters have changed places; ' * has_moved}it was {was}; it is {now}"
    return Changed(CHANGED, declared.qualified or declared.name, done, declared.key, was, now, has_moved)


def _told(old: Locked, now: Locked) -> tuple[str, str]:
    """What a declaration was and is: of an enum or a struct, the members that are others."""
    if old.kind != now.kind or now.kind in locks.FUNCTIONS or not old.members or not now.members:
        return shortened(old.signature), shortened(now.signature)
    shown = _values if now.kind == "enum" else _fields
    was, is_ = shown(old), shown(now)
    lost, added = ([each for each in one if each not in two] for one, two in ((was, is_), (is_, was)))
    if not lost and not added:
        return shortened(", ".join(was)), shortened(", ".join(is_))
    return shortened(", ".join(lost) or "without"), shortened(", ".join(added) or "without")


def _values(each: Locked) -> Sequence[str]:
    return [f"{name} = {value}" for name, value in each.members]


def _fields(each: Locked) -> Sequence[str]:
    return [f"{type_} {name}" for name, type_, *_ in each.members]


def _is_another(old: Locked, now: Locked) -> bool:
    """Whether the declaration is another one, but for defaults of functions, which earlier locks lack."""
    if now.kind in locks.FUNCTIONS:
        return old.signature != now.signature
    return (old.signature, old.members) != (now.signature, now.members) and now.kind != "constant"


def _defaults(function: Locked) -> str:
    return ", ".join(f"{name} = {default}" for name, default in function.members) or "without defaults"


def _has_moved(old: Locked, now: Locked) -> bool:
    """Whether a parameter of one of these stands at another place in the other."""
    if now.kind not in locks.FUNCTIONS or not old.shown or old.shown == now.shown:
        return False
    was, is_ = _places(old.shown), _places(now.shown)
    return any(name in is_ and is_[name] != at for name, at in was.items())


def _places(shown: str) -> Mapping[str, int]:
    """The places of parameters, by their names."""
    found: dict[str, int] = {}
    for at, each in enumerate(locks.parts_of(shown)[1]):
        match = _NAME.search(each)
        name = (match[1] or match[2]) if match else ""
        if name and name not in _OF_TYPES:
            found[name] = at
    return found

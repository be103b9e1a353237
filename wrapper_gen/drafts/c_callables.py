"""The types of C's function pointers as callables of Python."""

from __future__ import annotations

import re
from collections.abc import Collection

from wrapper_gen.drafts import naming
from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.questions.calls import is_length, is_open_pair, parameters_of
from wrapper_gen.drafts.types import Asked, NotWritten, Types
from wrapper_gen.drafts.uses import is_chars, is_void_pointer, pointee
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CKind, CParameter, Type


@frozen
class CallableDraft:
    """A callable: its type, and C's arguments where C++ does not find them by itself."""

    type: str
    cpp: str


def callable_of(called: Type, spelling: str, types: Types, guesses: list[str], *, has_data: bool) -> CallableDraft:
    """The callable of a function pointer; `has_data` says whether C is given user data for it.

    Raises:
        Asked, NotWritten: an argument has no type that is known.
    """
    if called.is_variadic:
        raise NotWritten("a callable with any number of arguments")
    data = [at for at, each in enumerate(called.parameters) if is_void_pointer(each)]
    if len(data) > 1:
        raise NotWritten("a callable with several void *")
    parameters = parameters_of(called, spelling, types.decisions.headers)
    if data and not has_data and not _is_user_data(parameters[data[0]], spelling):
        raise NotWritten("a callable whose void * may be user data that another function sets, or an object of its own")
    given: list[str] = []
    names: list[str] = []
    mirrored: list[str] = []
    at = 0
    while at < len(parameters):
        each = parameters[at]
        if at in data:
            mirrored.append("user_data" if has_data else "_")
            at += 1
            continue
        name = _name(each, names, len(given))
        after = parameters[at + 1] if at + 1 < len(parameters) else None
        counted = _counted(each, after, spelling, types, guesses)
        if counted:
            given.append(counted)
            names.append(name)
            mirrored += [name, f"{name}.size()"]
            at += 2
            continue
        given.append(_argument(each.type, types, guesses))
        names.append(name)
        mirrored.append(name)
        at += 1
    if data and not has_data:
        guesses.append("C is given no user data: at most 16 callables can be in use at once")
    is_found = has_data and all("." not in each for each in mirrored)
    if is_found or mirrored == names:
        return CallableDraft(f"fn({', '.join(given)}){_result(called, types, guesses)}", "")
    named = ", ".join(f"{name}: {type_}" for name, type_ in zip(names, given, strict=True))
    return CallableDraft(f"fn({named}){_result(called, types, guesses)}", f"({', '.join(mirrored)})")


_USER_DATA = re.compile(r"user|data|ctx|context|arg|closure|cookie|priv|opaque|baton|param", re.IGNORECASE)
_RELEASES = re.compile(r"free|destroy|destruct|release|delete|dtor|clean|drop|final|dispose", re.IGNORECASE)


def _is_user_data(parameter: CParameter, spelling: str) -> bool:
    """Whether C says that a `void *` is user data: by its name, in a type that is not called as a release is."""
    return _USER_DATA.search(parameter.name) is not None and _RELEASES.search(spelling) is None


def _name(parameter: CParameter, names: Collection[str], at: int) -> str:
    """What Python calls an argument: as C does, where that is a name of its own."""
    name = naming.parameter(parameter.name, at, is_c=True)
    return name if name.isidentifier() and name not in (*names, "error") else f"a{at}"


def _counted(each: CParameter, after: CParameter | None, spelling: str, types: Types, guesses: list[str]) -> str:
    """The type of an address whose length the integer after it is; empty where it is not."""
    to = pointee(each.type)
    if to is None or after is None or after.type.kind is not CKind.INTEGER:
        return ""
    said = types.decisions.lengths.get((spelling, ""), OPEN)
    is_other = bool(after.name) and not is_length(after)
    if not (to.kind is CKind.VOID or is_chars(to)) or (is_other and said == OPEN):
        return ""
    if not to.is_const:
        raise NotWritten("a callable that fills a buffer")
    if to.canonical != "const char":
        return "bytes"
    if said == OPEN and not is_open_pair(each, after):
        guesses.append(f"{after.name} is the length of {each.name}, or text?")
        return "bytes"
    if said == OPEN:
        raise Asked(f"whether an integer that {spelling} is given is the length of a text", f"lengths/{spelling}")
    return "" if said == "apart" else said


def _argument(each: Type, types: Types, guesses: list[str]) -> str:
    to = pointee(each)
    if to is not None and is_chars(to) and to.is_const:
        return "text?"
    return types.of(each, guesses)


def _result(called: Type, types: Types, guesses: list[str]) -> str:
    result = called.target
    if result is None or result.kind is CKind.VOID:
        return ""
    if result.kind is CKind.POINTER:
        raise NotWritten("a callable that returns a pointer")
    return f" -> {types.of(result, guesses)}"

"""The types of C's function pointers as callables of Python."""

from __future__ import annotations

from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.types import Asked, NotWritten, Types
from wrapper_gen.drafts.uses import is_chars, is_void_pointer, pointee
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CKind, Type


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
    if data and not has_data:
        raise NotWritten("a callable for which C takes no user data: several may share what another function sets")
    given: list[str] = []
    mirrored: list[str] = []
    at = 0
    while at < len(called.parameters):
        each = called.parameters[at]
        if at in data:
            mirrored.append("user_data" if has_data else "_")
            at += 1
            continue
        name = f"a{len(given)}"
        after = called.parameters[at + 1] if at + 1 < len(called.parameters) else None
        if _is_counted(each, after, spelling, types):
            given.append("bytes")
            mirrored += [name, f"{name}.size()"]
            at += 2
            continue
        given.append(_argument(each, types, guesses))
        mirrored.append(name)
        at += 1
    is_found = has_data and all("." not in each for each in mirrored)
    if is_found or mirrored == [f"a{number}" for number in range(len(given))]:
        return CallableDraft(f"fn({', '.join(given)}){_result(called, types, guesses)}", "")
    named = ", ".join(f"a{number}: {type_}" for number, type_ in enumerate(given))
    return CallableDraft(f"fn({named}){_result(called, types, guesses)}", f"({', '.join(mirrored)})")


def pairs(called: Type) -> bool:
    """Whether a callable is given a text and an integer, which may be its length."""
    following = zip(called.parameters, called.parameters[1:], strict=False)
    return any(_is_text(pointee(each)) and after.kind is CKind.INTEGER for each, after in following)


def _is_text(to: Type | None) -> bool:
    return to is not None and to.canonical == "const char"


def _is_counted(each: Type, after: Type | None, spelling: str, types: Types) -> bool:
    to = pointee(each)
    if to is None or after is None or after.kind is not CKind.INTEGER or not (to.kind is CKind.VOID or is_chars(to)):
        return False
    if not to.is_const:
        raise NotWritten("a callable that fills a buffer")
    if not _is_text(to):
        return True
    said = types.decisions.lengths.get((spelling, ""), OPEN)
    if said == OPEN:
        raise Asked(f"whether an integer that {spelling} is given is the length of a text", f"lengths/{spelling}")
    return said != "apart"


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

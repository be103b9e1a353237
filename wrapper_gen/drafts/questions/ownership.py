"""Who releases what functions return: objects, and memory."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.decisions import RecordRole
from wrapper_gen.drafts.naming import snake
from wrapper_gen.drafts.questions.context import Context, comments, is_listed, listed, makes, tells_of
from wrapper_gen.drafts.uses import is_chars, pointee, record_of
from wrapper_gen.headers import Access, CFunction, CKind

_SHOWS = re.compile(r"(^|_)(first|next|peek|current|rhs|last)(_|$)")  # what is there already
_HANDS_OVER = re.compile(r"(^|_)(finish|finalize|end|build|take|steal|detach|release|extract)(_|$)")
"""What functions are called that may hand over what the object has made."""
RESULTS, MEMORY = "results", "memory"


def ask_results(context: Context, roles: Mapping[str, Sequence[RecordRole]]) -> tuple[frozenset[str], frozenset[str]]:
    """The keys of functions whose results are to be released, and of those whose are not."""
    by_record: defaultdict[str, list[tuple[CFunction, bool, bool]]] = defaultdict(list)
    for function in context.functions:
        found = _object(context, function, roles)
        if found is not None:
            record, is_written, is_const = found
            by_record[record].append((function, is_written, is_const))
    owned: set[str] = set()
    borrowed: set[str] = set()
    for record, found_ in by_record.items():
        mine = sorted({f.name for f, is_written, is_const in found_ if _is_owned(context, f, is_written, is_const)})
        left = {f.name for f, _, _ in found_} - set(mine)
        unclear = sorted({f.name for f, _, _ in found_ if f.name in left and _may_hand_over(f)})
        others = sorted(left - set(unclear))
        is_sure = not left and all(is_written for _, is_written, _ in found_)
        proposal = {"owned": mine, "borrowed": others, **({"ask": unclear} if unclear else {})}
        said = context.questions.ask(
            RESULTS,
            context.shown(record),
            proposal,
            "results that are ours to release, and those that are not" + "; `ask` is not decided" * bool(unclear),
            of={f.name for f, _, _ in found_},
            is_sure=is_sure,
            frees=len(found_),
            comment=comments(f for f, _, _ in found_),
        )
        if isinstance(said, Mapping):
            for function, _, _ in found_:
                if is_listed(function.name, said.get("owned")):
                    owned.add(function.key)
                elif is_listed(function.name, said.get("borrowed")):
                    borrowed.add(function.key)
    return frozenset(owned), frozenset(borrowed)


def _object(
    context: Context, function: CFunction, roles: Mapping[str, Sequence[RecordRole]]
) -> tuple[str, bool, bool] | None:
    """The record of the object that a function returns or writes, whether it writes it, and whether it is const."""
    name, depth, is_const = record_of(function.result)
    if name and depth == 1 and function.name not in ("operator=", "operator->", "operator*"):
        is_itself = function.owner == name and function.result.kind is CKind.REFERENCE and not function.is_static
        if _is_asked(context, roles, name, is_result=True) and not is_itself:
            return name, False, is_const
        return None
    for each in function.parameters:
        name, depth, is_const = record_of(each.type)
        if depth == 2 and not is_const and _is_asked(context, roles, name, is_result=False):
            return name, True, is_const
    return None


def _is_asked(context: Context, roles: Mapping[str, Sequence[RecordRole]], record: str, *, is_result: bool) -> bool:
    role = next(iter(roles.get(record, ())), None)
    if role is None or role.kind != of.HANDLE or role.said.get("release") == "nothing":
        return False
    return context.options.is_c or not is_result or role.is_pointer


def _is_owned(context: Context, function: CFunction, is_written: bool, is_const: bool) -> bool:
    if is_written:
        return not is_const and not _SHOWS.search(function.name)
    return makes(function.name) and not (is_const and context.options.is_c)


def _may_hand_over(function: CFunction) -> bool:
    """Whether an object of another kind comes out of what a function ends: `parser_finish` gives the document."""
    first = record_of(function.parameters[0].type).record if function.parameters else ""
    own = function.owner or first
    is_named = _HANDS_OVER.search(snake(function.name)) is not None and not tells_of(function.name)
    return is_named and bool(own) and record_of(function.result).record not in ("", own)


def ask_memory(context: Context) -> dict[str, str]:
    """What frees the memory that functions return, by their keys: "?" where it is open, empty where nothing does."""
    by_type: defaultdict[str, list[CFunction]] = defaultdict(list)
    for function in context.functions:
        spelling = _memory(function) if context.options.is_c else _memory_of_cpp(function)
        if spelling:
            by_type[spelling].append(function)
    frees = [each.name for each in context.functions if _frees_memory(each)]
    found: dict[str, str] = {}
    for spelling, functions in by_type.items():
        names = sorted({each.name for each in functions})
        proposal = {"release": min(frees, key=len), "of": names} if frees else OPEN
        why = (
            f"what frees what these give: {listed(names)}; {{release: f}} of all, or {{release: f, of: […], kept: […]}}"
        )
        said = context.questions.ask(
            MEMORY, spelling, proposal, why, of=names, frees=len(functions), comment=comments(functions)
        )
        for function in functions:
            found[function.key] = _release(said, function.name)
    return found


def _release(said: object, name: str) -> str:
    for each in said if isinstance(said, list) else [said]:
        if isinstance(each, Mapping):
            if is_listed(name, each.get("kept")):
                return ""
            if "of" not in each or is_listed(name, each["of"]):
                return str(each.get("release") or OPEN)
    return OPEN


def _memory(function: CFunction) -> str | None:
    """The type of the memory that a function gives and that is not const."""
    to = pointee(function.result)
    if to is not None and is_chars(to) and not to.is_const:
        return function.result.canonical
    for each in function.parameters:
        to = pointee(pointee(each.type) or each.type) if pointee(each.type) else None
        if to is not None and (is_chars(to) or to.kind is CKind.VOID) and not to.is_const:
            return each.type.canonical.removesuffix("*")
    return None


def _memory_of_cpp(function: CFunction) -> str | None:
    """The same in C++, where what is written through pointers is asked by the type."""
    to = pointee(function.result)
    is_called = function.access is Access.PUBLIC and not function.template and not function.is_deleted
    return function.result.canonical if is_called and is_chars(to) and to and not to.is_const else None


def _frees_memory(function: CFunction) -> bool:
    given = [each.type.canonical for each in function.parameters]
    return given in (["void *"], ["char *"]) and re.search(r"free$", function.name, re.IGNORECASE) is not None

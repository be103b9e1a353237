"""What calls keep, take away and end: of objects that they are given, and of those that belong to their own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.answer_rules import owner_in
from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.decisions import AnsweredWord, RecordRole
from wrapper_gen.drafts.naming import snake
from wrapper_gen.drafts.questions.context import (
    Context,
    IsRelease,
    comments,
    is_named,
    is_release,
    words_of,
)
from wrapper_gen.drafts.questions.references import Reach, References, says_it_refers
from wrapper_gen.drafts.uses import pointee, record_of
from wrapper_gen.frozen import replace
from wrapper_gen.headers import Access, CFunction, CKind, CParameter, FunctionKind

KEEPS, ENDS = "keeps", "ends"
HOLDS, HOLDS_LAST, TAKES, USES, ASK = "holds", "holds_last", "takes", "uses", "ask"
ALL, NOTHING, ON_SUCCESS, WHEN = "all", "nothing", "on_success", "when"
_KEEPS = re.compile(
    r"(^|_)(set|add|attach|use|ref|register|install|insert|push|append|prepend|connect|assign|bind|put|extend|update"
    r"|link|merge|replace)n?\d*(_|$)"
)
"""What functions are called that may keep an argument."""
_TAKES = re.compile(r"(^|_)(set0|add0|push0|assign|adopt|give|take|own|transfer)(_|$)")
_SAYS_IT_TAKES = re.compile(
    r"(takes?|assumes?|transfers?|passes) (the )?ownership|ownership (is|will be) (taken|transferred|passed)"
    r"|will be (freed|owned|released|destroyed) (by|with|when)|(must|should|need) not (be )?(free|release)",
    re.IGNORECASE,
)
"""What is called, and said, of functions that take an argument away."""
_OWNS = re.compile(r"(^|_)(takes?|own(s|ed|ership)?)(_|$)")
"""What parameters are called of functions that may take an argument away."""
_INSERTS = re.compile(r"(^|_)(insert|push|append|prepend)n?\d*(_|$)")
"""What functions are called that make an argument a part of the object, which may release it with itself."""
_PART = re.compile(r"(^|_)(child|children|sibling|element|elem|item|entry|member|part|new_?node)s?(_|$)")
"""What parameters are called that become parts."""
_COUNTS = re.compile(r"(unref|decref|deref|put_?ref)", re.IGNORECASE)
"""What releases of objects are called that count who refers to them: an object that keeps one counts itself."""
_RELEASES_PARTS = re.compile(
    r"\brecursive(ly)?\b|\b(all|any|its|their|the|and) (of )?(its |their |the )?"
    r"(\w+ )?(children|descendants|subtree|elements|items|entries|members|contents?)\b",
    re.IGNORECASE,
)
"""What the comment of a release says where that releases parts as well."""
_STEALS = re.compile(r"_(new|steal|take|own|move|give|noref)(?=$|_)")
"""What ends the name of a function that takes an argument, where the same without it does not: `append_new`."""
_ONLY_USES = re.compile(r"(^|_)(visit|iterate|each|walk|accept|for_?each|traverse)(_|$)")
_ENDS = re.compile(
    r"(^|_)(clear|reset|load|reload|reopen|truncate|resize|rebuild|parse)(_|$)|(^|_)(remove|delete|erase)_all"
)
"""What methods are called after which nothing is left of what belonged to the object."""
_MAY_END = re.compile(
    r"(^|_)(remove|erase|delete|pop|drop|shrink|compact|replace|unset|free|detach|discard|swap)n?(_|$)"
)
"""What those are called after which some of it may be left."""
_REMOVES = re.compile(r"(^|_)(remove|erase|delete|pop|drop|clear|replace)(_|$)")
"""What methods of an object that belongs to another one are called, which end others of its kind."""
_INVALIDATES = re.compile(
    r"\b(?<!not )(?<!never )invalidat(es?|ed|ing)\b|\b(become|are|is|be) (then )?(invalid|dangling)\b"
    r"|\b(no longer|not) (be )?valid (any ?more|after(wards)?|once)\b|\bno longer valid\b",
    re.IGNORECASE,
)
"""What a comment says of a method after which objects are gone, whatever it is called."""
_SAYS_IT_ENDS = re.compile(
    r"\b(?<!not )(frees?|freed|destroy(s|ed)?|deallocate[sd]?|dispose[sd]? of"
    r"|deletes? (it|them|the \w+ (itself|object))|release[sd]? (its|their|the) memory|and deletes?)\b",
    re.IGNORECASE,
)
_SAYS_IT_LEAVES = re.compile(
    r"\b(does not|doesn't|do not|don't|not|never|without)\s+(be\s+)?"
    r"(free(d|ing)?|destroy(ed|ing)?|delet\w+|releas\w+)\b"
    r"|\b(caller|you)\b[^.;]{0,40}\b(free|own|delete|release|destroy)s?\b",
    re.IGNORECASE,
)
"""What comments say of removed objects that are freed, and that are left to the caller."""
_LEAVES = re.compile(r"(^|_)(detach|unlink|steal|unset|swap)n?(_|$)")
_NO_END = re.compile(
    r"(^|_)(enable|disable|is|has|can|get|set|on|allow|no|hook|handler|callback|flags?|options?|bindings?)(_|$)"
)

Roles = Mapping[str, Sequence[RecordRole]]


def ask_keeps(context: Context, roles: Roles, owned: frozenset[str]) -> dict[tuple[str, str], AnsweredWord]:
    """What calls do with objects that they are given, by the key of the function and the record.

    An answer is read also of calls for which nothing is proposed.
    """
    given = [(function, each) for function in context.functions for each in _given(context, function, roles)]
    references = References(context.headers.records)
    referring: frozenset[str] = frozenset()
    proposed = _proposed(context, given, roles, owned, references, referring)
    while (found_now := _made_of_others(proposed)) != referring:
        referring = found_now
        proposed = _proposed(context, given, roles, owned, references, referring)
    found: dict[tuple[str, str], AnsweredWord] = {}
    why = (
        "what calls do with one that they are given: `holds` it, `takes` it away, as an object does that releases it "
        "with itself, `uses` it in the call alone, `ask`"
    )
    words = (HOLDS, HOLDS_LAST, TAKES, USES, ASK)
    for record, functions in proposed.items():
        asked = [each for each in functions.values() if each[1]]
        if asked or context.shown(record) in context.questions.said(KEEPS):
            said = _ask(context, KEEPS, record, asked, words, why, of=[each for each, _ in functions.values()])
            decided = {key: said(function, word) for key, (function, word) in functions.items()}
            found |= {(key, record): each for key, each in decided.items() if each.word}
    return found


def _proposed(
    context: Context,
    given: Sequence[tuple[CFunction, CParameter]],
    roles: Roles,
    owned: frozenset[str],
    references: References,
    referring: frozenset[str],
) -> dict[str, dict[str, tuple[CFunction, str]]]:
    """By record and the key of a function, what is proposed; an empty word of what is not asked."""
    proposed: defaultdict[str, dict[str, tuple[CFunction, str]]] = defaultdict(dict)
    for function, each in given:
        record = record_of(each.type).record
        if _is_address_of_cpp(context, each, roles):
            word = _word_of_address(function, each, references, referring, gives=_gives_object(function, roles))
        else:
            word = _word(context, function, each, roles, is_owned=function.key in owned)
        if word or function.key not in proposed[record]:
            proposed[record][function.key] = (function, word)
    return proposed


def _made_of_others(proposed: Mapping[str, Mapping[str, tuple[CFunction, str]]]) -> frozenset[str]:
    """The classes whose objects refer to what their constructors are given, as far as that is proposed."""
    functions = (each for found in proposed.values() for each in found.values())
    return frozenset(f.owner for f, word in functions if f.kind is FunctionKind.CONSTRUCTOR and word == HOLDS)


def referring(functions: Sequence[CFunction], keeps: Mapping[tuple[str, str], AnsweredWord]) -> frozenset[str]:
    """The classes of C++ whose objects refer to what their constructors are given, by what is decided."""
    words = {key for (key, _), each in keeps.items() if each.word in (HOLDS, HOLDS_LAST)}
    return frozenset(f.owner for f in functions if f.kind is FunctionKind.CONSTRUCTOR and f.key in words)


def _is_address_of_cpp(context: Context, given: CParameter, roles: Roles) -> bool:
    """Whether a parameter is a reference to an object of C++, or a pointer to a constant one."""
    record, _, is_const = record_of(given.type)
    if context.options.is_c or roles[record][0].kind == of.INTERFACE:
        return False
    return given.type.kind is CKind.REFERENCE or is_const


def _gives_object(function: CFunction, roles: Roles) -> bool:
    """Whether a call returns an object that is not the one it is a method of."""
    record = record_of(function.result).record
    is_itself = record == function.owner and function.result.kind is CKind.REFERENCE
    return not is_itself and any(role.is_class for role in roles.get(record, ()))


def _word_of_address(
    function: CFunction, given: CParameter, references: References, referring_: frozenset[str], *, gives: bool
) -> str:
    """What is proposed of such a parameter: where the object's members may refer to it, or the comment says so."""
    record, owner, name = record_of(given.type).record, function.owner, snake(function.name)
    if not owner or function.is_static:
        return ""
    reach = references.reach(owner, record)
    may_keep = Reach.ADDRESS in reach or (Reach.VALUE in reach and record in referring_)
    may_keep = may_keep or (reach == {Reach.HIDDEN} and owner != record)  # with a copy as a member, it is copied
    if function.kind is FunctionKind.CONSTRUCTOR:
        return HOLDS if may_keep or says_it_refers(function) else ""
    if function.kind is not FunctionKind.METHOD or function.is_const:
        return ""
    if says_it_refers(function) or (may_keep and not gives and _KEEPS.search(name)):
        return HOLDS
    return USES if references.has_address(owner, record) and owner != record else ""


def ask_ends(context: Context, roles: Roles, borrowed: frozenset[str]) -> dict[str, AnsweredWord]:
    """Which calls end the objects that belong to their own, to its owner, or to an argument, by their keys."""
    members = _members(context, roles)
    lending = _lending(context, roles, borrowed)
    given: dict[str, str] = {}
    proposed: defaultdict[str, list[tuple[CFunction, str]]] = defaultdict(list)
    for function in context.functions:
        record = _object(context, function, roles)
        owner = record if record in members else next((o for o, all_ in members.items() if record in all_), "")
        if owner and _changes(context, function) and not _is_released(context, function, roles):
            members_ = [role for each in members[owner] for role in roles[each]]
            is_freed = owner in members[owner] or any(role.said.get("release") == "nothing" for role in members_)
            word = _end_of(function, is_owner=record == owner, is_freed=is_freed)
            if word or _is_answered(context, ENDS, owner, function):
                proposed[owner].append((function, word))
                continue
        owner, name = _lent_by_argument(context, function, roles, {**lending, **members})
        if owner:
            proposed[owner].append((function, _end_of_argument(function)))
            given[function.key] = name
    found: dict[str, AnsweredWord] = {}
    for owner, functions in proposed.items():
        of_owner = members.get(owner) or lending[owner]
        is_given = any(each.key in given for each, _ in functions)
        others = ", and of the calls that it is given to," if is_given else ""
        shown = ", ".join(sorted({roles[each][0].name for each in of_owner}))
        why = (
            f"which of its methods{others} end every {shown} that belongs to it: `all`, `when` where some end, "
            "as by a method that deletes one, `nothing`, `ask` is not decided: what is removed, and whether it is freed"
        )
        said = _ask(context, ENDS, owner, functions, (ALL, ON_SUCCESS, NOTHING, ASK), why)
        words = {function.key: said(function, word) for function, word in functions}
        found |= {key: replace(each, parameter=given.get(key, "")) for key, each in words.items()}
    return found


def _lending(context: Context, roles: Roles, borrowed: frozenset[str]) -> dict[str, set[str]]:
    """The classes of C++ whose methods return objects that are not ours to release, with those of these."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for each in context.functions:
        record = record_of(each.result).record
        if each.key in borrowed and each.kind is FunctionKind.METHOD and each.owner in roles and record in roles:
            found[each.owner].add(record)
    return found


def _lent_by_argument(
    context: Context, function: CFunction, roles: Roles, members: Mapping[str, set[str]]
) -> tuple[str, str]:
    """The class, and the name, of an argument that a call of C++ may change and whose objects lend others."""
    if context.options.is_c or function.access is not Access.PUBLIC or function.kind is FunctionKind.CONSTRUCTOR:
        return "", ""
    for each in function.parameters if not function.template else ():
        record, depth, is_const = record_of(each.type)
        if record in members and depth == 1 and not is_const and _is_object(context, each, roles) and each.name:
            return record, each.name
    return "", ""


def _end_of_argument(function: CFunction) -> str:
    """What is proposed of a call that may change an argument which lends objects, by its name and its comment."""
    name, doc = snake(function.name), " ".join(function.doc.text.split())
    if not function.doc.of_group and (_INVALIDATES.search(doc) or _SAYS_IT_ENDS.search(doc)):
        return ALL
    if _ENDS.search(name):
        return ALL
    return NOTHING if _ONLY_USES.search(name) or _KEEPS.search(name) else ASK


def _end_of(function: CFunction, *, is_owner: bool, is_freed: bool) -> str:
    """What is proposed of a method by its name and its comment; empty where it is not asked for.

    `is_freed`: the library releases some of what belongs to the object, so that what is removed may be gone.
    """
    name, doc = snake(function.name), " ".join(function.doc.text.split())
    if is_freed and not function.doc.of_group and _INVALIDATES.search(doc):
        return ALL
    if _NO_END.search(name) or not (_ENDS.search(name) or _MAY_END.search(name)):
        return ""
    if is_owner and _ENDS.search(name):
        return ALL
    if not is_owner and not _REMOVES.search(name):
        return ""
    if not is_freed or _LEAVES.search(name) or _SAYS_IT_LEAVES.search(doc):
        return NOTHING
    return ALL if _SAYS_IT_ENDS.search(doc) and not function.doc.of_group else ASK


class _WordsOfFunctions:
    """The word of a function: as an answer has it, else as it is proposed."""

    def __init__(self, given: object, words: Sequence[str], question: str, *, is_decided: bool) -> None:
        self._given = given if isinstance(given, Mapping) else {}
        self._is_open = given == OPEN
        self._words = words
        self._question = question
        self._is_decided = is_decided

    def __call__(self, function: CFunction, proposed: str) -> AnsweredWord:
        if self._is_open:
            return AnsweredWord(ASK if proposed else "", True, self._question)
        for name, condition in dict(self._given.get(WHEN) or {}).items():
            if is_named(function, [name]):
                return AnsweredWord(WHEN, True, self._question, condition)
        word = next((each for each in self._words if is_named(function, self._given.get(each))), "")
        return AnsweredWord(word or proposed, self._is_decided and bool(word), self._question)


def _ask(
    context: Context,
    group: str,
    record: str,
    functions: Sequence[tuple[CFunction, str]],
    words: Sequence[str],
    why: str,
    of: Sequence[CFunction] = (),
) -> _WordsOfFunctions:
    """Ask about these; an answer may also speak of the functions `of`."""
    names = {word: sorted({f.name for f, own in functions if own == word}) for word in words}
    proposal = {word: found for word, found in names.items() if found}
    key = context.shown(record)
    is_sure = set(proposal) == {HOLDS} and not any(_KEEPS.search(snake(f.name)) for f, _ in functions)
    comment = comments(f for f, _ in functions)
    of_ = {name for f in (*(f for f, _ in functions), *of) for name in (f.name, f.qualified)}
    said = context.questions.ask(
        group, key, proposal, why, of=of_, is_sure=is_sure, frees=len(functions), comment=comment
    )
    return _WordsOfFunctions(said, words, f"{group}/{key}", is_decided=context.questions.is_decided(group, key))


def _is_answered(context: Context, group: str, record: str, function: CFunction) -> bool:
    """Whether the answer speaks of a function of which nothing is asked."""
    given = context.questions.said(group).get(context.shown(record))
    return isinstance(given, Mapping) and any(is_named(function, names) for names in given.values())


def _is_object(context: Context, parameter: CParameter, roles: Roles) -> bool:
    """Whether a parameter is the address of an object of a class."""
    record, depth, _ = record_of(parameter.type)
    role = next(iter(roles.get(record, ())), None)
    if role is None or role.kind not in (of.HANDLE, of.INTERFACE) or depth != 1 or parameter.type.kind is CKind.RVALUE:
        return False
    if context.options.is_c or role.kind == of.INTERFACE:
        return True
    is_held = role.is_pointer or bool(role.said.get("holds"))
    return parameter.type.kind is CKind.REFERENCE or (parameter.type.kind is CKind.POINTER and is_held)


def _given(context: Context, function: CFunction, roles: Roles) -> Iterator[CParameter]:
    """The objects that a call is given, beside the one that it is a method of."""
    if function.access is not Access.PUBLIC or function.kind is FunctionKind.DESTRUCTOR:
        return
    own = next(iter(roles.get(function.owner, ())), None)
    if own is not None and own.kind not in (of.HANDLE, of.IN_PLACE):
        return
    if function.owner and (own is None or _is_iterator(context, function.owner)):
        return
    found = [each for each in function.parameters if _is_object(context, each, roles)]
    yield from found[1:] if context.options.is_c else found


def _is_iterator(context: Context, record: str) -> bool:
    return any(each.name == "operator++" for each in context.headers.records[record].functions)


def _word(context: Context, function: CFunction, given: CParameter, roles: Roles, *, is_owned: bool) -> str:
    """What is proposed; empty of what is not asked: constant objects, where nothing speaks for more."""
    name, doc = snake(function.name), " ".join(function.doc.text.split())
    record, _, is_const = record_of(given.type)
    is_interface = roles[record][0].kind == of.INTERFACE
    plain = _STEALS.sub("", function.name)
    if plain != function.name and any(each.name == plain for each in context.functions):
        return ASK
    if is_interface and _ONLY_USES.search(name):
        return ""
    if (
        any(_OWNS.search(snake(each.name)) for each in function.parameters)
        or _TAKES.search(name)
        or _SAYS_IT_TAKES.search(doc)
        or (context.options.is_c and not is_const and _is_part_of(context, function, record, roles))
    ):
        return ASK
    if is_const and not is_interface and not context.options.is_c:
        return ""
    is_method = context.options.is_c or (bool(function.owner) and not function.is_static)
    returned = [record_of(function.result), *(record_of(each.type) for each in function.parameters)]
    gives = any(each.record in roles and roles[each.record][0].is_class for each in returned[:1]) or any(
        each.depth == 2 for each in returned[1:]
    )
    if function.kind is FunctionKind.CONSTRUCTOR or (is_owned and is_method and not is_const):
        return HOLDS
    keeps = _KEEPS.search(name) or (not context.options.is_c and says_it_refers(function))
    if is_method and keeps and not gives:
        return ASK if context.options.is_c and _may_release_both(context, function, given, roles) else HOLDS
    return "" if is_const and not is_interface else USES


def _is_part_of(context: Context, function: CFunction, record: str, roles: Roles) -> bool:
    """Whether the object of a call is released with one of this record, of which it may make a part of its own."""
    role = next(iter(roles.get(_object(context, function, roles), ())), None)
    owner = owner_in(role.said) if role is not None and role.said.get("release") == NOTHING else None
    return owner in (record, context.shown(record), *(each.name for each in roles[record]))


def _may_release_both(context: Context, function: CFunction, given: CParameter, roles: Roles) -> bool:
    """Whether the object of a call may release what it is given, which Python would release as well."""
    own, record = _object(context, function, roles), record_of(given.type).record
    releases = [str(roles[each][0].said.get("release") or NOTHING) for each in (own, record) if each in roles]
    if record_of(given.type).is_const or len(releases) < 2 or NOTHING in releases or _COUNTS.search(snake(releases[1])):
        return False
    is_part = _INSERTS.search(snake(function.name)) or _PART.search(snake(given.name))
    release = next((each for each in context.functions if each.name == releases[0].partition("(")[0]), None)
    says_so = release is not None and not release.doc.of_group and _RELEASES_PARTS.search(release.doc.text)
    return own == record or is_part is not None or bool(says_so)


def _members(context: Context, roles: Roles) -> dict[str, set[str]]:
    """The records whose objects belong to those of another one, by that."""
    shown = {role.name: record for record, of_ in roles.items() for role in of_}
    shown |= {context.shown(record): record for record in roles}
    found: defaultdict[str, set[str]] = defaultdict(set)
    for record, each in roles.items():
        for role in each:
            said = owner_in(role.said)
            owner = shown.get(str(said), str(said))
            if said and owner in roles:
                found[owner].add(record)
    return found


def _object(context: Context, function: CFunction, roles: Roles) -> str:
    """The record of the object that a call is a method of."""
    if not context.options.is_c:
        return "" if function.is_static or function.kind is not FunctionKind.METHOD else function.owner
    return next((record_of(e.type).record for e in function.parameters if _is_object(context, e, roles)), "")


def _changes(context: Context, function: CFunction) -> bool:
    """Whether a method may change its object."""
    if not context.options.is_c:
        return not function.is_const and function.access is Access.PUBLIC
    first = next((each for each in function.parameters if pointee(each.type)), None)
    return first is not None and not record_of(first.type).is_const


def _is_released(context: Context, function: CFunction, roles: Roles) -> bool:
    """Whether a function is a release, which is no method."""
    named = {str(role.said.get("release") or "").partition("(")[0] for each in roles.values() for role in each}
    if function.name in named or not function.parameters or function.owner:
        return function.name in named
    record = record_of(function.parameters[0].type).record
    takers = {each.name for each in context.uses[record].first} if record in context.uses else set()
    return is_release(function, words_of(context.headers, record), takers) is not IsRelease.NO

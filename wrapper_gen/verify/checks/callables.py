"""How long C calls a callable: as its name and comment tell, and whether C has a function that releases it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen.headers import CKind, CParameter
from wrapper_gen.model import Lasting
from wrapper_gen.types.model import Type as SpecType
from wrapper_gen.types.queries import callable_of
from wrapper_gen.verify.checks.numbers import misfit
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt, to_of

_KEEPS = re.compile(
    r"(?:^|_)(?:set|on|add|register|subscribe|install|attach|watch|hook|handler|listener|trace)(?:_|$)", re.I
)
_SAYS_LATER = re.compile(
    r"(?:called|invoked|runs?) (?:whenever|each time|every time|later|when(?:ever)? (?:a|an|the|something))|"
    r"from (?:then|now) on|until (?:it is |the |another)|(?:keeps|remembers|stores) (?:the |it|a )|for later",
    re.I,
)
_SAYS_ONCE = re.compile(r"(?:called|invoked|runs?) (?:exactly |just )?once", re.I)
_SAYS_DURING = re.compile(r"(?:before|until) (?:it|this|the (?:call|function)) returns|during the call|for each", re.I)


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """The callables of an entry."""
    for each in subject.function.parameters:
        callback = each.callback
        if callback is None:
            continue
        yield from _narrower(subject, each.name, each.type)
        is_call, is_once = callback.scope is Lasting.CALL, callback.scope is Lasting.ONCE
        later, during = _SAYS_LATER.search(subject.comment), _SAYS_DURING.search(subject.comment)
        if is_call and (later or (_KEEPS.search(subject.declared.name) and not during)):
            said = f"the comment says {later[0]!r}" if later else f"{subject.declared.name} says that C keeps it"
            what = f"`{each.name}` is released after the call (scope: call), and {said}"
            yield subject.doubt(what, "say `scope: object`, or `once`")
        elif is_once and later and not _SAYS_ONCE.search(subject.comment):
            what = f"`{each.name}` is released when it was called (scope: once), and the comment says {later[0]!r}"
            yield subject.doubt(what, "say `scope: object`")
        destroys = next((p for p in subject.declared.parameters if _destroys(p)), None)
        if destroys is not None and callback.scope in (Lasting.CALL, Lasting.ONCE, Lasting.OBJECT):
            what = (
                f"`{each.name}` has `scope: {callback.scope.value}`, and C has {destroys.name}, which releases its data"
            )
            yield subject.doubt(what, f"write the call, with {each.name}.destroy there")


def _narrower(subject: ComparedEntry, name: str, type_: SpecType) -> Iterator[Doubt]:
    """Numbers that C gives a callable, and that are narrower in the spec."""
    called = callable_of(type_)
    given = next((p.type for argument, p in subject.places if name in argument.source.parameters), None)
    function = given and (given if given.kind is CKind.FUNCTION else to_of(given))
    if called is None or function is None or function.kind is not CKind.FUNCTION:
        return
    shown = [each for each in function.parameters if not (target := to_of(each)) or target.kind is not CKind.VOID]
    if len(shown) != len(called.parameters):
        return
    for own, theirs in zip(called.parameters, shown, strict=True):
        what = misfit(own, theirs)
        if what:
            yield subject.doubt(f"`{name}` is called with {own}, and {what}", "a value that does not fit raises")


def _destroys(parameter: CParameter) -> bool:
    """Whether it is a function over the user data whose name says that it releases that."""
    target = to_of(parameter.type) or parameter.type
    if target.kind is not CKind.FUNCTION or len(target.parameters) != 1:
        return False
    is_void = target.target is not None and target.target.kind is CKind.VOID
    return is_void and re.search(r"free|destroy|release|delete|drop|dtor|clean", parameter.name, re.I) is not None

"""`ends` of an entry or a class: which of what belongs to an object its call ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen.diagnostics import Nearest, Span, did_you_mean
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.model import ALL, Code, Mode, Parameter
from wrapper_gen.model.ending import Ends, ending_lender
from wrapper_gen.model.inheritance import bases, with_relatives
from wrapper_gen.resolve.held import held_names
from wrapper_gen.resolve.lifetime_words import OBJECT, SELF, LifetimeWord, says_nothing, words
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import EndedResults, Map, Scope
from wrapper_gen.resolve.taken import ends_on_success
from wrapper_gen.types.queries import handle_of, if_given, is_number, is_text

_OWNER = f"{SELF}.owner"
_ENTRY = "()"
"""After the name of an entry, where a parameter has the same name."""
_OF_OWNER = {SELF: False, _OWNER: True, ALL: None}
_ONE_OBJECT = "a condition is tested before the call, of what belongs to one object"


def read_ends(entry: Map, scope: Scope, signature: Signature) -> Ends | None:
    """Which of what belongs to its object, or to the owner of that, a call ends; None where it ends nothing."""
    if entry.get("ends") is None or says_nothing(entry, "ends"):
        return None
    return _EndingReader(entry, scope, signature).read()


def read_closing(entry: Map, scope: Scope, name: str) -> bool:
    """Whether to close an object of this class closes what belongs to it."""
    if entry.get("ends") != ALL:
        return False
    lends = scope.names.iterates or {name, *bases(name, scope.names.extends)} & set(scope.names.lent.values())
    if not lends:
        hint = f"say it on the classes whose objects are to end: belongs_to: {name}"
        _ends_nothing(f"no class says `belongs_to: {name}`", scope.span(entry, "ends"), scope, hint)
    return bool(lends)


def _ends_nothing(why: str, span: Span, scope: Scope, hint: str) -> None:
    scope.error("WG091", f"{why}, so `ends` would end nothing", span, hint)


@frozen
class _Said:
    """The value of `ends`."""

    words: Sequence[LifetimeWord]
    conditions: Map | None
    span: Span


def _read_value(entry: Map, scope: Scope) -> _Said:
    said, span = entry["ends"], scope.span(entry, "ends")
    if isinstance(said, dict):
        return _Said((), said, span)
    if not isinstance(said, list):
        return _Said(words(entry, "ends", scope), None, span)
    named = [LifetimeWord(each, scope.document.span(said, i)) for i, each in enumerate(said) if isinstance(each, str)]
    conditions = [each for each in said if isinstance(each, dict)]
    for each in conditions[1:]:
        scope.error("WG091", "two mappings of conditions", scope.document.start(each), "make one of them")
    if not said:
        scope.error("WG091", "`ends` names nothing", span, "write all; or nothing, where the call ends nothing")
    return _Said(named, conditions[0] if conditions else None, span)


class _EndingReader:
    """Reads what one entry says."""

    def __init__(self, entry: Map, scope: Scope, signature: Signature) -> None:
        self._entry, self._scope, self._signature = entry, scope, signature
        self._handle = signature.handle or ""
        self._types = {p.name: handle_of(if_given(p.type)) for p in signature.parameters if p.mode is not Mode.TAKE}
        """The handle type of what the call is given, and does not take."""

    def read(self) -> Ends | None:
        said = _read_value(self._entry, self._scope)
        named = [word for word in said.words if not self._names_entry(word)]
        on_success = ends_on_success(self._entry)
        if said.conditions is not None:
            return self._read_conditions(said.conditions, named, on_success=on_success)
        if not named:
            return None
        if len(named) > 1 or named[0].text not in _OF_OWNER:
            lenders = [self._in_model(word.text) for word in named if self._lends(word)]
            return Ends(lenders=tuple(dict.fromkeys(lenders)), on_success=on_success, is_explicit=True)
        word = named[0]
        if not self._has_something(word):
            return None
        self._check_all(word)
        of_owner = _OF_OWNER[word.text]
        return Ends(of_owner, on_success=on_success, is_explicit=of_owner is not None)

    def _names_entry(self, word: LifetimeWord) -> bool:
        """Whether it names an entry of the class, whose results end: any name that is nothing else may be one."""
        name = word.text.removesuffix(_ENTRY)
        is_called = name != word.text
        given = {p.name for p in self._signature.parameters}
        if not self._handle or not name.isidentifier() or (not is_called and name in _OF_OWNER):
            return False
        is_argument = not is_called and name in given
        by, form = self._signature.name, self._signature.span
        is_all = ends_on_success(self._entry) and not isinstance(self._entry["on_failure"], dict)
        found = EndedResults(self._handle, by, name, word.span, form, given, is_argument, is_all)
        self._scope.findings.ended.append(found)
        return not is_argument

    def _in_model(self, text: str) -> str:
        """The lender that a word names, as the model does."""
        if text == ALL:
            return OBJECT if ending_lender(self._handle, None, self._scope.names.lent) == self._handle else "h.owner"
        name, dot, owner = text.partition(".")
        return (OBJECT if name == SELF and self._handle else name) + dot + owner

    def _has_something(self, word: LifetimeWord) -> bool:
        """Whether anything can belong to the object, or to its owner, as `all`, `self` or `self.owner` says."""
        if not self._handle:
            hint = "name the arguments that it belongs to: ends: [NAME]"
            _ends_nothing("a function has no object", word.span, self._scope, hint)
            return False
        lent = self._scope.names.lent
        if word.text != ALL:
            return bool(self._lender(_OF_OWNER[word.text], word.span))
        if not (self._scope.names.iterates or self._handle in lent or self._handle in lent.values()):
            hint = f"say it on the classes whose objects are to end: belongs_to: {self._handle}"
            _ends_nothing(f"no class says `belongs_to: {self._handle}`", word.span, self._scope, hint)
            return False
        return True

    def _check_all(self, word: LifetimeWord) -> None:
        """`all` has one meaning: what belongs to the object, or all that belongs to its owner."""
        lent = self._scope.names.lent
        if word.text == ALL and self._handle in lent and self._handle in lent.values():
            owner = lent[self._handle]
            message = f"`all` may be what belongs to this {self._handle}, or all that belongs to its {owner}"
            self._error(message, word.span, f"write {SELF}, or {_OWNER}; for both [{SELF}, {_OWNER}]")

    def _lends(self, word: LifetimeWord) -> bool:
        """Whether anything can belong to one of several that are listed; an error where not."""
        if word.text == ALL:
            self._check_all(word)
            return self._has_something(word)
        name, dot, owner = word.text.partition(".")
        types = self._types | ({SELF: self._handle} if self._handle else {})
        handle = types.get(name)
        if handle is None and any(p.name == name for p in self._signature.parameters if p.mode is Mode.TAKE):
            message = f"`ends` cannot be {word.text!r}, because the call takes {name!r}"
            way = f"drop it: the call is refused as long as something belongs to {name!r}; close that before"
            if handle_of(next(p.type for p in self._signature.parameters if p.name == name)) == self._handle:
                way += f"; or, where {name!r} is a part of the object then, return it: belongs_to: {SELF}"
            self._error(message, word.span, way)
            return False
        if not handle or owner not in ("", "owner") or (dot and not owner):
            known = [each for each in types if types[each]]
            hint = did_you_mean(name, known) or (
                "name parameters that are handles and not taken, each also with .owner; in a method self or all, too"
            )
            self._error(f"`ends` cannot be {word.text!r}", word.span, hint)
            return False
        lent, family = self._scope.names.lent, with_relatives({handle}, self._scope.names.extends)
        if owner and handle not in lent:
            message = f"{word.text!r} is nothing: the class {handle} has no `belongs_to`"
            self._error(message, word.span, f"what belongs to it itself: {name}")
            return False
        if not owner and not self._scope.names.iterates and not family & set(lent.values()):
            hint = f"what belongs to its owner: {name}.owner" if handle in lent else f"drop {name}"
            self._error(f"nothing belongs to {name!r}: no class says `belongs_to: {handle}`", word.span, hint)
            return False
        return True

    def _lender(self, of_owner: bool | None, span: Span) -> str:
        """The handle type whose objects have lent what the call ends; empty, and an error, where none has."""
        own, lent = self._scope.names.lent.get(self._handle, ""), self._scope.names.lent.values()
        if of_owner and not own:
            hint = f"what belongs to the object itself: {SELF}"
            self._error(f"the class {self._handle} has no `belongs_to`, so its objects have no owner", span, hint)
            return ""
        if of_owner is False and self._handle not in lent and not self._scope.names.iterates:
            says = f"say `belongs_to: {self._handle}` on the class of what it returns"
            hint = f"what belongs to its owner: {_OWNER}" if own else says
            self._error(f"no class says `belongs_to: {self._handle}`", span, hint)
            return ""
        return ending_lender(self._handle, Ends(of_owner), self._scope.names.lent)

    # --- conditions ---

    def _read_conditions(self, about: Map, named: Sequence[LifetimeWord], *, on_success: bool) -> Ends | None:
        start = self._scope.document.start(about)
        if named or on_success:
            hint = "drop the condition, or name no other object; what ends so ends before the call, also if that fails"
            self._error(_ONE_OBJECT, start, hint)
            return Ends(is_explicit=True)
        key = next((each for each in about if each in (SELF, _OWNER)), "")
        if {SELF, _OWNER} <= about.keys():
            hint = f"keep one of the two; or, for all that belongs to both, ends: [{SELF}, {_OWNER}]"
            self._error(_ONE_OBJECT, start, hint)
            return Ends(is_explicit=True)
        if key and len(about) > 1:
            self._error(_ONE_OBJECT, start, f"put all of it below {key}: {{{key}: {{Node: …}}}}")
            return Ends(is_explicit=True)
        of_owner = _OF_OWNER[key] if key else None
        span = self._scope.document.key_span(about, key) if key else start
        if not self._has_something(LifetimeWord(key or ALL, span)):
            return None
        lender = self._lender(of_owner, span)
        below = about[key] if key else about
        found = self._by_class(below, lender) if isinstance(below, dict) else self._of_all(about, key, lender)
        return Ends(of_owner, tuple(found), is_explicit=bool(key))

    def _of_all(self, about: Map, key: str, lender: str) -> Iterator[tuple[str, Code]]:
        code = self._scope.code(about, key)
        span = self._scope.span(about, key)
        if code is None:
            hint = 'write C++ over `value`: "is_below(value, self)"; or, for all of them, ends: all'
            self._error("nothing says what the call ends", span, hint)
            return
        if lender and not any(self._is_lent(name, lender) for name in self._scope.names.lent):
            self._error(f"no class says `belongs_to: {lender}`, so there is nothing to choose", code.span, "")
        self._check(code)
        yield "", code

    def _by_class(self, when: Map, lender: str) -> Iterator[tuple[str, Code]]:
        if not when:
            hint = 'write C++ over `value` for each class: {Node: "is_below(value, self)"}'
            self._error("nothing says what the call ends", self._scope.document.start(when), hint)
        for name in when:
            span = self._scope.document.key_span(when, name)
            if name == ALL:
                yield from self._of_all(when, name, lender)
                continue
            code = self._scope.code(when, name) if isinstance(when[name], str) else None
            known = [each for each in self._scope.names.lent if self._is_lent(each, lender)]
            if code is None:
                self._scope.error("WG012", "C++ is missing here", span, "write a condition over `value`")
            elif lender and name not in known:
                self._error(f"{name!r} is no class that says `belongs_to: {lender}`", span, self._meant(name, lender))
            else:
                self._check(code)
                yield name, code

    def _meant(self, name: str, lender: str) -> str | Nearest:
        """What to do about a class that does not belong to the object, or to its owner."""
        lent, own = self._scope.names.lent, self._scope.names.lent.get(self._handle, "")
        for key, other in ((SELF, self._handle), (_OWNER, own)):
            if other != lender and name in lent and self._is_lent(name, other):
                return f"it belongs to {key}: {{{key}: {{{name}: …}}}}"
        known = [each for each in lent if self._is_lent(each, lender)]
        return did_you_mean(name, known) or f"name classes that say `belongs_to: {lender}`"

    def _is_lent(self, name: str, lender: str) -> bool:
        """Whether objects of `lender`, or of a type that extends it or that it extends, lend this type."""
        known = self._scope.names
        found = known.lent[name]
        return found in (lender, *bases(lender, known.extends)) or lender in bases(found, known.extends)

    def _check(self, code: Code) -> None:
        kept = held_names(self._entry, self._scope)
        for p in self._signature.parameters:
            if mentions(code.text, p.name) and not (_is_usable(p) and not (is_text(p.type) and p.name in kept)):
                hint = f"it may use `value`, `{SELF}`, and text, numbers and handles that nothing takes or keeps"
                self._error(f"a condition cannot use {p.name!r}, which is {p.type}", code.span, hint)

    def _error(self, message: str, span: Span, hint: str | Nearest) -> None:
        self._scope.error("WG091", message, span, hint or "drop the condition")


def _is_usable(p: Parameter) -> bool:
    """Whether a condition can look at an argument before the call, as often as there are handles."""
    return is_number(p.type) or is_text(p.type) or (handle_of(p.type) is not None and p.mode is not Mode.TAKE)

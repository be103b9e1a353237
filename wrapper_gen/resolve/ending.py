"""`invalidates` of an entry: which of the handles that an object has lent its call ends."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.diagnostics import Nearest, Span, did_you_mean
from wrapper_gen.expressions import mentions
from wrapper_gen.model import Code, Mode, Parameter
from wrapper_gen.model.ending import Ends, ending_lender
from wrapper_gen.model.inheritance import bases, with_relatives
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import handle_of, if_given, is_number, is_text


def read_ends(entry: Map, scope: Scope, signature: Signature) -> Ends | None:
    """Which of what its object, or the owner of that, lends a call ends; None where it ends nothing."""
    about = entry.get("invalidates")
    if isinstance(about, str) and about != "lent":
        message, span = f"`invalidates` cannot be {about!r}", scope.span(entry, "invalidates")
        scope.error("WG013", message, span, 'write lent, or which of them: {when: "is_below(value, h.inner)"}')
        return None
    if not _is_ending(entry, scope, signature):
        return None
    return _EndingReader(entry, scope, signature).read() if isinstance(about, dict) else Ends()


def _is_ending(entry: Map, scope: Scope, signature: Signature) -> bool:
    """Whether a call ends what its object, or the owner of that, lends."""
    if not entry.get("invalidates"):
        return False
    handle = signature.handle
    about = entry["invalidates"]
    if isinstance(about, dict) and _names_arguments(about):
        return True
    lends = scope.names.iterates or handle in scope.names.lent or handle in scope.names.lent.values()
    if handle is None or not lends:
        _releases_nothing(handle, entry, scope)
        return False
    return True


def _names_arguments(about: Map) -> bool:
    """Whether a mapping of `invalidates` says that arguments have lent some of what the call ends."""
    said = about.get("lent_by")
    named = said if isinstance(said, list) else [said] if isinstance(said, str) else []
    return any(each not in ("h", "h.owner") for each in named) or len(named) > 1


def read_closing(entry: Map, scope: Scope, name: str) -> bool:
    """Whether to close a handle of this type closes what it has lent."""
    lends = scope.names.iterates or {name, *bases(name, scope.names.extends)} & set(scope.names.lent.values())
    if entry.get("invalidates") and not lends:
        _releases_nothing(name, entry, scope)
        return False
    return bool(entry.get("invalidates"))


def _releases_nothing(handle: str | None, entry: Map, scope: Scope) -> None:
    hint = "say `lent_by` on the handle types whose objects are to be released"
    if not handle:
        hint = "name the arguments that have lent them: invalidates: {lent_by: [NAME]}"
    why = f"no handle type says `lent_by: {handle}`" if handle else "a function has no object"
    message = f"{why}, so `invalidates` would release nothing"
    scope.error("WG091", message, scope.span(entry, "invalidates"), hint)


class _EndingReader:
    """Reads the mapping of one entry."""

    def __init__(self, entry: Map, scope: Scope, signature: Signature) -> None:
        self._entry, self._scope, self._signature = entry, scope, signature
        self._about: Map = entry["invalidates"]
        self._handle = signature.handle or ""

    def read(self) -> Ends:
        said = self._about.get("lent_by")
        named = [str(each) for each in said] if isinstance(said, list) else [str(said)] if said else []
        on_success, when = self._scope.text(self._about, "on") == "success", self._about.get("when")
        of_arguments = _names_arguments(self._about)
        if when is not None and (of_arguments or on_success):
            hint = "drop `when`; or end what one object has lent, before the call: drop `on`, and say lent_by: h"
            self._error("`when` is tested before the call, of what one object has lent", self._key("when"), hint)
            return Ends(is_explicit=True)
        if of_arguments:
            lenders = tuple(each for each in dict.fromkeys(named) if self._lends(each))
            return Ends(lenders=lenders, on_success=on_success, is_explicit=True)
        of_owner = {"h.owner": True, "h": False}.get(named[0]) if named else None
        lender = self._lender(of_owner)
        if when is None and (named or on_success):
            return Ends(of_owner, on_success=on_success, is_explicit=bool(named))
        conditions = dict(self._by_type(when, lender) if isinstance(when, dict) else self._of_all(lender))
        return Ends(of_owner, tuple(conditions.items()), is_explicit=bool(named))

    def _lends(self, said: str) -> bool:
        """Whether one of those that `lent_by` lists lends anything; an error where not."""
        name, _, owner = said.partition(".")
        types = {p.name: handle_of(if_given(p.type)) for p in self._signature.parameters if p.mode is not Mode.TAKE}
        if self._handle:
            types["h"] = self._handle
        handle, span = types.get(name), self._key("lent_by")
        if not handle or owner not in ("", "owner"):
            known = [each for each in types if types[each]]
            hint = (
                did_you_mean(name, known)
                or "name parameters that are handles and not taken, or h, each also with .owner"
            )
            self._error(f"`lent_by` cannot be {said!r}", span, hint)
            return False
        lent, family = self._scope.names.lent, with_relatives({handle}, self._scope.names.extends)
        if owner and handle not in lent:
            self._error(
                f"{said!r} is nothing: handle type {handle} has no `lent_by`", span, f"what it has lent itself: {name}"
            )
            return False
        if not owner and not self._scope.names.iterates and not family & set(lent.values()):
            hint = f"what its owner has lent: {name}.owner" if handle in lent else f"drop {name}"
            self._error(f"{name!r} lends nothing: no handle type says `lent_by: {handle}`", span, hint)
            return False
        return True

    def _key(self, key: str) -> Span:
        return self._scope.span(self._about, key)

    def _lender(self, of_owner: bool | None) -> str:
        """The handle type whose objects have lent what the call ends; empty where none has."""
        own, lent = self._scope.names.lent.get(self._handle, ""), self._scope.names.lent.values()
        span = self._scope.span(self._about, "lent_by")
        if of_owner and not own:
            hint = "what the object itself has lent: lent_by: h"
            self._error(f"handle type {self._handle} has no `lent_by`, so its objects have no owner", span, hint)
            return ""
        if of_owner is False and self._handle not in lent:
            says = f"say `lent_by: {self._handle}` on the type of what it returns"
            hint = "what its owner has lent: lent_by: h.owner" if own else says
            self._error(f"no handle type says `lent_by: {self._handle}`", span, hint)
            return ""
        return ending_lender(self._handle, Ends(of_owner), self._scope.names.lent)

    def _of_all(self, lender: str) -> Iterator[tuple[str, Code]]:
        code = self._scope.code(self._about, "when")
        if code is None:
            hint = 'write C++ over `value`: when: "is_below(value, h.inner)"; or, for all of them, invalidates: lent'
            self._error("nothing says which handles the call ends", self._scope.document.start(self._about), hint)
            return
        if lender and not any(self._is_lent(name, lender) for name in self._scope.names.lent):
            self._error(f"no handle type says `lent_by: {lender}`, so there is nothing to choose", code.span, "")
        self._check(code)
        yield "", code

    def _by_type(self, when: Map, lender: str) -> Iterator[tuple[str, Code]]:
        for name in when:
            span = self._scope.document.key_span(when, name)
            code = self._scope.code(when, name)
            known = [each for each in self._scope.names.lent if self._is_lent(each, lender)]
            if code is None:
                self._scope.error("WG012", "C++ is missing here", span, "write a condition over `value`")
            elif lender and name not in known:
                hint = did_you_mean(name, known) or f"name types that say `lent_by: {lender}`"
                self._error(f"{name!r} is no handle type that says `lent_by: {lender}`", span, hint)
            else:
                self._check(code)
                yield name, code

    def _is_lent(self, name: str, lender: str) -> bool:
        """Whether objects of `lender`, or of a type that extends it or that it extends, lend this type."""
        known = self._scope.names
        found = known.lent[name]
        return found in (lender, *bases(lender, known.extends)) or lender in bases(found, known.extends)

    def _check(self, code: Code) -> None:
        for p in self._signature.parameters:
            kept = (*self._scope.texts(self._entry, "keep_alive"), *self._scope.texts(self._entry, "holds"))
            if mentions(code.text, p.name) and not (_is_usable(p) and not (is_text(p.type) and p.name in kept)):
                hint = (
                    "it may use `value`, `h`, and parameters that are text, numbers or handles, and not taken or kept"
                )
                self._error(f"`when` cannot use {p.name!r}, which is {p.type}", code.span, hint)

    def _error(self, message: str, span: Span, hint: str | Nearest | None) -> None:
        self._scope.error("WG091", message, span, hint or "drop `when`")


def _is_usable(p: Parameter) -> bool:
    """Whether a condition can look at an argument before the call, as often as there are handles."""
    return is_number(p.type) or is_text(p.type) or (handle_of(p.type) is not None and p.mode is not Mode.TAKE)

"""`fields` of a handle type, which Python has as properties: what reads each, and what sets it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import replace
from wrapper_gen.model import Accessor, Code, Function, Named, Parameter
from wrapper_gen.resolve import accessor_names
from wrapper_gen.resolve.cpp import has_members, is_code
from wrapper_gen.resolve.deprecations import read_deprecated
from wrapper_gen.resolve.functions import resolve_signature
from wrapper_gen.resolve.implementation_keys import implementation_key
from wrapper_gen.resolve.implementations import check_alone, implementation_of
from wrapper_gen.resolve.lambdas import is_lambda
from wrapper_gen.resolve.lifetimes import note_unsaid, without_owner
from wrapper_gen.resolve.parameters import Signature, possible_result, usable
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import parse_type
from wrapper_gen.types.model import Type, Void
from wrapper_gen.types.queries import handles_in, has_callables, is_bool
from wrapper_gen.types.recursion import recursive_in
from wrapper_gen.types.scalars import CPP_NUMBERS

_MUT = re.compile(r"mut\s+(?=\S)")
"""Before the type of a property that Python sets."""
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ABOUT_BOTH = ("type", "set", "doc", "deprecated")
"""Keys of a field that say nothing of what reads it."""
_QUALIFIED = re.compile(r"(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")


def resolve_properties(handle: Map, scope: Scope, owner: str) -> Iterator[Function]:
    """The getters and setters of a handle type, those of one property side by side."""
    fields: Map = handle.get("fields") or {}
    for name in fields:
        yield from _Property(fields, name, scope, owner).functions()


class _Property:
    """One property: `name: type`, `name: mut type`, or an entry with its type."""

    def __init__(self, fields: Map, name: str, scope: Scope, owner: str) -> None:
        self._fields, self._name, self._scope, self._owner = fields, name, scope, owner
        self._span = scope.document.key_span(fields, name)
        written = fields[name]
        self._is_short = not isinstance(written, dict)
        self._about: Map = {} if self._is_short else written
        self._py_name = names.python_method(name)

    def functions(self) -> Iterator[Function]:
        scope, name = self._scope, self._name
        scope.check_identifier(name, self._span, "a property")
        text = scope.type_text(self._fields, name) if self._is_short else scope.type_text(self._about, "type")
        mut = _MUT.match(text)
        where = scope.span(self._fields, name) if self._is_short else scope.span(self._about, "type")
        type_ = parse_type(text[mut.end() :] if mut else text, where, scope)
        is_read = "cpp" not in self._about or self._about["cpp"] is not None
        is_set = bool(mut) or self._about.get("set") not in (None, False)
        if mut and self._about.get("set", True) in (None, False):
            hint = "drop `mut`, or `set`"
            scope.error("WG135", f"the property {name!r} is `mut`, and nothing sets it", self._span, hint)
        if not is_read and not is_set:
            hint = "say what sets it: set: true, or the name of a method; or what reads it: drop `cpp: null`"
            scope.error("WG135", f"the property {name!r} is neither read nor set", self._span, hint)
        if type_ is not None and has_callables(type_):
            hint = "make it a method: it can say how long C++ calls the callable"
            scope.error("WG136", "a callable cannot be a property", where, hint)
            type_ = None
        if is_read:
            yield self._getter(possible_result(type_, where, scope), where)
        if is_set and type_ is not None and recursive_in(type_):
            hint = "let a method set it: what is made of a value of Python's lasts for a call"
            scope.error("WG118", f"a property cannot be set to {type_}", where, hint)
        elif is_set:
            yield self._setter(usable(type_, where, scope), where, is_read=is_read)

    def _getter(self, type_: Type | None, where: Span) -> Function:
        scope, name = self._scope, self._name
        pointing = sorted(handles_in(type_) & scope.findings.borrowing) if type_ else []
        if pointing and not self._about.keys() - {*_ABOUT_BOTH, "cpp"}:
            hint = f"write it out, with what it points into: {name}: {{type: {type_}, belongs_to: self}}"
            scope.error("WG109", without_owner(pointing[0]), where, hint)
            type_ = None
        signature = Signature(
            name, self._span, self._owner, (), type_ or Void(), where, is_property=True, is_whole=type_ is not None
        )
        if not self._about.keys() - {*_ABOUT_BOTH, "cpp"}:
            note_unsaid(signature, scope)
        named = self._about.get("cpp")
        own = () if isinstance(named, str) else accessor_names.members(name, scope.names.naming.case)
        verbs: tuple[str, ...] = ()
        functions: tuple[str, ...] = ()
        if own:
            is_yes_or_no, case = type_ is not None and is_bool(type_), scope.names.naming.case
            verbs = accessor_names.getters(name, case, is_bool=is_yes_or_no)
            functions = self._functions(accessor_names.prefixed_getters(name, case, is_bool=is_yes_or_no))
        accessor = Accessor(own, own[-1:], functions, sets=False, verbs=_without(verbs, own))
        entry = scope.document.nothing(self._fields, name)
        if not self._is_short:
            entry = scope.document.without(self._about, _ABOUT_BOTH)
        return self._described(entry, self._resolved(self._about, "cpp", entry, signature, accessor))

    def _setter(self, type_: Type | None, where: Span, *, is_read: bool) -> Function:
        scope, name = self._scope, self._name
        given = self._about.get("cpp")
        member = given if isinstance(given, str) and _PATH.fullmatch(given) else name
        value = () if type_ is None else (Parameter(name, type_, self._span),)
        self._check_name(type_)
        base = names.setter(name)
        signature = Signature(base, self._span, self._owner, value, Void(), where, is_property=False, is_whole=False)
        signature = replace(signature, is_whole=type_ is not None)
        functions = self._functions(accessor_names.own_setters(name, scope.names.naming.case))
        own = accessor_names.setters(name, scope.names.naming.case)
        read = [each for each in (name, member) if names.is_identifier(each)]
        verbs = [each for of in read for each in accessor_names.setters_beside(of, scope.names.naming.case)]
        accessor = Accessor(own, (member,), functions, sets=True, verbs=_without(verbs, own))
        said: Any = self._about.get("set")
        entry = said if isinstance(said, dict) else scope.document.nothing(self._fields, name)
        about, key = (said, "cpp") if isinstance(said, dict) else (self._about, "set")
        made = self._described(entry, self._resolved(about, key, entry, signature, accessor))
        return replace(made, sets=name, is_read=is_read, py_name=self._py_name)

    def _check_name(self, type_: Type | None) -> None:
        """The value that is set has the property's name, which hides a class of C++ of that name."""
        scope, name = self._scope, self._name
        if type_ is not None and (name in CPP_NUMBERS or scope.names.has_type(name)):
            hint = "give the property another name, and say what sets it: set: NAME"
            scope.error("WG021", f"{name!r} is the name of a type", self._span, hint)

    def _functions(self, own: Sequence[str]) -> tuple[str, ...]:
        """The functions of the library that may be it, where those of the handle type have a prefix."""
        prefix = self._scope.names.naming.methods.get(self._owner)
        return () if prefix is None else tuple(prefix + each for each in own)

    def _resolved(self, said: Map, key: str, entry: Map, signature: Signature, accessor: Accessor) -> Function:
        """What implements it: what `said` names, other C++ of the entry, or what has the name of the field."""
        scope = self._scope
        code = Code(self._name, self._span)
        if key == "cpp" and is_code(said, scope):
            return resolve_signature(entry, scope, signature, None)
        if isinstance(said.get(key), str):
            entry = scope.document.without(entry, ("cpp",))
            code = scope.document.code(said, key)
            text = code.text.strip()
            if is_lambda(text):
                implementation = implementation_of(said, scope, signature, key)
                return resolve_signature(entry, scope, signature, implementation)
            if key == "cpp":
                check_alone(said, scope)
            is_member, text = text.startswith("."), text.removeprefix(".")
            path, qualified = _PATH.fullmatch(text), _QUALIFIED.fullmatch(text)
            if not path and not qualified:
                hint = "write a member, a method or a function, or a lambda `[](…) { … }`"
                scope.error("WG043", f"`{key}` is neither a name nor a lambda", code.span, hint)
            own = (text,) if path else ()
            is_function = qualified or not (is_member or has_members(self._owner, scope))
            accessor = Accessor(own, own, (text,) if is_function else (), accessor.sets)
        elif implementation_key(entry):
            return resolve_signature(entry, scope, signature, None)
        return resolve_signature(entry, scope, signature, Named(code, accessor=accessor))

    def _described(self, entry: Map, function: Function) -> Function:
        doc = self._scope.text(entry, "doc") or self._scope.text(self._about, "doc")
        deprecated = function.deprecated or read_deprecated(self._about, self._scope)
        return replace(function, doc=doc, deprecated=deprecated)


def _without(names_: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in dict.fromkeys(names_) if each not in others)

"""The signature of a function or method: what its `def` says, and what `params` adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span, did_you_mean
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import NO_DEFAULT, Counted, NoDefault, Parameter
from wrapper_gen.model.protocols import METHODS, PROTOCOLS
from wrapper_gen.resolve.arrays import check_dimensions, no_array, no_missing_array, on_device, with_streams
from wrapper_gen.resolve.counted import with_counted
from wrapper_gen.resolve.options import check_options
from wrapper_gen.resolve.represented import check_made, is_represented
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.signatures import (
    BadSignature,
    Definition,
    DefParameter,
    SignaturePart,
    parse_def,
)
from wrapper_gen.resolve.taken import with_taken
from wrapper_gen.resolve.types import parse_part
from wrapper_gen.resolve.values import parse_literal
from wrapper_gen.types.model import Handle, Optional, Type, Void
from wrapper_gen.types.queries import borrows_memory, is_map, is_void, struct_of
from wrapper_gen.types.scalars import CPP_NUMBERS
from wrapper_gen.types.tuples import has_names_within, named_tuple
from wrapper_gen.values import Value

RESULT = "return"
"""The key of `params` that documents the result; no parameter can have the name in Python."""
_UNUSABLE = Optional(Handle("?"))
"""Stands in for the type of a parameter that has none."""


def is_unusable(p: Parameter) -> bool:
    """Whether what its type is was reported as a mistake."""
    return p.type == _UNUSABLE


class NoSignature(Exception):
    """A `def` is not well-formed, which has been reported."""


@frozen
class Signature:
    """What a `def` comes to; `span` is where the name stands, `returns_span` where the result does."""

    name: str
    span: Span
    handle: str | None
    parameters: tuple[Parameter, ...]
    returns: Type
    returns_span: Span
    is_property: bool
    is_whole: bool = True
    """Whether the result's type is what the spec says: no stand-in."""
    is_constructor: bool = False
    kind: str = ""
    """The word before the name: `static`, or how classes of Python override it."""
    static: str = ""
    """The handle type that it is a static method of; empty where it is none."""
    item: str = ""
    """The name of what is the whole result; empty where it has none."""
    counted: tuple[Counted, ...] = ()
    """The positions in the result."""
    base_of_member: str = ""
    """What names in C and C++ are made of, of a member of a record's class."""

    def base(self, lib: str) -> str:
        """Its name, of a function without the prefix of the library."""
        return self.base_of_member or (self.name if self.handle else names.base(lib, self.name))

    @property
    def is_in_class(self) -> bool:
        """Whether Python has it in a class."""
        return bool(self.handle or self.static)


def read_signature(entry: Map, scope: Scope, section: str, owner: str) -> Signature:
    """The signature of one entry.

    Args:
        entry: the function or method.
        scope: its spec.
        section: `functions` or `methods`.
        owner: the handle type that it stands in; empty at the top level.

    Raises:
        NoSignature: it cannot be told what the entry is.
    """
    found = _from_def(entry, scope, section, owner)
    unusable = {p.name for p in found.parameters if is_unusable(p)}
    has_object = found.handle is not None and not found.is_constructor
    taken = with_taken(entry, found.parameters, scope, unusable, has_object=has_object)
    found = replace(found, parameters=taken)
    has_body = "cpp_body" in entry
    _check_parameters(found.parameters, scope, in_a_method=found.handle is not None, has_body=has_body)
    check_dimensions(found.parameters, scope, has_object=found.handle is not None)
    found = replace(found, parameters=with_streams(found.parameters, scope))
    returns = on_device(found.returns, found.returns_span, found.parameters, scope)
    return replace(found, returns=returns or found.returns)


def read_return_doc(entry: Map, scope: Scope, signature: Signature) -> str:
    """What is said of the result."""
    about = entry.get("params")
    is_said = isinstance(about, dict) and all(p.name != RESULT for p in signature.parameters)
    return scope.text(about or {}, RESULT) if is_said else ""


# --- names ----------------------------------------------------------------------------------------------------------


def _constructs(name: str, handle: str | None, owner: str, scope: Scope) -> bool:
    """Whether it is a constructor: it has the name of a handle type, and stands there or among functions."""
    return name in scope.names.handles - scope.names.foreign and (handle is None or name == owner)


def _check_name(name: str, span: Span, handle: str | None, scope: Scope) -> None:
    """A name is an identifier, or that of a method of one of Python's protocols."""
    if handle is not None and (name in PROTOCOLS or name in METHODS):
        return
    if not (name.startswith("__") and name.endswith("__")):
        scope.check_identifier(name, span, "a function" if handle is None else "a method")
    elif name in PROTOCOLS or name in METHODS:
        known = next(iter(sorted(scope.names.handles)), "Parser")
        hint = f"move it to the methods of a handle type, or write {known}.{name} in `methods`"
        scope.error("WG128", f"{name} is a method, and no function", span, hint)
    else:
        message = f"{name} is no method of a protocol that a handle type can have"
        way = f"a constructor has the name of its type: {handle}(…)" if handle and name == "__init__" else ""
        scope.error("WG128", message, span, way or did_you_mean(name, (*PROTOCOLS, *METHODS)) or "")


def _known_handle(handle: str, span: Span, scope: Scope) -> str:
    if handle in scope.names.foreign or handle in scope.names.used:
        advice = "a class has its methods in its own spec: write a function that takes one"
        scope.error("WG280", f"{handle} is a class of another spec", span, advice)
    elif handle not in scope.names.handles:
        hint = did_you_mean(handle, scope.names.handles - scope.names.foreign) or "declare it under `handle_types`"
        scope.error("WG031", f"unknown handle {handle!r}", span, hint)
    return handle


def usable(type_: Type | None, span: Span, scope: Scope) -> Type | None:
    """The type, if an argument can have it; None after reporting why not."""
    if type_ is not None and is_void(type_):
        scope.error("WG032", "a parameter cannot be void", span, "leave the parameter out")
        return None
    if type_ is not None and (named_tuple(type_) or has_names_within(type_)):
        scope.error("WG084", "an argument is a plain tuple", span, "write the types alone: (i64, text)")
    if type_ is not None and not check_made(type_, span, scope):
        return None
    return no_array(type_, span, scope)


def possible_result(type_: Type | None, span: Span, scope: Scope) -> Type | None:
    if type_ is not None and borrows_memory(type_):
        hint = "return a list, [T]; or memory that C++ owns: array[f64; rows(), cols()]"
        scope.error("WG032", "a result cannot be the caller's memory", span, hint)
        return None
    return no_missing_array(type_, span, scope)


# --- def --------------------------------------------------------------------------------------------------------------


def _from_def(entry: Map, scope: Scope, section: str, owner: str) -> Signature:
    text = scope.document.text(entry, "def")

    place = scope.document.parts(entry, "def")
    try:
        found = parse_def(text)
    except BadSignature as bad:
        scope.error("WG074", bad.message, place(bad.start, bad.end), bad.hint)
        raise NoSignature from None
    return _Def(entry, scope, found, place).signature(section, owner)


class _Def:
    """A `def` that is well-formed, while its names, types and defaults are resolved."""

    def __init__(self, entry: Map, scope: Scope, found: Definition, place: Callable[[int, int], Span]) -> None:
        self._entry = entry
        self._scope = scope
        self._found = found
        self._place = place

    def signature(self, section: str, owner: str) -> Signature:
        found, scope = self._found, self._scope
        name, span = found.name.text, self._span(found.name)
        handle = self._handle(section, owner)
        is_constructor = _constructs(name, handle, owner, scope)
        handle = None if is_constructor else handle
        _check_name(name, span, handle, scope)
        if found.parameters is None and section == "functions":
            hint = f"write {name}(), or move it to the methods of a handle type"
            scope.error("WG047", f"the function {name!r} is written as a property", span, hint)
        about = self._about()
        parameters = tuple(self._parameter(each, about) for each in found.parameters or ())
        counted: list[Counted] = []
        returns_span = self._span(found.returns) if found.returns else span
        returns = self._returns(counted, returns_span)
        made = Handle(name) if is_constructor and found.returns is None else returns or Void()
        return Signature(
            name=name,
            span=span,
            handle=handle,
            parameters=parameters,
            returns=made,
            returns_span=returns_span,
            is_property=found.parameters is None,
            is_whole=returns is not None,
            is_constructor=is_constructor,
            kind=self._kind(section),
            counted=tuple(counted),
        )

    def _kind(self, section: str) -> str:
        """The word before the name, which is for methods."""
        part = self._found.kind
        if part is None or section == "methods":
            return part.text if part else ""
        hint = "drop the word, or move it to the methods of a class"
        self._scope.error("WG190", f"a function cannot be {part.text}", self._span(part), hint)
        return ""

    def _span(self, part: SignaturePart) -> Span:
        return self._place(part.start, part.end)

    def _handle(self, section: str, owner: str) -> str | None:
        scope, part = self._scope, self._found.handle
        if section == "functions":
            if part is not None:
                hint = "move it to `methods`, or to the methods of its handle type"
                scope.error(
                    "WG031", f"a function belongs to no handle, but this one to {part.text}", self._span(part), hint
                )
            return None
        if part is None and not owner:
            name = self._found.name
            handle = next(iter(sorted(scope.names.handles)), "Parser")
            hint = f"write {handle}.{name.text}, or move it to the methods of its handle type"
            scope.error("WG031", f"the method {name.text!r} belongs to no handle type", self._span(name), hint)
            return "?"
        if part is None:
            return owner
        if owner and part.text != owner:
            hint = f"write it without `{part.text}.`, or move it there"
            scope.error("WG031", f"a method of {part.text} stands in {owner}", self._span(part), hint)
            return owner
        return _known_handle(part.text, self._span(part), scope)

    def _about(self) -> Map:
        """What `params` adds to the parameters."""
        about = self._entry.get("params")
        if not isinstance(about, dict):
            return {}
        known = [each.name.text for each in self._found.parameters or ()]
        for name in about:
            if name not in known and name != RESULT:
                hint = did_you_mean(name, known) or "the signature has no parameters"
                span = self._scope.document.key_span(about, name)
                self._scope.error("WG078", f"the signature has no parameter {name!r}", span, hint)
        return about

    def _parameter(self, found: DefParameter, described: Map) -> Parameter:
        name, span, scope = found.name.text, self._span(found.name), self._scope
        about = described.get(name)
        is_text = about is not None and not isinstance(about, dict)
        doc = scope.text(described, name) if is_text else scope.text(about or {}, "doc")
        scope.check_identifier(name, span, "a parameter")
        counted: list[Counted] = []
        type_ = usable(self._whole_type(found, counted), self._span(found.type), scope)
        default: Value | NoDefault = NO_DEFAULT
        if found.default is not None:
            default = self._default(found.default, name, type_) if type_ else None
        options = type_ is not None and found.gathers == "**" and not is_map(type_)
        gathers = found.gathers if type_ is not None and not options else ""
        made = is_represented(type_, found.type.text, scope)
        p = Parameter(
            name=name,
            type=type_ or _UNUSABLE,
            span=span,
            doc=doc,
            default=default,
            is_represented=made,
            options=options,
            gathers=gathers,
            is_positional=found.is_positional,
            is_keyword=found.is_keyword and not options,
        )
        p = with_counted(p, counted, scope)
        return check_options(p, scope)

    def _default(self, index: int, name: str, type_: Type) -> Value:
        return parse_literal(self._found.literals, index, type_, f"the default of {name!r}", self._place, self._scope)

    def _whole_type(self, found: DefParameter, counted: list[Counted]) -> Type | None:
        """The type of a parameter: of one that gathers arguments, a list or a map of them."""
        type_ = self._type(found.type, counted, is_parameter=True)
        if type_ is None or not found.gathers or (found.gathers == "**" and struct_of(type_)):
            return type_
        before, after = ("[", "]") if found.gathers == "*" else ("{text: ", "}")
        start = found.type.start - len(before)
        whole = SignaturePart(f"{before}{found.type.text}{after}", start, found.type.end + len(after))
        return self._type(whole, [], is_parameter=True)

    def _type(
        self, part: SignaturePart, counted: list[Counted], *, is_parameter: bool = False, is_result: bool = False
    ) -> Type | None:
        def place(start: int, end: int) -> Span:
            return self._place(part.start + start, part.start + end)

        def quote() -> str:
            return '"' * (self._scope.document.is_original(self._entry) and self._is_bare(part))

        return parse_part(
            part.text,
            place,
            self._scope,
            is_parameter=is_parameter,
            is_result=is_result,
            quote=quote,
            counted=counted,
        )

    def _is_bare(self, part: SignaturePart) -> bool:
        """Whether a type, which is a value of its own in the spec, has no quotes there."""
        span = self._span(part)
        return self._scope.document.source.line(span.line)[span.column - 2 : span.column - 1] not in ("'", '"')

    def _returns(self, counted: list[Counted], span: Span) -> Type | None:
        part = self._found.returns
        if part is None:
            return Void()
        return possible_result(self._type(part, counted, is_result=True), span, self._scope)


# --- both -------------------------------------------------------------------------------------------------------------


def _check_parameters(found: Sequence[Parameter], scope: Scope, *, in_a_method: bool, has_body: bool) -> None:
    """Parameters that cannot stand together, or be called what they are."""
    taken: dict[str, Parameter] = {}
    first: Parameter | None = None
    """The first that has a default."""
    for p in found:
        clash = taken.setdefault(names.python(p.name), p)
        clash = clash if clash is not p else taken.setdefault(names.body(p.name), p)
        if clash is not p:
            same = f"two parameters are named {p.name!r}"
            message = same if p.name == clash.name else f"{p.name!r} and {clash.name!r} come to the same name"
            scope.error("WG022", message, p.span, "rename one", (clash.span, "the other one"))
        if in_a_method and p.name == "h" and has_body:
            scope.error("WG021", "in a method's cpp_body `h` is the handle", p.span, "give the parameter another name")
        if p.name in CPP_NUMBERS or scope.names.has_type(p.name):
            scope.error("WG021", f"{p.name!r} is the name of a type", p.span, "give the parameter another name")
        if p.default is NO_DEFAULT and first and not p.options and not p.is_keyword:
            hint = "give it a default too, or move it before those that have one"
            message = f"{p.name!r} has no default, but {first.name!r} before it has one"
            scope.error("WG036", message, p.span, hint)
        first = first or (p if p.default is not NO_DEFAULT else None)

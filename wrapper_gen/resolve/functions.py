"""Functions and methods: parameters, result, and what implements them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import (
    AS_DECLARED,
    NO_DEFAULT,
    Accessor,
    Each,
    Function,
    Implementation,
    Lambda,
    Named,
    NoDefault,
    NotImplementedYet,
    Parameter,
    Reported,
)
from wrapper_gen.model.protocols import LOOKUPS
from wrapper_gen.resolve import protocols
from wrapper_gen.resolve.arrays import read_strides
from wrapper_gen.resolve.blocking import read_blocking
from wrapper_gen.resolve.byte_offsets import read_byte_offset, with_byte_offsets
from wrapper_gen.resolve.callbacks import with_callbacks
from wrapper_gen.resolve.calls import resolve_call
from wrapper_gen.resolve.calls_by_type import calls_by_type, function_by_type, without_results
from wrapper_gen.resolve.cpp import says_several, written_call
from wrapper_gen.resolve.deprecations import read_deprecated
from wrapper_gen.resolve.implementations import implementation_of
from wrapper_gen.resolve.implied import deduced
from wrapper_gen.resolve.iteration import over_object, with_cursor
from wrapper_gen.resolve.lifetimes import read_lifetime
from wrapper_gen.resolve.listed_calls import OF_ONE_CALL, further_calls, listed_calls, reported_of_one
from wrapper_gen.resolve.options import with_options
from wrapper_gen.resolve.overloads import with_label
from wrapper_gen.resolve.parameters import Signature, read_return_doc, read_signature
from wrapper_gen.resolve.positions import read_positions
from wrapper_gen.resolve.reports import resolve_reported
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.signatures import OVERRIDDEN, PROTECTED, STATIC
from wrapper_gen.resolve.streams import resolve_streaming
from wrapper_gen.resolve.submodules import in_submodule
from wrapper_gen.resolve.values import parse_value
from wrapper_gen.resolve.waiting import names_its_end, read_awaited, runs_in_thread
from wrapper_gen.resolve.written_arguments import with_written
from wrapper_gen.types.memory import without_strides
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import can_be_changed, has_length, is_bool, is_void
from wrapper_gen.types.tuples import has_names_within, named_tuple, with_tuple
from wrapper_gen.values import Value

_PROBE = re.compile(r"(?:\w+_)?(?:is_)?available")


def resolve_function(entry: Map, scope: Scope) -> Function:
    """One entry of `functions`."""
    return resolve_signature(entry, scope, read_signature(entry, scope, "functions", ""))


def resolve_method(entry: Map, scope: Scope, owner: str = "") -> Function:
    """One entry of `methods`, at the top level or of the handle type `owner`."""
    signature = read_signature(entry, scope, "methods", owner)
    _refuse_overridden(signature, scope)
    return resolve_signature(entry, scope, signature)


def resolve_signature(
    entry: Map, scope: Scope, signature: Signature, implementation: Implementation | None = None
) -> Function:
    """What an entry says beside its signature; `implementation` is None where the entry says that as well."""
    calls, by_type = listed_calls(entry, scope, signature), calls_by_type(entry, scope, signature)
    if says_several(entry):
        first = calls[0] if calls else by_type.cases[0][1] if by_type else None
        entry = first or scope.document.without(entry, ("cpp", "result", *OF_ONE_CALL))
        implementation = implementation if first else NotImplementedYet(signature.span)
    if isinstance(entry.get("result"), dict):
        entry = without_results(entry, scope)
    if call := written_call(entry, scope):
        signature = with_written(call, scope, signature)
    signature, each = with_cursor(signature, scope)
    said = entry
    if names_its_end(entry):  # of what that is called with, and of nothing that the call returns
        entry = scope.document.without(entry, ("result",))
    draft = _Draft(entry, scope, signature, signature, implementation, each, is_by_type=by_type is not None)
    for found in PASSES:
        draft = found(draft)
    function = replace(_function(draft), awaited=read_awaited(said, scope, draft.signature))
    if calls:
        function = replace(function, then=tuple(further_calls(calls, function, draft.signature, scope)))
    if by_type:
        function = function_by_type(by_type, function, draft.signature, scope, is_status=draft.is_status)
    return function


@frozen
class _Draft:
    """An entry on its way to be a function: what the passes have found so far."""

    entry: Map
    scope: Scope
    signature: Signature
    in_c: Signature
    """The signature with the name that it has in C, where functions of one name in Python are told apart."""
    implementation: Implementation | None
    each: Each | None = None
    is_by_type: bool = False
    """Whether it has a call for each type of a parameter, each of which is looked at for itself."""
    module: str = ""
    label: str = ""
    """The base of its name in C, where that is another than in Python."""
    raises: str | None = None
    reported: Reported = AS_DECLARED

    @property
    def is_quiet(self) -> bool:
        """Whether what it calls returns no status: an operator, or what reads a property."""
        match self.implementation:
            case Lambda(is_implied=is_implied):
                return is_implied
            case Named(accessor=Accessor(sets=False)):
                return True
            case _:
                return False

    @property
    def is_status(self) -> bool:
        """Whether what the call returns is a status."""
        return bool(self.raises) and self.reported.is_value_free

    @property
    def implemented(self) -> Implementation:
        """What implements it; from `_implementation` on there is something."""
        return self.implementation or NotImplementedYet(self.signature.span)


def _label(draft: _Draft) -> _Draft:
    return replace(draft, in_c=with_label(draft.entry, draft.scope, draft.signature))


def _static(draft: _Draft) -> _Draft:
    signature, in_c = with_static(draft.entry, draft.scope, draft.signature, draft.in_c)
    return replace(draft, signature=signature, in_c=in_c)


def _submodule(draft: _Draft) -> _Draft:
    module, in_c = in_submodule(draft.entry, draft.scope, draft.signature, draft.in_c)
    return replace(draft, module=module, in_c=in_c)


def _named_result(draft: _Draft) -> _Draft:
    in_c = draft.in_c
    return replace(draft, in_c=replace(in_c, returns=with_names(draft.entry, draft.scope, in_c)))


def _callbacks(draft: _Draft) -> _Draft:
    return replace(draft, in_c=with_callbacks(draft.entry, draft.scope, draft.in_c))


def _name(draft: _Draft) -> _Draft:
    """Back to the name in Python, with everything that was found of the parameters and the result."""
    signature, in_c = draft.signature, draft.in_c
    label = _labelled(in_c, signature, draft.scope) if in_c.name != signature.name else ""
    return replace(draft, label=label, signature=replace(in_c, name=signature.name))


def _byte_offsets(draft: _Draft) -> _Draft:
    return replace(draft, signature=with_byte_offsets(draft.scope, draft.signature))


def _protocol(draft: _Draft) -> _Draft:
    return replace(draft, signature=protocols.checked(draft.entry, draft.scope, draft.signature))


def _implementation(draft: _Draft) -> _Draft:
    about = draft.entry, draft.scope, draft.signature
    found = draft.implementation or protocols.implied(*about) or deduced(*about) or implementation_of(*about)
    each, found = over_object(draft.each, found, draft.entry, draft.scope)
    return replace(draft, implementation=found, each=each)


def _streaming(draft: _Draft) -> _Draft:
    found = resolve_streaming(draft.entry, draft.scope, draft.signature, draft.implemented)
    return replace(draft, implementation=found)


def _changed(draft: _Draft) -> _Draft:
    return replace(draft, signature=_with_changed(draft.entry, draft.scope, draft.signature, draft.implemented))


def _reports(draft: _Draft) -> _Draft:
    protocol = protocols.protocol_of(draft.signature)
    is_lookup = protocol is not None and protocol.shape in LOOKUPS
    signature = draft.signature
    owner = signature.handle or signature.static or (signature.name if signature.is_constructor else "")
    raises, reported = resolve_reported(draft.entry, signature.returns, draft.scope, handle=owner, is_lookup=is_lookup)
    if draft.is_quiet:
        reported = replace(reported, inherited="", is_untold=False)
    raises, reported = reported_of_one(draft.entry, signature.returns, raises, reported)
    return replace(draft, raises=raises, reported=reported)


def _probe(draft: _Draft) -> _Draft:
    _check_probe(draft.entry, draft.scope, draft.signature)
    return draft


def _call(draft: _Draft) -> _Draft:
    """The arguments of the call, in C++'s order."""
    if draft.is_by_type:
        return draft
    found = resolve_call(draft.entry, draft.scope, draft.signature, draft.implemented, is_status=draft.is_status)
    return replace(draft, implementation=found)


def _options(draft: _Draft) -> _Draft:
    parameters, found = with_options(draft.signature.parameters, draft.implemented, draft.scope)
    return replace(draft, signature=replace(draft.signature, parameters=parameters), implementation=found)


PASSES: tuple[Callable[[_Draft], _Draft], ...] = (
    _label,
    _static,
    _submodule,
    _named_result,
    _callbacks,
    _name,
    _byte_offsets,
    _protocol,
    _implementation,
    _streaming,
    _changed,
    _reports,
    _probe,
    _call,
    _options,
)
"""What is found of an entry beside its signature, in this order: each sees what those before it have found."""


def _function(draft: _Draft) -> Function:
    entry, scope, signature, label = draft.entry, draft.scope, draft.signature, draft.label
    blocking = read_blocking(entry, scope, signature.handle)
    return Function(
        name=signature.name,
        base=label or protocols.base_name(signature, scope),
        parameters=signature.parameters,
        returns=without_strides(signature.returns),
        implementation=draft.implemented,
        span=signature.span,
        doc=scope.text(entry, "doc"),
        return_doc=read_return_doc(entry, scope, signature),
        had_former_names=scope.document.is_original(entry),
        deprecated=read_deprecated(entry, scope),
        handle=signature.handle,
        raises=draft.raises,
        blocking=bool(blocking) or runs_in_thread(entry),
        beside_overrides=blocking == "overridden" and not runs_in_thread(entry),
        stub=_stub(entry, scope, signature),
        lifetime=read_lifetime(entry, scope, signature, draft.implemented, is_status=draft.is_status),
        strides=read_strides(signature.returns, signature.returns_span, scope),
        property=signature.is_property,
        py_name=_python_name(scope, signature) or (_unlabelled(signature, scope) if label else ""),
        reported=draft.reported,
        each=draft.each,
        constructs=signature.name if signature.is_constructor else "",
        static=signature.static,
        protocol=protocols.protocol_of(signature),
        positions=read_positions(signature),
        module=draft.module,
        byte_offset=read_byte_offset(scope, signature),
    )


def _check_probe(entry: Map, scope: Scope, signature: Signature) -> None:
    """A function that tells whether something is there tells it also where the library is missing."""
    asks = signature.handle is None and is_bool(signature.returns) and not signature.parameters
    if asks and _PROBE.fullmatch(signature.name) and "stub" not in entry:
        message = f"{signature.name!r} raises where the library is missing, which is what it should tell"
        scope.warn("WG027", message, signature.span, "add stub: false")


def _labelled(labelled: Signature, signature: Signature, scope: Scope) -> str:
    """The base of a function that has a label in C."""
    if signature.static:
        return labelled.name
    if signature.is_constructor or protocols.protocol_of(signature):
        return protocols.base_name(signature, scope) + labelled.name.removeprefix(signature.name)
    return labelled.base(scope.names.lib)


def _unlabelled(signature: Signature, scope: Scope) -> str:
    """What Python calls a function that has a label in C."""
    name = signature.name
    if signature.is_in_class:
        return names.python_method(name)
    return names.python_function(names.base(scope.names.lib, name))


def _python_name(scope: Scope, signature: Signature) -> str:
    """What Python calls it by its protocol; empty where its name says it."""
    if signature.is_constructor or protocols.protocol_of(signature) or protocols.is_exchange_method(signature):
        return signature.name
    if signature.is_in_class and signature.name in names.HANDLE_MEMBERS:
        hint = "give it another name, and say in `cpp` what C++ calls it"
        message = f"every handle has a `{signature.name}` of its own; this one is `{signature.name}_` in Python"
        scope.warn("WG024", message, signature.span, hint)
    return ""


def _stub(entry: Map, scope: Scope, signature: Signature) -> Value | NoDefault:
    if "stub" not in entry:
        return NO_DEFAULT
    if not signature.is_whole or (is_void(signature.returns) and entry["stub"] is None):
        return None
    return parse_value(entry, "stub", signature.returns, "the stub value", scope)


# --- results with names -----------------------------------------------------------------------------------------------


def with_names(entry: Map, scope: Scope, signature: Signature) -> Type:
    """The declared result, with the names that its items have."""
    returns = signature.returns
    if has_names_within(returns):
        message = "only the result itself can have names for its items"
        scope.error("WG084", message, signature.returns_span, "write the types alone: (i64, text)")
        return returns
    found = named_tuple(returns)
    if found is None:
        return returns
    for name in found.names:
        if not names.is_identifier(name) or keyword.iskeyword(name) or name in _TAKEN:
            hint = "letters, digits and underscores, starting with a letter; no word of Python, nor count or index"
            scope.error("WG084", f"{name!r} cannot be the name of an item", signature.returns_span, hint)
            return returns
    base = signature.base(scope.names.lib)
    return with_tuple(returns, replace(found, label=names.named_result(base, signature.handle)))


_TAKEN = frozenset({"count", "index"})
"""Methods that every tuple has."""


# --- parameters that a call changes -----------------------------------------------------------------------------------


def _with_changed(entry: Map, scope: Scope, signature: Signature, implementation: Implementation) -> Signature:
    """The signature with the parameters that the call changes.

    A lambda, a body and a stream give back all that they return.
    """
    found = named_tuple(signature.returns)
    if found is None or not isinstance(implementation, Named) or implementation.streaming or implementation.accessor:
        return signature
    changed = frozenset(found.names)
    if written_call(entry, scope):
        changed = frozenset(p.name for p in signature.parameters if p.is_inout)
    parameters = tuple(_as_changed(p, scope) if p.name in changed else p for p in signature.parameters)
    if len(found.items) > 1:
        return replace(signature, parameters=parameters)
    returns = with_tuple(signature.returns, found.items[0])  # what has no other item beside it is no tuple
    return replace(signature, parameters=parameters, returns=returns, item=found.names[0])


def _as_changed(p: Parameter, scope: Scope) -> Parameter:
    """The parameter whose new value an item of the result is."""
    renamed = "or, where it is another value, rename the item"
    if not can_be_changed(p.type):
        hint = "a lambda gives back what it returns"
        if has_length(p.type):
            hint = "memory that the call changes is `&mut [T]`"
        message = f"a call cannot change {p.type} where it lies: {p.name!r}"
        scope.error("WG086", message, p.span, f"{hint}; {renamed}")
        return p
    if p.byte_offset:
        hint = f"wrap the call in a lambda that returns the offset: position[{p.byte_offset}]; {renamed}"
        message = f"{p.name!r} is an offset into {p.byte_offset!r} that the call changes"
        scope.error("WG157", message, p.span, hint)
    return replace(p, is_inout=True)


# --- words before names -----------------------------------------------------------------------------------------------


def with_static(entry: Map, scope: Scope, signature: Signature, labelled: Signature) -> tuple[Signature, Signature]:
    """The signature, and the one with its name in C: without a handle where the entry is static."""
    if signature.kind != STATIC or signature.handle is None:
        if signature.kind == STATIC and not signature.static:  # a method of a struct has that
            _error(scope, signature, "a constructor is called on its class already", "drop `static`")
        return signature, labelled
    owner = signature.handle
    if signature.is_property:
        _error(
            scope, signature, "a property is one of an object", f'write it as a method: def: "{signature.name}() -> T"'
        )
    elif protocols.protocol_of(signature):
        _error(scope, signature, f"Python calls {signature.name} on an object", "drop `static`")
    else:
        in_c = replace(labelled, handle=None, static=owner, name=f"{owner.lower()}_{labelled.name}")
        return replace(signature, handle=None, static=owner), in_c
    return signature, labelled


def _refuse_overridden(signature: Signature, scope: Scope) -> None:
    """Of what stands in no class that Python could override."""
    if signature.kind in (*OVERRIDDEN, PROTECTED):
        hint = f"drop {signature.kind!r}; Python overrides methods that stand in the entry of their class"
        scope.error("WG200", f"{signature.name} cannot be {signature.kind} here", signature.span, hint)


def _error(scope: Scope, signature: Signature, message: str, hint: str) -> None:
    scope.error("WG190", message, signature.span, hint)

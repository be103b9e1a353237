"""Functions and methods: parameters, result, and what implements them."""

from __future__ import annotations

import re

from wrapper_gen import names
from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.model import (
    NO_DEFAULT,
    Body,
    Code,
    Function,
    Implementation,
    Lambda,
    Mode,
    Named,
    NoDefault,
    NotImplementedYet,
    Parameter,
    Passing,
)
from wrapper_gen.model.protocols import LOOKUPS
from wrapper_gen.resolve import protocols
from wrapper_gen.resolve.arrays import read_strides
from wrapper_gen.resolve.byte_offsets import read_byte_offset, with_byte_offsets
from wrapper_gen.resolve.callbacks import with_callbacks
from wrapper_gen.resolve.calls import resolve_call
from wrapper_gen.resolve.deprecations import read_deprecated
from wrapper_gen.resolve.ending import read_ends
from wrapper_gen.resolve.implied import deduced
from wrapper_gen.resolve.iteration import read_each
from wrapper_gen.resolve.lambdas import BadLambda, is_lambda, passing, read_lambda
from wrapper_gen.resolve.lifetimes import (
    check_owner,
    find_lenders,
    read_held,
    read_ownership,
    read_until,
)
from wrapper_gen.resolve.named_results import with_names
from wrapper_gen.resolve.options import with_options
from wrapper_gen.resolve.overloads import with_label
from wrapper_gen.resolve.parameters import Signature, read_signature
from wrapper_gen.resolve.pointers import HANDLE, plain_pointers_of_lambda
from wrapper_gen.resolve.positions import is_checked_in_cpp, read_positions
from wrapper_gen.resolve.references import check_references, surplus
from wrapper_gen.resolve.reports import resolve_reported
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.statics import with_static
from wrapper_gen.resolve.streams import resolve_streaming
from wrapper_gen.resolve.submodules import in_submodule
from wrapper_gen.resolve.values import parse_value
from wrapper_gen.resolve.waiting import read_awaited, read_blocking, runs_in_thread
from wrapper_gen.types.kept import can_be_kept
from wrapper_gen.types.memory import is_array
from wrapper_gen.types.model import Handle, Type
from wrapper_gen.types.queries import (
    handle_in_forms,
    handle_of,
    handles_in,
    is_bool,
    is_bytes,
    is_iterator,
    is_void,
)
from wrapper_gen.types.tuples import written_items
from wrapper_gen.values import Value

_PROBE = re.compile(r"(?:\w+_)?(?:is_)?available")
_MEMBER_OF = r"(?:::(?:template\s+)?~?[A-Za-z_]\w*)*"
_PATH = re.compile(r"(?:::)?[A-Za-z_]\w*" + _MEMBER_OF + r"\s*")
_REST = re.compile(_MEMBER_OF)
_OPERATOR = re.compile(
    r"(?:::)?(?:\w+::)*operator\s*(?:\(\)|\[\]|,|->\*?|<=>|(?:<<|>>|[-+*/%^&|=!<>])=?|&&|\|\||\+\+|--|~|\s[\w:]+)"
)
"""An operator by its own name, also one that converts."""


def resolve_function(entry: Map, scope: Scope) -> Function:
    """One entry of `functions`."""
    return resolve_signature(entry, scope, read_signature(entry, scope, "functions", ""))


def resolve_method(entry: Map, scope: Scope, owner: str = "") -> Function:
    """One entry of `methods`, at the top level or of the handle type `owner`."""
    return resolve_signature(entry, scope, read_signature(entry, scope, "methods", owner))


def resolve_signature(
    entry: Map, scope: Scope, signature: Signature, implementation: Implementation | None = None
) -> Function:
    """What an entry says beside its signature; `implementation` is None where the entry says that as well."""
    signature, labelled = with_static(entry, scope, signature, with_label(entry, scope, signature))
    module, labelled = in_submodule(entry, scope, signature, labelled)
    labelled = with_callbacks(entry, scope, replace(labelled, returns=with_names(entry, scope, labelled)))
    label = _labelled(labelled, signature, scope) if labelled.name != signature.name else ""
    signature = with_byte_offsets(entry, scope, replace(labelled, name=signature.name))
    signature = protocols.checked(entry, scope, signature)
    returns = signature.returns
    implementation = (
        implementation
        or protocols.implied(entry, scope, signature)
        or deduced(entry, scope, signature)
        or implementation_of(entry, scope, signature)
    )
    implementation = resolve_streaming(entry, scope, signature, implementation)
    protocol = protocols.protocol_of(signature)
    is_lookup = protocol is not None and protocol.shape in LOOKUPS
    raises, reported = resolve_reported(entry, returns, scope, is_lookup=is_lookup)
    _check_probe(entry, scope, signature)
    is_status = bool(raises) and reported.is_value_free
    implementation = resolve_call(entry, scope, signature, implementation, is_status=is_status)
    parameters, implementation = with_options(signature.parameters, implementation, scope)
    signature = replace(signature, parameters=parameters)
    blocking = read_blocking(entry, scope, signature)
    invalidates, ends = read_ends(entry, scope, signature)
    keep_alive, held = _keep_alive(entry, scope, signature), read_held(entry, scope, signature)
    return Function(
        name=signature.name,
        base=label or protocols.base_name(signature, scope),
        parameters=parameters,
        returns=returns,
        implementation=implementation,
        span=signature.span,
        doc=scope.text(entry, "doc"),
        return_doc=scope.text(entry, "return_doc"),
        had_former_names="def" not in entry,
        deprecated=read_deprecated(entry, scope),
        handle=signature.handle,
        raises=raises,
        blocking=bool(blocking) or runs_in_thread(entry),
        beside_overrides=blocking == "overridden" and not runs_in_thread(entry),
        owned_on_failure=_owned_on_failure(entry, scope, returns, implementation, is_status=is_status),
        stub=_stub(entry, scope, signature),
        keep_alive=keep_alive,
        keeps_unasked=_keeps_unasked(entry, signature) and {*keep_alive} <= _values(signature),
        points_nowhere=entry.get("keep_alive") == [],
        never_ends=isinstance(entry.get("borrow"), dict) and entry["borrow"].get("until") == [],
        holds=held.holds,
        replaces=held.replaces,
        releases=held.releases,
        is_ours=read_ownership(entry, scope, signature),
        side_by_side=scope.text(entry, "thread") == "any",
        invalidates=invalidates,
        ends=ends,
        until=read_until(entry, scope, signature),
        lenders=find_lenders(entry, signature, keep_alive, scope),
        strides=read_strides(entry, returns, scope),
        property=signature.is_property,
        py_name=_python_name(entry, scope, signature) or (_unlabelled(signature, scope) if label else ""),
        reported=reported,
        each=read_each(entry, scope, signature),
        awaited=read_awaited(entry, scope, signature),
        constructs=signature.name if signature.is_constructor else "",
        static=signature.static,
        protocol=protocols.protocol_of(signature),
        positions=read_positions(entry, scope, signature),
        is_checked_in_cpp=is_checked_in_cpp(entry, signature),
        module=module,
        byte_offset=read_byte_offset(entry, scope, signature),
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
    return labelled.base(scope.lib)


def _unlabelled(signature: Signature, scope: Scope) -> str:
    """What Python calls a function that has a label in C."""
    name = signature.name
    return names.python_method(name) if signature.is_in_class else names.python_function(names.base(scope.lib, name))


def _python_name(entry: Map, scope: Scope, signature: Signature) -> str:
    py_name = scope.text(entry, "py_name")
    if signature.is_constructor or protocols.protocol_of(signature) or protocols.is_exchange_method(signature):
        return signature.name
    if py_name:
        scope.check_identifier(py_name, scope.span(entry, "py_name"), "a Python function")
        free = names.python_method(py_name) if signature.is_in_class else names.python_function(py_name)
        if free != py_name:
            scope.error("WG021", f"{py_name!r} is taken in Python", scope.span(entry, "py_name"), f"{free} is free")
    elif signature.is_in_class and signature.name in names.HANDLE_MEMBERS:
        hint = "give it another name with `py_name`"
        message = f"every handle has a `{signature.name}` of its own; this one is `{signature.name}_` in Python"
        scope.warn("WG024", message, signature.span, hint)
    return py_name


def _owned_on_failure(
    entry: Map, scope: Scope, returns: Type, implementation: Implementation, *, is_status: bool
) -> bool:
    """Whether the handle that a failing call leaves in its out-parameter has to be released."""
    if entry.get("owned_on_failure") is not False:
        return True
    makes = any(handle_in_forms(each) for each in written_items(returns))
    if not (makes and is_status and isinstance(implementation, Named)):
        hint = "it is for a function by name that returns a status, and a handle through a pointer; drop it"
        where = scope.document.key_span(entry, "owned_on_failure")
        scope.error("WG101", "`owned_on_failure` of an entry that cannot leave a handle", where, hint)
    return False


# --- what is said beside the signature -------------------------------------------------------------------------------


def _stub(entry: Map, scope: Scope, signature: Signature) -> Value | NoDefault:
    if "stub" not in entry:
        return NO_DEFAULT
    if not signature.is_whole or (is_void(signature.returns) and entry["stub"] is None):
        return None
    return parse_value(entry, "stub", signature.returns, "the stub value", scope)


def _keeps_unasked(entry: Map, signature: Signature) -> bool:
    """Whether it is a constructor of which the entry does not say what its object keeps alive."""
    return signature.is_constructor and "keep_alive" not in entry


def _keep_alive(entry: Map, scope: Scope, signature: Signature) -> tuple[str, ...]:
    """What the handles of the result keep alive: what the entry names, and handles among the options of the call.

    Of a constructor whose entry names nothing: the values that C++ may keep the address of.
    """
    options = tuple(p.name for p in signature.parameters if p.is_option and handles_in(p.type))
    options *= bool(handles_in(signature.returns))
    kept = scope.texts(entry, "keep_alive")
    if not kept:
        check_owner(entry, scope, signature)
        own = sorted(_values(signature)) if _keeps_unasked(entry, signature) else []
        return (*own, *options, *["h"] * protocols.exports_memory(signature))
    listed = entry["keep_alive"]
    span = scope.span(entry, "keep_alive")
    owners = {p.name for p in signature.parameters if handles_in(p.type) and p.mode is not Mode.TAKE}
    known = owners | _values(signature) | ({"h"} if signature.handle else set())
    for i, name in enumerate(kept):
        if name not in known:
            hint = did_you_mean(name, known) or _why_not_kept(name, signature)
            where = scope.document.span(listed, i) if isinstance(listed, list) else span
            scope.error("WG048", f"{name!r} is no handle of this call", where, hint)
    keeps = handles_in(signature.returns) or is_array(signature.returns) or is_iterator(signature.returns)
    if not keeps:
        hint = "return a handle or an array, or drop `keep_alive`"
        scope.error("WG048", "only a handle or an array can keep another alive", span, hint)
    return tuple(dict.fromkeys((*kept, *options)))


def _values(signature: Signature) -> set[str]:
    """The values that a result can keep alive; an iterator has none of its own."""
    return set() if is_iterator(signature.returns) else {p.name for p in signature.parameters if can_be_kept(p.type)}


def _why_not_kept(name: str, signature: Signature) -> str:
    """What to do about something that a result cannot keep alive."""
    found = next((p.type for p in signature.parameters if p.name == name), None)
    if found is not None and not handles_in(found) and is_iterator(signature.returns):
        return "an iterator keeps its arguments alive by itself; its elements keep handles alive only"
    return "only handles, text, bytes, memory and lists of values can be kept alive"


# --- implementation --------------------------------------------------------------------------------------------------


def implementation_of(entry: Map, scope: Scope, signature: Signature, key: str = "") -> Implementation:
    """What the entry says that implements it; `key` is where it says so, if that is neither of the usual ones."""
    handle, parameters, span = signature.handle, signature.parameters, signature.span
    is_method = bool(handle or scope.code(entry, "cpp_method"))
    key = key or ("cpp_method" if is_method and not scope.code(entry, "cpp_fn") else "cpp_fn")
    if key == "cpp_fn" and scope.code(entry, "cpp_method"):
        other = (scope.document.key_span(entry, key), f"`{key}` is here")
        scope.error(
            "WG040", f"both {key} and cpp_method", scope.document.key_span(entry, "cpp_method"), "keep one", other
        )
    code, body = scope.code(entry, key), scope.code(entry, "cpp_body")
    if code and body:
        other = (scope.document.key_span(entry, key), f"`{key}` is here")
        scope.error("WG040", f"both {key} and cpp_body", scope.document.key_span(entry, "cpp_body"), "keep one", other)
    if body:
        return Body(body)
    if not code:
        where = scope.document.key_span(entry, key) if key in entry else span
        scope.warn("WG041", f"{scope.text(entry, 'name')!r} is not implemented", where, f"give it {key} or cpp_body")
        return NotImplementedYet(where)
    if is_lambda(code.text):
        return _lambda(code, entry, key, scope, handle, parameters)
    name = code.text.strip()
    if not _is_cpp_name(name):
        hint = "write a function's name, a lambda `[](…) { … }`, or statements in cpp_body"
        scope.error("WG043", f"{key} is neither a name nor a lambda", code.span, hint)
    return Named(code, is_member=key == "cpp_method")


def _is_cpp_name(text: str) -> bool:
    """Whether C++ could call this by name; what stands between the first `<` and the last `>` is C++'s own matter."""
    if _OPERATOR.fullmatch(text):
        return True
    before, opening, rest = text.partition("<")
    if not opening:
        return _PATH.fullmatch(text) is not None
    _, closing, after = rest.rpartition(">")
    return bool(closing) and _PATH.fullmatch(before) is not None and _REST.fullmatch(after) is not None


def _lambda(
    code: Code, entry: Map, key: str, scope: Scope, handle: str | None, parameters: tuple[Parameter, ...]
) -> Implementation:
    try:
        found = read_lambda(code.text)
    except BadLambda as bad:
        scope.error(
            "WG042", f"this lambda cannot be read: {bad}", code.span, "write it as [](parameters) { statements }"
        )
        return NotImplementedYet(code.span)
    count = len(parameters)
    pairs = sum(is_bytes(p.type) for p in parameters)
    in_pairs = pairs > 0 and not found.accepts(count) and not (handle is not None and found.accepts(count + 1))
    count += pairs if in_pairs else 0
    takes_handle = handle is not None and found.accepts(count + 1)
    if not takes_handle and not found.accepts(count):
        if not surplus(entry, key, found.parameters[count + (handle is not None) :], scope):
            _report_count(len(found.parameters), code, scope, handle, parameters)
        return NotImplementedYet(code.span)
    types: list[Type] = ([Handle(handle or "")] if takes_handle else []) + [p.type for p in parameters]
    at, how, given = 0, [], []
    for type_ in types:
        how.append(_passing(type_, found.tokens(at)))
        given.append((found.tokens(at), type_))
        at += 2 if in_pairs and is_bytes(type_) else 1
    check_references(entry, key, given, scope)
    arguments = [*[HANDLE] * takes_handle, *(p.name for p in parameters)]
    bound = plain_pointers_of_lambda(given, how, arguments, scope)
    return Lambda(code, tuple(how), takes_handle, in_pairs, bound)


def _report_count(given: int, code: Code, scope: Scope, handle: str | None, parameters: tuple[Parameter, ...]) -> None:
    wanted = ", ".join(p.name for p in parameters)
    listed = f"({f'{handle} h' if handle else ''}{', ' if handle and wanted else ''}{wanted})"
    scope.error(
        "WG042",
        f"the lambda takes {given} parameter{'' if given == 1 else 's'}, the spec gives it {len(parameters)}"
        + (" and the handle" if handle else ""),
        code.span,
        f"one for each of {listed}",
    )


def _passing(type_: Type, tokens: tuple[str, ...]) -> Passing:
    handle = handle_in_forms(type_)
    return passing(tokens, handle, can_be_pointer=handle_of(type_) is None) if handle else Passing.INNER

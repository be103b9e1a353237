"""What implements an entry: the name of something of the library, a lambda, or statements."""

from __future__ import annotations

from wrapper_gen.model import Body, Code, Implementation, Lambda, NotImplementedYet, Parameter, Passing
from wrapper_gen.resolve.cpp import said_in_cpp
from wrapper_gen.resolve.lambdas import BadLambda, is_lambda, passing, read_lambda
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.pointers import HANDLE, plain_pointers_of_lambda
from wrapper_gen.resolve.references import check_references, surplus
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Handle, Type
from wrapper_gen.types.queries import handle_in_forms, handle_of, is_bytes


def implementation_of(entry: Map, scope: Scope, signature: Signature, key: str = "cpp") -> Implementation:
    """What the entry says that implements it; `key` is where it does, beside statements."""
    code, body = scope.code(entry, key), scope.code(entry, "cpp_body")
    if key == "cpp":
        check_alone(entry, scope)
    if code:
        if is_lambda(code.text):
            return _lambda(code, entry, key, scope, signature.handle, signature.parameters)
        return said_in_cpp(code, entry, scope, signature)
    if body:
        return Body(body)
    where = scope.document.key_span(entry, key) if key in entry else signature.span
    scope.warn("WG041", f"{signature.name!r} is not implemented", where, "give it cpp or cpp_body")
    return NotImplementedYet(where)


def check_alone(entry: Map, scope: Scope) -> None:
    """No statements stand beside `cpp`."""
    if scope.code(entry, "cpp") and scope.code(entry, "cpp_body"):
        related = (scope.document.key_span(entry, "cpp"), "`cpp` is here")
        where = scope.document.key_span(entry, "cpp_body")
        scope.error("WG040", "both cpp and cpp_body", where, "keep one", related)


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

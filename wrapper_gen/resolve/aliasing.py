"""Code of the spec that returns the pointer of a handle that it was given: two handles would release one object.

A call may have added a reference, which the result then has. So only that is an error which certainly adds none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen.cpp_tokens import tokens_of
from wrapper_gen.diagnostics import Fix, a
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Body, Function, HandleType, Lambda, Mode
from wrapper_gen.model.inheritance import with_relatives
from wrapper_gen.model.protocols import Shape
from wrapper_gen.resolve.fixes import with_key
from wrapper_gen.resolve.lambdas import BadLambda, lambda_body, names_of, read_lambda
from wrapper_gen.resolve.lifetime_words import in_spec
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.queries import handle_of, handles_in, if_given

_ENDS = (";", "{", "}")
_JOINS = ("&", "|")
_SELF = "self"
"""What the object of the method holds; `h` is its handle."""


@frozen
class _Code:
    """The tokens of what runs, and the handles that it is given, `h` or a parameter: what it calls each."""

    tokens: list[str]
    names: Mapping[str, tuple[str, ...]]
    is_body: bool


def check_second_owners(scope: Scope, handles: Sequence[HandleType], functions: Sequence[Function]) -> None:
    """Report each `cpp_body` and lambda that gives a second owner to what a handle releases."""
    releasing = {h.name: h for h in handles if _releases_once(h, scope)}
    for function in functions:
        made = releasing.get(handle_of(if_given(function.returns)) or "")
        is_itself = function.protocol is not None and function.protocol.shape is Shape.IN_PLACE
        code = (
            None
            if made is None or is_itself or not function.lifetime.result.is_owned
            else _code(function, made.name, scope)
        )
        if not is_itself and not releasing.keys().isdisjoint(handles_in(function.returns)) and _reads_member(function):
            message = "this reads what the object has, and each handle of that would release it"
            hint = "say that it is not released: release: nothing, belongs_to: self"
            scope.error("WG221", message, function.span, hint)
            continue
        if made is None or code is None:
            continue
        for given, called in code.names.items():
            _check(given, called, code, function, made, scope)


def _reads_member(function: Function) -> bool:
    """Whether an expression reads a member of the object, or takes the address of one, and calls nothing."""
    of = function.implementation
    if not isinstance(of, Body) or not of.is_expression or not function.handle or not function.lifetime.result.is_owned:
        return False
    tokens = [*tokens_of(of.code.text)]
    tokens = tokens[1:] if tokens[:1] == ["&"] else tokens
    names, joints = tokens[::2], tokens[1::2]
    is_path = len(names) == len(joints) + 1 > 1 and all(each.isidentifier() for each in names)
    return is_path and names[0] == _SELF and all(each in (".", "->") for each in joints)


def _releases_once(handle: HandleType, scope: Scope) -> bool:
    """Whether a second handle for the same pointer would release what is released before."""
    spelling = handle.cpp_type.text.strip()
    return (
        handle.drop is not None
        and not handle.has_identity
        and handle.name not in scope.findings.borrowing
        and spelling.endswith("*")
    )


def _code(function: Function, made: str, scope: Scope) -> _Code | None:
    """The code of the spec that could return such a handle; None where none could."""
    alike = with_relatives([made], scope.names.extends)
    given = {p.name: handle_of(if_given(p.type)) for p in function.parameters if p.mode is Mode.BORROW}
    given["h"] = function.handle
    found = [name for name, handle in given.items() if handle in alike]
    if not found:
        return None
    match function.implementation:
        case Body(code, is_expression=True):
            return _Code(["return", *tokens_of(code.text), ";"], {n: (_SELF if n == "h" else n,) for n in found}, False)
        case Body(code):
            return _Code(tokens_of(code.text), {n: ("h", _SELF) if n == "h" else (n,) for n in found}, True)
        case Lambda(code, _, takes_handle):
            try:
                declared = names_of(read_lambda(code.text))
                own = [*["h"] * takes_handle, *(p.name for p in function.parameters)]
                called = {each: (name,) for name, each in zip(declared, own, strict=False) if name and each in found}
                return _Code(lambda_body(code.text), called, False)
            except BadLambda:  # it is reported
                return None
        case _:
            return None


def _check(
    given: str, called: tuple[str, ...], code: _Code, function: Function, made: HandleType, scope: Scope
) -> None:
    """Report the code where it returns this handle."""
    found = [i for i, token in enumerate(code.tokens) if token in called and _is_whole_name(code.tokens, i)]
    uses = [_use(code.tokens, i) for i in found]
    if "returned" not in uses:
        return
    whose = "the object of the method" if given == "h" else f"{given!r}"
    if "other" not in uses:
        message = f"this returns the pointer of {whose}, and both handles would release it"
        scope.error("WG221", message, function.span, _ways(function, made, given), fixes=_fixes(made, scope))
    elif code.is_body and any(_is_handle_itself(code.tokens, i) for i in found):
        message = f"this returns the handle of {whose}, and both handles release its pointer"
        pointer = _SELF if given == "h" else f"{given}.inner"
        hint = f"where the library has added a reference for the result, write: return {pointer}; else "
        hint += _ways(function, made, given)
        scope.warn("WG221", message, function.span, hint, _fixes(made, scope))


def _ways(function: Function, made: HandleType, given: str) -> str:
    """What the spec can say instead."""
    own = "; or declare no result" if given == "h" and function.handle else ""
    return (
        f"say on {made.name} that the result is the object that is there: identity: true; "
        f"or that the result releases nothing: release: nothing, belongs_to: {in_spec(given)}{own}"
    )


def _fixes(made: HandleType, scope: Scope) -> tuple[Fix, ...]:
    entry = scope.names.handle_entries.get(made.name)
    what = f"{a(made.name)} for a pointer is one object"
    return (with_key(entry, what, "identity: true", scope),) if entry is not None else ()


# --- what is done with a name ----------------------------------------------------------------------------------------


def _is_whole_name(tokens: Sequence[str], i: int) -> bool:
    """Whether it is no member of something else."""
    return tokens[i - 1 : i] not in (["."], ["->"], ["::"])


def _use(tokens: Sequence[str], i: int) -> str:
    """What is done there: `returned`, `read`, or what may be anything."""
    start, end = i - 1, i + 1
    if list(tokens[end : end + 2]) == [".", "inner"]:
        end += 2
    before, after = "".join(tokens[max(start - 1, 0) : start + 1]), "".join(tokens[end : end + 2])
    if after in ("==", "!=") or before in ("==", "!="):
        return "read"
    if _is_member_read(tokens, start, end):
        return "read"
    if tokens[start : start + 1] == ["&"]:
        start -= 1
    return "returned" if _stands_for_result(tokens, start, end) else "other"


def _stands_for_result(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether what stands between is the whole of what is returned, or of what `?` chooses."""
    if tokens[start : start + 1] == ["return"]:
        return tokens[end : end + 1] == [";"]
    if tokens[start : start + 1] not in (["?"], [":"]) or tokens[end : end + 1] not in ([";"], [":"]):
        return False
    statement = list(_backwards(tokens, start))
    return "return" in statement and "(" not in statement[: statement.index("return")]


def _backwards(tokens: Sequence[str], at: int) -> Iterator[str]:
    while at >= 0 and tokens[at] not in _ENDS:
        yield tokens[at]
        at -= 1


def _is_member_read(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether a member is compared, or asked, which changes nothing: `h->size > 3`."""
    if tokens[end : end + 1] not in (["."], ["->"]) or tokens[start : start + 1] not in (["("], ["return"], ["!"]):
        return False
    after = tokens[end + 2 : end + 4]
    is_compared = after[:1] in (["<"], [">"]) and after[1:] != after[:1]
    return (
        is_compared
        or after[:1] == ["?"]
        or list(after) in (["=", "="], ["!", "="])
        or (len(after) == 2 and after[0] == after[1] and after[0] in _JOINS)
    )


def _is_handle_itself(tokens: list[str], i: int) -> bool:
    """Whether the handle is returned, and not what it holds, as `self` is."""
    return tokens[i] != _SELF and tokens[i - 1 : i] == ["return"] and tokens[i + 1 : i + 2] == [";"]

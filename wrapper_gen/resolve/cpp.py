"""What `cpp` of an entry says that C++ does: the name of something of the library, a call, or an expression."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen.expressions import is_qualified, mentions
from wrapper_gen.frozen import replace
from wrapper_gen.model import Body, Code, Implementation, Named, NotImplementedYet
from wrapper_gen.resolve.held_types import held_class, made_as_held
from wrapper_gen.resolve.lambdas import is_lambda
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.written_arguments import SELF, other_calls, takes_object
from wrapper_gen.types.tuples import item_names
from wrapper_gen.written_calls import (
    BadCall,
    Piece,
    Written,
    WrittenCall,
    WrittenExpression,
    WrittenName,
    addressed,
    read_cpp,
)

_LONE = re.compile(r"::(\w+|operator.*)", re.DOTALL)
"""A function, or a macro, and no member."""
_MEMBERS = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
"""A member of the object, or of a member of it."""


def says_several(entry: Map) -> bool:
    """Whether `cpp` has several calls: a list, or one for each type of a parameter."""
    return isinstance(entry.get("cpp"), list | dict)


def written_calls(entry: Map, scope: Scope) -> Iterator[WrittenCall]:
    """The same, and the other calls of a list."""
    own = written_call(entry, scope)
    others = (read_cpp(text) for text in other_calls(entry))
    yield from (each for each in (own, *others) if isinstance(each, WrittenCall))


def written_call(entry: Map, scope: Scope) -> WrittenCall | None:
    """The call that `cpp` is; None where it is something else, which is reported elsewhere if it is wrong."""
    text = "" if says_several(entry) else scope.text(entry, "cpp")
    if not text.strip() or is_lambda(text):
        return None
    try:
        found = read_cpp(text)
    except BadCall:
        return None
    return found if isinstance(found, WrittenCall) else None


def calls_by_name(entry: Map, scope: Scope) -> bool:
    """Whether `cpp` has the name of what is called, with arguments or without."""
    text = scope.text(entry, "cpp")
    if not text.strip() or is_lambda(text):
        return False
    try:
        return not isinstance(read_cpp(text), WrittenExpression)
    except BadCall:
        return False


def is_code(said: Map, scope: Scope) -> bool:
    """Whether `cpp` of a field is no name, but a call, an expression, or what is neither; a lambda is another thing."""
    text = scope.text(said, "cpp").strip()
    if not text or is_lambda(text) or (_MEMBERS.fullmatch(text) and not text.startswith(f"{SELF}.")):
        return False
    try:
        found = read_cpp(text)
    except BadCall:
        return True
    return not isinstance(found, WrittenName)


def member_name(entry: Map, scope: Scope, handle: str) -> Code | None:
    """The name of the member that `cpp` is in a class whose bare names are members; None where it is another thing."""
    code = None if says_several(entry) else scope.code(entry, "cpp")
    if code is None or is_lambda(code.text):
        return None
    try:
        found = read_cpp(scope.document.text(entry, "cpp"))
    except BadCall:
        return None
    if not isinstance(found, WrittenName) or is_qualified(found.name.text):
        return None
    is_bare_member = has_members(handle, scope)
    return replace(code, text=found.name.text) if found.is_member or is_bare_member else None


def has_members(handle: str, scope: Scope) -> bool:
    """Whether a bare name in this class is a member: a function's name has a prefix, or is one of C."""
    lib = scope.document.data.get("wrapper_lib")
    if isinstance(lib, dict) and lib.get("lang") == "c":
        return False
    own = scope.names.naming.methods.get(handle)
    prefix = scope.names.naming.prefix if own is None else own
    return not prefix or prefix.endswith("::")


def said_in_cpp(code: Code, entry: Map, scope: Scope, signature: Signature) -> Implementation:
    """What implements the entry, as its `cpp` says, which is no lambda."""
    try:
        found = read_cpp(scope.document.text(entry, "cpp"))
    except BadCall as bad:
        scope.error("WG043", bad.message, scope.document.part(entry, "cpp", bad.start, bad.end), bad.hint)
        return NotImplementedYet(code.span)

    def placed(piece: Piece) -> Code:
        text, span = piece.text, scope.document.part(entry, "cpp", piece.start, piece.end)
        return Code(text, span, literal=code.literal or "\n" not in text)

    match found:
        case WrittenName(name, False) if name.text in (SELF, *(p.name for p in signature.parameters)):
            return Body(placed(name), is_expression=True)
        case WrittenName(name, is_member) | WrittenCall(name, is_member):
            return _called(placed(name), entry, scope, signature, found, is_member=is_member)
        case WrittenExpression(text):
            _check_expression(text, entry, scope, signature)
            return Body(placed(text), is_expression=True)


def _called(
    code: Code, entry: Map, scope: Scope, signature: Signature, found: Written, *, is_member: bool
) -> Implementation:
    """What is called by a name: of a bare one in a class it depends on that whether it is a member."""
    if signature.is_constructor and made_as_held(code.text, signature.name, scope):
        return Named(replace(code, text=made_as_held(code.text, signature.name, scope)))
    if is_member:
        if signature.handle is None:
            hint = "write it in the methods of a class; a static member is Class::name"
            scope.error("WG043", "a member, of no object", code.span, hint)
            return NotImplementedYet(code.span)
        return Named(code, is_member=True)
    takes_members = has_members(signature.handle or signature.static, scope)
    lone = _LONE.fullmatch(code.text)
    if lone and not scope.names.has_type(lone[1]):
        taken = (SELF, *(p.name for p in signature.parameters))
        if (takes_members and signature.is_in_class) or lone[1] in taken:
            return Named(replace(code, text=lone[1]))  # which says that it is no member, and not where C++ looks for it
    if is_qualified(code.text) or not takes_members:
        return Named(code)
    if isinstance(found, WrittenCall) and takes_object(found):
        return Named(code)
    if signature.static:
        return Named(replace(code, text=f"{held_class(signature.static, scope)[1]}::{code.text}"))
    return Named(code, is_member=signature.handle is not None)


def _check_expression(text: Piece, entry: Map, scope: Scope, signature: Signature) -> None:
    """Nothing is written to the result, and there is an object where it speaks of one."""
    names = {*item_names(signature.returns), *(p.name for p in signature.parameters), "out", SELF, "_"} - {""}
    for each in addressed(text.text):
        if each.text in names and not (each.text == SELF and signature.handle):
            place = scope.document.part(entry, "cpp", text.start + each.start, text.start + each.end)
            hint = f"a call that writes {each.text!r} stands alone, as in cpp: f(&{each.text})"
            scope.error("WG043", f"an expression writes nothing to {each.text!r}", place, hint)
    has_object = signature.handle or any(p.name == SELF for p in signature.parameters)
    if mentions(text.text, SELF) and not has_object:
        at = re.search(rf"\b{SELF}\b", text.text)
        start = text.start + (at.start() if at else 0)
        place = scope.document.part(entry, "cpp", start, start + len(SELF))
        hint = "write it in the methods of a class, or give the function a parameter"
        scope.error("WG043", f"`{SELF}` in a function, which has no object", place, hint)

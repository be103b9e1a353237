"""`constants` of the spec: values that Python reads once, when it imports the package."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.model import Body, Code, Function
from wrapper_gen.resolve.functions import resolve_signature
from wrapper_gen.resolve.parameters import Signature, possible_result
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import parse_type
from wrapper_gen.types.keys import can_be_constant
from wrapper_gen.types.model import Type, Void
from wrapper_gen.types.queries import is_void


def resolve_constants(scope: Scope) -> Iterator[Function]:
    """A function without parameters for each: the package calls it, and has what it gives in its place."""
    section = scope.document.data.get("constants")
    if ("constants",) in scope.broken or not isinstance(section, dict):
        return
    for name in section:
        if ("constants", name) not in scope.broken:
            yield _constant(section, name, scope)


def _constant(section: Map, name: str, scope: Scope) -> Function:
    written, span = section[name], scope.document.key_span(section, name)
    about: Map = written if isinstance(written, dict) and "type" in written else {}
    scope.check_identifier(name, span, "a constant")
    if names.is_identifier(name) and names.python_function(name) != name:
        hint = f"give it another name, and its own as C++: {{type: …, cpp: {name}}}"
        scope.error("WG020", f"{name!r} cannot be the name of a constant", span, hint)
    container, key = (about, "type") if about else (section, name)
    where = scope.span(container, key)
    type_ = possible_result(parse_type(scope.type_text(container, key), where, scope), where, scope)
    if type_ is not None and not can_be_constant(type_):
        scope.error("WG032", f"a constant cannot be {type_}", where, _hint(type_))
        type_ = None
    code = scope.code(about, "cpp") if about else None
    value, place = (code.text.strip(), code.span) if code else (_implied(name, scope), span)
    signature = Signature(name, span, None, (), type_ or Void(), where, is_property=False, is_whole=type_ is not None)
    entry = scope.document.nothing(section, name)
    found = resolve_signature(entry, scope, signature, Body(Code(f"return {value};", place)))
    return replace(found, doc=scope.text(about, "doc"), is_constant=True)


def _implied(name: str, scope: Scope) -> str:
    """What C++ calls it: a macro has the prefix in its own letters."""
    naming = scope.names.naming
    if not name.isupper():
        return naming.prefix + names.cased(name, naming.case)
    return (naming.prefix if naming.prefix.endswith("::") else naming.prefix.upper()) + name


def _hint(type_: Type) -> str:
    if is_void(type_):
        return "say of what type its value is"
    return "nobody may change it: a number, text, bytes, a time, a path, an enum, a struct, or a tuple of these"

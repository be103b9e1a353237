"""What the bridge asks the compiler, where calls are explained and not built (`wg/calls/explained_calls.hpp`)."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.diagnostics import SpanOfRow
from wrapper_gen.model import Function, Module, Named
from wrapper_gen.tiers.bridge.arguments import Call
from wrapper_gen.tiers.bridge.ways import member

FILE = "wg-explain"
"""What compilers call the lines that ask about signatures: an error there says that there is none."""


def call_explained(call: Call, module: Module) -> tuple[str, ...]:
    """The statement that names a call whose arguments generated code puts in order."""
    if not module.is_explained or call.given is None:
        return ()
    given = "".join(f", decltype(({each}))" for each in call.given)
    return (f"WG_EXPLAINED_AS_GIVEN(decltype({call.expression}){given})",)


def status_explained(alias: str, number: int, module: Module) -> str:
    """What names the C++ type of an error, by its number in the spec."""
    return f"WG_EXPLAINED_STATUS({number}, {alias})" if module.is_explained else ""


def signature_explained(function: Function, module: Module) -> str:
    """What names the signature of the function that is called; empty where that is no function of one name."""
    match function.implementation:
        case Named(name, accessor=None, names_class=False) if module.is_explained:
            asked = _asked(function, name.text.strip(), module)
            return f'#line 1 "{FILE} (for {SpanOfRow.row_of(name.span)})"\n{asked}'
        case _:
            return ""


def _asked(function: Function, name: str, module: Module) -> str:
    own = names.c_symbol(module.name, function)
    if function.virtual and (handle := next((h for h in module.handles if h.name == function.handle), None)):
        return f"WG_EXPLAINED_SIGNATURE({own}, &{handle.cpp_type.text.strip()}::{function.virtual.member.text})"
    if isinstance(function.implementation, Named) and function.implementation.is_member:
        return f"WG_EXPLAINED_MEMBER({own}, {function.handle}, {member(name)})"
    asked = f"WG_EXPLAINED_SIGNATURE({own}, {name})"
    return f"#ifndef {name}\n{asked}\n#endif" if names.is_identifier(name) else asked

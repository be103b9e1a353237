"""Signatures as `inspect` reads them out of docstrings of the cpython engine, and as that engine itself does."""

from __future__ import annotations

from math import copysign, isfinite

from wrapper_gen import names
from wrapper_gen.model import NO_DEFAULT, Function, Module, Parameter
from wrapper_gen.model.protocols import Shape
from wrapper_gen.queries import leading
from wrapper_gen.submodules import homes, qualified
from wrapper_gen.values import EnumValue, MapValue, Value
from wrapper_gen.views.literals import literal
from wrapper_gen.views.signatures import with_mark


def shown_signature(function: Function, module: Module, name: str, first: str = "") -> str:
    """How it is called: `name`, and its parameters after `first`, which is what has the method."""
    from_here = None if first else _reader(function)
    shown = with_mark(function, [_shown_parameter(p, module, from_here) for p in function.parameters])
    if function.member and not function.member.is_static:
        shown[0] = first
    elif first:
        shown.insert(0, first)
    return f"{name}({', '.join(shown)})"


def has_own_signature(function: Function) -> bool:
    """Whether its signature is the cpython engine's alone: Python shows that of others, by function or class."""
    is_called = function.protocol is None or function.protocol.shape is Shape.CALL
    is_property = function.member is not None and function.member.is_property
    is_shown = not (function.is_form or function.protocol or is_property)
    return bool(function.parameters) and is_called and not is_shown and not function.sets


def evaluated(function: Function, module: Module) -> str:
    """The defaults as a tuple that can be evaluated; empty where those are that `inspect` shows."""
    later = function.parameters[leading(function) :]
    if all(p.default is NO_DEFAULT or _evaluates(p.default, function, module) for p in later):
        return ""
    values = ("NotImplemented" if p.default is NO_DEFAULT else literal(p.default) for p in later)
    return f"({''.join(f'{value}, ' for value in values)})"


def _evaluates(value: Value, function: Function, module: Module) -> bool:
    """Whether what is shown of it is the same value where the package's own names are known."""
    match value:
        case EnumValue(enum, members):
            return bool(members) and homes(module).get(enum) == _reader(function) == ""
        case tuple():
            return len(value) != 1 and all(_evaluates(each, function, module) for each in value)
        case MapValue(items):
            return all(_evaluates(each, function, module) for both in items for each in both)
        case complex():
            return isfinite(value.real) and isfinite(value.imag)
    return True


def _reader(function: Function) -> str | None:
    """The module in which `inspect` reads the names of a signature, if it knows that."""
    return None if function.handle or function.static or function.constructs or function.member else function.module


def _shown_parameter(p: Parameter, module: Module, from_here: str | None) -> str:
    """A parameter in a signature; `inspect` reads names in the module `from_here`, if it knows in which."""
    if p.default is NO_DEFAULT:
        return f"{p.gathers}{names.python(p.name)}"
    if isinstance(p.default, EnumValue) and not p.default.members:
        return f"{names.python(p.name)}=0"
    if isinstance(p.default, EnumValue) and homes(module).get(p.default.enum) != from_here:
        enum = qualified(p.default.enum, module)
        members = (f"{enum}.{names.python_enum_member(each)}" for each in p.default.members)
        return f"{names.python(p.name)}={'|'.join(members)}"
    return f"{names.python(p.name)}={_shown_value(p.default)}"


def _shown_value(value: Value) -> str:
    """A default in a signature: `inspect` reads it if it is ASCII and has no calls."""
    match value:
        case (only,):  # `inspect` drops a comma before a parenthesis, and would read a tuple of one as its element
            return f"[{_shown_value(only)}]"
        case tuple():
            return f"({', '.join(_shown_value(v) for v in value)})"
        case float() if value != value:
            return "1e999 - 1e999"
        case float() if value in (float("inf"), float("-inf")):
            return "1e999" if value > 0 else "-1e999"
        case complex():
            return _shown_complex(value)
        case str():
            return ascii(value)
        case MapValue(items):
            return f"{{{', '.join(f'{_shown_value(k)}: {_shown_value(v)}' for k, v in items)}}}"
        case _:
            return literal(value)


def _shown_complex(value: complex) -> str:
    """A sum: `inspect` adds constants, of which none has a sign."""
    real, imag = (_shown_value(abs(part)) for part in (value.real, value.imag))
    first = f"0.0 - {real}" if copysign(1, value.real) < 0 else real
    return f"{first} {'-' if copysign(1, value.imag) < 0 else '+'} {imag}j"

"""Memory of several dimensions: its order, the names of dimensions, and what is said of arrays as results."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.diagnostics import Span
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import replace
from wrapper_gen.model import Parameter
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.memory import (
    array_of,
    code_of_layouts,
    dimensions_of,
    has_arrays,
    has_strides_within,
    is_exchange,
    is_on_device,
    is_stream,
    made_on,
    stream_for,
)
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import (
    is_integer,
    is_optional,
    walk,
    without_optional,
)
from wrapper_gen.types.scalars import CPP_NUMBERS


def no_array(type_: Type | None, span: Span, scope: Scope) -> Type | None:
    """The type of a parameter; None after reporting that it is an array."""
    if type_ is not None and has_arrays(type_):
        hint = "memory of the caller's is &[f64; n, m], or &mut [f64; n, m]"
        scope.error("WG165", "an array is a result, and no parameter", span, hint)
        return None
    if type_ is not None and is_exchange(without_optional(type_)):
        hint = "memory of other libraries is &[f64; n, m], or &mut [f64; n, m]: it may come by DLPack"
        scope.error("WG165", "what goes by DLPack is a result, and no parameter", span, hint)
        return None
    return type_


def no_missing_array(type_: Type | None, span: Span, scope: Scope) -> Type | None:
    """The type of a result; None after reporting that it is an array that may be missing."""
    if type_ is not None and is_optional(type_) and has_arrays(type_):
        hint = "return an array with a dimension of 0, or raise"
        scope.error("WG165", "an array that is returned is there", span, hint)
        return None
    if type_ is not None and is_optional(type_) and is_exchange(without_optional(type_)):
        scope.error("WG165", "memory that is returned is there", span, "drop the `?`, and raise where there is none")
        return None
    return type_


def read_strides(returns: Type, span: Span, scope: Scope) -> tuple[str, ...]:
    """How many elements lie between neighbours, as the type of a whole result says it after its dimensions."""
    array = array_of(returns)
    for text in code_of_layouts(returns):
        scope.check_code(text, span, "\t\n")
    if has_strides_within(returns):
        hint = "return it alone; or let the C++ type say how its elements lie"
        scope.error("WG156", "strides are for an array that is the whole result", span, hint)
    return array.strides if array else ()


def check_dimensions(parameters: Sequence[Parameter], scope: Scope, *, has_object: bool) -> None:
    """The names of dimensions are names that C++ can have, and say what is known before the call."""
    known: dict[str, Parameter] = {}
    by_name = {p.name: p for p in parameters}
    for p in parameters:
        for text in code_of_layouts(p.type):
            scope.check_code(text, p.span, "\t\n")
        for text in dimensions_of(without_optional(p.type)):
            if mentions(text, "self") and not has_object:
                hint = "write a name, which the shape of the argument gives a value, or a number"
                scope.error("WG155", f"the dimension {text!r} speaks of an object, and there is none", p.span, hint)
            if text.isdecimal() or mentions(text, "self"):
                continue
            _check_name(text, p.span, scope)
            other = by_name.get(text)
            if other is not None and not is_integer(other.type):
                message = f"the dimension {text!r} is called like a parameter that is no integer"
                scope.error("WG155", message, p.span, "rename one", (other.span, "the parameter"))
            elif other is None and text not in known and is_optional(p.type):
                hint = "give it a name that a parameter before it has, or a number"
                scope.error("WG155", f"the dimension {text!r} is not known where {p.name!r} is None", p.span, hint)
            known.setdefault(text, p)


def with_streams(parameters: Sequence[Parameter], scope: Scope) -> tuple[Parameter, ...]:
    """The same, with the stream that the producers of memory of a device are told: that of the call, before it."""
    stream = next((p for p in parameters if is_stream(p.type)), None)
    memory = tuple(p.name for p in parameters if is_on_device(p.type))
    if stream is None or not memory:
        return tuple(parameters)
    first = next(p.name for p in parameters if p.name in (stream.name, *memory))
    if first != stream.name:
        hint = f"write it before {first}: whoever has that memory is told the stream"
        message = f"the stream {stream.name!r} stands behind the memory that it is for"
        scope.error("WG165", message, stream.span, hint)
    told = {stream.name, *memory}
    return tuple(replace(p, type=stream_for(p.type, stream.name, memory)) if p.name in told else p for p in parameters)


def on_device(returns: Type | None, span: Span, parameters: Sequence[Parameter], scope: Scope) -> Type | None:
    """The type of a result; an array of a device is that of a stream and of a device of the call."""
    if returns is None or not any(map(is_on_device, walk(returns))):
        return returns
    array = array_of(returns)
    if array is None:
        hint = "return it alone: what else there is may be asked by another entry"
        scope.error("WG165", "an array of a device is the whole result", span, hint)
        return returns
    streams = [p.name for p in parameters if is_stream(p.type)]
    if not streams:
        hint = "add a parameter, before memory: s: stream"
        scope.error("WG165", "nothing says which stream fills this array of a device", span, hint)
    beside = [p.name for p in parameters if is_on_device(p.type) and not is_optional(p.type)]
    if not (array.number or beside):
        hint = "write C++ that says its number, cuda(0) or cuda(self.device()), or take memory of the same device"
        scope.error("WG165", "nothing says on which device this array lies", span, hint)
    return made_on(array, next(iter(streams), ""), next(iter(beside), ""))


def _check_name(name: str, span: Span, scope: Scope) -> None:
    if name in ("h", "value") or name in CPP_NUMBERS or name in scope.names.handles or name in scope.names.enums:
        scope.error("WG155", f"{name!r} means something else in C++ here", span, "give the dimension another name")
    else:
        scope.check_identifier(name, span, "a dimension")

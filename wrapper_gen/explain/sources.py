"""What stands at each place of a call: which parameter of Python's, or what the spec or the runtime puts there."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    Allocated,
    Argument,
    Buffer,
    Function,
    Lambda,
    Mode,
    Named,
    Options,
    Parameter,
    Place,
    Returned,
    Streaming,
)
from wrapper_gen.queries import declared
from wrapper_gen.types.queries import callable_of, is_bytes
from wrapper_gen.types.tuples import item_names, written_items


class SourceKind(StrEnum):
    """What an argument of a call is."""

    OBJECT = "object"
    PARAMETER = "parameter"
    LENGTH = "length"
    OPTIONS = "options"
    VALUE = "value"
    OUT = "out"
    INOUT = "inout"
    DISCARDED = "discarded"
    BUFFER = "buffer"
    CAPACITY = "capacity"
    STREAM = "stream"
    USER_DATA = "user_data"
    DESTROY = "destroy"
    FAILURE = "failure"


@frozen
class ArgumentSource:
    """Where an argument comes from: `text` is how a call shows it, `parameters` are those that it is made of."""

    kind: SourceKind
    text: str
    parameters: tuple[str, ...] = ()
    note: str = ""


_HANDLE = ArgumentSource(SourceKind.OBJECT, "self", note="the object")
_TAKEN = ArgumentSource(SourceKind.OBJECT, "self", note="the object; the call takes it")
_SINK = ArgumentSource(SourceKind.STREAM, "&output", note="where output goes")
_ALLOCATED = ArgumentSource(SourceKind.BUFFER, "&result", note="the address of the memory that the call allocates")
_WRITTEN_LENGTH = ArgumentSource(SourceKind.LENGTH, "&length", note="how much there is, which the call writes")
_FILLED = ArgumentSource(SourceKind.BUFFER, "buffer", note="room for the result")


def given(function: Function) -> list[ArgumentSource]:
    """The arguments in the order in which the spec declares them, after the object, where that is one of them."""
    match function.implementation:
        case Named(is_member=is_member, accessor=accessor):
            is_argument = not is_member and accessor is None
        case Lambda(takes_handle=takes_handle):
            is_argument = takes_handle
        case _:
            is_argument = True
    own = [_object(function)] * (function.handle is not None and is_argument)
    return [*own, *map(_parameter, function.parameters)]


def in_pairs(sources: Sequence[ArgumentSource], function: Function) -> list[ArgumentSource]:
    """The same where bytes are an address and a length."""
    paired = {p.name for p in function.parameters if is_bytes(p.type)}
    return [
        piece
        for source in sources
        for piece in pieces(source, 2 if paired.issuperset(source.parameters) and source.parameters else 1, function)
    ]


def found(function: Function, named: Named) -> list[ArgumentSource]:
    """The units of a call whose order the compiler finds, by number: arguments, then what the call may write."""
    buffer, streaming = named.buffer, named.streaming
    units = [_object(function)] * (function.handle is not None and not named.is_member and named.accessor is None)
    if isinstance(buffer, Buffer) and buffer.is_computed:
        units += [_FILLED, _capacity(buffer)]
    if streaming and not streaming.input:
        units += _lent(streaming, "")
    by_name = {p.name: p for p in function.parameters}
    for name in declared(function):
        if streaming and name in (streaming.input, streaming.limit):
            units += _lent(streaming, name)
        elif isinstance(buffer, Buffer) and name == buffer.capacity:
            units += [_FILLED, _capacity(buffer)]
        elif named.options and name == named.options.name:
            units.append(_options(named.options))
        else:
            units.append(_parameter(by_name[name]))
    units += [_ALLOCATED] * isinstance(buffer, Allocated)
    units += [_WRITTEN_LENGTH] * (isinstance(buffer, Returned) and buffer.is_written)
    return [*units, *(_out(function, item) for item in range(len(written_items(function.returns))))]


def stated(function: Function, named: Named, arguments: Sequence[Argument]) -> list[ArgumentSource]:
    """The units of a call whose order the spec says, in that order."""
    return [_stated(each, function, named) for each in arguments]


def pieces(source: ArgumentSource, size: int, function: Function) -> list[ArgumentSource]:
    """The arguments of a unit that is so many: an address and its length, a callable and its user data."""
    if size == 1:
        return [source]
    if source is _ALLOCATED:
        return [source, _WRITTEN_LENGTH]
    is_callable = any(callable_of(p.type) for p in function.parameters if p.name in source.parameters)
    if is_callable:
        data = ArgumentSource(
            SourceKind.USER_DATA, f"user data of {source.text}", source.parameters, "what finds the callable again"
        )
        return [source, *[data] * (size - 1)]
    if size == 2:
        return [source, _length(source.text, source.parameters)]
    lengths = (
        ArgumentSource(SourceKind.LENGTH, f"{source.text}.shape[{i}]", source.parameters) for i in range(size - 1)
    )
    return [source, *lengths]


def _object(function: Function) -> ArgumentSource:
    return _TAKEN if function.lifetime.takes_own else _HANDLE


def _parameter(p: Parameter) -> ArgumentSource:
    notes = []
    if p.mode is Mode.TAKE:
        notes.append("the call takes it")
    if p.is_inout:
        notes.append("the call changes it")
    return ArgumentSource(
        SourceKind.INOUT if p.is_inout else SourceKind.PARAMETER, names.python(p.name), (p.name,), "; ".join(notes)
    )


def _options(options: Options) -> ArgumentSource:
    made = f"{options.struct} of {', '.join(map(names.python, options.parameters))}"
    return ArgumentSource(SourceKind.OPTIONS, options.name, options.parameters, made)


def _length(text: str, parameters: tuple[str, ...]) -> ArgumentSource:
    return ArgumentSource(SourceKind.LENGTH, f"len({text})", parameters)


def _capacity(buffer: Buffer) -> ArgumentSource:
    parameters = () if buffer.is_computed else (buffer.capacity,)
    return ArgumentSource(SourceKind.CAPACITY, buffer.capacity or "capacity", parameters, "how much room there is")


def _lent(streaming: Streaming, parameter: str) -> list[ArgumentSource]:
    """What stands for a parameter of a stream's own; for none, where there is no input."""
    if parameter != streaming.input:
        return []
    own = streaming.stream.input if streaming.input else None
    lends_input = own is not None and bool(own.cpp_type)
    return [_SINK] * bool(streaming.stream.output.cpp_type) + [_input(streaming)] * lends_input


def _input(streaming: Streaming) -> ArgumentSource:
    return ArgumentSource(
        SourceKind.STREAM, "&input", (streaming.input,), f"where {names.python(streaming.input)} is read"
    )


def _out(function: Function, item: int) -> ArgumentSource:
    name, count = item_names(function.returns)[item], len(written_items(function.returns))
    if name != "out":
        return ArgumentSource(SourceKind.OUT, f"&{name}", note="an item of the result")
    text = "&result" if count == 1 else f"&result[{item}]"
    return ArgumentSource(SourceKind.OUT, text, note="the result" if count == 1 else "an item of the result")


def _stated(argument: Argument, function: Function, named: Named) -> ArgumentSource:
    by_name = {p.name: p for p in function.parameters}
    own = names.python(argument.name)
    alone = (argument.name,) if argument.name in by_name else ()
    cast = f"as {argument.cast}" if argument.cast else ""
    match argument.place:
        case Place.HANDLE:
            return _object(function)
        case Place.OUT:
            return _written(argument, function, named)
        case Place.PARAMETER | Place.INOUT | Place.ALONE:
            return _of_parameter(argument, function, named)
        case Place.VALUE:
            used = tuple(name for name in by_name if name == argument.name)
            return ArgumentSource(SourceKind.VALUE, _on_one_line(argument.value), used, cast)
        case Place.ADDRESS:
            return ArgumentSource(SourceKind.PARAMETER, own, alone, cast)
        case Place.LENGTH:
            length = _length(own, alone)
            return ArgumentSource(SourceKind.LENGTH, _on_one_line(argument.value) or length.text, alone, cast)
        case Place.JOINED:
            return ArgumentSource(SourceKind.PARAMETER, f"joined {own}", alone, "all pieces, one after the other")
        case Place.LENGTHS:
            return ArgumentSource(SourceKind.LENGTH, f"lengths of {own}", alone, cast)
        case Place.FILLED:
            return ArgumentSource(SourceKind.BUFFER, own, note="an item of the result, made before the call")
        case Place.DISCARD:
            return ArgumentSource(SourceKind.DISCARDED, "&_", note="written, and read by nobody")
        case Place.USER_DATA:
            shared = argument.sharing or alone
            return ArgumentSource(SourceKind.USER_DATA, f"user data of {', '.join(map(names.python, shared))}", shared)
        case Place.DESTROY:
            return ArgumentSource(
                SourceKind.DESTROY, f"destroys {own}", alone, "what C calls when it needs the callable no more"
            )
        case Place.CAPACITY:
            assert isinstance(named.buffer, Buffer)
            return _capacity(named.buffer)
        case Place.ERROR:
            return ArgumentSource(SourceKind.FAILURE, "&failure", note="why the call failed")


def _written(argument: Argument, function: Function, named: Named) -> ArgumentSource:
    """What a call writes, by what becomes of it."""
    if named.streaming:
        return _SINK
    if isinstance(named.buffer, Returned):
        return _WRITTEN_LENGTH
    if named.buffer is not None:
        return _ALLOCATED if isinstance(named.buffer, Allocated) else _FILLED
    out = _out(function, argument.item)
    return ArgumentSource(out.kind, out.text, note=f"{out.note}, as {argument.cast}" if argument.cast else out.note)


def _of_parameter(argument: Argument, function: Function, named: Named) -> ArgumentSource:
    if named.options and argument.name == named.options.name:
        return _options(named.options)
    if named.streaming and argument.name == named.streaming.input:
        return _input(named.streaming)
    if isinstance(named.buffer, Buffer) and argument.name == named.buffer.capacity:
        return _capacity(named.buffer)
    source = _parameter(next(p for p in function.parameters if p.name == argument.name))
    notes = [source.note] * bool(source.note) + [f"as {argument.cast}"] * bool(argument.cast)
    kind = SourceKind.INOUT if argument.place is Place.INOUT else source.kind
    return ArgumentSource(kind, source.text, source.parameters, "; ".join(notes))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())

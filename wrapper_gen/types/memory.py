"""Questions about memory: with dimensions, as a call is given or returns it, and values that lie in a row."""

from __future__ import annotations

from wrapper_gen.frozen import remembered, replace
from wrapper_gen.types.model import (
    ArrayOf,
    Bytes,
    Complex,
    DeviceStream,
    Exchange,
    List,
    Optional,
    Order,
    Scalar,
    Set,
    SpanOf,
    Text,
    TupleOf,
    Type,
)
from wrapper_gen.types.queries import if_given, is_representable, walk


def is_array(type_: Type) -> bool:
    """Whether it is memory that C++ owns, and Python uses where it lies."""
    return isinstance(type_, ArrayOf)


@remembered
def has_arrays(type_: Type) -> bool:
    """Whether it is such memory, or a tuple with some."""
    return any(isinstance(each, ArrayOf) for each in walk(type_))


def is_exchange(type_: Type) -> bool:
    """Whether it is memory that goes to another library, which owns it then."""
    return isinstance(type_, Exchange)


def is_memory_result(type_: Type) -> bool:
    """Whether it is memory that only a call can return, or may be."""
    return isinstance(if_given(type_), ArrayOf | Exchange)


def is_list_of_numbers(type_: Type) -> bool:
    """Whether an array could have what it has."""
    return isinstance(type_, List) and isinstance(type_.element, Scalar | Complex)


def array_of(type_: Type) -> ArrayOf | None:
    """The type itself where it is such memory."""
    return type_ if isinstance(type_, ArrayOf) else None


def points_to_caller(type_: Type) -> bool:
    """Whether C++ is given the address of what the caller has, as of text."""
    return is_run(if_given(type_)) or isinstance(if_given(type_), SpanOf)


def leaves_order(array: ArrayOf) -> bool:
    """Whether the spec leaves it to the C++ type how the elements of an array lie."""
    return array.order is Order.ANY


def has_strides(type_: Type) -> bool:
    """Whether it is the caller's memory, and there is more to it than an address and a length."""
    is_plain = isinstance(type_, SpanOf) and len(type_.dimensions) < 2 and type_.order is not Order.ANY
    return isinstance(type_, SpanOf) and not (is_plain and not type_.device)


@remembered
def has_strides_within(type_: Type) -> bool:
    """Whether an array that is a part of it says how many elements lie between neighbours."""
    return any(isinstance(each, ArrayOf) and each.strides and each is not type_ for each in walk(type_))


def without_strides(type_: Type) -> Type:
    """The same array, whose strides the function says that returns it."""
    return replace(type_, strides=()) if isinstance(type_, ArrayOf) and type_.strides else type_


def is_stream(type_: Type) -> bool:
    """Whether it is a stream of a device."""
    return isinstance(type_, DeviceStream)


def stream_for(type_: Type, stream: str, memory: tuple[str, ...]) -> Type:
    """The same type of a call with a stream of this name: the producers of these parameters of memory are told that."""
    match type_:
        case SpanOf() if type_.device:
            return replace(type_, stream=(stream, *memory))
        case DeviceStream():
            return replace(type_, memory=memory)
        case Optional(of):
            return replace(type_, of=stream_for(of, stream, memory))
        case _:
            return type_


def said_of_device(type_: Type) -> tuple[str, ...]:
    """The stream of an array that is returned, and the C++ that says on which device it lies, where there are such."""
    return tuple(filter(None, (type_.stream, type_.number))) if isinstance(type_, ArrayOf) else ()


def made_on(array: ArrayOf, stream: str, beside: str) -> ArrayOf:
    """An array of a device, by the call's stream; where it does not say the device, on that of a parameter's memory."""
    return replace(array, stream=stream, beside="" if array.number else beside)


def is_on_device(type_: Type) -> bool:
    """Whether it is memory, of the caller or of C++, that does not lie on the CPU, or may not."""
    of = if_given(type_)
    return isinstance(of, SpanOf | ArrayOf) and bool(of.device)


def dimensions_of(type_: Type) -> tuple[str, ...]:
    """What a spec calls the dimensions of memory; nothing of any other type, and where they have no names."""
    return type_.dimensions if isinstance(type_, SpanOf | ArrayOf) else ()


@remembered
def code_of_layouts(type_: Type) -> tuple[str, ...]:
    """The C++ in a type: dimensions of memory, and how many elements lie between neighbours."""
    texts: list[str] = []
    for each in walk(type_):
        texts += dimensions_of(each)
        texts += each.strides if isinstance(each, ArrayOf) else ()
    return tuple(texts)


def lies_in_memory(type_: Type) -> bool:
    """Whether C can return the address of where its values lie in a row."""
    of = if_given(type_)
    return isinstance(of, Text | Bytes) or (isinstance(of, List) and is_representable(of))


def is_run(type_: Type) -> bool:
    """Whether its values can lie in a row of so many elements."""
    return isinstance(type_, Text | Bytes | List | Set | TupleOf)

"""The types of the spec language: recursive, frozen, equal when they are spelled alike.

Adding a type starts here: one class with its spelling, and its place in `Type`. From then on mypy names every `match`
that has to know it.
"""

from __future__ import annotations

from enum import Enum, StrEnum

from wrapper_gen.frozen import frozen


class Kind(StrEnum):
    """What a scalar counts or measures; decides which conversions and checks it needs."""

    BOOL = "bool"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"


class Scalar(Enum):
    """A number or truth value that crosses every border by value."""

    BOOL = ("bool", Kind.BOOL, 8)
    I8 = ("i8", Kind.SIGNED, 8)
    I16 = ("i16", Kind.SIGNED, 16)
    I32 = ("i32", Kind.SIGNED, 32)
    I64 = ("i64", Kind.SIGNED, 64)
    U8 = ("u8", Kind.UNSIGNED, 8)
    U16 = ("u16", Kind.UNSIGNED, 16)
    U32 = ("u32", Kind.UNSIGNED, 32)
    U64 = ("u64", Kind.UNSIGNED, 64)
    USIZE = ("usize", Kind.UNSIGNED, 64)
    F32 = ("f32", Kind.FLOAT, 32)
    F64 = ("f64", Kind.FLOAT, 64)

    def __init__(self, spelling: str, kind: Kind, bits: int) -> None:
        self.spelling = spelling
        self.kind = kind
        self.bits = bits

    __hash__ = object.__hash__  # of members, which are alone: Enum hashes their names, in Python

    def __str__(self) -> str:
        return self.spelling


@frozen
class Complex:
    """`c64`, `c128`: a complex number of so many bits, half of them for each part."""

    bits: int

    def __str__(self) -> str:
        return f"c{self.bits}"


@frozen
class Void:
    """No value; only as a result."""

    def __str__(self) -> str:
        return "void"


@frozen
class Text:
    """Unicode text, UTF-8 in C and C++."""

    def __str__(self) -> str:
        return "text"


@frozen
class Bytes:
    """A run of bytes without meaning to us."""

    def __str__(self) -> str:
        return "bytes"


class Unit(StrEnum):
    """Of what a number of C++ counts how many a duration has, or how many since the epoch."""

    S = "s"
    MS = "ms"
    US = "us"
    NS = "ns"


@frozen
class Duration:
    """`duration`, `duration[ms]`: a span of time, in microseconds; with a unit, C++ may have a number of these."""

    unit: Unit | None = None

    def __str__(self) -> str:
        return f"duration[{self.unit}]" if self.unit else "duration"


@frozen
class DateTime:
    """`datetime`, `datetime[s]`: a point in time, in microseconds since the epoch; with a unit, C++ may have a
    number of these."""

    unit: Unit | None = None

    def __str__(self) -> str:
        return f"datetime[{self.unit}]" if self.unit else "datetime"


@frozen
class Path:
    """The path of a file or folder."""

    def __str__(self) -> str:
        return "path"


@frozen
class AnyObject:
    """`object`: anything of Python, which C++ keeps and gives back."""

    def __str__(self) -> str:
        return "object"


@frozen
class DeviceStream:
    """`stream`: a stream of a device, by its handle; only as a parameter."""

    memory: tuple[str, ...] = ()
    """The parameters with the memory that it is for: None is the current stream of the framework of the first."""

    def __str__(self) -> str:
        return "stream"


@frozen
class Slice:
    """`slice`: some elements of a sequence, as `x[1:9:2]` has it in Python."""

    def __str__(self) -> str:
        return "slice"


@frozen
class Index:
    """`index`: a key of something with dimensions, as `x[0, 1:, ..., None]` has it in Python."""

    def __str__(self) -> str:
        return "index"


@frozen
class Handle:
    """An owned object of the wrapped library; `name` is a `HandleType` of the module, or of the package `of`."""

    name: str
    of: str = ""

    def __str__(self) -> str:
        return self.name


@frozen
class EnumRef:
    """A value of one of the module's enums, or of one of the package `of`."""

    name: str
    of: str = ""

    def __str__(self) -> str:
        return self.name


@frozen
class List:
    """`[T]`: values copied on the way in and out."""

    element: Type

    def __str__(self) -> str:
        return f"[{self.element}]"


class Order(StrEnum):
    """Which elements of an array lie side by side: those of the last dimension (C), of the first (Fortran), or any."""

    C = "C"
    F = "F"
    ANY = "any"


@frozen
class SpanOf:
    """`&[T; n, m]` or `&mut [T]`: the caller's own memory; only as a parameter. Without dimensions it has one.

    Dimensions are names, which several parameters share, or numbers.
    """

    element: Scalar | Complex
    mutable: bool
    dimensions: tuple[str, ...] = ()
    order: Order = Order.C
    device: str = ""
    """`cuda` or `cpu | cuda`, where it is not memory of the CPU alone."""
    stream: tuple[str, ...] = ()
    """The parameter with the stream that producers are told, then all those with memory that it is for."""

    def __str__(self) -> str:
        dimensions = f"; {', '.join(self.dimensions)}" if self.dimensions else ""
        order = f"; {self.device or self.order}" if self.device or self.order is not Order.C else ""
        return f"{'&mut ' if self.mutable else '&'}[{self.element}{dimensions}{order}]"


@frozen
class ArrayOf:
    """`array[T; n, m]`: memory that C++ owns, and Python uses where it lies; only as a result.

    Dimensions are numbers, names, or expressions of C++. In any order, the C++ type of the value says which.
    """

    element: Scalar | Complex
    dimensions: tuple[str, ...]
    order: Order = Order.ANY
    strides: tuple[str, ...] = ()
    """How many elements lie between neighbours of each dimension, where the spec says that."""
    device: str = ""
    """As that of `SpanOf`."""
    number: str = ""
    """C++ that says which of the devices of CUDA it is; where it is empty, that of `beside`."""
    beside: str = ""
    """The parameter with memory of the same device."""
    stream: str = ""
    """The parameter with the stream on which the work is that fills the memory."""

    def __str__(self) -> str:
        order = "" if self.order is Order.ANY else str(self.order)
        on = f"{self.device}({self.number})" if self.number else self.device
        layout = ", ".join(self.strides) or order or on
        return f"array[{self.element}; {', '.join(self.dimensions)}{'; ' * bool(layout)}{layout}]"


@frozen
class Exchange:
    """`dlpack`: memory that goes to another library by DLPack, and is that library's from then on; only as a result."""

    def __str__(self) -> str:
        return "dlpack"


@frozen
class Optional:
    """`T?`: the value, or nothing.

    With `is_default`, nothing is `...` in Python, which leaves an argument out: only C++ knows what there is then.
    """

    of: Type
    is_default: bool = False

    def __str__(self) -> str:
        if self.is_default:
            return f"{self.of} = ..."
        return f"({self.of})?" if isinstance(self.of, Union | Fn) else f"{self.of}?"


@frozen
class Map:
    """`{K: V}`: keys and values, in order."""

    key: Type
    value: Type

    def __str__(self) -> str:
        return f"{{{self.key}: {self.value}}}"


@frozen
class Set:
    """`set[T]`: values of which none is there twice."""

    element: Type

    def __str__(self) -> str:
        return f"set[{self.element}]"


@frozen
class Iter:
    """`iter[T]`: values that C++ has one after the other, converted when they are asked for; only as a result.

    `name` is that of a cursor of `types`, where the spec has it.
    """

    element: Type
    name: str = ""

    def __str__(self) -> str:
        return f"iter[{self.element}]"


@frozen
class Tuple:
    """`(A, B)`: so many values, each of its own type; with names `(a: A, b: B)`, as a result.

    `label` is the class in Python of a result with names: each function has one.
    """

    items: tuple[Type, ...]
    names: tuple[str, ...] = ()
    label: str = ""

    def __str__(self) -> str:
        if self.names:
            return f"{self.label}({', '.join(f'{n}: {t}' for n, t in zip(self.names, self.items, strict=True))})"
        return f"({', '.join(map(str, self.items))}{',' if len(self.items) == 1 else ''})"


@frozen
class TupleOf:
    """`(T, ...)`: any number of values of one type, a list in C++ and a tuple in Python."""

    element: Type

    def __str__(self) -> str:
        return f"({self.element}, ...)"


@frozen
class Struct:
    """A record, by value; `name` is a `StructType` of the module. `is_calling`: some of its fields are callables.

    `handles` are those that its fields have, also within other structs. `of` is the package that has it, where that is
    another one.
    """

    name: str
    is_calling: bool = False
    handles: tuple[Handle, ...] = ()
    of: str = ""

    def __str__(self) -> str:
        return self.name


@frozen
class Recursive:
    """A type that is a part of itself, such as a value that is text or a list of values.

    `name` is a `Representation` of the module, which says what it is made of.
    """

    name: str

    def __str__(self) -> str:
        return self.name


@frozen
class Union:
    """`A | B`: a value of one of these types."""

    alternatives: tuple[Type, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.alternatives))


@frozen
class Fn:
    """`fn(A, B) -> R`: a callable of Python; only what C++ is passed. `label` names what the spec says of it.

    `is_spread`: the last of the parameters is a list, whose elements are arguments of their own. `is_told`: C++ is told
    what it raised. `names` of the parameters are there, each or empty, where any has one.
    """

    parameters: tuple[Type, ...]
    returns: Type
    label: str = ""
    is_spread: bool = False
    is_told: bool = False
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        listed = [str(each) for each in self.parameters]
        if self.is_spread:
            listed[-1] = f"*{listed[-1][1:-1]}"
        returns = "" if isinstance(self.returns, Void) else f" -> {self.returns}"
        return f"fn({', '.join(listed)}){returns}{', told' if self.is_told else ''}"


_Number = Scalar | Complex
_Time = Duration | DateTime
_Leaf = (
    _Number
    | Void
    | Text
    | Bytes
    | _Time
    | Path
    | AnyObject
    | DeviceStream
    | Slice
    | Index
    | Handle
    | EnumRef
    | Struct
    | Recursive
    | Fn
)
_Container = List | SpanOf | ArrayOf | Exchange | Optional | Map | Set | Iter | Tuple | TupleOf | Union
Type = _Leaf | _Container
"""Every type of the spec language; `match` over it ends in `assert_never`."""

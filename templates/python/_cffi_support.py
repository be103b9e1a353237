"""The cffi engine's part of every package: handles, conversions and failures over cffi.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum, IntFlag
from functools import wraps
from itertools import pairwise
from math import ldexp
from operator import index
from struct import calcsize, pack
from struct import error as _NotPacked
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn, TypeVar, cast

from ._support import (
    ClosedHandleError,
    LibraryError,
    LibraryUnavailable,
    add_lazy_note,
    build_command,
    warn_of_renamed,
)
from ._types import Buffer

if TYPE_CHECKING:
    from typing import Self

    from ._uses import Uses

MOST_F32 = 3.4028234663852886e38
"""The largest number of 32 bits."""

F = TypeVar("F", bound=Callable[..., Any])

_BUILTIN: Mapping[int, type[Exception]] = {
    1: ClosedHandleError,
    2: MemoryError,
    3: ValueError,
    4: IndexError,
    5: OverflowError,
    7: LibraryUnavailable,
    8: NotImplementedError,
    9: TypeError,
}
_DECLARED = 100


def renamed(**former: str) -> Callable[[F], F]:
    """Takes arguments by the former names of parameters too; there is one version in which they still work."""

    def take_both(function: F) -> F:
        @wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            for old in former.keys() & keywords.keys():
                warn_of_renamed(f"{function.__qualname__}(): the argument {old!r} is called {former[old]!r} now")
                if former[old] in keywords:
                    raise TypeError(f"{function.__qualname__}() got multiple values for argument {former[old]!r}")
                keywords[former[old]] = keywords.pop(old)
            return function(*args, **keywords)

        return cast(F, call)

    return take_both


class Handle:
    """An owned object of the wrapped library.

    Released exactly once: by `close()`, at the end of a `with` block, or when it is collected. Releasing waits for
    calls that are still running on another thread.
    """

    __slots__ = ("__weakref__", "_h")

    _h: Any
    _null: ClassVar[Any]
    _uses: ClassVar[Uses | None]
    _own: ClassVar[Callable[[Any], Any]]
    _address: ClassVar[Callable[[Any], int]]
    _own_address: ClassVar[Callable[[int], Any]]
    _makers: ClassVar[str] = ""

    def __new__(cls, *_args: object, **_kwargs: object) -> Self:
        made = f"; use {cls._makers}" if cls._makers else ""
        raise TypeError(f"{cls.__name__} cannot be made directly{made}")

    @classmethod
    def _adopt(cls, made: Handle) -> Self:
        """What a factory made, as this class: a subclass gets an instance of itself."""
        if isinstance(made, cls):
            return made
        self = object.__new__(cls)
        self._h, made._h = made._h, made._null
        return self

    @property
    def closed(self) -> bool:
        """Whether the handle was closed."""
        return not self._h

    def close(self) -> None:
        """Release the handle now; closing it again does nothing."""
        raw, self._h = self._h, self._null
        uses = type(self)._uses
        if uses is not None:  # elsewhere it goes with the last reference, which a call that converts may have
            uses.close(raw)

    def __enter__(self) -> Self:
        if not self._h:
            raise ClosedHandleError(f"this {type(self).__name__} is closed")
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{_a(type(self))} cannot be pickled: it stands for an object of this process")

    def __copy__(self) -> NoReturn:
        raise TypeError(f"{_a(type(self))} cannot be copied: it is released exactly once")

    def __deepcopy__(self, _memo: object) -> NoReturn:
        self.__copy__()

    def __repr__(self) -> str:
        state = "closed" if not self._h else f"at {str(self._h).rpartition(' ')[2].rstrip('>')}"
        return f"<{type(self).__name__} {state}>"


H = TypeVar("H", bound=Handle)
E = TypeVar("E", bound=IntEnum | IntFlag)
T = TypeVar("T", int, float, bool)


class Number(NamedTuple):
    """A number type in memory, by what each side calls it."""

    c: str
    array: str
    """NumPy's name."""
    packed: str
    """What `struct` packs it as, with its range checked; empty for bool, of which it takes anything."""
    formats: frozenset[str]
    """Buffer formats that can mean it (size is checked too)."""
    size: int


def _number(c: str, array: str, packed: str, codes: str, size: int) -> Number:
    native = ("", "@", "=", "<" if sys.byteorder == "little" else ">")
    return Number(c, array, packed, frozenset(order + code for order in native for code in codes), size)


NUMBERS: Mapping[str, Number] = {
    "bool": _number("bool", "bool", "", "?", 1),
    "i8": _number("int8_t", "int8", "b", "bhilqn", 1),
    "i16": _number("int16_t", "int16", "h", "bhilqn", 2),
    "i32": _number("int32_t", "int32", "i", "bhilqn", 4),
    "i64": _number("int64_t", "int64", "q", "bhilqn", 8),
    "u8": _number("uint8_t", "uint8", "B", "BHILQN", 1),
    "u16": _number("uint16_t", "uint16", "H", "BHILQN", 2),
    "u32": _number("uint32_t", "uint32", "I", "BHILQN", 4),
    "u64": _number("uint64_t", "uint64", "Q", "BHILQN", 8),
    "usize": _number("size_t", f"uint{8 * calcsize('N')}", "N", "BHILQN", calcsize("N")),
    "f32": _number("float", "float32", "f", "f", 4),
    "f64": _number("double", "float64", "d", "d", 8),
}


_DLPACK = {"int": 0, "uint": 1, "float": 2, "bool": 6}
"""DLPack's codes, by what NumPy calls the types without their sizes."""


class Note:
    """Makes a note's text, once; without `ffi.gc`, since another finalizer of a cycle may still read the note."""

    def __init__(self, raw: Any, text_of: Callable[[Any], str], free: Callable[[Any], None]) -> None:
        self._raw, self._text_of, self._free = raw, text_of, free

    def __call__(self) -> str:
        try:
            return self._text_of(self._raw) if self._raw else ""
        finally:
            self.__del__()

    def __del__(self) -> None:
        raw, self._raw = self._raw, None
        if raw:
            self._free(raw)


class _Lent(tuple[Any, int]):
    """Address and size of memory that is lent, and the view of it that holds it too."""

    view: memoryview | None

    def __new__(cls, data: Any, view: memoryview | None = None) -> Self:
        self = super().__new__(cls, (data, len(data)))
        self.view = view
        return self


class Bridge:
    """The extension of one package: its failures as exceptions, its values as Python's.

    `own` makes a handle, whose owner drops its cell. On CPython it is the extension's: the collector of cycles must not
    know an owner, since it finalizes what others of a cycle still need. PyPy finalizes those others first.
    """

    def __init__(
        self, extension: Any, *, name: str, error: type[LibraryError], exceptions: Sequence[type[Exception]]
    ) -> None:
        ffi, lib = extension.ffi, extension.lib

        def get(what: str) -> Any:
            return getattr(lib, f"wg_{name}_{what}")

        self.ffi = ffi
        self._lib, self._package = lib, name
        self.own: Callable[[type[Any], Any, Any], Any] = getattr(extension, "own", self._own)
        self._borrow: Callable[..., tuple[int, int, Any]] | None = getattr(extension, "borrow", None)
        counts_references = sys.implementation.name == "cpython"
        self.give_back: Callable[..., None] | None = None if counts_references else self._give_back
        """Ends the loan of memory and the use of handles; elsewhere both end with the last reference."""
        self._unpack, self._from_buffer = ffi.unpack, ffi.from_buffer
        self._arrays = {kind: ffi.typeof(f"{number.c}[]") for kind, number in NUMBERS.items()}
        self._pointers = {kind: ffi.typeof(f"{number.c} *") for kind, number in NUMBERS.items()}
        self._error = error
        self._exceptions = exceptions
        self.attributes: dict[type[Exception], tuple[tuple[str, ...], Any]] = {}
        """Of exceptions that have some beside `code` and `name`: their names, and the codec of all together."""
        self._asked = get("error_kind"), get("error_message"), get("error_clear")
        self._has_code, self._code, self._name = get("error_has_code"), get("error_code"), get("error_name")
        self._note = get("error_note"), get("note_text"), get("note_free")
        self._attributes = getattr(lib, f"wg_{name}_error_attributes", None)
        self.raised: Callable[[], BaseException | None] | None = None
        """What a callable raised during the call, where the package has any."""
        self._free, self._is_taken, self._is_stub = get("buffer_free"), get("is_taken"), get("is_stub")
        self._uses = None if counts_references else _uses(get("close"))

    def _own(self, kind: type[H], raw: Any, drop: Any) -> H:
        made = object.__new__(kind)
        made._h = self.ffi.gc(raw, drop)
        return made

    # --- failures ---

    def failure(self, *takes: Handle) -> BaseException:
        """This thread's failure, to be raised; it is forgotten here.

        What the call takes is closed if it got as far as that.
        """
        for handle in takes:
            if self._is_taken(handle._h):
                handle.close()
        if self.raised is not None and (raised := self.raised()) is not None:
            self._asked[2]()
            return raised
        kind_of, message_of, clear = self._asked
        kind: int = kind_of()
        message = self._said(message_of())
        if kind < _DECLARED:
            clear()
            builtin = _BUILTIN.get(kind, self._error)
            if builtin is LibraryUnavailable and self._is_stub() and (command := build_command()):
                message += f"; install the library, then run: {command}"
            return builtin(message)
        code: int | None = self._code() if self._has_code() else None
        name = self._said(self._name())
        make_note, text_of, free_note = self._note
        note = make_note()
        attributes = self._attributes and self._attributes()
        clear()
        exception = self._exceptions[kind - _DECLARED](message)
        if isinstance(exception, LibraryError):
            exception.code, exception.name = code, name or None
        elif name:
            exception.add_note(name if code is None else f"{name} ({code})")
        if attributes:
            names, codec = self.attributes[type(exception)]
            for attribute, value in zip(names, codec.decode(self, attributes), strict=True):
                setattr(exception, attribute, value)
        if note:
            add_lazy_note(exception, Note(note, lambda raw: self._said(text_of(raw)), free_note))
        return exception

    def _said(self, buffer: Any) -> str:
        """A text of the library's own, in whatever encoding; a null pointer when there was no memory for it."""
        if not buffer:
            return ""
        unpack, free = self._unpack, self._free
        said: bytes = unpack(buffer.data, buffer.size)
        free(buffer)
        return said.decode("utf-8", "replace")

    # --- into C: what the quick conversions of the generated code refuse, and what has none ---

    def handle_in(self, value: H, kind: type[H], what: str) -> H:
        if issubclass(type(value), kind):  # isinstance would ask the object what it is
            if value._h:
                return value
            raise ClosedHandleError(f"{what}: this {kind.__name__} is closed")
        raise TypeError(f"{what}: {_a(kind)} is wanted, not {_kind(value)}")

    def handles_in(self, values: Iterable[H], kind: type[H], what: str) -> list[H]:
        return [self.handle_in(v, kind, f"{what}[{i}]") for i, v in enumerate(_elements(values, what))]

    def closed(self, handle: Handle, what: str) -> NoReturn:
        """Fails for a handle that another argument's conversion closed."""
        raise ClosedHandleError(f"{what}: this {type(handle).__name__} is closed")

    def bool_in(self, value: bool, what: str) -> bool:
        if value is True or value is False:
            return value
        if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
            return bool(value)
        raise TypeError(f"{what}: a bool is wanted, not {_kind(value)}")

    def bools_in(self, values: Iterable[bool], what: str) -> list[bool]:
        given = _elements(values, what)
        if set(map(type, given)) <= {bool}:
            return given
        return [self.bool_in(v, f"{what}[{i}]") for i, v in enumerate(given)]

    def int_in(self, value: int, what: str, kind: str) -> int:
        try:
            number = index(value)
        except TypeError:
            raise TypeError(f"{what}: an int is wanted, not {_kind(value)}") from None
        exact = int.__pos__(number)
        low, high = _RANGES[kind]
        if low <= exact <= high:
            return exact
        raise OverflowError(f"{what}: {_shown(number)} does not fit {kind}")

    def ints_in(self, values: Iterable[int], what: str, kind: str) -> Any:
        given = _elements(values, what)
        packed = self._packed(given, kind) if {*map(type, given)} <= _INTS else None
        if packed is None:
            packed = self._packed([self.int_in(v, f"{what}[{i}]", kind) for i, v in enumerate(given)], kind)
        return packed

    def float_in(self, value: float, what: str, kind: str) -> float:
        try:
            exact = value if type(value) is float else real(value)
        except TypeError:
            raise TypeError(f"{what}: a float is wanted, not {_kind(value)}") from None
        except OverflowError:
            if not issubclass(type(value), int):
                raise  # in words of its own
            raise OverflowError(f"{what}: {_shown(value)} does not fit {kind}") from None
        try:
            pack(_FLOATS[kind], exact)
        except OverflowError:
            raise OverflowError(f"{what}: {_shown(value)} does not fit {kind}") from None
        return exact

    def floats_in(self, values: Iterable[float], what: str, kind: str) -> Any:
        given = _elements(values, what)
        packed = self._packed(given, kind) if {*map(type, given)} <= _REALS else None
        if packed is None:
            packed = self._packed([self.float_in(v, f"{what}[{i}]", kind) for i, v in enumerate(given)], kind)
        return packed

    def _packed(self, given: Sequence[float], kind: str) -> Any:
        """Numbers of Python's own types as a C array, checked all at once; None when one of them does not fit."""
        try:
            packed = pack(f"{_ORDERS[kind]}{len(given)}{NUMBERS[kind].packed}", *given)
        except (OverflowError, TypeError, ValueError, _NotPacked):  # which of them differs from Python to Python
            return None
        return self._from_buffer(self._arrays[kind], packed)

    def text_in(self, value: str, what: str) -> bytes:
        if issubclass(type(value), str):
            return str.encode(value)
        raise TypeError(f"{what}: a str is wanted, not {_kind(value)}") from None

    def texts_in(self, values: Iterable[str], what: str) -> tuple[bytes, list[int]]:
        given = _elements(values, what)
        try:
            encoded = list(map(str.encode, given))
        except TypeError:
            encoded = [self.text_in(v, f"{what}[{i}]") for i, v in enumerate(given)]  # fails, and says where
        return b"".join(encoded), list(map(len, encoded))

    def bytes_in(self, value: Buffer, what: str) -> Any:
        """The memory's address and size; lent for as long as the address is referred to."""
        try:
            data = self._from_buffer(value)
        except (TypeError, BufferError, ValueError):
            raise TypeError(f"{what}: a contiguous bytes-like object is wanted, not {_kind(value)}") from None
        return (data, len(data)) if self.give_back is None else _Lent(data)

    def enum_in(self, value: int, kind: type[E], what: str) -> Any:
        """The value as it crosses: one beyond the largest i64 as the negative number of the same bits."""
        given: type[Any] = type(value)  # isinstance would ask the object what it is
        if not issubclass(given, kind):
            if not issubclass(given, int) or given is bool:
                raise TypeError(f"{what}: {_a(kind)} is wanted, not {_kind(value)}")
            value = kind(value)
        bits = self.enum_bits(kind.__name__)
        integer = f"u{bits}" if bits > 0 else f"i{-bits}"
        low, high = _RANGES[integer]
        if not low <= value <= high:
            raise OverflowError(f"{what}: {_shown(int(value))} does not fit {integer}")
        return value if value <= _MOST_I64 else int(value) - 2**64

    def span_in(self, value: Any, what: str, kind: str, writable: bool) -> Any:
        """The memory's address and number of elements; lent for as long as the address is referred to."""
        number = NUMBERS[kind]
        try:
            view = memoryview(value)
        except (TypeError, BufferError, ValueError):
            return self._span_of_other(value, _wanted(what, number, writable), kind)
        unlike = _unlike(view, number, writable)
        if unlike:
            view.release()  # the exception's traceback has this frame
            raise TypeError(_wanted(what, number, writable) + unlike)
        data = self._from_buffer(self._arrays[kind], view)
        return (data, len(data)) if self.give_back is None else _Lent(data, view)

    def _span_of_other(self, value: Any, wanted: str, kind: str) -> tuple[Any, int]:
        """The same for memory that is lent by DLPack, if it is: the address holds on to the capsule."""
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"{wanted}, not {_kind(value)}") from None
        if self._borrow is None:
            raise TypeError(f"{wanted}; DLPack needs CPython") from None
        number = NUMBERS[kind]
        code = _DLPACK[number.array.rstrip("0123456789")]
        address, size, capsule = self._borrow(value, wanted, code, 8 * number.size)
        return self.ffi.gc(self.ffi.cast(self._pointers[kind], address), lambda _: capsule), size

    def _give_back(self, *lent: Any) -> None:
        """End the loan of memory, and the use of handles in encoded values, after a call."""
        for each in lent:
            if type(each) is _Lent:
                self.ffi.release(each[0])
                if each.view is not None:
                    each.view.release()
            elif hasattr(each, "give_back"):
                each.give_back()

    # --- out of C ---

    def text_out(self, buffer: Any) -> str:
        unpack, free = self._unpack, self._free  # a method's lookup would take longer
        try:
            text: str = unpack(buffer.data, buffer.size).decode()
            return text
        finally:
            free(buffer)

    def bytes_out(self, buffer: Any) -> bytes:
        unpack, free = self._unpack, self._free
        try:
            found: bytes = unpack(buffer.data, buffer.size)
            return found
        finally:
            free(buffer)

    def list_out(self, buffer: Any, kind: str) -> list[Any]:
        return self._list_out(buffer, self._pointers[kind])

    def _list_out(self, buffer: Any, c_type: Any) -> list[Any]:
        try:
            return self._unpack(self.ffi.cast(c_type, buffer.data), buffer.size) if buffer.size else []
        finally:
            self._free(buffer)

    def texts_out(self, buffer: Any) -> list[str]:
        try:
            sizes = self._unpack(buffer.sizes, buffer.size) if buffer.size else []
            joined = self._unpack(buffer.data, sum(sizes)) if sizes else b""
        finally:
            self._free(buffer)
        ends = [0]
        for size in sizes:
            ends.append(ends[-1] + size)
        return [str(joined[a:b], "utf-8") for a, b in pairwise(ends)]

    def handles_out(self, buffer: Any, kind: type[H], c_type: str) -> list[H]:
        return [kind._own(raw) for raw in self._list_out(buffer, c_type)]

    def present(self, buffer: Any) -> bool:
        """Whether an optional result is there; one that is not is freed."""
        if buffer.present:
            return True
        self._free(buffer)
        return False

    def optional_out(self, buffer: Any, kind: str, number: type[T]) -> T | None:
        return number(self.list_out(buffer, kind)[0]) if self.present(buffer) else None

    def optional_enum_out(self, buffer: Any, kind: type[E]) -> E | None:
        return kind(self.list_out(buffer, "i64")[0] & self.enum_mask(kind.__name__)) if self.present(buffer) else None

    # --- setting up ---

    def enum_bits(self, enum: str) -> int:
        """The bits of an enum's integer type, negative where it is signed."""
        crossed = getattr(self._lib, f"wg_{self._package}_{enum}")
        bits: int = crossed[len(crossed) - 1]
        return bits

    def enum_mask(self, enum: str) -> int:
        """What makes an enum's value of the i64 that it crosses as: all bits, or those of a u64."""
        return 2**64 - 1 if self.enum_bits(enum) == 64 else -1

    def bind(self, kind: type[Handle], drop: Any, makers: str) -> None:
        """Give a handle class what it needs of the extension."""
        own, cast = self.own, self.ffi.cast
        pointer = self.ffi.typeof(drop).args[0]
        kind._null, kind._uses = self.ffi.NULL, self._uses
        kind._own = staticmethod(lambda raw: own(kind, raw, drop))
        kind._address = staticmethod(lambda raw: int(cast("uintptr_t", raw)))
        kind._own_address = staticmethod(lambda address: own(kind, cast(pointer, address), drop))
        kind._makers = makers


def _uses(close: Callable[[Any], None]) -> Uses:
    """Imported only where references are not counted."""
    from ._uses import Uses

    return Uses(close)


class _Again:
    """Around what looks for an int that the call refused: what that raises is shown without the refusal."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None:
            error.__suppress_context__ = True


AGAIN = _Again()

_MOST_I64 = 2**63 - 1
_RANGES = {f"i{bits}": (-1 << bits - 1, (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)}
_RANGES |= {f"u{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)}
_RANGES["usize"] = _RANGES[f"u{8 * calcsize('N')}"]
_INTS, _REALS = {int}, {float, int}
"""Types whose conversion runs no code of the caller's."""
_FLOATS = {"f32": "<f", "f64": "<d"}
_ORDERS = dict.fromkeys(NUMBERS, "") | {"f32": "<" if sys.byteorder == "little" else ">"}
"""Without an order `struct` is fastest, but makes infinity of what is too large for 32 bits."""


def real(value: Any) -> float:
    """The float that a number has, or the int that it is as an index; no str has either."""
    try:
        return ldexp(value, 0)
    except TypeError:  # PyPy asks for no index
        if hasattr(type(value), "__float__"):
            raise
        return ldexp(index(value), 0)


def _a(kind: type) -> str:
    """A class's name with its article."""
    return f"{'an' if kind.__name__[0] in 'AEIOaeio' else 'a'} {kind.__name__}"


def _kind(value: object) -> str:
    return "None" if value is None else f"{type(value).__name__}"


def _unlike(view: memoryview, number: Number, writable: bool) -> str:
    """In what memory differs from what is wanted; empty when it does not."""
    if view.format not in number.formats or view.itemsize != number.size:
        return f", not one of format {view.format!r}"
    if view.ndim != 1:
        return f", not one of {view.ndim} dimensions"
    if not view.c_contiguous:
        return "; this one has gaps between its elements"
    return "; this one is read-only" if writable and view.readonly else ""


def _wanted(what: str, number: Number, writable: bool) -> str:
    return f"{what}: a one-dimensional, contiguous {'writable ' if writable else ''}array of {number.array} is wanted"


def _shown(number: float) -> str:
    """Python refuses to print very large ints."""
    return (
        f"an int of {number.bit_length()} bits"
        if isinstance(number, int) and number.bit_length() > 128
        else f"{number!r}"
    )


def _elements(values: Any, what: str) -> list[Any]:
    kind = type(values)
    try:
        if kind is list or kind is tuple:
            return list(values)
        if not issubclass(kind, str):
            return list(iter(values))  # without asking for a length, which may be anything
    except TypeError:
        pass
    raise TypeError(f"{what}: a sequence is wanted, not {_kind(values)}") from None

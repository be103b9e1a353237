"""The cffi engine's part of every package: handles, conversions and failures over cffi.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import EnumType, IntEnum, IntFlag
from functools import wraps
from importlib import import_module
from itertools import pairwise
from operator import index
from struct import error as _NotPacked
from struct import pack
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from ._cffi_failures import Failures
from ._cffi_handles import Handle
from ._cffi_numbers import (
    DLPACK,
    FLOATS,
    INTS,
    MOST_I64,
    NUMBERS,
    ORDERS,
    RANGES,
    REALS,
    are_exactly,
    array_wanted,
    difference,
    is_numpy_complex,
    real,
    shown,
)
from ._cffi_texts import NOT_TEXT, lone_surrogate
from ._support import ClosedHandleError, LibraryError, kind_of, warn_of_renamed, with_article
from ._types import Buffer

if TYPE_CHECKING:
    from typing import Protocol, Self

    from ._uses import Uses

F = TypeVar("F", bound=Callable[..., Any])


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


def compiled(engine: str, name: str) -> Any:
    """The extension beside a package's engine, by its name."""
    return import_module(f"{engine.rpartition('.')[0]}.{name}")


H = TypeVar("H", bound=Handle)
E = TypeVar("E", bound=IntEnum | IntFlag)
T = TypeVar("T", int, float, bool)


class _Lent(tuple[Any, int]):
    """Address and size of memory that is lent, and the view of it that holds it too."""

    view: memoryview | None

    def __new__(cls, data: Any, view: memoryview | None = None) -> Self:
        self = super().__new__(cls, (data, len(data)))
        self.view = view
        return self


if TYPE_CHECKING:

    class _Own(Protocol):
        """Makes a handle of a class, which owns a cell that `drop` drops."""

        def __call__(self, kind: type[H], raw: Any, drop: Any, /) -> H: ...


class Bridge(Failures):
    """The extension of one package: its failures as exceptions, its values as Python's.

    `own` makes a handle, whose owner drops its cell. On CPython it is the extension's: the collector of cycles must not
    know an owner, since it finalizes what others of a cycle still need. PyPy finalizes those others first.
    """

    def __init__(
        self, extension: Any, *, name: str, error: type[LibraryError], exceptions: Sequence[type[Exception]]
    ) -> None:
        super().__init__(extension, name=name, error=error, exceptions=exceptions)
        ffi, lib = extension.ffi, extension.lib
        self.ffi = ffi
        self.extension, self.package = extension, name
        self._lib, self._package = lib, name
        self.own: _Own = getattr(extension, "own", self._own)
        self._borrow: Callable[..., tuple[int, int, Any]] | None = getattr(extension, "borrow", None)
        counts_references = sys.implementation.name == "cpython"
        self.give_back: Callable[..., None] | None = None if counts_references else self._give_back
        """Ends the loan of memory and the use of handles; elsewhere both end with the last reference."""
        self._from_buffer = ffi.from_buffer
        self._arrays = {kind: ffi.typeof(f"{number.c}[]") for kind, number in NUMBERS.items()}
        self._pointers = {kind: ffi.typeof(f"{number.c} *") for kind, number in NUMBERS.items()}
        self._uses = None if counts_references else _uses(getattr(lib, f"wg_{name}_close"))

    def _own(self, kind: type[H], raw: Any, drop: Any) -> H:
        made = object.__new__(kind)
        made._h = self.ffi.gc(raw, drop)
        return made

    # --- into C: what the quick conversions of the generated code refuse, and what has none ---

    def handle_in(self, value: H, kind: type[H], what: str) -> H:
        if issubclass(type(value), kind):  # isinstance would ask the object what it is
            if value._h:
                return value
            raise ClosedHandleError(f"{what}: this {kind.__name__} is closed")
        raise TypeError(f"{what}: {with_article(kind)} is wanted, not {kind_of(value)}")

    def handles_in(self, values: Iterable[H], kind: type[H], what: str) -> list[H]:
        return [self.handle_in(v, kind, f"{what}[{i}]") for i, v in enumerate(_elements(values, what))]

    def taken(self, *given: tuple[Any, str, Any]) -> list[Any]:
        """Arguments, converted in their order: each with its name, and the number or class it has to be."""
        return [self._take(*each) for each in given]

    def _take(self, value: Any, what: str, kind: Any) -> Any:
        if type(kind) is not str:
            return self.handle_in(value, kind, what) if issubclass(kind, Handle) else self.enum_in(value, kind, what)
        if kind == "bool":
            return self.bool_in(value, what)
        return self.float_in(value, what, kind) if kind in FLOATS else self.int_in(value, what, kind)

    def again(self, call: Callable[..., Any], *given: Any) -> Any:
        """Call once more, since the call refused a number: with what `taken` makes of arguments that come with a name.

        What that raises is shown without the refusal. Handles are looked at after all of it has run.
        """
        try:
            made = [self._take(*each) if type(each) is tuple else each for each in given]
        except Exception as error:
            error.__suppress_context__ = True
            raise
        return call(*(each._h if isinstance(each, Handle) else each for each in made))

    def throw(self, failure: BaseException) -> NoReturn:
        """Raise what a call failed of, in an expression."""
        try:
            raise failure
        finally:
            del failure  # its traceback has this frame

    def cell(self, handle: Handle | None, what: str) -> Any:
        """What the call gets of a handle that may be missing, and that another conversion may have closed."""
        return self.ffi.NULL if handle is None else handle._h or self.closed(handle, what)

    def closed(self, handle: Handle, what: str) -> NoReturn:
        """Fails for a handle that another argument's conversion closed."""
        raise ClosedHandleError(f"{what}: this {type(handle).__name__} is closed")

    def bool_in(self, value: bool, what: str) -> bool:
        if value is True or value is False:
            return value
        if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
            return bool(value)
        raise TypeError(f"{what}: a bool is wanted, not {kind_of(value)}")

    def bools_in(self, values: Iterable[bool], what: str) -> list[bool]:
        given = _elements(values, what)
        if are_exactly({bool}, given):
            return given
        return [self.bool_in(v, f"{what}[{i}]") for i, v in enumerate(given)]

    def int_in(self, value: int, what: str, kind: str) -> int:
        try:
            number = index(value)
        except TypeError:
            raise TypeError(f"{what}: an int is wanted, not {kind_of(value)}") from None
        exact = int.__pos__(number)
        low, high = RANGES[kind]
        if low <= exact <= high:
            return exact
        raise OverflowError(f"{what}: {shown(number)} does not fit {kind}")

    def ints_in(self, values: Iterable[int], what: str, kind: str) -> Any:
        given = _elements(values, what)
        packed = self._packed(given, kind) if are_exactly(INTS, given) else None
        if packed is None:
            packed = self._packed([self.int_in(v, f"{what}[{i}]", kind) for i, v in enumerate(given)], kind)
        return packed

    def float_in(self, value: float, what: str, kind: str) -> float:
        if is_numpy_complex(value):
            raise TypeError(f"{what}: a float is wanted, not {kind_of(value)}") from None
        try:
            exact = value if type(value) is float else real(value)
        except TypeError:
            raise TypeError(f"{what}: a float is wanted, not {kind_of(value)}") from None
        except OverflowError:
            if not issubclass(type(value), int):
                raise  # in words of its own
            raise OverflowError(f"{what}: {shown(value)} does not fit {kind}") from None
        try:
            pack(FLOATS[kind], exact)
        except OverflowError:
            raise OverflowError(f"{what}: {shown(value)} does not fit {kind}") from None
        return exact

    def floats_in(self, values: Iterable[float], what: str, kind: str) -> Any:
        given = _elements(values, what)
        packed = self._packed(given, kind) if are_exactly(REALS, given) else None
        if packed is None:
            packed = self._packed([self.float_in(v, f"{what}[{i}]", kind) for i, v in enumerate(given)], kind)
        return packed

    def _packed(self, given: Sequence[float], kind: str) -> Any:
        """Numbers of Python's own types as a C array, checked all at once; None when one of them does not fit."""
        try:
            packed = pack(f"{ORDERS[kind]}{len(given)}{NUMBERS[kind].packed}", *given)
        except (OverflowError, TypeError, ValueError, _NotPacked):  # which of them differs from Python to Python
            return None
        return self._from_buffer(self._arrays[kind], packed)

    def text_in(self, value: str, what: str) -> bytes:
        if not issubclass(type(value), str):
            raise TypeError(f"{what}: a str is wanted, not {kind_of(value)}") from None
        try:
            return str.encode(value)
        except UnicodeEncodeError as failure:
            raise ValueError(f"{what}: {lone_surrogate(failure)}") from None

    def texts_in(self, values: Iterable[str], what: str) -> tuple[bytes, list[int]]:
        given = _elements(values, what)
        try:
            encoded = list(map(str.encode, given))
        except NOT_TEXT:
            encoded = [self.text_in(v, f"{what}[{i}]") for i, v in enumerate(given)]  # fails, and says where
        return b"".join(encoded), list(map(len, encoded))

    def bytes_in(self, value: Buffer, what: str) -> Any:
        """The memory's address and size; lent for as long as the address is referred to."""
        try:
            data = self._from_buffer(value)
        except (TypeError, BufferError, ValueError):
            raise TypeError(f"{what}: a contiguous bytes-like object is wanted, not {kind_of(value)}") from None
        if not len(data):  # PyPy has no address of an empty array, which C++ would take for nothing given
            data = self._from_buffer(b"")
        return (data, len(data)) if self.give_back is None else _Lent(data)

    def enum_in(self, value: int, kind: type[E], what: str) -> Any:
        """The value as it crosses: one beyond the largest i64 as the negative number of the same bits."""
        given: type[Any] = type(value)  # isinstance would ask the object what it is
        if not issubclass(given, kind):
            if not issubclass(given, int) or given is bool or isinstance(given, EnumType):  # another enum's member
                raise TypeError(f"{what}: {with_article(kind)} is wanted, not {kind_of(value)}")
            value = kind(value)
        bits = self.enum_bits(kind.__name__)
        integer = f"u{bits}" if bits > 0 else f"i{-bits}"
        low, high = RANGES[integer]
        if not low <= value <= high:
            raise OverflowError(f"{what}: {shown(int(value))} does not fit {integer}")
        return value if value <= MOST_I64 else int(value) - 2**64

    def span_in(self, value: Any, what: str, kind: str, writable: bool) -> Any:
        """The memory's address and number of elements; lent for as long as the address is referred to."""
        number = NUMBERS[kind]
        try:
            view = memoryview(value)
        except (TypeError, BufferError, ValueError):
            return self._span_of_other(value, array_wanted(what, number, writable), kind)
        different = difference(view, number, writable)
        if different:
            view.release()  # the exception's traceback has this frame
            raise TypeError(array_wanted(what, number, writable) + different)
        data = self._from_buffer(self._arrays[kind], view)
        return (data, len(data)) if self.give_back is None else _Lent(data, view)

    def _span_of_other(self, value: Any, wanted: str, kind: str) -> tuple[Any, int]:
        """The same for memory that is lent by DLPack, if it is: the address holds on to the capsule."""
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"{wanted}, not {kind_of(value)}") from None
        if self._borrow is None:
            raise TypeError(f"{wanted}; DLPack needs CPython") from None
        number = NUMBERS[kind]
        code = DLPACK[number.array.rstrip("0123456789")]
        address, size, capsule = self._borrow(value, wanted, code, 8 * number.size)
        return self.ffi.gc(self.ffi.cast(self._pointers[kind], address), lambda _: capsule), size * number.parts

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

    def list_out_of(self, buffer: Any, c_type: Any) -> list[Any]:
        """The elements of a list, which is freed, to which `c_type` points."""
        return self._list_out(buffer, c_type)

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

    def function(self, what: str) -> Any:
        """One of the extension's functions that not every package has."""
        return getattr(self._lib, f"wg_{self._package}_{what}")

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
        kind._null, kind._unmade, kind._uses = self.ffi.NULL, cast("void *", 0), self._uses
        kind._own = staticmethod(lambda raw: own(kind, raw, drop))
        kind._address = staticmethod(lambda raw: int(cast("uintptr_t", raw)))
        kind._own_address = staticmethod(lambda address: own(kind, cast(pointer, address), drop))
        kind._cell_at, kind._drop = staticmethod(lambda address: cast(pointer, address)), staticmethod(drop)
        kind._makers = makers

    def document(self, engine: Mapping[str, Any]) -> None:
        """Give what the engine defines its documentation, which the extension has; `__init__` may have two parts."""
        string, docs, i = self.ffi.string, self.function("docs")(), 0
        while docs[i]:
            owner, _, name = string(docs[i]).decode().rpartition(".")
            found = vars(engine[owner])[name] if owner else engine[name]
            found = getattr(found, "__func__", found)
            said = _without_signature(string(docs[i + 1]).decode(), name)
            found.__doc__ = f"{found.__doc__}\n\n{said}" if found.__doc__ else said
            i += 2


def _without_signature(doc: str, name: str) -> str:
    """What follows the signature of a function or a class, which CPython tells by the same signs."""
    signature, mark, said = doc.partition("\n--\n\n")
    return said if mark and signature.startswith(f"{name}(") and signature.endswith(")") else doc


def _uses(close: Callable[[Any], None]) -> Uses:
    """Imported only where references are not counted."""
    from ._uses import Uses

    return Uses(close)


LEFT_OUT: Any = ...
"""The default of a parameter that only C++ has one for; of any type to a type checker."""


def _elements(values: Any, what: str) -> list[Any]:
    kind = type(values)
    try:
        if kind is list or kind is tuple:
            return list(values)
        if not issubclass(kind, str):
            return list(iter(values))  # without asking for a length, which may be anything
    except TypeError:
        pass
    raise TypeError(f"{what}: a sequence is wanted, not {kind_of(values)}") from None

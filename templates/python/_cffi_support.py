"""The cffi engine's part of every package: handles, conversions and failures over cffi.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum, IntFlag
from itertools import pairwise
from operator import index
from struct import error as _NotPacked
from struct import pack
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from ._support import Buffer, ClosedHandleError, LibraryError, LibraryUnavailable

if TYPE_CHECKING:
    from typing import Self

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


class Handle:
    """An owned object of the wrapped library.

    Released exactly once: by `close()`, at the end of a `with` block, or when it is collected. Releasing waits for
    calls that are still running on another thread.
    """

    __slots__ = ("__weakref__", "_h")

    _h: Any
    _null: ClassVar[Any]
    _own_raw: ClassVar[Callable[[Any], Any]]
    _makers: ClassVar[str] = ""

    def __init__(self, *_args: object, **_kwargs: object) -> None:
        made = f"; use {self._makers}" if self._makers else ""
        raise TypeError(f"{type(self).__name__} cannot be made directly{made}")

    @classmethod
    def _own(cls, raw: Any) -> Self:
        self = cls.__new__(cls)
        self._h = cls._own_raw(raw)
        return self

    @classmethod
    def _adopt(cls, made: Handle) -> Self:
        """What a factory made, as this class: a subclass gets an instance of itself."""
        if isinstance(made, cls):
            return made
        self = cls.__new__(cls)
        self._h, made._h = made._h, made._null
        return self

    @property
    def closed(self) -> bool:
        """Whether the handle was closed."""
        return not self._h

    def close(self) -> None:
        """Release the handle now; closing it again does nothing."""
        self._h = self._null

    def __enter__(self) -> Self:
        if not self._h:
            raise ClosedHandleError(f"this {type(self).__name__} is closed")
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: it stands for an object of this process")

    def __copy__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied: it is released exactly once")

    def __deepcopy__(self, _memo: object) -> NoReturn:
        self.__copy__()

    def __repr__(self) -> str:
        state = "closed" if not self._h else f"at {str(self._h).rpartition(' ')[2].rstrip('>')}"
        return f"<{type(self).__name__} {state}>"


H = TypeVar("H", bound=Handle)
E = TypeVar("E", bound=IntEnum | IntFlag)
T = TypeVar("T", int, float, bool)


class Bridge:
    """The extension of one package: its failures as exceptions, its values as Python's."""

    def __init__(
        self, ffi: Any, lib: Any, *, name: str, error: type[LibraryError], exceptions: Sequence[type[Exception]]
    ) -> None:
        def get(what: str) -> Any:
            return getattr(lib, f"wg_{name}_{what}")

        self.ffi = ffi
        self._error = error
        self._exceptions = exceptions
        self._kind, self._clear = get("error_kind"), get("error_clear")
        self._code, self._name, self._message = get("error_code"), get("error_name"), get("error_message")
        self._free, self._is_taken = get("buffer_free"), get("is_taken")

    # --- failures ---

    def check(self, *takes: Handle) -> None:
        """Raise this thread's failure, if there is one: a call returned the value that says to look.

        What the call takes is closed if it got as far as that.
        """
        if self._kind():
            for handle in takes:
                if self._is_taken(handle._h):
                    handle.close()
            self.fail()

    def fail(self) -> NoReturn:
        """Raise this thread's failure."""
        raise self._failure()

    def _failure(self) -> Exception:
        """The failure. Made where no traceback comes by: an exception that its own frame names would keep the
        buffers of the call in a cycle, and collecting a cycle of lent buffers crashes CPython."""
        kind, code = self._kind(), self._code()
        size = self.ffi.new("size_t *")
        message = bytes(self.ffi.buffer(self._message(size), size[0])).decode("utf-8", "replace")
        name = self.ffi.string(self._name()).decode("utf-8", "replace")
        self._clear()
        if kind < _DECLARED:
            return _BUILTIN.get(kind, self._error)(message)
        exception = self._exceptions[kind - _DECLARED](message)
        if isinstance(exception, LibraryError):
            exception.code, exception.name = code, name or None
        elif name:
            exception.add_note(f"{name} ({code})")
        return exception

    # --- into C ---

    def handle_in(self, value: Handle, kind: type[Handle], what: str) -> Any:
        if isinstance(value, kind):
            if value._h:
                return value._h
            raise ClosedHandleError(f"{what}: this {kind.__name__} is closed")
        raise TypeError(f"{what}: a {kind.__name__} is wanted, not {_kind(value)}")

    def handles_in(self, values: Iterable[Handle], kind: type[Handle], what: str) -> list[Any]:
        return [self.handle_in(v, kind, f"{what}[{i}]") for i, v in enumerate(_elements(values, what))]

    def bool_in(self, value: bool, what: str) -> bool:
        if value is True or value is False:
            return value
        if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
            return bool(value)
        raise TypeError(f"{what}: a bool is wanted, not {_kind(value)}")

    def bools_in(self, values: Iterable[bool], what: str) -> list[bool]:
        return [self.bool_in(v, f"{what}[{i}]") for i, v in enumerate(_elements(values, what))]

    def int_in(self, value: int, what: str, kind: str) -> int:
        try:
            number = index(value)
        except TypeError:
            raise TypeError(f"{what}: an int is wanted, not {_kind(value)}") from None
        low, high = _RANGES[kind]
        if low <= number <= high:
            return number
        raise OverflowError(f"{what}: {_shown(number)} does not fit {kind}")

    def ints_in(self, values: Iterable[int], what: str, kind: str) -> list[int]:
        given = _elements(values, what)
        low, high = _RANGES[kind]
        try:
            numbers = list(map(index, given))
            if not numbers or (low <= min(numbers) and max(numbers) <= high):
                return numbers
        except TypeError:
            pass
        return [self.int_in(v, f"{what}[{i}]", kind) for i, v in enumerate(given)]  # fails, and says where

    def float_in(self, value: float, what: str, kind: str) -> float:
        try:
            pack(_FLOATS[kind], value)
        except (OverflowError, _NotPacked):
            if not hasattr(type(value), "__float__") and not hasattr(type(value), "__index__"):
                raise TypeError(f"{what}: a float is wanted, not {_kind(value)}") from None
            if not isinstance(value, int):
                float(value)  # may fail with words of its own
            raise OverflowError(f"{what}: {_shown(value)} does not fit {kind}") from None
        return value

    def floats_in(self, values: Iterable[float], what: str, kind: str) -> list[float]:
        given = _elements(values, what)
        try:
            pack(f"<{len(given)}{_FLOATS[kind][1]}", *given)
        except (OverflowError, _NotPacked):
            return [self.float_in(v, f"{what}[{i}]", kind) for i, v in enumerate(given)]  # fails, and says where
        return given

    def text_in(self, value: str, what: str) -> bytes:
        if isinstance(value, str):
            return str.encode(value)
        raise TypeError(f"{what}: a str is wanted, not {_kind(value)}")

    def texts_in(self, values: Iterable[str], what: str) -> tuple[bytes, list[int]]:
        encoded = [self.text_in(v, f"{what}[{i}]") for i, v in enumerate(_elements(values, what))]
        return b"".join(encoded), [len(e) for e in encoded]

    def bytes_in(self, value: Buffer, what: str) -> tuple[Any, int]:
        """The memory's address and size; lent for as long as the address is referred to."""
        try:
            data = self.ffi.from_buffer(value)
        except (TypeError, BufferError, ValueError):
            raise TypeError(f"{what}: a contiguous bytes-like object is wanted, not {_kind(value)}") from None
        return data, len(data)

    def enum_in(self, value: int, kind: type[E], what: str) -> int:
        if isinstance(value, kind):
            return value.value
        if isinstance(value, int) and not isinstance(value, bool):
            return kind(value).value
        raise TypeError(f"{what}: a {kind.__name__} is wanted, not {_kind(value)}")

    def span_in(self, value: Any, what: str, c_type: str, array: str, formats: str, writable: bool) -> tuple[Any, int]:
        """The memory's address and number of elements; lent for as long as the address is referred to."""
        size = self.ffi.sizeof(c_type)
        wanted = f"{what}: a one-dimensional, contiguous {'writable ' if writable else ''}array of {array} is wanted"
        try:
            view = memoryview(value)
        except (TypeError, BufferError, ValueError):
            if hasattr(value, "__dlpack__"):
                from ._dlpack import borrow

                data = borrow(self.ffi, value, wanted, c_type, formats, size)
                return data, len(data)
            raise TypeError(f"{wanted}, not {_kind(value)}") from None
        code = view.format.lstrip("@=" + _NATIVE_ORDER)
        if len(code) != 1 or code not in formats or view.itemsize != size:
            raise TypeError(f"{wanted}, not one of format {view.format!r}")
        if view.ndim != 1:
            raise TypeError(f"{wanted}, not one of {view.ndim} dimensions")
        if not view.c_contiguous:
            raise TypeError(f"{wanted}; this one has gaps between its elements")
        if writable and view.readonly:
            raise TypeError(f"{wanted}; this one is read-only")
        data = self.ffi.from_buffer(f"{c_type}[]", view, require_writable=writable)
        return data, len(data)

    # --- out of C ---

    def text_out(self, buffer: Any) -> str:
        return str(self.bytes_out(buffer), "utf-8")

    def bytes_out(self, buffer: Any) -> bytes:
        try:
            return bytes(self.ffi.buffer(buffer.data, buffer.size))
        finally:
            self._free(buffer)

    def list_out(self, buffer: Any, c_type: str) -> list[Any]:
        try:
            return self.ffi.unpack(self.ffi.cast(c_type, buffer.data), buffer.size) if buffer.size else []
        finally:
            self._free(buffer)

    def texts_out(self, buffer: Any) -> list[str]:
        try:
            sizes = self.ffi.unpack(buffer.sizes, buffer.size) if buffer.size else []
            joined = bytes(self.ffi.buffer(buffer.data, sum(sizes)))
        finally:
            self._free(buffer)
        ends = [0]
        for size in sizes:
            ends.append(ends[-1] + size)
        return [str(joined[a:b], "utf-8") for a, b in pairwise(ends)]

    def handles_out(self, buffer: Any, kind: type[H], c_type: str) -> list[H]:
        return [kind._own(raw) for raw in self.list_out(buffer, c_type)]

    def enum_out(self, kind: type[E], value: int) -> E:
        return kind(value)

    def present(self, buffer: Any) -> bool:
        """Whether an optional result is there; one that is not is freed."""
        if buffer.present:
            return True
        self._free(buffer)
        return False

    def optional_out(self, buffer: Any, kind: type[T], c_type: str) -> T | None:
        return kind(self.list_out(buffer, c_type)[0]) if self.present(buffer) else None

    def optional_enum_out(self, buffer: Any, kind: type[E]) -> E | None:
        return kind(self.list_out(buffer, "int64_t *")[0]) if self.present(buffer) else None

    # --- setting up ---

    def bind(self, kind: type[Handle], drop: Any, makers: str) -> None:
        """Give a handle class what it needs of the extension."""
        gc, null = self.ffi.gc, self.ffi.NULL
        kind._null = null
        kind._own_raw = staticmethod(lambda raw: gc(raw, drop))
        kind._makers = makers


_RANGES = {f"i{bits}": (-1 << bits - 1, (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)}
_RANGES |= {f"u{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)}
_FLOATS = {"f32": "<f", "f64": "<d"}
_NATIVE_ORDER = "<" if sys.byteorder == "little" else ">"


def _kind(value: object) -> str:
    return "None" if value is None else f"{type(value).__name__}"


def _shown(number: float) -> str:
    """Python refuses to print very large ints."""
    return (
        f"an int of {number.bit_length()} bits"
        if isinstance(number, int) and number.bit_length() > 128
        else f"{number!r}"
    )


def _elements(values: Iterable[Any], what: str) -> list[Any]:
    if isinstance(values, str):
        raise TypeError(f"{what}: a sequence is wanted, not {_kind(values)}")
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{what}: a sequence is wanted, not {_kind(values)}") from None

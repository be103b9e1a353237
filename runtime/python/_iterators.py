"""Iterators of the cffi engine: the extension has a range and a place in it, and encodes one element after the other.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from collections.abc import Iterator as IteratorOf
from threading import RLock
from typing import Any

from ._cffi_support import Bridge
from ._wire_codec import Codec

_CALLS_HAVE_GIL = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
"""Whether no other thread runs during a call of the extension."""


class Iterators:
    """The iterators of one package."""

    def __init__(self, bridge: Bridge) -> None:
        own, drop = bridge.own, bridge.function("iterator_drop")
        kind = Iterator if _CALLS_HAVE_GIL else LockedIterator

        class OwnIterator(kind):  # type: ignore[misc, valid-type]  # with what the package's extension has
            __slots__ = ()
            _bridge = bridge
            _next, _left = bridge.function("iterator_next"), bridge.function("iterator_left")
            _failed = bridge.function("error_kind")

        OwnIterator.__name__ = OwnIterator.__qualname__ = "Iterator"
        self._own: Callable[[Any], Iterator] = lambda raw: own(OwnIterator, raw, drop)

    def give(self, raw: Any, codec: Codec, used: tuple[Any, ...]) -> IteratorOf[Any]:
        """A new iterator over elements of this codec; `used` are the objects that it may refer to."""
        made = self._own(raw)
        made._codec, made._used = codec, used
        if type(made)._is_locked:
            made._lock = RLock()
        return made


class Iterator:
    """Elements of a range, each converted when it is asked for."""

    __slots__ = ("__weakref__", "_codec", "_h", "_lock", "_used")

    _h: Any
    _codec: Codec
    _used: tuple[Any, ...]
    _lock: Any
    _bridge: Any
    _next: Any
    _left: Any
    _failed: Any
    _is_locked = False

    def __new__(cls, *_args: object, **_kwargs: object) -> Iterator:
        raise TypeError("cannot create 'Iterator' instances")

    def __repr__(self) -> str:
        return f"<Iterator at {id(self):#x}>"

    def __reduce__(self) -> str:
        raise TypeError("cannot pickle 'Iterator' object")

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        kind = type(self)
        buffer = kind._next(self._h)
        bridge = kind._bridge
        if bridge.raised is not None and (raised := bridge.raised()) is not None:
            if buffer:
                bridge._free(buffer)
            raise raised
        if buffer:
            return self._codec.decode(bridge, buffer)
        self._used = ()
        if kind._failed():
            raise bridge.failure()
        raise StopIteration

    def __length_hint__(self) -> Any:
        left = type(self)._left(self._h)
        return NotImplemented if left < 0 else left


class LockedIterator(Iterator):
    """The same where calls have no GIL: one thread at a time takes a step."""

    __slots__ = ()

    _is_locked = True

    def __next__(self) -> Any:
        with self._lock:
            return super().__next__()

    def __length_hint__(self) -> Any:
        with self._lock:
            return super().__length_hint__()

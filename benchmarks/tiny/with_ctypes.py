"""The tiny library by ctypes: classes and functions as one writes them by hand, that check what could crash."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any

_library = ctypes.CDLL(str(Path(__file__).with_name("libtiny_c.so")))


def _declare(name: str, result: Any, *parameters: Any) -> Any:
    function = getattr(_library, f"tiny_{name}")
    function.restype, function.argtypes = result, parameters
    return function


alive: Callable[[], int] = _declare("alive", c_int64)
_add: Callable[[int, int], int] = _declare("add", c_int64, c_int64, c_int64)
_scale: Callable[[float, float], float] = _declare("scale", c_double, c_double, c_double)
_total: Callable[[Any, int], float] = _declare("total", c_double, c_void_p, c_size_t)
_upper: Callable[[bytes, int, Any], None] = _declare("upper", None, c_char_p, c_size_t, c_char_p)
_new: Callable[[int], int] = _declare("counter_new", c_void_p, c_int64)
_clone: Callable[[int], int] = _declare("counter_clone", c_void_p, c_void_p)
_free: Callable[[int], None] = _declare("counter_free", None, c_void_p)
_get: Callable[[int], int] = _declare("counter_get", c_int64, c_void_p)
_counter_add: Callable[[int, int], int] = _declare("counter_add", c_int64, c_void_p, c_int64)
_positive: Callable[[int], bool] = _declare("counter_positive", c_bool, c_void_p)
_need: Callable[[int, int], int] = _declare("counter_need", c_int, c_void_p, c_int64)
_message: Callable[[], bytes] = _declare("message", c_char_p)


def add(a: int, b: int) -> int:
    return _add(a, b)


def scale(x: float, factor: float) -> float:
    return _scale(x, factor)


def total(values: Any) -> float:
    view = memoryview(values)
    if view.format != "d" or view.ndim != 1 or not view.c_contiguous:
        raise TypeError("a contiguous one-dimensional array of float64 is wanted")
    return _total(values.ctypes.data, len(values))


def total_of_list(values: Sequence[float]) -> float:
    return _total((c_double * len(values))(*values), len(values))


def upper(text: str) -> str:
    data = text.encode()
    out = ctypes.create_string_buffer(len(data))
    _upper(data, len(data), out)
    return out.raw.decode()


class Counter:
    __slots__ = ("_counter",)

    _counter: int | None

    def __init__(self, start: int) -> None:
        self._counter = _new(start)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        counter, self._counter = self._counter, None
        if counter:
            _free(counter)

    def _open(self) -> int:
        if self._counter is None:
            raise ValueError("this Counter is closed")
        return self._counter

    def get(self) -> int:
        return _get(self._open())

    @property
    def value(self) -> int:
        return _get(self._open())

    def add(self, step: int) -> int:
        return _counter_add(self._open(), step)

    def positive(self) -> bool:
        return _positive(self._open())

    def clone(self) -> Counter:
        copy = Counter.__new__(Counter)
        copy._counter = _clone(self._open())
        return copy

    def need(self, least: int) -> None:
        if _need(self._open(), least):
            raise RuntimeError(_message().decode())

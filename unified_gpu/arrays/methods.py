"""Methods that are written as kernels; see the functions of the same names in `unified_gpu`."""

from __future__ import annotations

from typing import Any, Self, cast

from unified_gpu.dtypes import Number
from unified_gpu.runtime.stream import Stream

from .axes import Axes
from .indexing import Index, forwards, has_arrays
from .operators import Operators


class Methods(Operators):
    """An array with the methods that NumPy's has; `x.prod()` is `unified_gpu.prod(x)` on the current stream."""

    __slots__ = ()

    def _items(self, key: Index) -> Self:
        if has_arrays(key):
            return self._function("get_items")(self, key)
        selected, axes = forwards(key, self._shape)
        return self._function("flip")(self[selected], axes)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The functions for it, by the names of the Python array API standard."""
        return self._context.array_namespace

    def to_device(self, device: object, /, *, stream: object = None) -> Self:
        """The array itself, on its own device.

        Raises:
            ValueError: for another device, which another context has.
        """
        if device != self.device:
            raise ValueError(f"the array is on {self.device}, not on {device!r}; upload it there: array.download()")
        return self

    def all(self, axis: Axes = None, *, keepdims: bool = False, stream: Stream | None = None) -> Self:
        """Whether all elements are true, that is, not 0."""
        return self._function("all")(self, axis, keepdims=keepdims, stream=stream)

    def any(self, axis: Axes = None, *, keepdims: bool = False, stream: Stream | None = None) -> Self:
        """Whether an element is true, that is, not 0."""
        return self._function("any")(self, axis, keepdims=keepdims, stream=stream)

    def argmax(self, axis: int | None = None, *, keepdims: bool = False, stream: Stream | None = None) -> Self:
        """The place of the greatest element, as i64; the first of several, or of NaN."""
        return self._function("argmax")(self, axis, keepdims=keepdims, stream=stream)

    def argmin(self, axis: int | None = None, *, keepdims: bool = False, stream: Stream | None = None) -> Self:
        """The place of the least element, as i64; the first of several, or of NaN."""
        return self._function("argmin")(self, axis, keepdims=keepdims, stream=stream)

    def clip(
        self,
        low: Self | Number | None = None,
        high: Self | Number | None = None,
        *,
        out: Self | None = None,
        stream: Stream | None = None,
    ) -> Self:
        """Each element, but not below `low` and not above `high`."""
        return self._function("clip")(self, low, high, out=out, stream=stream)

    def cumsum(self, axis: int | None = None, *, dtype: object = None, stream: Stream | None = None) -> Self:
        """Running totals along an axis; see `unified_gpu.cumulative_sum`."""
        return self._function("cumulative_sum")(self, axis, dtype=dtype, stream=stream)

    def prod(self, axis: Axes = None, *, keepdims: bool = False, stream: Stream | None = None) -> Self:
        """The product along one axis or several, or of all elements."""
        return self._function("prod")(self, axis, keepdims=keepdims, stream=stream)

    def round(self, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """The nearest whole number of each element; of a half the even one."""
        return self._function("round")(self, out=out, stream=stream)

    def std(
        self, axis: Axes = None, *, correction: float = 0, keepdims: bool = False, stream: Stream | None = None
    ) -> Self:
        """The standard deviation."""
        return self._function("std")(self, axis, correction=correction, keepdims=keepdims, stream=stream)

    def var(
        self, axis: Axes = None, *, correction: float = 0, keepdims: bool = False, stream: Stream | None = None
    ) -> Self:
        """The variance."""
        return self._function("var")(self, axis, correction=correction, keepdims=keepdims, stream=stream)

    def nonzero(self, *, stream: Stream | None = None) -> tuple[Self, ...]:
        """The places of what is not 0, an array for each axis; it waits for their number."""
        return cast(tuple[Self, ...], self._function("nonzero")(self, stream=stream))

    def repeat(self, repeats: int, axis: int | None = None, *, stream: Stream | None = None) -> Self:
        """Each element so many times, one behind the other."""
        return self._function("repeat")(self, repeats, axis, stream=stream)

    def squeeze(self, axis: Axes = None) -> Self:
        """A view without axes of one element."""
        return self._function("squeeze")(self, axis)

    def take(self, indices: Self, axis: int | None = None, *, stream: Stream | None = None) -> Self:
        """The elements at these places along an axis, or of all in order."""
        return self._function("take")(self, indices, axis, stream=stream)

    def sort(self, axis: int = -1, *, descending: bool = False, stream: Stream | None = None) -> Self:
        """A copy in order along an axis; NumPy's method sorts in place."""
        return self._function("sort")(self, axis, descending=descending, stream=stream)

    def argsort(self, axis: int = -1, *, descending: bool = False, stream: Stream | None = None) -> Self:
        """Where along an axis the elements of `sort` come from, as i64."""
        return self._function("argsort")(self, axis, descending=descending, stream=stream)

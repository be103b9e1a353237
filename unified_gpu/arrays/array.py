"""GpuArray: numbers in the memory of a device, with a shape and a dtype."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, cast

from unified_gpu.dtypes import Number

from .context import ArrayContext
from .export import Exporter
from .formatting import described
from .indexing import Index, forwards, goes_backwards, has_arrays


class GpuArray(Exporter):
    """An array on a device, made by `ctx.alloc`, `ctx.alloc_upload`, `ctx.alloc_zeros` and by operations.

    Indexing, `reshape` and `.T` give views: they share the memory and keep it alive. What takes a `stream` is queued on
    it, else on the context's current stream. Work on one stream is done in order; between streams the caller orders
    it, by events.
    """

    __slots__ = ()
    __array_ufunc__ = None  # `numpy.float32(2) * array` is ours

    if TYPE_CHECKING:

        @property
        def context(self) -> ArrayContext[GpuArray]: ...

    def __repr__(self) -> str:
        """Its values as NumPy shows them, with dtype and device: it waits for them."""
        return described(self)

    def __str__(self) -> str:
        return described(self)

    def __setitem__(self, key: Index, value: Any) -> None:
        """Assign a number, an array or data of the host to the elements that a view selects, as in NumPy.

        Arrays and data are repeated to the shape of the view, or have as many elements as it has. An array that
        overlaps the view is copied first.

        Raises:
            ValueError: when the shapes do not fit.
            TypeError: for another dtype.
            OverflowError: for a number that the dtype cannot hold.
            IndexError: for an index or a mask that does not fit.
        """
        if has_arrays(key):
            self._context.functions.set_items(self, key, value)
            return
        reverse: tuple[int, ...] = ()
        if goes_backwards(key):
            key, reverse = forwards(key, self._shape)
        view = self[key]
        if reverse and not isinstance(value, Real):
            staged = self._context.empty_like(view)  # type: ignore[attr-defined]  # all contexts of such arrays have it
            staged[...] = value
            value = self._context.functions.flip(staged, reverse)
        if isinstance(value, Real):
            view.fill(cast(Number, value))
        else:
            view._set(value)

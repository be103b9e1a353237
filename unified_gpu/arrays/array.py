"""GpuArray: numbers in the memory of a device, with a shape and a dtype."""

from __future__ import annotations

from numbers import Real
from typing import Any, cast

from unified_gpu.dtypes import Number

from .context import ArrayContext
from .export import Exporter
from .indexing import Index


class GpuArray(Exporter):
    """An array on a device, made by `ctx.alloc`, `ctx.alloc_upload`, `ctx.alloc_zeros` and by operations.

    Indexing, `reshape` and `.T` give views: they share the memory and keep it alive. What takes a `stream` is queued on
    it, else on the context's current stream. Work on one stream is done in order; between streams the caller orders
    it, by events.

    Attributes:
        context: whose memory it is.
        dtype: of its elements.
        shape: elements along each axis; () is a single element.
    """

    __slots__ = ()
    context: ArrayContext[GpuArray]
    __array_ufunc__ = None  # `numpy.float32(2) * array` is ours

    def __repr__(self) -> str:
        return f"<GpuArray {self.dtype.name} {list(self.shape)} on {self.context}>"

    def __setitem__(self, key: Index, value: Any) -> None:
        """Fill a view with a number, or put an array or data of the host there.

        Raises:
            ValueError: when there are gaps between the elements of the view, or they are not as many.
        """
        view = self[key]
        if not view.is_contiguous:
            raise ValueError(
                "elements with gaps between them cannot be assigned; assign whole rows, "
                "or make the array anew: unified_gpu.where(mask, new, old)"
            )
        if isinstance(value, GpuArray):
            value.copy_to(view)
        elif isinstance(value, Real):
            view.fill(cast(Number, value))
        else:
            view.upload(value)

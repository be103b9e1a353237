"""What results that are arrays have, for type checkers; nothing imports it when the package runs.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from typing import Any, Protocol


class _Memory(Protocol):
    """What arrays have wherever they lie."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes, as those of NumPy and memoryview."""
        ...

    @property
    def ndim(self) -> int: ...
    @property
    def format(self) -> str:
        """The type of the elements, as the struct module has it."""
        ...

    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def readonly(self) -> bool: ...
    def __len__(self) -> int: ...
    def __dlpack__(
        self,
        *,
        stream: Any = ...,
        max_version: tuple[int, int] | None = ...,
        dl_device: tuple[int, int] | None = ...,
        copy: bool | None = ...,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


class NDArray(_Memory, Protocol):
    """Memory that C++ owns, with a shape: `numpy.asarray` and `memoryview` use it where it lies."""

    def __getitem__(self, index: Any, /) -> Any: ...
    def tolist(self) -> list[Any]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...


class DeviceNDArray(_Memory, Protocol):
    """Memory of a device that C++ owns, with a shape: `torch.from_dlpack` and `cupy.asarray` use it where it lies."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


class AnyArray(NDArray, DeviceNDArray, Protocol):
    """One of both: what a call returns says which."""

"""What arguments may be, for type checkers; nothing imports it when the package runs.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from typing import Any, Protocol


class Buffer(Protocol):
    """Anything that lends out its memory: bytes, bytearray, memoryview, array.array, a NumPy array."""

    def __buffer__(self, flags: int, /) -> memoryview: ...


class DLPack(Protocol):
    """Anything that lends out its memory by DLPack: a torch tensor on the CPU, for one."""

    def __dlpack__(self) -> Any: ...


class CudaStream(Protocol):
    """Anything that has a stream of CUDA: one of torch, CuPy or cuda.core."""

    def __cuda_stream__(self) -> tuple[int, int]: ...


class CudaArray(Protocol):
    """Anything that lends out memory of a CUDA device by the CUDA array interface."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


Array = Buffer | DLPack
DeviceArray = DLPack | CudaArray
Stream = int | CudaStream | None

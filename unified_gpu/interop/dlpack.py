"""DLPack capsules, exported and imported. Needs CPython, for the `pythonapi` of ctypes."""

from __future__ import annotations

import ctypes
import importlib
from dataclasses import dataclass
from typing import Any

from unified_gpu.backends import own_packages
from unified_gpu.dtypes import DType, from_dlpack_type
from unified_gpu.shapes import contiguous_strides, element_count, typed

_PLAIN, _VERSIONED = b"dltensor", b"dltensor_versioned"
_CPU = 1
_READ_ONLY = 1


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


@dataclass(frozen=True, slots=True)
class ImportedTensor:
    """Another library's array.

    Attributes:
        pointer: the address of its first element.
        strides: in elements.
        read_only: whether it must not be written.
        owner: keeps the memory alive.
    """

    pointer: int
    device: tuple[int, int]
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    read_only: bool
    owner: object

    @property
    def span_bytes(self) -> int:
        """Bytes from the first element to the end of the last."""
        if not element_count(self.shape):
            return 0
        last = sum((length - 1) * stride for length, stride in zip(self.shape, self.strides, strict=True))
        return (last + 1) * self.dtype.size

    def host_view(self) -> memoryview:
        """Its elements, when it lies in the memory of the CPU.

        Raises:
            TypeError: when it lies elsewhere, or has gaps.
        """
        if self.device[0] != _CPU:
            raise TypeError(
                "this array lies on a device, and what is uploaded lies in the memory of the CPU; "
                "ctx.from_dlpack(array) takes it as it is, and array.copy() copies it there"
            )
        if self.strides != contiguous_strides(self.shape):
            raise TypeError("this array has gaps between its elements; make it contiguous first")
        return typed(host_memory(self.pointer, self.span_bytes, self.owner), self.dtype, self.shape)


def host_memory(pointer: int, size_bytes: int, owner: object) -> memoryview:
    """Memory of the CPU as bytes; the view keeps `owner` alive."""
    memory = (ctypes.c_char * size_bytes).from_address(pointer)
    memory.owner = owner  # type: ignore[attr-defined]
    return memoryview(memory).cast("B")


def import_tensor(source: Any, stream: int | None = None) -> ImportedTensor:
    """Import an array of another library by DLPack.

    Args:
        source: an array with `__dlpack__`.
        stream: the consumer's, as DLPack numbers them; the producer lets it wait for its own work.

    Raises:
        TypeError: when its elements have no dtype here.
        BufferError: of the library's own, when it does not export it.
    """
    device = source.__dlpack_device__()
    try:
        capsule = source.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # made before DLPack 1.0
        capsule = source.__dlpack__(stream=stream)
    read_only = False
    if _api.PyCapsule_IsValid(capsule, _VERSIONED):
        versioned = _Versioned.from_address(_api.PyCapsule_GetPointer(capsule, _VERSIONED))
        tensor, read_only = versioned.tensor, bool(versioned.flags & _READ_ONLY)
    else:
        tensor = _Tensor.from_address(_api.PyCapsule_GetPointer(capsule, _PLAIN))
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else contiguous_strides(shape)
    if not element_count(shape) or all(length == 1 for length in shape):
        strides = contiguous_strides(shape)
    # The capsule is never renamed: it stays ours, and its own destructor lets the memory go after the last use.
    return ImportedTensor(
        (tensor.data or 0) + tensor.byte_offset,
        (int(device[0]), int(device[1])),
        from_dlpack_type(tensor.code, tensor.bits, tensor.lanes),
        shape,
        strides,
        read_only,
        capsule,
    )


def export_capsule(
    owner: object,
    pointer: int,
    device: tuple[int, int],
    dtype: DType,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    versioned: bool,
) -> object:
    """A capsule for a consumer; the capsule, then its consumer, keep `owner` alive.

    Raises:
        BufferError: when the package dlpack_ffi, which has the deleters, is not built.
    """
    try:
        dlpack_ffi = importlib.import_module("dlpack_ffi")
    except ImportError as error:
        build = own_packages.how_to_build("dlpack_ffi")
        raise BufferError(f"export by DLPack needs dlpack_ffi ({error}): {build}") from error
    address = dlpack_ffi.export_memory(
        id(owner), pointer, *device, dtype.dlpack_code, 8 * dtype.size, list(shape), list(strides), versioned
    )
    _api.Py_IncRef(owner)
    return _api.PyCapsule_New(address, _VERSIONED if versioned else _PLAIN, dlpack_ffi.capsule_destructor())


class _Api:
    """The functions of CPython's C API that capsules take."""

    def __init__(self) -> None:
        def function(name: str, result: Any, *arguments: Any) -> Any:
            return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))

        text, address, anything = ctypes.c_char_p, ctypes.c_void_p, ctypes.py_object
        self.Py_IncRef = function("Py_IncRef", None, anything)
        self.PyCapsule_New = function("PyCapsule_New", anything, address, text, address)
        self.PyCapsule_IsValid = function("PyCapsule_IsValid", ctypes.c_int, anything, text)
        self.PyCapsule_GetPointer = function("PyCapsule_GetPointer", address, anything, text)


_api = _Api()
for _name in (_PLAIN, _VERSIONED):
    _api.Py_IncRef(_name)  # a capsule has only the address of its name, and may be read when this module is gone

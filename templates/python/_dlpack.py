"""Borrows memory that an object lends by DLPack; imported only when such an object is passed.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import ctypes
from operator import index
from typing import Any


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


_CPU = 1
_REFUSALS = AttributeError, BufferError, RuntimeError, TypeError, ValueError
"""What an object may say that does not lend its memory; anything else is a failure of its own."""
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
_CODES = {kind: code for code, kind in _KINDS.items()}


def borrow(value: Any, wanted: str, array: str, size: int) -> Any:
    """A buffer over the memory of `value`, which it keeps alive; `array` is what NumPy calls its elements.

    Raises:
        TypeError: when the memory is not on the CPU, or of another type, shape or layout than wanted.
    """
    api = getattr(ctypes, "pythonapi", None)
    if api is None:
        raise TypeError(f"{wanted}; DLPack needs CPython")
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", api))
    try:
        is_here = index(value.__dlpack_device__()[0]) == _CPU
        capsule = value.__dlpack__() if is_here else None
        tensor = _Tensor.from_address(get(capsule, b"dltensor")) if is_here else _Tensor()
    except _REFUSALS as error:  # it does not lend its memory, or not now
        raise TypeError(f"{wanted}; this one refuses: {error}") from error
    if not is_here:
        raise TypeError(f"{wanted}; this one is not in the memory of the CPU")
    if (tensor.code, tensor.bits, tensor.lanes) != (_CODES[array.rstrip("0123456789")], 8 * size, 1):
        raise TypeError(f"{wanted}, not one of {_KINDS.get(tensor.code, 'type')}{tensor.bits}")
    if tensor.ndim != 1:
        raise TypeError(f"{wanted}, not one of {tensor.ndim} dimensions")
    if tensor.strides and tensor.shape[0] > 1 and tensor.strides[0] != 1:
        raise TypeError(f"{wanted}; this one has gaps between its elements")
    size_bytes = tensor.shape[0] * size
    memory = (ctypes.c_char * size_bytes).from_address((tensor.data or 0) + tensor.byte_offset)
    # The capsule is never renamed: it stays ours, and its own destructor lets the memory go after the last use.
    memory.capsule = capsule
    return memory

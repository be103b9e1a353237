"""The generated torch package beside torch's own Python: tensors of both, and that they agree."""

from __future__ import annotations

import ctypes
import math
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests import compilers
from tests.behaviour import packages

torch = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "specs" / "torch.wrapper_spec"
HERE = Path(__file__).parent
TORCH = Path(torch.__file__).parent
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

NAMES = ["UINT8", "INT8", "INT16", "INT32", "INT64", "FLOAT16", "FLOAT32", "FLOAT64", "BOOL", "BFLOAT16"]
UNSIGNED = ["UINT16", "UINT32", "UINT64"]  # torch makes, converts and copies these, and has little arithmetic for them
SHAPES = [[], [0], [1], [5], [2, 3], [2, 0, 3], [2, 1, 3, 2]]

cpu_only = pytest.mark.skipif(torch.backends.cuda.is_built(), reason="this torch has CUDA")
needs_gpu = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU here"),
]


def dtype_of(name: str) -> Any:
    return getattr(torch, name.lower())


def bytes_of(tensor: Any) -> bytes:
    """What a torch tensor holds, in order."""
    data: bytes = tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return data


def give(ffi: ModuleType, tensor: Any) -> Any:
    """A torch tensor as one of the package's."""
    name = str(tensor.dtype).removeprefix("torch.").upper()
    return ffi.from_buffer(bytes_of(tensor), list(tensor.shape), ffi.DType[name])


def take(tensor: Any) -> Any:
    """One of the package's tensors as torch's."""
    data = torch.tensor(list(tensor.to_bytes()), dtype=torch.uint8)
    return data.view(dtype_of(tensor.dtype.name)).reshape(tensor.shape)


def agree(ours: Any, theirs: Any) -> None:
    """Same shape, dtype and device, and the very same bits."""
    assert ours.shape == tuple(theirs.shape)
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.").upper()
    assert ours.device == str(theirs.device)
    assert ours.to_bytes() == bytes_of(theirs)


def numbers(shape: list[int], name: str, first: float = -3) -> Any:
    """A torch tensor with different small numbers, negative ones too where the dtype has them."""
    count = math.prod(shape)
    start = 0 if name in ("UINT8", "BOOL") else first
    values = torch.arange(start, start + count * 0.75, 0.75, dtype=torch.float64)[:count]
    return values.to(dtype_of(name)).reshape(shape)


def both_raise(ours: Callable[[], object], theirs: Callable[[], object]) -> BaseException:
    """Both are refused with the same message and the same exception, but TorchError for a plain RuntimeError."""
    with pytest.raises(Exception) as expected:
        theirs()
    with pytest.raises(Exception) as caught:
        ours()
    assert str(caught.value) == str(expected.value)
    kind = type(caught.value)
    assert kind is expected.type or (kind.__name__ == "TorchError" and expected.type is RuntimeError)
    return caught.value


def same_outcome(ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    """Both give the same tensor, or both are refused with the same message."""
    try:
        expected = theirs()
    except Exception:
        both_raise(ours, theirs)
    else:
        agree(ours(), expected)


def given(ffi: ModuleType, value: Any) -> Any:
    return give(ffi, value) if isinstance(value, torch.Tensor) else value


def outcome(compute: Callable[[], Any]) -> Any:
    """What it gives, as torch's; or its error, where TorchError is RuntimeError."""
    try:
        result = compute()
    except Exception as error:
        return (type(error).__name__.replace("TorchError", "RuntimeError"), str(error))
    return take(result) if type(result).__name__ == "TorchTensor" else result


def same(ours: Any, theirs: Any) -> bool:
    if not isinstance(theirs, torch.Tensor):
        return bool(ours == theirs)
    return ours.dtype == theirs.dtype and ours.shape == theirs.shape and bytes_of(ours) == bytes_of(theirs)


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def memory_in_use() -> int:
    """Bytes that the C library has given out, which is where torch's CPU memory comes from."""
    if packages.watched():
        pytest.skip("a sanitizer gives out memory of its own")
    try:
        mallinfo = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("this C library does not say how much memory is in use")
    mallinfo.restype = _Mallinfo
    info = mallinfo()
    return int(info.uordblks + info.hblkhd)


NOISE = 1 << 20


def torch_device() -> Path:
    """The device that `torch_device.cpp` is, compiled unless that was done before."""
    source, lib = HERE / "torch_device.cpp", TORCH / "lib"
    folder = compilers.CACHE / compilers.digest(f"torch_device {torch.__version__} {TORCH}")  # it names its libraries
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "torch_device.so"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        ours = folder / f"{os.getpid()}.so"
        command = ["g++", "-std=c++20", "-g0", "-fPIC", "-shared", *STRICT, "-isystem", str(TORCH / "include")]
        command += [str(source), f"-L{lib}", f"-Wl,-rpath,{lib}", "-ltorch_cpu", "-lc10", "-o", str(ours)]
        subprocess.run(command, check=True)
        ours.replace(target)
    return target

"""The table of backends, and which of them can be used here."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from operator import index

from unified_gpu.errors import BackendUnavailable, DeviceNotFound

from . import own_packages, torch_build
from .protocols import (
    DLPACK_CPU,
    DLPACK_CUDA,
    DLPACK_VULKAN,
    Backend,
    BinaryOp,
    Buffer,
    Compiled,
    Device,
    EventHandle,
    KernelHandle,
    Memory,
    Operand,
    PinnedMemory,
    ReduceOp,
    StreamHandle,
    UnaryOp,
)

__all__ = [
    "DLPACK_CPU",
    "DLPACK_CUDA",
    "DLPACK_VULKAN",
    "Backend",
    "BackendReport",
    "BinaryOp",
    "Buffer",
    "Compiled",
    "Device",
    "EventHandle",
    "Gpu",
    "GpuBackend",
    "KernelHandle",
    "Memory",
    "Operand",
    "PinnedMemory",
    "ReduceOp",
    "StreamHandle",
    "UnaryOp",
    "choose_device",
    "detect_backends",
    "diagnose",
    "load_backend",
    "open_device",
    "preferred_backend",
]


class GpuBackend(StrEnum):
    """The backends, in the order in which they are preferred; each has a module of its own here, with `load()`.

    `VULKAN` is used only where one asks for it: it lacks some operations, and its device may be a driver on the CPU.
    """

    CUDA = "cuda"
    TORCH = "torch"
    VULKAN = "vulkan"
    CPU = "cpu"


@dataclass(frozen=True, slots=True)
class Gpu:
    """A device that a context can be opened on: `Context(device=gpu)`."""

    backend: GpuBackend
    index: int
    name: str

    def __str__(self) -> str:
        return f"{self.backend}:{self.index}"


@dataclass(frozen=True, slots=True)
class BackendReport:
    """What is known about a backend here: its devices and versions, or the reason why it cannot be used."""

    backend: GpuBackend
    devices: tuple[Gpu, ...] = ()
    versions: str = ""
    reason: str = ""

    @property
    def available(self) -> bool:
        """Whether it can be used here."""
        return not self.reason


own_packages.add_to_path()


@cache
def _load(name: GpuBackend) -> Backend | str:
    """The backend, or why there is none; asked once, because a library is loaded once a process."""
    module = f"{__name__}.{name}"
    try:
        if importlib.util.find_spec(module) is None:
            return "this version of unified_gpu has no such backend"
        backend: Backend = importlib.import_module(module).load()
        if not backend.device_count():
            return "there is no device"
    except (BackendUnavailable, ImportError) as error:  # both say what to do, also for a package that was not built
        return f"{error}"
    except Exception as error:  # a failure of one backend must not hide the others
        return f"{type(error).__name__}: {error}"
    return backend


def load_backend(name: str) -> Backend:
    """The backend of that name.

    Raises:
        BackendUnavailable: with the reason, when it cannot be used here.
        ValueError: when there is no backend of that name.
    """
    try:
        member = GpuBackend(name)
    except ValueError:
        mend = f"; for a device write Context(device={name!r})" if ":" in str(name) else ""
        raise ValueError(f"there is no backend {name!r}; there are {', '.join(GpuBackend)}{mend}") from None
    if member is GpuBackend.TORCH:
        build_torch()
    loaded = _load(member)
    if isinstance(loaded, str):
        raise BackendUnavailable(f"backend {name} cannot be used here: {loaded}")
    return loaded


def build_torch() -> None:
    """Compile torch's package where a wheel left that to the machine; a minute, the first time.

    Raises:
        BackendUnavailable: when it cannot be compiled, with the compiler's words.
    """
    if isinstance(_load(GpuBackend.TORCH), str):
        from . import torch_package  # which starts programs, and is long to import for that

        torch_package.add_to_path(build=True)
        _load.cache_clear()


def detect_backends() -> list[GpuBackend]:
    """The backends that can be used here, best first.

    That is the order of `GpuBackend`, but one that only has the CPU for a device comes after `cpu`, and so does
    `vulkan`. All of them are loaded for that.
    """
    for name in GpuBackend:
        _load(name)
    return list(_best_first())


def preferred_backend() -> GpuBackend:
    """The first of `detect_backends()`; those after it are not loaded.

    Raises:
        BackendUnavailable: when there is none, with the reason of each.
    """
    found = next(_best_first(), None)
    if found is None:
        reasons = "\n".join(f"  {report.backend}: {report.reason}" for report in diagnose())
        raise BackendUnavailable(f"no backend can be used here\n{reasons}")
    return found


def _best_first() -> Iterator[GpuBackend]:
    """What `detect_backends` lists; each is loaded when its turn comes."""
    last: list[GpuBackend] = []
    for name in GpuBackend:
        if name is GpuBackend.VULKAN or (name is GpuBackend.TORCH and torch_build.finds_no_gpu()):
            last.append(name)
        elif not isinstance(loaded := _load(name), str):
            if loaded.accelerator or name is GpuBackend.CPU:
                yield name
            else:
                last.append(name)
    yield from (name for name in last if not isinstance(_load(name), str))


def diagnose() -> list[BackendReport]:
    """A report on every backend, in the order of `GpuBackend`."""
    return [_report(name) for name in GpuBackend]


def _report(name: GpuBackend) -> BackendReport:
    loaded = _load(name)
    if isinstance(loaded, str):
        return BackendReport(name, reason=loaded)
    try:
        devices = tuple(Gpu(name, index, loaded.open(index).name) for index in range(loaded.device_count()))
        return BackendReport(name, devices, loaded.versions())
    except Exception as error:  # a driver that went away since
        return BackendReport(name, reason=f"{type(error).__name__}: {error}")


def choose_device(backend: str | None, device: int | str | Gpu | None) -> tuple[str, int]:
    """The backend and the number of a device that a user has named, by one of them, both, or neither.

    Raises:
        BackendUnavailable: when none is named and none can be used.
        ValueError: when the device's name is not understood, or is not one of the backend.
        TypeError: when it is neither a name nor a number.
    """
    if isinstance(device, Gpu):
        named, number = str(device.backend), device.index
    elif isinstance(device, str):
        named, _, text = device.partition(":")
        if not (text or "0").isdecimal():
            raise ValueError(f"{device!r} names no device; write cuda:1, or the device's number")
        number = int(text or 0)
    else:
        if device is not None and not hasattr(device, "__index__"):
            raise TypeError(f"a device is a number, a name as cuda:1, or one that diagnose() lists, not {device!r}")
        return backend or preferred_backend(), index(device or 0)
    if named not in GpuBackend.__members__.values():
        raise ValueError(f"{device!r} names no device; there are {', '.join(GpuBackend)}, and cuda:1 is the second")
    chosen = backend or named
    of_torch = {"cuda", "torch"} if chosen == "torch" and load_backend("torch").accelerator else {"cpu", "torch"}
    if named != chosen and not (chosen == "torch" and named in of_torch):
        raise ValueError(f"device {device} is not one of backend {chosen}; leave one of them out")
    return chosen, number


def open_device(name: str, index: int) -> Device:
    """Open a device.

    Raises:
        BackendUnavailable, ValueError: as `load_backend` does.
        DeviceNotFound: when the backend has no device of that number.
    """
    backend = load_backend(name)
    count = backend.device_count()
    if not 0 <= index < count:
        devices = "device 0" if count == 1 else f"devices 0 to {count - 1}"
        raise DeviceNotFound(f"backend {name} has no device {index}; it has {devices}")
    return backend.open(index)

"""How DLPack numbers devices."""

from __future__ import annotations

from unified_gpu.backends import DLPACK_CPU, Device


def dlpack_device(device: Device) -> tuple[int, int]:
    """The device as DLPack numbers it; the CPU is one device, however many a backend makes of it."""
    return device.dlpack_type, 0 if device.dlpack_type == DLPACK_CPU else device.index

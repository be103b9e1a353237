"""How DLPack numbers devices."""

from __future__ import annotations

from unified_gpu.backends import Device

CPU, CUDA = 1, 2
"""DLPack's numbers for memory of the CPU, and of CUDA."""


def dlpack_device(device: Device) -> tuple[int, int]:
    """The device as DLPack numbers it; the CPU is one device, however many a backend makes of it."""
    return device.dlpack_type, 0 if device.dlpack_type == CPU else device.index

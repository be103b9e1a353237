"""How DLPack numbers devices."""

from __future__ import annotations

from unified_gpu.backends import DLPACK_CPU, Device

HOST = (DLPACK_CPU, 0)
"""The CPU is one device, however many a backend makes of it."""


def dlpack_device(device: Device) -> tuple[int, int]:
    """The device as DLPack numbers it."""
    return HOST if device.dlpack_type == DLPACK_CPU else (device.dlpack_type, device.index)

"""Which driver tests of Vulkan use: Mesa's lavapipe, which computes on the CPU, with the validation layer if installed.

Both are chosen by the environment before the library is first used, which happens once in a process.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

_DRIVERS = Path("/usr/share/vulkan/icd.d")
_LAYERS = Path("/usr/share/vulkan/explicit_layer.d")
_DRIVER, _VALIDATION = "VK_ICD_FILENAMES", "VULKAN_FFI_VALIDATION"


def settings() -> dict[str, str]:
    """What chooses the driver and the layer; nothing where there is no such driver."""
    drivers = sorted(map(str, _DRIVERS.glob("lvp_icd.*.json")))
    if not drivers:
        return {}
    names = [json.loads(file.read_text())["layer"]["name"] for file in _LAYERS.glob("VkLayer_khronos_validation.json")]
    return {_DRIVER: drivers[0], _VALIDATION: "1" if names else "0"}


def choose() -> None:
    """Let this process use them; what a developer has chosen is used instead."""
    if os.environ.get(_DRIVER) is None:
        os.environ.update(settings())

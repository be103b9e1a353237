"""Arrays go to and from NumPy, torch, CuPy and JAX without a copy, as far as these are installed.

python examples/interop.py [--backend cuda|torch|vulkan|cpu]
"""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from unified_gpu import Context, MixedContextsError

ON_CPU, ON_CUDA = 1, 2
"""DLPack's numbers of the kinds of device."""
KINDS = {"numpy": (ON_CPU,), "torch": (ON_CPU, ON_CUDA), "cupy": (ON_CUDA,), "jax": (ON_CPU, ON_CUDA)}
"""The devices that a library can have arrays on; Vulkan's memory is one of the CPU where both share it."""


def main() -> None:
    parser = argparse.ArgumentParser(description="To and from other libraries without a copy.")
    parser.add_argument("--backend", help="cuda, torch, vulkan or cpu")
    options = parser.parse_args()
    with Context(options.backend) if options.backend else Context.default() as ctx:
        kind, number = ctx.alloc(1).__dlpack_device__()
        print(f"on {ctx.backend_name}:{ctx.device_id}; its memory is DLPack device ({int(kind)}, {number})")
        for name, kinds in KINDS.items():
            if kind not in kinds:
                print(f"{name}: has no arrays in such memory")
            elif (library := imported(name)) is None:
                print(f"{name}: not installed")
            elif not usable(name, library, kind):
                print(f"{name}: installed for the CPU only")
            else:
                exchange(ctx, name, library)


def imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def usable(name: str, library: Any, kind: int) -> bool:
    """Whether the library reaches the device that the context's memory is on."""
    if name == "torch" and kind == ON_CUDA:
        return bool(library.cuda.is_available())
    if name == "jax" and kind == ON_CUDA:
        return any(device.platform == "gpu" for device in library.devices())
    return True


def exchange(ctx: Context, name: str, library: Any) -> None:
    """Export an array, import it again, and show that all three share one memory."""
    array = ctx.alloc_upload([1.0, 2.0, 3.0, 4.0])
    theirs = (library.numpy if name == "jax" else library).from_dlpack(array)
    try:
        same = ctx.from_dlpack(theirs).pointer == array.pointer
    except MixedContextsError:  # Vulkan shares its memory, and uses none of others
        same = True
    array += 10.0
    ctx.sync()
    print(f"{name}: they see {[float(x) for x in theirs]}; {'no copy was made' if same else 'it was copied'}")


if __name__ == "__main__":
    main()

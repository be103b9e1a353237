"""Loads kernels written in Python on devices that take them as modules of SPIR-V."""

from __future__ import annotations

from math import prod

from unified_gpu.backends.protocols import Compiled, ModuleDevice
from unified_gpu.kernels.compiler.front_end.source import source_of
from unified_gpu.kernels.compiler.ir import Exchange, walk
from unified_gpu.kernels.compiler.spirv.subgroups import needs
from unified_gpu.kernels.compiler.spirv.values import MOST_PUSHED, pushed

from .definition import PythonKernel, Specialised

_MISSING = {
    "vote": "votes of subgroups", "ballot": "ballots of subgroups", "arithmetic": "sums and extremes of subgroups",
    "shuffle": "shuffles of subgroups", "wide": "subgroup operations of i64 and u64",
}  # fmt: skip
_MOST_VOTES = 64
"""Bits of what `subgroup_ballot` gives."""


def compile_module(device: ModuleDevice, kernel: PythonKernel, made: Specialised) -> Compiled:
    """The kernel on a device.

    Raises:
        KernelSourceError: for what Vulkan does not have, and for subgroup operations that the device does not have.
        KernelCompileError: for what the device does not have.
    """
    function = made.function
    check_subgroups(device, kernel, made)
    shared = sum(prod(array.shape or ()) * array.dtype.size for array in function.shared.values())
    size = pushed(function).size
    module = kernel.module(made, device.ended_loops(kernel.name))
    return device.compile_module(module, kernel.name, size, size > MOST_PUSHED, shared)


def check_subgroups(device: ModuleDevice, kernel: PythonKernel, made: Specialised) -> None:
    """Raises KernelSourceError for a subgroup operation that the device does not have."""
    for s in walk(made.function.body):
        if not isinstance(s, Exchange) or not s.of_subgroup:
            continue
        for need in needs(s):
            if need not in device.subgroup_operations:
                hint = "exchange the values through shared memory, with a barrier"
                raise source_of(kernel.python).error(s.at, f"{device.name} has no {_MISSING[need]}", hint)
        if s.op == "ballot" and device.subgroup_size > _MOST_VOTES:
            message = (
                f"a subgroup of {device.name} has {device.subgroup_size} threads, and a ballot at most {_MOST_VOTES}"
            )
            raise source_of(kernel.python).error(s.at, message, "use subgroup_sum, subgroup_any or subgroup_all")

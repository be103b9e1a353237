"""Loads kernels written in Python on devices that take them as modules of SPIR-V."""

from __future__ import annotations

from math import prod

from unified_gpu.backends.protocols import Compiled, ModuleDevice
from unified_gpu.kernels.compiler.spirv.values import argument_bytes, is_passed_by_address

from .definition import PythonKernel, Specialised


def compile_module(device: ModuleDevice, kernel: PythonKernel, made: Specialised) -> Compiled:
    """The kernel on a device.

    Raises:
        KernelSourceError: for what Vulkan does not have.
        KernelCompileError: for what the device does not have.
    """
    function = made.function
    shared = sum(prod(array.shape or ()) * array.dtype.size for array in function.shared.values())
    by_address = is_passed_by_address(function)
    return device.compile_module(kernel.module(made), kernel.name, argument_bytes(function), by_address, shared)

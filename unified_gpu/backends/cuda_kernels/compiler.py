"""Compiles CUDA C for a device with NVRTC, once for each source, architecture and version."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import nvrtc_ffi as nvrtc

from unified_gpu.backends import own_packages
from unified_gpu.backends.kernel_cache import cached
from unified_gpu.errors import KernelCompileError

_DESCRIPTION = "unified_gpu_type_of"


def compile_image(
    source: str, names: Sequence[str], capability: int, options: Sequence[str] = (), title: str = ""
) -> tuple[bytes, ...]:
    """Compile, or take what was compiled earlier.

    Args:
        source: CUDA C.
        names: kernels whose names in the image are wanted: C++ mangles those that are not `extern "C"`.
        capability: of the device: 10 * major + minor.
        options: further ones of NVRTC, for example `-DTILE=16`.
        title: what messages call the source; the first of the names by default.

    Returns:
        The image, then the name in it of each of `names`, in UTF-8.

    Raises:
        KernelCompileError: with the compiler's log.
        nvrtc_ffi.LibraryUnavailable: without NVRTC.
    """
    version, architectures = _compiler()
    every_option = (_architecture(capability, architectures), "--std=c++17", *_headers(), *options)

    def compile_now() -> bytes:
        called = title or names[0]
        try:
            program = nvrtc.compile_program(source, f"{called}.cu", every_option, names)
        except nvrtc.NvrtcCompileError as error:
            raise KernelCompileError(f"kernel {called!r} does not compile", str(error)) from None
        with program:
            image = program.cubin() if "=sm_" in every_option[0] else program.ptx()
            return _join([image, *(program.lowered_name(name).encode() for name in names)])

    return _split(cached(("nvrtc", version, source, *every_option, "", *names), compile_now))


def compile_kernel(source: str, name: str, capability: int, options: Sequence[str]) -> tuple[bytes, str, str]:
    """The image with a kernel, the kernel's name in it, and its type as the C++ ABI mangles it.

    NVRTC gives the mangled name of any instance of a template. One whose argument is the type of the kernel stands
    behind the source, and so its name has that type in it.

    Args and Raises: as for `compile_image`; `name` is an expression for the function, such as `scale<float>`.
    """
    described = f"{_DESCRIPTION}<decltype(&{name})>"
    text = f"{source}\ntemplate <class Type> __global__ void {_DESCRIPTION}() {{}}\n"
    image, found, lowered = compile_image(text, (name, described), capability, options)
    before, after = f"_Z{len(_DESCRIPTION)}{_DESCRIPTION}I", "Evv"
    signature = lowered.decode()
    assert signature.startswith(before) and signature.endswith(after), signature
    return image, found.decode(), signature[len(before) : -len(after)]


def nvrtc_version() -> str:
    """The version of NVRTC, or why there is none: then arrays can be copied, but nothing computed."""
    try:
        return f"NVRTC {_compiler()[0]}"
    except nvrtc.LibraryUnavailable as missing:
        way = own_packages.how_to_install("cuda", "nvidia-cuda-nvrtc")
        return f"no NVRTC, so neither operations nor kernels: {way} ({missing})"


@cache
def _compiler() -> tuple[str, tuple[int, ...]]:
    major, minor = nvrtc.version()
    return f"{major}.{minor}", tuple(nvrtc.supported_architectures())


def _architecture(capability: int, supported: Sequence[int]) -> str:
    """The device's own, or PTX for the newest before it: the driver compiles that for a device newer than NVRTC."""
    if capability in supported:
        return f"--gpu-architecture=sm_{capability}"
    older = [known for known in supported if known < capability]
    return f"--gpu-architecture=compute_{max(older, default=capability)}"


@cache
def _headers() -> tuple[str, ...]:
    """The option for the folder of `cuda_fp16.h` and its like, where there is one."""
    wheel = find_spec("nvidia")
    folders = [Path(place) / "cu13" / "include" for place in (wheel.submodule_search_locations or ())] if wheel else []
    toolkits = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    folders += [Path(toolkit) / "include" for toolkit in toolkits if toolkit]
    return tuple(f"--include-path={folder}" for folder in folders if (folder / "cuda_fp16.h").is_file())[:1]


def _join(parts: Sequence[bytes]) -> bytes:
    return b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def _split(data: bytes) -> tuple[bytes, ...]:
    parts = []
    while data:
        end = 8 + int.from_bytes(data[:8], "little")
        parts.append(data[8:end])
        data = data[end:]
    return tuple(parts)

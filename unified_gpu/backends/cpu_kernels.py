"""Compiles CUDA C for the CPU, with the machine's C++ compiler, once per content."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from unified_gpu.backends import kernel_cache, library_kernels
from unified_gpu.backends.checked_mode import CHECKS_ITSELF, is_checked
from unified_gpu.errors import KernelCompileError

_PRELUDE = (
    "kernel_prelude.hpp",
    "kernel_abi.hpp",
    *(f"kernel_{part}.hpp" for part in ("checks", "fibers", "halves", "vectors")),
)
_FLAGS = ("-std=c++17", "-O3", "-fPIC", "-w", "-fvisibility=hidden", "-fno-math-errno", "-fno-trapping-math")
_CHECKED = ("-O1", "-g", "-DCPU_KERNEL_CHECKED", "-fsanitize=kernel-address,bounds,integer-divide-by-zero")
"""See kernel_checks.hpp; with -O1 a fault is found in the line where it is written."""
_CHECKING_ITSELF = ("-O2", "-DCPU_KERNEL_CHECKED")
_GCC_CHECKING_ITSELF = ("-mtls-dialect=gnu2",)
"""Each thread asks for its indices some times, which takes longer than its work the way it is done by default."""
_CLANG_CHECKED = (
    "-mllvm",
    "-asan-instrumentation-with-call-threshold=0",
    "-mllvm",
    "-asan-stack=0",
    "-mllvm",
    "-asan-globals=0",
)
_COMPLETE = ("-Wl,-z,defs",) if sys.platform == "linux" else ()
"""A function that is nowhere defined is found when compiling, not when loading."""
LINKED = ("-nostdlib", *_COMPLETE)
_FAST = ("-ffinite-math-only", "-fno-signed-zeros", "-fassociative-math", "-freciprocal-math")
"""What -ffast-math does, but for its code at loading, which makes the whole process round subnormal numbers to 0."""
_FAST_BLOCKS = ("-fno-signed-zeros", "-fassociative-math", "-freciprocal-math", "-ffp-contract=fast")
"""The same, but that NaN and infinity keep their meaning."""
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DYNAMIC_SHARED = re.compile(r"\bextern(\s+__shared__\s+)([^;\[\]]*?)\b(\w+)\s*\[\s*\]")
_BOUNDS = re.compile(r"\b(?:__launch_bounds__|__align__)\s*\([^()]*\)")
_KERNEL = re.compile(r"\b__global__[^;{}()]*\bvoid\s+(\w+)\s*\(")
_BARRIER = re.compile(r"\b__sync(?:threads|warp)\b|\b__\w+_sync\b|__activemask")
_INCLUDE = re.compile(
    r"^\s*#\s*include\s*(?!<(?:cuda_fp16|cuda_bf16|math|stdint|stdio|c?float|limits)\.h>)\S", re.MULTILINE
)
"""What may have barriers in it; a kernel that has none is only slower as fibers."""


def compile_kernel(source: str, name: str, options: Sequence[str], include: Path, level: str) -> Path:
    """The shared library of a kernel, from the cache where it has been compiled before.

    Args:
        source: CUDA C.
        name: which of its kernels.
        options: of NVRTC; `-D`, `-U`, `-I`, `--fmad=false` and `--use_fast_math` are heeded, what only a GPU has is
            not. `CHECKS_ITSELF` is for the checked mode.
        include: the folder of kernel_prelude.hpp.
        level: of x86-64: v3, v4 or baseline.

    Raises:
        KernelCompileError: with the compiler's log, whose line numbers are those of the source; also when there is no
            such kernel in it, or no compiler here.
    """
    bare = _COMMENT.sub("", source)
    tool = _compiler()
    checks = _checks(tool, options) if is_checked() else ()
    compile_only = [*tool, *_FLAGS, *_machine(level), *_heeded(options), *checks]
    text = _text(source, name, options, barriers=_BARRIER.search(bare) is not None or _INCLUDE.search(bare) is not None)
    prelude = [(include / each).read_text(encoding="utf-8") for each in _PRELUDE]

    def make(folder: Path) -> Path:
        compiled, output = folder / "kernel.o", folder / "kernel.so"
        try:
            _run([*compile_only, f"-I{include}", "-x", "c++", "-c", "-", "-o", str(compiled)], text, name)
        except KernelCompileError as error:
            raise _explained(error, name, _KERNEL.findall(_BOUNDS.sub("", bare))) from None
        _run([*tool, "-shared", *_COMPLETE, str(compiled), "-o", str(output)], "", name)
        return output

    return kernel_cache.library(_key(tool, (*compile_only, *_COMPLETE, text, *prelude)), make)


def compile_blocks(source: str, name: str, include: Path, level: str, *, fast: bool) -> tuple[Path, str]:
    """The shared library of a kernel that was printed as C++ for whole blocks, and what that calls it.

    It comes from the cache where it is there, and without a compiler from those that a wheel carries. It needs no
    header of the system, and links with nothing but the C library: that is most of the compiler's time.

    Raises:
        KernelCompileError: with the compiler's log; also when there is no compiler here.
    """
    abi = [(include / each).read_text(encoding="utf-8") for each in ("kernel_abi.hpp", "kernel_halves.hpp")]
    if not has_compiler():
        carried = library_kernels.find(source, name, abi, fast=fast)
        if carried is not None:
            return carried
    tool = _compiler()
    command = [*blocks_command(tool, level, fast=fast), "-shared", *LINKED]

    def make(folder: Path) -> Path:
        output = folder / "kernel.so"
        _run([*command, f"-I{include}", "-x", "c++", "-", "-o", str(output), "-lc", "-lm"], source, name)
        return output

    return kernel_cache.library(_key(tool, (*command, source, *abi)), make), name


def blocks_command(tool: Sequence[str], level: str, *, fast: bool) -> list[str]:
    """The compiler with the options for a kernel that was printed as C++ for whole blocks."""
    return [*tool, *_FLAGS, *_machine(level), *(_FAST_BLOCKS if fast else ("-ffp-contract=off",))]


def _machine(level: str) -> list[str]:
    return [f"-march=x86-64-{level}"] if level != "baseline" else []


def _key(tool: Sequence[str], parts: Sequence[str]) -> str:
    """What the library is called in the cache that a compiler makes of all this."""
    found = Path(tool[0]).resolve().stat()
    return hashlib.sha256("\0".join((*parts, str(found.st_size), str(found.st_mtime_ns))).encode()).hexdigest()[:32]


def symbol(name: str) -> str:
    """What the library calls a kernel, which may be one of a namespace or an instance of a template."""
    return re.sub(r"\W", "_", name)


def _checks(compiler: Sequence[str], options: Sequence[str]) -> Sequence[str]:
    done = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    is_clang = "clang" in done.stdout
    if CHECKS_ITSELF in options:
        return (*_CHECKING_ITSELF, *(_GCC_CHECKING_ITSELF if platform.machine() == "x86_64" and not is_clang else ()))
    return (*_CHECKED, *(_CLANG_CHECKED if is_clang else ()))


def _explained(error: KernelCompileError, name: str, kernels: Sequence[str]) -> KernelCompileError:
    """The same, in other words where the compiler has found no such kernel."""
    if name in kernels or not re.search(r"^after kernel\.cu:", error.log, re.MULTILINE):
        return error
    there = ", ".join(kernels) or "none"
    return KernelCompileError(f"there is no kernel {name!r} in the source; it has {there}", error.log)


def _text(source: str, name: str, options: Sequence[str], *, barriers: bool) -> str:
    """What the compiler gets: each line of the source keeps its number, and macros do not touch the prelude."""
    body = _DYNAMIC_SHARED.sub(_shared_array, source)
    export = f"CPU_KERNEL_EXPORT({symbol(name)}, {str(barriers).lower()}, {name})"
    macros = "".join(f"{_macro(option)}\n" for option in options if option.startswith(("-D", "-U")))
    return f'#include "kernel_prelude.hpp"\n{macros}#line 1 "kernel.cu"\n{body}\n#line 1 "after kernel.cu"\n{export}\n'


def _shared_array(declaration: re.Match[str]) -> str:
    """An array of the launch's shared memory, as one that has all that there can be."""
    words, element, name = declaration.groups()
    return f"alignas(16){words}{element}{name}[CPU_KERNEL_SHARED_BYTES / sizeof({_BOUNDS.sub('', element)})]"


def _macro(option: str) -> str:
    name, _, value = option[2:].partition("=")
    return f"#undef {name}" if option.startswith("-U") else f"#define {name} {value if '=' in option else 1}"


def _heeded(options: Sequence[str]) -> list[str]:
    chosen = [option for option in options if option.startswith("-I")]
    exact = ["-ffp-contract=off"] if "--fmad=false" in options else []
    return [*chosen, *exact, *(_FAST if "--use_fast_math" in options else ())]


def has_compiler() -> bool:
    """Whether there is a C++ compiler here."""
    return _has_compiler(os.environ.get("CXX", ""), os.environ.get("PATH", ""))


@cache
def _has_compiler(*_environment: str) -> bool:
    try:
        return bool(_compiler())
    except KernelCompileError:
        return False


def _compiler() -> list[str]:
    for command in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        words = shlex.split(command)
        found = shutil.which(words[0]) if words else None
        if found:
            return [found, *words[1:]]
    raise KernelCompileError("kernels for the CPU need a C++ compiler: install g++, or set CXX")


def _run(command: Sequence[str], text: str, name: str) -> None:
    english = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        command, input=text, capture_output=True, encoding="utf-8", errors="replace", env=english, check=False
    )
    if done.returncode != 0:
        raise KernelCompileError(f"kernel {name!r} does not compile", done.stderr.strip())
    sys.stderr.write(done.stderr)

"""Compiles the CUDA stand-in, once per content; for tests and `make demo`, never part of a package."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = "libcudart.so.13"
COMMON = HERE.parents[1] / "runtimes" / "common"
PRELUDE = COMMON / "kernel_prelude.hpp"
"""What CUDA C is compiled behind, for this machine: the same as for the CPU backend."""
FLAGS = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread")


class StandinUnavailable(RuntimeError):
    """This machine lacks a C++ compiler or the CUDA headers."""


def cuda_include() -> Path:
    """The folder of `cuda_runtime_api.h`: of the wheel `nvidia-cuda-runtime`, or of a CUDA toolkit.

    Raises:
        StandinUnavailable: when there is none.
    """
    wheel = find_spec("nvidia")
    folders = [Path(p) / "cu13" / "include" for p in (wheel.submodule_search_locations or ())] if wheel else []
    toolkits = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    folders += [Path(toolkit) / "include" for toolkit in toolkits if toolkit]
    for folder in folders:
        if (folder / "cuda_runtime_api.h").is_file():
            return folder
    raise StandinUnavailable("no CUDA headers here: pip install nvidia-cuda-runtime nvidia-cuda-crt")


def build_standin(cache_dir: Path, sanitize: str = "") -> Path:
    """Compile the stand-in unless `cache_dir` has it already.

    Args:
        cache_dir: where to keep what was built, in a folder named after its content.
        sanitize: what to give `-fsanitize=`, for example "thread"; nothing by default.

    Returns:
        The path of a `libcudart.so.13`.

    Raises:
        StandinUnavailable: without a compiler or the CUDA headers.
        subprocess.CalledProcessError: when the compiler fails.
    """
    sources = sorted(HERE.glob("*.cpp"))
    exports = HERE / "exports.map"
    linking = ("-shared", "-fPIC", f"-Wl,-soname,{LIBRARY}", f"-Wl,--version-script={exports}")
    return build(cache_dir, LIBRARY, sources, linking, sanitize)


def standin_environment(cache_dir: Path) -> dict[str, str]:
    """What lets the packages use the stand-in, for the CUDA runtime and for NVRTC; see `build_standin`."""
    library = build_standin(cache_dir)
    return {
        "CUDA_FFI_LIBRARY": str(library),
        "NVRTC_FFI_LIBRARY": str(library),
    }


def build_checks(cache_dir: Path, sanitize: str = "") -> Path:
    """Compile the program that checks the stand-in, linked with it; see `build_standin`."""
    library = build_standin(cache_dir, sanitize)
    linking = (str(library), f"-Wl,-rpath,{library.parent}")
    return build(cache_dir, "checks", sorted((HERE / "checks").glob("*.cpp")), linking, sanitize)


def build(cache_dir: Path, name: str, sources: Sequence[Path], linking: Sequence[str], sanitize: str) -> Path:
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        raise StandinUnavailable(f"no C++ compiler here: {compiler} is not to be found")
    include = cuda_include()
    flags = [*FLAGS, f'-DSTANDIN_PRELUDE="{PRELUDE}"', *(["-g1", f"-fsanitize={sanitize}"] if sanitize else [])]
    others = [path for pattern in ("*.hpp", "*.h", "*.map", "checks/*.hpp") for path in sorted(HERE.glob(pattern))]
    others += [*sorted(COMMON.glob("kernel_*.hpp")), *sorted(COMMON.glob("cuda_*.h"))]
    texts = [path.read_bytes() for path in (*sources, *others)]
    key = hashlib.sha256("\0".join([compiler, str(include), *flags, *linking]).encode() + b"\0".join(texts))
    digest = key.hexdigest()
    flags.append(f"-DSTANDIN_VERSION={int(digest[:7], 16)}")  # what another one compiled is not taken from a cache
    built = cache_dir.resolve() / digest[:16] / name
    if built.is_file():
        return built
    built.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=built.parent) as folder:
        output = Path(folder) / name
        command = [compiler, *flags, f"-I{HERE}", f"-I{COMMON}", "-isystem", str(include), *map(str, sources), *linking]
        subprocess.run([*command, "-o", str(output)], check=True)
        output.replace(built)  # whole or not at all, also when two tests build it at once
    return built


if __name__ == "__main__":
    try:
        print(build_standin(Path(sys.argv[1])))
    except StandinUnavailable as missing:
        sys.exit(str(missing))

"""Builds every binding of the tiny library, all with the same flags; it measures nothing.

Each is one command a file and one to link, in the way its tool documents. Nobody gets link-time optimisation; nanobind
gets the flags of all instead of its own -Os, which is faster.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import REPOSITORY, first_line
from peers import ENVIRONMENT, Missing, installed

TINY = REPOSITORY / "benchmarks" / "tiny"
PYTHON = ENVIRONMENT / "bin" / "python"
FLAGS = ("-std=c++17", "-O3", "-DNDEBUG", "-g0", "-fPIC", "-fvisibility=hidden")
NEEDED = {"numpy": "2.4.6", "cffi": "2.1.1", "nanobind": "3.1.0", "pybind11": "3.1.0", "cython": "3.3.1"}
"""What the peers' environment has to have; numpy and cffi for the contenders that run on them."""

OURS, OURS_ABI3, OURS_CFFI = "wrapper-gen, cpython", "wrapper-gen, abi3", "wrapper-gen, cffi"
BY_HAND, NANOBIND, PYBIND11, CYTHON = "C-API by hand", "nanobind", "pybind11", "Cython"
ABI3 = "abi3"
"""The folder of the package that is built for any CPython from 3.11 on."""
SWIG, CTYPES, RAW_CFFI = "SWIG -builtin -O", "ctypes", "raw cffi"


class BuildFailed(Exception):
    """A compiler or generator failed; the message is what it printed last."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to bind the tiny library: what it is called, its version, and how its modules get into a folder."""

    name: str
    version: str
    build: Callable[[Path], None]


def contenders(install: bool) -> list[Contender | Missing]:
    """Everyone, in the order of the tables; ours are two engines of one extension, and one of them again for abi3."""
    versions = {package: installed(package, version, install) for package, version in NEEDED.items()}
    swig = first_line(["swig", "-version"]).removeprefix("SWIG Version ")
    wanted: list[tuple[str, str | Missing, Callable[[Path], None]]] = [
        (OURS, "", build_ours),
        (OURS_ABI3, "", lambda folder: build_ours(folder / ABI3, "--abi3", "--engine", "cpython")),
        (OURS_CFFI, versions["cffi"], build_ours),
        (BY_HAND, "", lambda folder: extension(folder, "by_hand", [TINY / "by_hand.cpp"])),
        (NANOBIND, versions["nanobind"], build_nanobind),
        (PYBIND11, versions["pybind11"], build_pybind11),
        (CYTHON, versions["cython"], build_cython),
        (SWIG, swig or Missing(SWIG, "no `swig` on the PATH (Debian: apt install swig)"), build_swig),
        (CTYPES, "", build_ctypes),
        (RAW_CFFI, versions["cffi"], build_raw_cffi),
    ]
    if isinstance(versions["numpy"], Missing):
        return [Missing(name, versions["numpy"].why) for name, _, _ in wanted]
    return [Missing(n, v.why) if isinstance(v, Missing) else Contender(n, v, build) for n, v, build in wanted]


def build_all(found: Sequence[Contender], folder: Path) -> list[Missing]:
    """Build what is out of date; gives those that could not be built."""
    failed = []
    for contender in found:
        try:
            contender.build(folder)
        except BuildFailed as failure:
            failed.append(Missing(contender.name, str(failure)))
    return failed


# --- each -----------------------------------------------------------------------------------------------------


def build_ours(folder: Path, *options: str, library: Path = TINY) -> None:
    spec = library / f"{library.name}.wrapper_spec"
    execute([sys.executable, "-m", "wrapper_gen", str(spec), "-o", str(folder)])
    # The user's own flags come after the build script's, and win.
    script = folder / f"{library.name}_ffi" / "ffi_build.py"
    execute([str(PYTHON), str(script), "--engine", "both", *options], CXXFLAGS=" ".join((*FLAGS, f"-I{library}")))


def build_nanobind(folder: Path, library: Path = TINY) -> None:
    own = package_folder("nanobind")
    flags = [f"-I{own / 'include'}", f"-I{own / 'ext' / 'robin_map' / 'include'}", "-fno-strict-aliasing"]
    sources = [library / "with_nanobind.cpp", own / "src" / "nb_combined.cpp"]
    extension(folder, "with_nanobind", sources, flags, library)


def build_pybind11(folder: Path, library: Path = TINY) -> None:
    flags = [f"-I{package_folder('pybind11') / 'include'}"]
    extension(folder, "with_pybind11", [library / "with_pybind11.cpp"], flags, library)


def build_cython(folder: Path) -> None:
    source = folder / "with_cython.cpp"
    execute([str(PYTHON), "-m", "cython", "--cplus", "-3", str(TINY / "with_cython.pyx"), "-o", str(source)])
    extension(folder, "with_cython", [source], ["-fno-strict-aliasing"])


def build_swig(folder: Path) -> None:
    source = folder / "with_swig.cpp"
    options = ["-c++", "-python", "-builtin", "-O", f"-I{TINY}", "-outdir", str(folder), "-o", str(source)]
    execute(["swig", *options, str(TINY / "with_swig.i")])
    extension(folder, "_with_swig", [source])


def build_ctypes(folder: Path) -> None:
    execute(["g++", *FLAGS, "-fvisibility=default", "-shared", *_library(), "-o", str(folder / "libtiny_c.so")])
    shutil.copy(TINY / "with_ctypes.py", folder)


def build_raw_cffi(folder: Path) -> None:
    source = folder / "raw_cffi.cpp"
    program = (
        "import cffi, re, sys\n"
        "ffi = cffi.FFI()\n"
        "text = re.sub(r'(?ms)^#ifdef.*?^#endif\\n|^#.*?\\n', '', open(sys.argv[1]).read())\n"
        "ffi.cdef(text)\n"
        "ffi.set_source('raw_cffi', '#include \"tiny_c.h\"', source_extension='.cpp')\n"
        "ffi.emit_c_code(sys.argv[2])\n"
    )
    execute([str(PYTHON), "-c", program, str(TINY / "tiny_c.h"), str(source)])
    extension(folder, "raw_cffi", [source, TINY / "tiny_c.cpp"], ["-D_CFFI_NO_LIMITED_API"])


# --- compiling ------------------------------------------------------------------------------------------------


def extension(
    folder: Path,
    name: str,
    sources: Sequence[Path],
    flags: Sequence[str] = (),
    library: Path = TINY,
    interpreter: Path = PYTHON,
) -> None:
    """Compile and link one extension module for an interpreter, unless nothing changed since the last time."""
    python = json.loads(first_line([str(interpreter), "-c", ASK_PYTHON]))
    command = ["g++", *FLAGS, *flags, f"-I{library}", f"-I{python['include']}"]
    target = folder / f"{name}{python['suffix']}"
    files = [*sources, *library.glob(f"{library.name}.cpp")]
    stamp = folder / f"{name}.stamp"
    key = _key(command, [*files, *sorted(library.glob("*.h*"))])
    if target.exists() and stamp.exists() and stamp.read_text() == key:
        return
    objects = []
    for source in files:
        objects.append(folder / f"{name}-{source.stem}.o")
        execute([*command, "-c", str(source), "-o", str(objects[-1])])
    execute(["g++", "-shared", "-s", *map(str, objects), "-o", str(target)])
    stamp.write_text(key)


ASK_PYTHON = (
    "import json, sysconfig as s; "
    "print(json.dumps({'include': s.get_path('include'), 'suffix': s.get_config_var('EXT_SUFFIX')}))"
)


def execute(command: Sequence[str], **environment: str) -> None:
    """Run one step of a build.

    Raises:
        BuildFailed: it could not be started, or failed.
    """
    try:
        subprocess.run(
            command, check=True, capture_output=True, text=True, cwd=REPOSITORY, env={**os.environ, **environment}
        )
    except OSError as error:
        raise BuildFailed(str(error)) from None
    except subprocess.CalledProcessError as error:
        lines = [line for line in (error.stderr or error.stdout).splitlines() if line.strip()]
        raise BuildFailed("\n".join(lines[-12:]) or f"exit status {error.returncode}") from None


def _key(command: Sequence[str], files: Sequence[Path]) -> str:
    digest = hashlib.sha256(json.dumps(command).encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _library() -> list[str]:
    return [str(TINY / "tiny.cpp"), str(TINY / "tiny_c.cpp")]


def package_folder(package: str) -> Path:
    return Path(first_line([str(PYTHON), "-c", f"import {package}; print({package}.__path__[0])"]))


def described(found: Sequence[Contender]) -> Mapping[str, str]:
    """The versions of all that have one."""
    return {each.name: each.version for each in found if each.version}

"""The generated nvrtc package compiles: with the stand-in, and with NVRTC itself where it is installed."""

from __future__ import annotations

import gc
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour.cuda_process import ENGINES, ROOT, built, named_after, python, run
from tests.standin.build import StandinUnavailable, standin_environment

LIBRARY = "NVRTC_FFI_LIBRARY"
SCALE = "template <class T> __global__ void scale(T* xs, T by) { xs[threadIdx.x] *= by; }"
BROKEN = 'extern "C" __global__ void broken(float* x) {\n    x[0] = 1;\n    x[1] = missing;\n}\n'
Body = Callable[[ModuleType], None]


@pytest.fixture(scope="session")
def nvrtc_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("nvrtc", tmp_path_factory.mktemp("nvrtc"))


@pytest.fixture(scope="session")
def real_library(nvrtc_package: Path) -> dict[str, str]:
    """NVRTC itself: the file that the environment names, or one that is installed."""
    settings = {LIBRARY: os.environ[LIBRARY]} if os.environ.get(LIBRARY) else {}
    found = python(nvrtc_package, settings, "-c", "import nvrtc_ffi; print(nvrtc_ffi.version())")
    if not re.fullmatch(r"\[1\d, \d+\]\n", found.stdout):
        pytest.skip("no NVRTC here; pip install nvidia-cuda-nvrtc==13.0.88")
    return settings


@pytest.fixture(scope="session")
def standin_library() -> dict[str, str]:
    try:
        return standin_environment(ROOT / "build" / "standin")
    except StandinUnavailable as missing:
        pytest.skip(str(missing))


def everywhere(body: Body) -> Callable[..., None]:
    """Make tests of a function that gets the package: over both engines, with the stand-in and with NVRTC itself."""

    @pytest.mark.parametrize("library", ["standin_library", "real_library"])
    @pytest.mark.parametrize("engine", ENGINES)
    def test(nvrtc_package: Path, request: pytest.FixtureRequest, library: str, engine: str) -> None:
        run(body, nvrtc_package, request.getfixturevalue(library) | {"WRAPPER_GEN_ENGINE": engine})

    return named_after(body, test)


def raised(kind: type[Exception], call: Callable[[], object]) -> Any:
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    return caught.value


@everywhere
def test_a_source_becomes_an_image(nvrtc: ModuleType) -> None:
    assert not nvrtc.STUB
    major, minor = nvrtc.version()
    assert major >= 0 and minor >= 0
    assert 90 in nvrtc.supported_architectures()
    program = nvrtc.compile_program(
        'extern "C" __global__ void f(int* x) { *x = N; }', "f.cu", ["-DN=3", "-arch=sm_90"]
    )
    assert program.cubin().startswith(b"\x7fELF")
    assert program.ptx()
    assert program.log() == ""


@everywhere
def test_the_log_of_a_source_that_is_refused_is_the_message(nvrtc: ModuleType) -> None:
    message = str(raised(nvrtc.NvrtcCompileError, lambda: nvrtc.compile_program(BROKEN, "broken.cu")))
    assert re.search(r"broken\.cu[:(]3\b", message), message
    assert "missing" in message
    assert "\0" not in message


@everywhere
def test_instances_of_templates_are_named(nvrtc: ModuleType) -> None:
    names = ["scale<float>", "scale<double>"]
    program = nvrtc.compile_program(SCALE, "scale.cu", ["-arch=sm_90"], names)
    lowered = [program.lowered_name(name) for name in names]
    assert len(set(lowered)) == 2
    assert all(name.encode() in program.cubin() for name in lowered)
    assert raised(nvrtc.NvrtcError, lambda: program.lowered_name("scale<int>")).code == 10
    raised(nvrtc.NvrtcCompileError, lambda: nvrtc.compile_program(SCALE, "scale.cu", [], ["shrink<float>"]))


@everywhere
def test_options_that_are_not_valid_are_errors(nvrtc: ModuleType) -> None:
    error = raised(nvrtc.NvrtcCompileError, lambda: nvrtc.compile_program("", "empty.cu", ["--nonsense"]))
    assert "--nonsense" in str(error)
    raised(TypeError, lambda: nvrtc.compile_program(b"bytes", "empty.cu"))
    raised(TypeError, lambda: nvrtc.compile_program("", "empty.cu", [1]))


@everywhere
def test_programs_are_handles(nvrtc: ModuleType) -> None:
    with nvrtc.compile_program("", "empty.cu") as program:
        assert program.log() == ""
    raised(nvrtc.ClosedHandleError, program.ptx)
    for _ in range(3):
        nvrtc.compile_program("__constant__ int x;", "unnamed.cu")
    gc.collect()


@everywhere
def test_several_threads_compile_at_once(nvrtc: ModuleType) -> None:
    images: dict[int, bytes] = {}

    def compile_one(number: int) -> None:
        source = f'extern "C" __global__ void put{number}(int* x) {{ *x = {number}; }}'
        images[number] = nvrtc.compile_program(source, f"put{number}.cu", ["-arch=sm_90"]).cubin()

    threads = [threading.Thread(target=compile_one, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f"put{number}".encode() in images[number] for number in range(4))


def test_an_architecture_without_machine_code_has_ptx_only(nvrtc_package: Path, real_library: dict[str, str]) -> None:
    program = """
import nvrtc_ffi
program = nvrtc_ffi.compile_program('extern "C" __global__ void f() {}', "f.cu", ["-arch=compute_90"])
assert b".target sm_90" in program.ptx() and not program.ptx().endswith(b"\\0")
try:
    program.cubin()
except ValueError as error:
    print(error)
"""
    done = python(nvrtc_package, real_library, "-c", program)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "there is a cubin only for architectures sm_…, not for compute_…\n"


def test_without_nvrtc_the_package_imports(nvrtc_package: Path, tmp_path: Path) -> None:
    program = """
import nvrtc_ffi
try:
    nvrtc_ffi.compile_program("", "empty.cu")
except nvrtc_ffi.LibraryUnavailable as error:
    print(error)
"""
    nowhere = str(tmp_path / "libnvrtc.so.13")
    done = python(nvrtc_package, {LIBRARY: nowhere}, "-c", program)
    assert (done.returncode, done.stderr) == (0, "")
    assert nowhere in done.stdout

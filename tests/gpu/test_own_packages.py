"""Packages that a wheel of unified_gpu carries: torch's is compiled where it is used, once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from unified_gpu.backends import kernel_cache, own_packages, torch_build, torch_package
from unified_gpu.errors import BackendUnavailable

Wheel = Callable[[str], Path]


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheel:
    """Makes a folder of packages whose build script is this program, beside a torch 2.0 and a cache of its own."""

    def make(script: str) -> Path:
        folder = tmp_path / "_packages"
        for package in torch_package.TORCH:
            (folder / package).mkdir(parents=True)
            (folder / package / "__init__.py").write_text("", encoding="utf-8")
        (folder / "torch_ffi" / "bridge.cpp").write_text("int x;\n", encoding="utf-8")
        (folder / "torch_ffi" / "ffi_build.py").write_text(script, encoding="utf-8")
        monkeypatch.setattr(own_packages, "FOLDER", folder)
        return folder

    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(torch_package, "version", lambda _name: "2.0")
    monkeypatch.setenv(kernel_cache.VARIABLE, str(tmp_path / "cache"))
    return make


def test_a_checkout_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(own_packages, "FOLDER", tmp_path / "none")
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = [*sys.path]
    own_packages.add_to_path()
    torch_package.add_to_path(build=True)
    assert sys.path == before


def test_they_come_after_what_is_found_elsewhere(wheel: Wheel) -> None:
    folder = wheel("")
    own_packages.add_to_path()
    own_packages.add_to_path()
    assert sys.path[-1] == str(folder)
    assert sys.path.count(str(folder)) == 1


def test_torch_has_to_be_installed(wheel: Wheel, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    wheel("")
    monkeypatch.setattr(torch_package, "version", missing)
    with pytest.raises(BackendUnavailable, match="pip install torch"):
        torch_package.add_to_path(build=True)


def test_it_is_compiled_when_that_is_asked_for(wheel: Wheel, capfd: pytest.CaptureFixture[str]) -> None:
    wheel("open(__file__.replace('ffi_build.py', '_torch_ffi.so'), 'w').close()\n")
    with pytest.raises(BackendUnavailable, match=r"torch 2\.0 yet.*--build torch"):
        torch_package.add_to_path(build=False)
    torch_package.add_to_path(build=True)
    assert "compiling its package for torch 2.0, once" in capfd.readouterr().err
    place = Path(sys.path[0])
    assert (place / "torch_ffi" / "_torch_ffi.so").is_file()
    torch_package.add_to_path(build=False)
    assert capfd.readouterr().err == ""
    assert [each.name for each in place.parent.iterdir()] == [place.name]


def test_what_does_not_compile_leaves_nothing(wheel: Wheel, tmp_path: Path) -> None:
    wheel("import sys; sys.exit('no compiler')\n")
    before = [*sys.path]
    with pytest.raises(BackendUnavailable, match=r"does not compile for torch 2\.0:\nno compiler"):
        torch_package.add_to_path(build=True)
    assert sys.path == before
    assert not [*(tmp_path / "cache" / "packages").iterdir()]


def test_a_cache_that_cannot_be_written_is_said(wheel: Wheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel("")
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv(kernel_cache.VARIABLE, str(tmp_path / "file"))
    with pytest.raises(BackendUnavailable, match="no place"):
        torch_package.add_to_path(build=True)


def test_commands_work_where_the_user_is(wheel: Wheel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel has neither specs nor the generator."""
    folder = wheel("")
    assert own_packages.how_to_build("cpu_ffi") == "python -m pip install --force-reinstall --no-deps unified-gpu"
    assert own_packages.how_to_build("torch_ffi") == own_packages.BUILD_TORCH
    assert own_packages.how_to_install("cuda", "nvidia-cuda-runtime") == "pip install 'unified-gpu[cuda]'"
    monkeypatch.setattr(own_packages, "FOLDER", folder / "none")
    said = own_packages.how_to_build("cuda_ffi", "nvrtc_ffi", needs="pip install nvidia-cuda-runtime")
    assert said.startswith(
        "pip install nvidia-cuda-runtime, and build the package with: "
        "wrapper-gen build specs/cuda.wrapper_spec specs/nvrtc.wrapper_spec (in "
    )
    assert own_packages.how_to_install("cuda", "nvidia-cuda-runtime") == "pip install nvidia-cuda-runtime"


@pytest.mark.parametrize("is_wheel", [True, False])
def test_a_missing_runtime_of_cuda_says_what_to_install(
    is_wheel: bool, wheel: Wheel, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unified_gpu.backends import cuda

    if is_wheel:
        wheel("")

    def missing() -> tuple[int, int]:
        raise cuda.cuda.LibraryUnavailable("the library cannot be loaded")

    monkeypatch.setattr(cuda, "_versions", missing)
    way = "pip install 'unified-gpu\\[cuda\\]'" if is_wheel else "pip install nvidia-cuda-runtime nvidia-cuda-nvrtc"
    with pytest.raises(BackendUnavailable, match=f"the CUDA runtime is missing: .* loaded; {way}$"):
        cuda.load()


@pytest.mark.parametrize("is_there", [True, False])
def test_torch_itself_is_named_where_it_is_missing(is_there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_build, "is_installed", lambda: is_there)
    first = "" if is_there else "torch is not installed: pip install torch; and "
    assert torch_build.explained(ImportError("it is not built; run: this")) == f"{first}it is not built; run: this"
    said = torch_build.explained(ModuleNotFoundError("No module named 'torch_ffi'"))
    assert said.startswith(f"{first}No module named 'torch_ffi'; build the package with: wrapper-gen build specs/torch")

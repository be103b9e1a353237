"""Compiled kernels on disk: what is damaged is made anew, and what others could have written is not run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from unified_gpu import Array, Context, f32, kernel
from unified_gpu.backends import kernel_cache


@kernel
def one_and_a_half(out: Array[f32, 1]):
    out[0] = 1.5


def launched() -> list[float]:
    with Context("cpu") as ctx:
        out = ctx.alloc_zeros(1)
        ctx.launch(one_and_a_half, 1, [out])
        found: list[float] = out.tolist()
        return found


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library of a kernel in a cache of its own."""
    monkeypatch.setenv(kernel_cache.VARIABLE, str(tmp_path / "cache"))
    assert launched() == [1.5]
    (found,) = (tmp_path / "cache" / "cpu").glob("*.so")
    return found


@pytest.mark.trial("cpu-kernel-cache-damaged")
@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"", lambda data: data[:2000], lambda data: data[:-3000], lambda data: data[:-1],
        lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:], lambda data: data + b"more",
    ],
    ids=["empty", "cut", "end missing", "last byte missing", "one bit", "longer"],
)  # fmt: skip
def test_a_damaged_library_is_made_anew(
    library: Path, damage: Callable[[bytes], bytes], checked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if checked:
        monkeypatch.setenv("DL_CHECK", "1")
        library.unlink()
        assert launched() == [1.5]
    for file in library.parent.glob("*.so"):
        whole = file.read_bytes()
        file.unlink()  # a library that is loaded is not written over
        file.write_bytes(damage(whole))
        file.chmod(0o600)
    assert launched() == [1.5]
    assert all(kernel_cache._stored(file) for file in library.parent.glob("*.so"))
    made = {file: file.stat().st_mtime_ns for file in library.parent.glob("*.so")}
    assert launched() == [1.5]
    assert {file: file.stat().st_mtime_ns for file in library.parent.glob("*.so")} == made


def test_a_library_that_others_can_write_is_made_anew(library: Path) -> None:
    inode = library.stat().st_ino
    library.chmod(0o666)
    assert launched() == [1.5]
    assert library.stat().st_ino != inode
    assert not library.stat().st_mode & 0o022


def test_a_link_is_not_followed(library: Path, tmp_path: Path) -> None:
    shutil.move(library, tmp_path / "elsewhere.so")
    library.symlink_to(tmp_path / "elsewhere.so")
    assert launched() == [1.5]
    assert not library.is_symlink()


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_the_library_of_someone_else_is_made_anew(library: Path) -> None:
    os.chown(library, 65534, 65534)
    assert launched() == [1.5]
    assert library.stat().st_uid == os.getuid()


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives folders away")
def test_the_folder_of_someone_else_is_not_used(library: Path) -> None:
    os.chown(library.parent, 65534, 65534)
    with pytest.raises(PermissionError, match="belongs to someone else, or others can write to it"):
        launched()


def test_a_folder_that_others_can_write_to_is_not_used(library: Path) -> None:
    library.parent.chmod(0o777)
    with pytest.raises(PermissionError, match=f"set {kernel_cache.VARIABLE} to a folder of your own"):
        launched()


def test_a_user_s_folder_that_others_can_write_to_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(kernel_cache.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = kernel_cache.folder("cpu")
    assert found == tmp_path / "unified_gpu" / "cpu"
    found.chmod(0o777)
    monkeypatch.setattr(kernel_cache.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    assert kernel_cache.folder("cpu").parent.parent == tmp_path / "temporary"


@pytest.mark.parametrize("kind", ["a file", "below a file", "read-only", "no home"])
def test_a_folder_that_cannot_be_used_names_the_variable(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    below = {"a file": "file", "below a file": "file/cache"}.get(kind, "cache")
    chosen = "~nobody-has-this-name/cache" if kind == "no home" else str(tmp_path / below)
    monkeypatch.setenv(kernel_cache.VARIABLE, chosen)
    if kind == "read-only":
        place, asked = str(tmp_path), os.access  # root may write everywhere
        monkeypatch.setattr(os, "access", lambda path, mode: asked(path, mode) and not str(path).startswith(place))
    with Context("cpu") as ctx:  # nothing before it is needed
        x = ctx.alloc_upload([1.0, 2.0])
        assert (x + 1).tolist() == [2, 3]
        with pytest.raises(
            OSError, match=r"kept in UNIFIED_GPU_CACHE=.*: set UNIFIED_GPU_CACHE to a folder of your own"
        ):
            ctx.launch(one_and_a_half, 1, [x])


def test_no_folder_at_all_names_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.delenv(kernel_cache.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(kernel_cache.tempfile, "gettempdir", lambda: str(tmp_path / "file"))
    with pytest.raises(OSError, match=r"nor in a temporary folder .*: set UNIFIED_GPU_CACHE to a folder of your own"):
        launched()

"""Cache folders that are full, read-only, another user's, corrupt, or used by two at once: no wrong build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compilers import compiling, quick, quick_linking
from tests.disks import small_disk
from tests.limits import HANGS

SPEC = """\
wrapper_lib: {name: cached}
functions:
  - {def: "answer() -> i32", cpp_body: return 42;}
"""
ASKED = "import sys; sys.path.insert(0, 'generated'); import cached_ffi; print(cached_ffi.answer())"
LOADED = "import wrapper_gen; print(wrapper_gen.load('cached.wrapper_spec').answer())"
OTHER = "WRAPPER_GEN_CACHE can name another folder"


def run(folder: Path, cache: Path, *command: str) -> subprocess.CompletedProcess[str]:
    with compiling(quick(), quick_linking("g++")):
        return subprocess.run(
            [sys.executable, *command],
            cwd=folder,
            env={**os.environ, "WRAPPER_GEN_CACHE": str(cache)},
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )


def build(folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    return run(folder, cache, "-m", "wrapper_gen", "build", "cached.wrapper_spec")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "cached.wrapper_spec").write_text(SPEC, encoding="utf-8")
    return tmp_path


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    with small_disk(folder):
        yield folder


def test_a_full_disk_is_named(project: Path, disk: Path) -> None:
    done = build(project, disk)
    assert done.returncode == 4
    said = "cached.wrapper_spec:1:1: error: the build cannot write its files: "
    assert [line.startswith(said) and "no space left on the disk" in line for line in done.stderr.splitlines()].count(
        True
    ) == 1, done.stderr
    assert f"hint: make room; or {OTHER}" in done.stderr
    assert not [*(project / "generated" / "cached_ffi").glob("*.so")]


def test_a_full_disk_is_an_exception_of_load(project: Path, disk: Path) -> None:
    done = run(project, disk, "-c", LOADED)
    assert done.returncode == 1
    assert "WG051 cannot write the output: no space left on device" in done.stderr, done.stderr
    assert done.stderr.splitlines()[-1] == f"hint: make room there, or remove what is in the way; {OTHER}"


def test_a_read_only_cache_is_not_used(project: Path, disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    done = build(project, disk)
    assert done.returncode == 0, done.stderr
    assert "cached_ffi: the next build cannot know of this one: " in done.stderr
    assert OTHER in done.stderr
    assert run(project, disk, "-c", ASKED).stdout == "42\n"
    done = run(project, disk, "-c", LOADED)
    assert done.stdout == "42\n"
    assert "what is built is not kept: " in done.stderr and OTHER in done.stderr


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives folders away")
def test_a_cache_of_another_user_is_not_used(project: Path) -> None:
    """That user could put other code in the place of what is linked and imported."""
    cache = project / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    os.chown(cache, 1234, 1234)
    done = build(project, cache)
    assert done.returncode == 0, done.stderr
    assert f"the next build cannot know of this one: {cache} belongs to another user; {OTHER}" in done.stderr
    done = run(project, cache, "-c", LOADED)
    assert done.stdout == "42\n"
    assert f"what is built is not kept: others than this user can write {cache}; {OTHER}" in done.stderr
    assert not [path for path in cache.rglob("*") if path.is_file()]


@pytest.mark.slow
def test_a_corrupt_record_is_none(project: Path) -> None:
    cache = project / "cache"
    assert build(project, cache).returncode == 0
    record = next((cache / "builds").glob("*/*/stamp.json"))
    key = json.loads(record.read_text(encoding="utf-8"))["key"]
    for content in ("", "{", "[]", f'{{"key": "{key}", "files": []}}', f'{{"key": "{key}", "files": {{"/": 1}}}}'):
        record.write_text(content, encoding="utf-8")
        done = run(project, cache, "generated/cached_ffi/ffi_build.py", "--stub")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["rebuilt"]
        assert json.loads(record.read_text(encoding="utf-8"))["files"]


def test_what_is_in_the_way_is_named(project: Path) -> None:
    cache = project / "cache"
    assert build(project, cache).returncode == 0
    state = next((cache / "builds").glob("*/*/stamp.json")).parent
    (state / "stamp.json").unlink()
    (state / "stamp.json").mkdir()
    for name, said in (("stamp.json", "Is a directory"), ("work", "File exists")):
        if name == "work":
            (state / name).write_text("", encoding="utf-8")
        done = build(project, cache)
        assert done.returncode == 4
        assert "cached.wrapper_spec:1:1: error: the build cannot write its files: " in done.stderr
        assert f"{said}: '{state / name}'" in done.stderr
        assert "remove what is in the way" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
def test_two_builds_in_one_place_of_the_cache_wait_for_each_other(project: Path) -> None:
    """As those of two containers with one cache, whose packages lie at the same path and are not the same."""
    assert build(project, project / "cache").returncode == 0
    state = next((project / "cache" / "builds").glob("*/*/stamp.json")).parent
    program = (
        "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX);"
        " print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(state)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == "held\n"
        script = [sys.executable, "generated/cached_ffi/ffi_build.py"]
        environment = {**os.environ, "WRAPPER_GEN_CACHE": str(project / "cache")}
        with subprocess.Popen(script, cwd=project, env=environment, stdout=subprocess.PIPE, text=True) as waiting:
            with pytest.raises(subprocess.TimeoutExpired):
                waiting.wait(1)
            other.stdin.close()
            assert json.loads(waiting.communicate(timeout=HANGS)[0])["extension"].startswith("_cached_ffi")

"""Compiled templates in a cache: nothing that stands there, or happens there meanwhile, changes what is rendered."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jinja2
import pytest

from wrapper_gen.template_cache import TemplateCache, cache_folder, template_cache


class Counting(jinja2.Environment):
    """Counts what is compiled, instead of being found in the cache."""

    compiled = 0

    def compile(self, *args: object, **named: object) -> object:  # type: ignore[override]
        self.compiled += 1
        return super().compile(*args, **named)  # type: ignore[call-overload]


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "sum.jinja").write_text("{% for n in items %}{{ n }}+{% endfor %}0\n", encoding="utf-8")
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


def render(templates: Path, cache: Path, options: str = "") -> tuple[str, int]:
    """What a new process would print, and how much it would compile."""
    loader = jinja2.FileSystemLoader(templates)
    environment = Counting(loader=loader, bytecode_cache=TemplateCache(cache, options))
    return environment.get_template("sum.jinja").render(items=[1, 2]), environment.compiled


def some(of: bytes) -> list[int]:
    """Places in a file: all at its start, where the header is, then some."""
    return [*range(40), *range(40, len(of), 97)]


def test_the_second_run_compiles_nothing(templates: Path, cache: Path) -> None:
    assert render(templates, cache) == ("1+2+0", 1)
    assert render(templates, cache) == ("1+2+0", 0)
    assert len(list(cache.iterdir())) == 1


def test_another_source_is_compiled_even_of_the_same_time_and_size(templates: Path, cache: Path) -> None:
    source = templates / "sum.jinja"
    render(templates, cache)
    before = source.stat()
    source.write_text("{% for n in items %}{{ n }}*{% endfor %}1\n", encoding="utf-8")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert source.stat().st_size == before.st_size
    assert render(templates, cache) == ("1*2*1", 1)
    assert render(templates, cache) == ("1*2*1", 0)


def test_other_options_and_other_versions_share_nothing(
    templates: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [render(templates, cache, options)[1] for options in ("a", "b", "a", "b")] == [1, 1, 0, 0]
    monkeypatch.setattr("wrapper_gen.template_cache.MAGIC_NUMBER", b"another Python")
    assert [render(templates, cache, "a")[1] for _ in range(2)] == [1, 0]
    compiler = cache.parent / "compiler.py"
    compiler.write_text("# of another version of Jinja", encoding="utf-8")
    monkeypatch.setattr("jinja2.compiler.__file__", str(compiler))
    assert [render(templates, cache, "a")[1] for _ in range(2)] == [1, 0]


def test_a_part_of_a_file_is_not_loaded(templates: Path, cache: Path) -> None:
    render(templates, cache)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    for length in some(whole):
        file.write_bytes(whole[:length])
        assert render(templates, cache) == ("1+2+0", 1), length
        assert file.read_bytes() == whole


def test_a_changed_file_is_not_loaded(templates: Path, cache: Path) -> None:
    render(templates, cache)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    for at in some(whole):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        assert render(templates, cache) == ("1+2+0", 1), at


def test_a_folder_in_the_place_of_a_file(templates: Path, cache: Path) -> None:
    render(templates, cache)
    (file,) = cache.iterdir()
    file.unlink()
    file.mkdir()
    assert render(templates, cache) == ("1+2+0", 1)
    assert list(cache.iterdir()) == [file]


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_cache_that_cannot_be_written_is_still_read(
    templates: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    render(templates, cache, "there")

    def refuse(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[:3])
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert render(templates, cache, "there") == ("1+2+0", 0)
    assert [render(templates, cache, "new") for _ in range(2)] == [("1+2+0", 1)] * 2
    assert len(list(cache.iterdir())) == 1


def test_a_cache_that_is_removed_meanwhile(templates: Path, cache: Path) -> None:
    cache.rmdir()
    assert render(templates, cache) == ("1+2+0", 1)


def test_what_is_old_is_removed_where_something_is_new(templates: Path, cache: Path) -> None:
    render(templates, cache)
    (file,) = cache.iterdir()
    killed = cache / f"{file.name}.1.1"
    killed.write_bytes(b"half")
    month = time.time() - 31 * 24 * 3600
    os.utime(file, (month, month))
    os.utime(killed, (month, month))
    assert render(templates, cache) == ("1+2+0", 0)
    assert file.exists()
    assert render(templates, cache, "new") == ("1+2+0", 1)
    assert len(list(cache.iterdir())) == 1
    assert not file.exists()


def test_threads_that_write_one_file(templates: Path, cache: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda number: render(templates, cache, str(number % 2))[0], range(64)))
    assert found == ["1+2+0"] * 64
    assert len(list(cache.iterdir())) == 2


def test_processes_that_fill_one_cache(tmp_path: Path) -> None:
    (tmp_path / "demo.wrapper_spec").write_text(
        "wrapper_lib: {name: demo, version: '1'}\n"
        "functions:\n  - {name: twice, cpp_fn: '[](int32_t a) { return a + a; }', "
        "params: [{name: a, type: i32}], return: i32}\n",
        encoding="utf-8",
    )
    environment = {
        **os.environ,
        "WRAPPER_GEN_CACHE": str(tmp_path / "cache"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "wrapper_gen", "demo.wrapper_spec", "-o", f"{number}/generated"],
            cwd=tmp_path,
            env=environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        for number in range(4)
    ]
    assert [each.communicate()[1] for each in started] == [b""] * 4
    assert [each.returncode for each in started] == [0] * 4
    texts = [(tmp_path / f"{number}/generated/demo_ffi/cpython.cpp").read_text("utf-8") for number in range(4)]
    assert texts[0].replace("../demo", "demo") == texts[3].replace("../demo", "demo")
    assert all("." not in path.name for path in (tmp_path / "cache/templates").iterdir())


def test_a_jinja_of_no_known_version_has_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRAPPER_GEN_CACHE", str(tmp_path))
    assert template_cache("") is not None
    monkeypatch.setattr("jinja2.compiler.__file__", str(tmp_path / "all.pyz/jinja2/compiler.py"))
    assert template_cache("") is None


def test_the_folder_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("WRAPPER_GEN_CACHE", raising=False)
    assert cache_folder() == tmp_path / "cache/wrapper-gen/templates"
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("WRAPPER_GEN_CACHE", str(tmp_path / "chosen"))
    assert cache_folder() == tmp_path / "chosen/templates"
    monkeypatch.setenv("WRAPPER_GEN_CACHE", str(tmp_path / "a file"))
    assert cache_folder() is None


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("WRAPPER_GEN_CACHE", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    assert cache_folder() is None

"""`build --watch`: a round for each change, with one line, until Ctrl-C. The tests wait for its lines, for no time."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.compilers import quick
from tests.limits import HANGS
from wrapper_gen.cli import main

SPEC = """\
wrapper_lib: {name: small, lang: c, cpp_include: small.h, requires: [{dirs: [.]}]}
functions:
  - {def: "answer() -> i32", cpp_body: return SMALL_ANSWER;}
"""
PROGRAM = "import sys, small_ffi; sys.exit(small_ffi.answer() != 42 and 'it is %d' % small_ffi.answer())"


class Watching:
    """A running `build --watch`."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "wrapper_gen", "build", "--engine", "cpython", "--watch", *options]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "CXXFLAGS": quick()},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def until(self, start: str) -> list[str]:
        """The lines up to one that begins so."""
        found: list[str] = []
        while not found or not found[-1].startswith(start):
            line = self.lines.get(timeout=HANGS)
            assert line is not None, found
            found.append(line)
        return found

    def interrupt(self) -> list[str]:
        """The lines after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        found = []
        while (line := self.lines.get(timeout=HANGS)) is not None:
            found.append(line)
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "small.h").write_text("#define SMALL_ANSWER 42\n", encoding="utf-8")
    (tmp_path / "small.wrapper_spec").write_text(SPEC, encoding="utf-8")
    yield tmp_path


def test_each_change_is_built_and_tested_in_a_line(folder: Path) -> None:
    test = f'{sys.executable} -c "{PROGRAM}"'
    watching = Watching(folder, "--test", test, "small.wrapper_spec")
    try:
        (first,) = watching.until("round 1")
        assert "small_ffi built in " in first
        assert f"{sys.executable} passed in " in first
        (told,) = watching.until("watching")
        assert told == "watching; Ctrl-C ends"

        (folder / "small.h").write_text("#define SMALL_ANSWER 41\n", encoding="utf-8")
        *said, second = watching.until("round 2")
        assert said == ["it is 41"]
        assert second.startswith("round 2: small.h: small_ffi built in ")
        assert f"{sys.executable} FAILED with 1 in " in second

        (folder / "small.wrapper_spec").write_text(SPEC.replace("i32", "i33"), encoding="utf-8")
        *said, third = watching.until("round 3")
        assert said[0].startswith("small.wrapper_spec:3:24: error: unknown type 'i33'")
        assert third == "round 3: small.wrapper_spec: nothing built, 1 finding"

        (folder / "small.wrapper_spec").write_text(SPEC.replace("SMALL_ANSWER;", "SMALL_ANSWERS;"), encoding="utf-8")
        *said, fourth = watching.until("round 4")
        assert any("[WG061]" in line for line in said)
        assert fourth == "round 4: small.wrapper_spec: not compiled, 1 finding"

        assert watching.interrupt() == ["ended"]
        assert watching.process.wait(HANGS) == 0
    finally:
        watching.process.kill()
        watching.process.wait()


@pytest.mark.slow
def test_a_folder_is_watched_for_new_specs(folder: Path) -> None:
    watching = Watching(folder, ".")
    try:
        watching.until("watching")
        other = SPEC.replace("name: small", "name: other")
        (folder / "other.wrapper_spec").write_text(other, encoding="utf-8")
        assert "other_ffi built" in watching.until("round 2: other.wrapper_spec: ")[-1]
    finally:
        watching.process.kill()
        watching.process.wait()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--test", "true"], "--test is for --watch"),
        (["--watch", "--test", ""], "--test has no command"),
        (["--watch", "--test", "a 'b"], "is no command: no closing quotation"),
        (["--watch", "--check-only"], "--check-only is for one build"),
        (["--watch", "--format", "json"], "--format is for one build"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(main, ["build", "small.wrapper_spec", *options])
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_spec_that_is_not_there_ends_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(main, ["build", "none.wrapper_spec", "--watch"])
    assert done.exit_code == 3
    assert "WG001" in done.stderr

"""Statuses that no signature speaks of, and what entries say of them, over both engines."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from tests.behaviour import packages
from wrapper_gen.cli import main

CASE = packages.HERE.parent / "cases" / "raises" / "spec.wrapper_spec"
OK, MORE, LOCKED, IO, READ, WRITE, DONE = 0, 1, 5, 10, 11, 12, 20


@pytest.fixture(scope="module", params=packages.ENGINES)
def notes(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build(CASE).load(request.param)


@pytest.fixture
def store(notes: Any) -> Iterator[Any]:
    with notes.Store(4) as opened:
        yield opened


def raised(call: Any, *arguments: Any) -> Any:
    with pytest.raises(Exception) as caught:
        call(*arguments)
    return caught.value


def said(error: Any) -> tuple[str, str, Any]:
    return type(error).__name__, str(error), error.code


def test_an_inherited_status_is_tested(store: Any) -> None:
    assert [store.put(OK), store.put(MORE)] == [None, None]
    assert said(raised(store.put, 30)) == ("NotesError", "the store says so", 30)
    assert said(raised(store.in_a_body, 30)) == ("NotesError", "the store says so", 30)
    assert store.in_a_body(MORE) is None


def test_what_the_signature_uses_is_no_status(notes: Any, store: Any) -> None:
    assert (store.count(), store.size(), store.flag()) == (4, 4, True)
    assert notes.forecast(True) == 1


def test_beside_what_the_call_writes(notes: Any, store: Any) -> None:
    assert store.usage() == (4, 2)
    with notes.Store(10) as full:
        error = raised(full.usage)
    assert said(error) == ("Locked", "the store says so", LOCKED)
    assert isinstance(error, BlockingIOError)
    assert isinstance(error, notes.NotesError)
    assert store.read(3) == b"xxx"
    assert said(raised(store.read, 10)) == ("ReadFault", "the store says so", READ)


def test_a_status_that_means_nothing(store: Any) -> None:
    assert [store.find(4), store.find(10)] == [8, None]
    assert store[4] == 8
    assert type(raised(store.__getitem__, 10)) is IndexError
    assert type(raised(store.find, -1)).__name__ == "ReadFault"
    assert said(raised(store.put, DONE)) == ("NotesError", "the store says so", DONE)


def test_a_status_is_told_by_its_type(notes: Any) -> None:
    assert notes.weather(False) is None
    assert said(raised(notes.weather, True)) == ("WeatherError", "it is wet", 1)
    assert notes.measure(3) == 4
    assert said(raised(notes.measure, 10)) == ("WeatherError", "it is wet", 1)


def test_a_status_that_is_thrown_away(store: Any) -> None:
    assert store.try_put(30) is None


def test_a_null_pointer_where_a_result_is_needed(notes: Any, store: Any) -> None:
    assert store.first().number == 1
    with notes.Store(0) as empty:
        error = raised(empty.first)
        assert said(error) == ("NotesError", "the store says so", errno.EPERM)
        assert empty.next() is None


def test_what_an_entry_says_is_tested(store: Any) -> None:
    assert [store.row(OK), store.row(MORE)] == [False, True]
    assert raised(store.row, LOCKED).code == LOCKED
    assert [store.length(30), store.length(0)] == [30, 0]
    assert raised(store.length, -3).code == -3
    assert store.number(MORE) == MORE
    assert raised(store.number, 30).code == 30
    assert store.last(0) is None
    assert raised(store.last, 30).code == 30
    assert store.all(MORE) is None
    assert str(raised(store.all, 30)) == "[1]: the store says so"


def test_nested_classes(notes: Any, store: Any) -> None:
    assert notes.NotesIOError.__bases__ == (notes.NotesError, OSError)
    assert [notes.ReadFault.__bases__, notes.WriteFault.__bases__] == [(notes.NotesIOError,)] * 2
    assert type(raised(store.put, IO)) is notes.NotesIOError
    error = raised(store.put, READ)
    assert (type(error), error.left, error.name, error.doubled) == (notes.ReadFault, 4, "N11", 22)
    assert type(raised(store.put, WRITE)) is notes.WriteFault


def test_nested_classes_of_exceptions(notes: Any) -> None:
    assert notes.Third.__mro__[:3] == (notes.Third, notes.Half, notes.Broken)
    assert [type(raised(notes.fail, why)) for why in (3, 4)] == [notes.Third, notes.Broken]


def test_a_failing_constructor_has_its_object(notes: Any) -> None:
    alive = notes.stores_alive()
    assert said(raised(notes.Store, -1)) == ("NotesIOError", "the file is bad", IO)
    assert notes.stores_alive() == alive


def test_values_that_tell_themselves_are_opened(notes: Any) -> None:
    assert (notes.expected(3), notes.from_a_body(3), notes.done(3)) == (3, 3, None)
    for call in (notes.expected, notes.from_a_body, notes.done):
        assert said(raised(call, -7)) == ("RaisesError", "fault 7", 7)


def test_code_of_the_spec_tests_by_name(store: Any) -> None:
    assert store.checked(MORE) == MORE
    assert said(raised(store.checked, 30)) == ("NotesError", "the store says so", 30)


# --- a status of a common type that an entry throws away -------------------------------------------------------------

DROPPED = """\
wrapper_lib: {name: dropped, lang: c, prefix: dropped_}
cpp_prelude: |
  inline int dropped_put(int n) { return n < 0 ? 5 : 0; }
  inline int dropped_count(int) { return 3; }
  struct box { int n; };
  inline box *box_new() { return new box{1}; }
  inline void box_free(box *b) { delete b; }
  inline int box_n(box *b) { return b->n; }
  inline int box_set_n(box *b, int n) { return b->n = n, 5; }
  inline int box_put(box *, const char *, size_t) { return 5; }
  inline int dropped_fill(char *out, size_t size) { return *out = 0, size == 0; }
  inline int dropped_ask(char *out, size_t *size) { return out ? *out = 0 : *size = 3, 5; }
  inline int dropped_dump(char **out) { return *out = nullptr, 5; }
  inline int dropped_length(char *, size_t) { return 0; } inline int dropped_list(int *out, size_t) { return *out = 7; }
  inline int box_say(int, char **error) { return *error = nullptr, 5; }
errors:
  - {cpp_type: int, ok: 0}
handle_types:
  - name: Box
    cpp_type: box *
    release: box_free
    fields:
      n: {type: mut i32, cpp: box_n, set: box_set_n}
    methods:
      - {def: "Box()", cpp: box_new}
      - {def: "put(data: bytes)", cpp: box_put}
      - {def: "store(data: bytes)", cpp: "box_put(self, data, data.size())"}
      - {def: "assign(n: i32)", cpp: self->n = n}
functions:
  - {def: "put(n: i32)"}
  - {def: "twice(n: i32)", cpp: 2 * dropped_put(n)}
  - {def: "tested(n: i32)", cpp: dropped_put, raises: DroppedError}
  - {def: "count(n: i32)", raises: nothing}
  - {def: "say(n: i32)", cpp: "box_say(n, &error)"}
  - {def: "fill(size: usize) -> bytes", capacity: size}
  - {def: "ask() -> bytes", cpp: "dropped_ask(out, &capacity)", capacity: ask}
  - {def: "dump() -> text", cpp: "dropped_dump(&out)", release: "static_cast<void>(value)"}
  - {def: "length(size: usize) -> bytes", cpp: "dropped_length(out, capacity)", capacity: size, length: value}
  - {def: "filled(size: usize) -> bytes", cpp: "dropped_fill(out, capacity)", capacity: size, raises: nothing}
  - {def: "checked(size: usize) -> bytes", cpp: "dropped_fill(out, capacity)", capacity: size, raises: DroppedError}
  - {def: "listed(n: usize) -> array[i32; n]", cpp: "dropped_list(out, n)", raises: nothing}
"""
UNTESTED = [23, 26, 27, 30, 31, 35, 36, 37]
"""The lines of entries that throw away an int, which may be a status."""


@pytest.mark.quick(1)
@pytest.mark.parametrize("compiler", [each for each in ("g++", "clang++") if shutil.which(each)])
def test_a_status_that_no_entry_speaks_of_is_shown(
    compiler: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CXX", compiler)
    Path("dropped.wrapper_spec").write_text(DROPPED, encoding="utf-8")
    done = CliRunner().invoke(main, ["build", "--check-only", "--engine", engine, "dropped.wrapper_spec"])
    assert done.exit_code == 0, done.stderr
    assert (
        sorted(map(int, re.findall(r"^dropped\.wrapper_spec:(\d+):\d+: warning: .*\[WG294\]", done.stderr, re.M)))
        == UNTESTED
    )
    assert "say raises: DroppedError, or raises: nothing" in done.stderr
    assert "drops_status" not in done.stderr
    strictly = ["build", "--check-only", "--strict", "--engine", engine, "dropped.wrapper_spec"]
    assert CliRunner().invoke(main, strictly).exit_code == 3
    Path("dropped.wrapper_spec").write_text(
        DROPPED.replace("prefix:", "raises: DroppedError, prefix:"), encoding="utf-8"
    )
    assert CliRunner().invoke(main, strictly).exit_code == 0

"""Exceptions with what led to them as their cause, and the `errno` of a failed call as its code."""

from __future__ import annotations

import errno
import os
import threading
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: layers}
cpp_prelude: |
  #include <cerrno>
  #include <cstring>
  #include <exception>
  #include <stdexcept>
  #include <string>
  struct disk_error : std::runtime_error {
    int sector;
    disk_error(int at, const std::string &words) : std::runtime_error(words), sector(at) {}
  };
  struct jam { int sheet; };
  enum what : int { range, paper, disk, number, bare };
  inline void fail(int of) {
    switch (of) {
      case range: throw std::out_of_range("no such row");
      case paper: throw jam{9};
      case disk: throw disk_error(5, "unreadable");
      case number: throw 7;
      default: throw std::runtime_error("it failed");
    }
  }
  inline void within(int of, int depth) {
    if (depth == 0) fail(of);
    try {
      within(of, depth - 1);
    } catch (...) {
      const std::string words = "layer " + std::to_string(depth);
      if (of == paper) std::throw_with_nested(jam{depth});
      if (of == disk) std::throw_with_nested(disk_error(depth, words));
      std::throw_with_nested(std::invalid_argument(words));
    }
  }
  inline void without_cause() { std::throw_with_nested(std::domain_error("alone")); }
  inline int refuse(int why) { errno = why; return -1; }
  inline const char *words_of(int) { const char *words = std::strerror(errno); errno = EDOM; return words; }
errors:
  - {cpp_type: disk_error, name: DiskError, code: value.sector}
  - {cpp_type: jam, name: JamError, message: "\\"sheet \\" + std::to_string(value.sheet)"}
  - cpp_type: int
    ok: [0]
    name: RefusedError
    message: words_of(value)
    code: errno
    fields:
      name: {type: text, cpp: std::string("refused")}
      __notes__: {type: text, cpp: std::to_string(errno)}
      why: {type: i32, cpp: errno}
functions:
  - {def: "within(of: i32, depth: i32)"}
  - {def: "without_cause()"}
  - {def: "refuse(why: i32)", raises: RefusedError}
"""
RANGE, PAPER, DISK, NUMBER, BARE = range(5)


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build_text(SPEC, name="layers").load(engine)


def causes(call: Any, *arguments: Any) -> list[tuple[str, str, Any]]:
    """The exception that is raised, and what led to it, from the outside in."""
    with pytest.raises(Exception) as caught:
        call(*arguments)
    found = []
    error: BaseException | None = caught.value
    while error is not None:
        found.append((type(error).__name__, str(error), getattr(error, "code", None)))
        error = error.__cause__
    return found


def test_what_is_nested_is_the_cause(lib: Any) -> None:
    layers = [("ValueError", "layer 2", None), ("ValueError", "layer 1", None)]
    unknown = "a C++ exception that is no std::exception"
    assert causes(lib.within, RANGE, 2) == [*layers, ("IndexError", "no such row", None)]
    assert causes(lib.within, BARE, 2) == [*layers, ("LayersError", "it failed", None)]
    assert causes(lib.within, NUMBER, 2) == [*layers, ("LayersError", unknown, None)]
    disk = [("DiskError", "layer 2", 2), ("DiskError", "layer 1", 1), ("DiskError", "unreadable", 5)]
    assert causes(lib.within, DISK, 2) == disk
    jam = [("JamError", "sheet 1", None), ("JamError", "sheet 9", None)]
    assert causes(lib.within, PAPER, 1) == jam


def test_what_has_nothing_nested_has_no_cause(lib: Any) -> None:
    assert causes(lib.within, DISK, 0) == [("DiskError", "unreadable", 5)]
    assert causes(lib.without_cause) == [("ValueError", "alone", None)]
    assert causes(lib.within, RANGE, 1)[1:] == causes(lib.within, RANGE, 0)
    assert causes(lib.within, RANGE, 0) == [("IndexError", "no such row", None)]


def test_a_long_chain_ends(lib: Any) -> None:
    assert len(causes(lib.within, RANGE, 300)) == 101


def test_each_thread_has_its_own(lib: Any) -> None:
    found: dict[int, set[tuple[tuple[str, str, Any], ...]]] = {}

    def work(of: int) -> None:
        found[of] = {tuple(causes(lib.within, of, 3)) for _ in range(50)}

    threads = [threading.Thread(target=work, args=(of,)) for of in (RANGE, DISK)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [len(found[of]) for of in (RANGE, DISK)] == [1, 1]


@pytest.mark.trial("errno")
def test_errno_says_what_failed(lib: Any) -> None:
    for why in (errno.ERANGE, errno.ENOENT):
        with pytest.raises(lib.RefusedError) as caught:
            lib.refuse(why)
        error = caught.value
        assert (str(error), error.code, error.why, error.name) == (os.strerror(why), why, why, "refused")
        assert error.__notes__ == [str(why)]

"""Handles that are numbers: C++ takes them for any other number, so the spec says where they stand."""

from __future__ import annotations

import shutil
from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES
from tests.behaviour.test_mistakes import mistake_in

CODE = """\
wrapper_lib: {name: sockets, cpp_include: [string]}
cpp_prelude: |
  typedef int socket_t;
  enum port : unsigned { no_port };
  inline long socket_send(int count, socket_t s) { return s * 1000 + count; }
  inline long socket_wait(socket_t s, double seconds, bool all) { return s * 1000 + long(seconds) * 10 + all; }
  inline long socket_write(socket_t s, const void *data, size_t size) {
    return s * 1000 + long(size) + (data == nullptr);
  }
  inline int socket_size(socket_t s, int *out) { *out = s * 2; return 0; }
  inline long port_open(int mode, port p) { return long(p) * 1000 + mode; }
  inline int level = 0;
  inline int socket_level(socket_t s) { return s * 1000 + level; }
  inline void socket_set_level(int value, socket_t s) { level = value + s * 10; }
  inline long socket_tell(socket_t s, long value) { return s * 1000 + value; }
  inline long socket_tell(socket_t s, const std::string &value) { return s * 1000 + long(value.size()); }
errors:
  - {cpp_type: int, ok: value == 0, message: "\\"the call failed with a st\\""}
handle_types:
  - name: Port
    cpp_type: port
    release: nothing
    methods:
      - {def: "Port(n: u32)", cpp_body: "return static_cast<port>(n);"}
      - {def: "open(mode: i32) -> i64", cpp: "::port_open"}
  - name: Socket
    cpp_type: socket_t
    release: nothing
    prefix: socket_
"""
SAYS = """\
    properties:
      level: {type: i32, set: {cpp: "socket_set_level(level, self)"}}
    methods:
      - {def: "Socket(n: i32)", cpp_body: return n;}
      - {def: "send(count: i32) -> i64", cpp: "socket_send(count, self)"}
      - {def: "wait(seconds: f64, all: bool) -> i64", cpp: "socket_wait(self, seconds, all)"}
      - {def: "write(data: bytes) -> i64"}
      - {def: "size() -> i32", raises: SocketsError}
"""
GUESSES = """\
    properties:
      level: {type: i32, set: true}
    methods:
      - {def: "Socket(n: i32)", cpp_body: return n;}
      - {def: "send(count: i32) -> i64"}
      - {def: "wait(seconds: f64, all: bool) -> i64"}
      - {def: "tell(value: i64 | text) -> i64"}
"""


@pytest.fixture(params=ENGINES)
def sockets(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(CODE + SAYS, name="sockets").load(request.param)


@pytest.mark.trial("integer-handle-guessed")
def test_they_stand_where_the_spec_says(sockets: ModuleType) -> None:
    socket = sockets.Socket(7)
    assert [socket.send(2), socket.wait(3.0, True), socket.write(b"four"), socket.size()] == [7002, 7031, 7004, 14]
    socket.level = 5
    assert socket.level == 7075
    assert sockets.Port(2).open(3) == 2003  # no number becomes an enum: there is one reading


@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def test_two_readings_are_an_error_that_shows_them(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    monkeypatch.setenv("CXX", compiler)
    text = (CODE + GUESSES).replace("name: sockets", "name: wrong")
    error = mistake_in(text)
    found = {
        text.split("\n")[each.span.line - 1].split()[2]: f"{each.message}; {each.advice}"
        for each in (error.diagnostic, *error.more)
    }
    assert found['"send(count:'] == (
        "Socket.send: its arguments can stand in several orders; "
        'say which of these C has: cpp: "socket_send(self, count)" or cpp: "socket_send(count, self)"'
    )
    assert found['"wait(seconds:'].count('cpp: "socket_wait(') == 3
    assert found['"tell(value:'].endswith("could stand anywhere; write a lambda, which says where")
    assert found["i32,"].startswith(
        "the object of this setter, a number or a void *, could stand first or last; say C's"
    )
    assert len(found) == 4

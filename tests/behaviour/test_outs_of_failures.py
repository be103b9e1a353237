"""Out-parameters of a type that the spec says, also of variadic functions; handles that failing calls leave."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: outs}
cpp_prelude: |
  #include <cstdarg>
  #include <new>
  inline int alive = 0, released = 0;
  struct file { int number; };
  inline file *last = nullptr;
  // A failing call ends the file, and leaves its address.
  inline int file_open(int number, file **out) {
    *out = new file{number};
    ++alive;
    if (number >= 0) return 0;
    delete *out;
    --alive;
    return number;
  }
  // A failing call leaves the file, which says why.
  inline int file_make(int number, file **out) {
    *out = new file{number};
    ++alive;
    return number < 0 ? number : 0;
  }
  // The library's own, in any case.
  inline file own_file{0};
  inline int file_own(int status, file **out) {
    *out = &own_file;
    return status;
  }
  inline int file_number(const file *f) { return f->number; }
  inline void file_close(file *f) { ++released; --alive; delete f; }
  inline int file_info(file *f, int what, ...) {
    va_list all;
    va_start(all, what);
    switch (what) {
      case 1: *va_arg(all, long *) = f->number; break;
      case 2: *va_arg(all, const char **) = "a name"; break;
      case 3: *va_arg(all, double *) = 1.5; *va_arg(all, int *) = 7; break;
      default: va_end(all); return -9;
    }
    va_end(all);
    return 0;
  }
  inline int file_pair(file *f, int *a, short &b) { *a = f->number; b = 3; return 0; }
errors:
  - {type: st, cpp_type: int, ok: 0}
handle_types:
  - name: File
    cpp_type: file *
    cpp_drop: file_close(value)
    methods:
      - {def: "number -> i32", cpp_fn: file_number}
      - {def: "info() -> i64", cpp_fn: file_info, raises: st, cpp_params: [h, {value: 1}, {out: out, as: long}]}
      - {def: "name() -> text", cpp_fn: file_info, raises: st,
         cpp_params: [h, {value: 2}, {out: out, as: const char *}]}
      - {def: "half() -> f64", cpp_fn: file_info, raises: st,
         cpp_params: [h, {value: 3}, {out: out, as: double}, {out: _, as: int}]}
      - {def: "unknown() -> i64", cpp_fn: file_info, raises: st, cpp_params: [h, {value: 4}, {out: out, as: long}]}
      - {def: "pair() -> i64", cpp_fn: file_pair, raises: st, cpp_params: [h, {out: out, as: int}, {out: _, as: short}]}
functions:
  - {def: "File(number: i32)", cpp_fn: file_open, raises: st, owned_on_failure: false}
  - {def: "opened(number: i32) -> File", cpp_fn: file_open, raises: st, owned_on_failure: false,
     cpp_params: [number, out]}
  - {def: "maybe(number: i32) -> File?", cpp_fn: file_open, raises: st, owned_on_failure: false, none: [-2]}
  - {def: "made(number: i32) -> File", cpp_fn: file_make, raises: st}
  - {def: "own(status: i32) -> File?", cpp_fn: file_own, raises: st, none: [-2], transfer: none}
  - {def: "alive() -> i64", cpp_fn: "[] { return alive; }"}
  - {def: "released() -> i64", cpp_fn: "[] { return released; }"}
"""


@pytest.fixture(params=packages.ENGINES)
def lib(request: pytest.FixtureRequest) -> Any:
    return packages.build_text(SPEC, name="outs").load(request.param)


@pytest.mark.parametrize("name", ["File", "opened", "maybe"])
def test_what_a_failing_call_has_ended_is_not_released(lib: Any, name: str) -> None:
    alive, released = lib.alive(), lib.released()
    make = getattr(lib, name)
    with pytest.raises(lib.OutsError):
        make(-1)
    assert (lib.alive(), lib.released()) == (alive, released)
    with make(5) as file:
        assert (file.number, lib.alive()) == (5, alive + 1)
    assert (lib.alive(), lib.released()) == (alive, released + 1)


def test_no_result_leaves_no_handle(lib: Any) -> None:
    released = lib.released()
    assert lib.maybe(-2) is None
    assert lib.released() == released


def test_what_a_failing_call_leaves_is_released(lib: Any) -> None:
    alive, released = lib.alive(), lib.released()
    with pytest.raises(lib.OutsError):
        lib.made(-1)
    assert (lib.alive(), lib.released()) == (alive, released + 1)


def test_what_stays_the_library_s_own_is_never_released(lib: Any) -> None:
    released = lib.released()
    assert lib.own(-2) is None
    with pytest.raises(lib.OutsError):
        lib.own(-1)
    lib.own(0).close()
    assert lib.released() == released


def test_variadic_functions_write(lib: Any) -> None:
    with lib.File(42) as file:
        assert (file.info(), file.name(), file.half(), file.pair()) == (42, "a name", 1.5, 42)
        with pytest.raises(lib.OutsError):
            file.unknown()


RETURNED = """\
wrapper_lib: {name: rx, cpp_include: [memory, string]}
cpp_prelude: |
  inline int alive = 0;
  struct rx {
    std::string why;
    explicit rx(const std::string &of) : why(of == "(" ? "a ) is missing" : "") { ++alive; }
    rx(const rx &other) : why(other.why) { ++alive; }
    ~rx() { --alive; }
    int code() const { return why.empty() ? 0 : 6; }
  };
  inline int rx_code(const rx *of) { return of == nullptr ? 1 : of->code(); }
  inline rx *rx_new(const std::string &of) { return of == "0" ? nullptr : new rx(of); }
  inline rx *rx_kept() { static rx kept("("); return &kept; }
errors:
  - type: rx_status
    cpp_type: int
    ok: 0
    none: 9
    exception: RxError
    message: {Rx: h.inner->why, Sole: h.inner->why, Plain: h.inner.why, else: '"it is wrong"'}
handle_types:
  - name: Rx
    cpp_type: rx *
    cpp_drop: delete value
    methods:
      - {def: "Rx(of: text)", raises: {type: rx_status, from: result->code()}}
  - name: Sole
    cpp_type: std::unique_ptr<rx>
    methods:
      - {def: "Sole(of: text)", raises: {type: rx_status, from: result->code()}}
  - name: Plain
    cpp_type: rx
    methods:
      - {def: "Plain(of: text)", raises: {type: rx_status, from: result.code()}}
functions:
  - {def: "made(of: text) -> Rx", cpp_fn: rx_new, raises: {type: rx_status, from: rx_code(result)}}
  - {def: "maybe(of: text) -> Rx?", cpp_fn: rx_new, raises: {type: rx_status, from: rx_code(result)}}
  - def: "none(of: text) -> Rx?"
    cpp_fn: rx_new
    raises: {type: rx_status, from: "result->code() == 6 ? 9 : 0"}
  - def: "by_lambda(of: text) -> Rx"
    cpp_fn: "[](const std::string &of) { return new rx(of); }"
    raises: {type: rx_status, from: rx_code(result)}
  - {def: "by_body(of: text) -> Rx", cpp_body: return new rx(of);, raises: {type: rx_status, from: rx_code(result)}}
  - {def: "kept() -> Rx", cpp_fn: rx_kept, transfer: none, raises: {type: rx_status, from: rx_code(result)}}
  - {def: "living() -> i32", cpp_body: return alive;}
"""


@pytest.mark.trial("status-of-a-constructor")
def test_what_a_failing_call_returns_says_why_and_is_released(engine: str) -> None:
    lib: Any = packages.build_text(RETURNED, name="rx").load(engine)
    with pytest.raises(lib.RxError, match=r"^a \) is missing$"):
        lib.kept()
    before = 1  # the library's own
    assert lib.living() == before
    for make in (lib.Rx, lib.Sole, lib.Plain, lib.made, lib.maybe, lib.by_lambda, lib.by_body):
        with make("a"):
            assert lib.living() == before + 1
        with pytest.raises(lib.RxError, match=r"^a \) is missing$") as caught:
            make("(")
        assert (caught.value.code, lib.living()) == (6, before)
    for make in (lib.made, lib.maybe):
        with pytest.raises(lib.RxError, match=r"^it is wrong$"):
            make("0")
    assert (lib.none("("), lib.living()) == (None, before)

"""Out-parameters of a type that the spec says, also of variadic functions; handles that failing calls leave."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.test_mistakes import errors_of

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
  - {cpp_type: int, ok: 0, message: "\\"the call failed with a st\\""}
handle_types:
  - name: File
    cpp_type: file *
    release: file_close(value)
    methods:
      - {def: "number -> i32", cpp: "::file_number"}
      - {def: "info() -> i64", cpp: "file_info(self, 1, (long *)&out)", raises: OutsError}
      - {def: "name() -> text", cpp: "file_info(self, 2, (const char * *)&out)", raises: OutsError}
      - {def: "half() -> f64", cpp: "file_info(self, 3, (double *)&out, (int *)&_)", raises: OutsError}
      - {def: "unknown() -> i64", cpp: "file_info(self, 4, (long *)&out)", raises: OutsError}
      - {def: "pair() -> i64", cpp: "file_pair(self, (int *)&out, (short *)&_)", raises: OutsError}
functions:
  - {def: "File(number: i32)", cpp: file_open, raises: OutsError, on_failure: garbage}
  - {def: "opened(number: i32) -> File", cpp: "file_open(number, &out)", raises: OutsError, on_failure: garbage}
  - {def: "maybe(number: i32) -> File?", cpp: file_open, raises: OutsError, on_failure: garbage, none: [-2]}
  - {def: "made(number: i32) -> File", cpp: file_make, raises: OutsError}
  - {def: "own(status: i32) -> File?", cpp: file_own, raises: OutsError, none: [-2], release: nothing}
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
  - cpp_type: int
    ok: 0
    none: 9
    name: RxError
    message: {Rx: self->why, Sole: self->why, Plain: self.why, else: '"it is wrong"'}
handle_types:
  - name: Rx
    cpp_type: rx *
    release: delete value
    methods:
      - {def: "Rx(of: text)", raises: RxError, status: value->code()}
  - name: Sole
    cpp_type: std::unique_ptr<rx>
    methods:
      - {def: "Sole(of: text)", raises: RxError, status: value->code()}
  - name: Plain
    cpp_type: rx
    methods:
      - {def: "Plain(of: text)", raises: RxError, status: value.code()}
functions:
  - {def: "made(of: text) -> Rx", cpp: rx_new, raises: RxError, status: rx_code(value)}
  - {def: "maybe(of: text) -> Rx?", cpp: rx_new, raises: RxError, status: rx_code(value)}
  - def: "none(of: text) -> Rx?"
    cpp: rx_new
    raises: RxError
    status: "value->code() == 6 ? 9 : 0"
  - def: "by_lambda(of: text) -> Rx"
    cpp_fn: "[](const std::string &of) { return new rx(of); }"
    raises: RxError
    status: rx_code(value)
  - {def: "by_body(of: text) -> Rx", cpp_body: return new rx(of);, raises: RxError, status: rx_code(value)}
  - {def: "kept() -> Rx", cpp: rx_kept, release: nothing, raises: RxError, status: rx_code(value)}
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


NEVER_NONE = """\
wrapper_lib: {name: wrong, lang: c, prefix: may_, raises: MayError}
cpp_prelude: |
  #include <optional>
  struct point { int x; };
  inline int may_find(int key, int *out) { if (key != 0) *out = key; return key < 0; }
  inline int may_place(int key, point *out) { if (key != 0) out->x = key; return key < 0; }
  inline int may_choose(int key, std::optional<int> *out) { if (key != 0) *out = key; return key < 0; }
  inline int may_text(int key, const char **out) { if (key != 0) *out = "text"; return key < 0; }
errors: [{name: MayError, cpp_type: int, ok: [0]}]
structs: [{name: Point, cpp_type: point, fields: {x: i32}}]
functions:
  - {def: "find(key: i32) -> i32?"}  # wrong
  - {def: "found(key: i32) -> i32?", cpp: may_find, none: [1]}
  - {def: "found_or(key: i32, value: i32 = -1) -> (value: i32)", cpp: "may_find(key, &value)"}
  - {def: "place(key: i32) -> Point?"}  # wrong
  - {def: "places(key: i32) -> (at: Point?, status: i32)", cpp: "may_place(key, &at)", raises: nothing}  # wrong
  - {def: "choose(key: i32) -> i32?"}
  - {def: "text(key: i32) -> text?"}
"""


def test_what_c_may_leave_alone_and_nothing_says_so_does_not_compile() -> None:
    said = errors_of(NEVER_NONE)
    for number, line in enumerate(NEVER_NONE.splitlines(), 1):
        assert (f"wrong.wrapper_spec:{number}:" in said) == line.endswith("# wrong"), f"{line}\n{said}"
    assert "what the call writes there is never None, and 0 where the call leaves it alone" in said

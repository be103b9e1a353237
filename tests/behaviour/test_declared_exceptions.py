"""Exceptions that a spec declares: the most derived one is raised, Python's classes derive as C++'s do."""

from __future__ import annotations

import gc
import pickle
import traceback
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: faults}
cpp_prelude: |
  #include <cerrno>
  #include <cstdio>
  #include <cstring>
  #include <memory>
  #include <stdexcept>
  #include <string>
  enum status { fine = 0, full = 2, lost = 3, broken = 4 };
  struct Verdict { int value; bool operator==(const Verdict &other) const { return value == other.value; } };
  struct Base : std::runtime_error { using runtime_error::runtime_error; };
  struct Middle : Base { using Base::Base; };
  struct Leaf : Middle { using Middle::Middle; };
  struct Other : std::logic_error { using logic_error::logic_error; };
  struct Both : Middle, Other {
    explicit Both(const char *words) : Middle(words), Other(words) {}
    const char *what() const noexcept override { return "both"; }
  };
  struct Plain { int number; };
  struct MorePlain : Plain {};
  using Parcel = std::unique_ptr<i64>;
  struct Marked { int number; };
  inline int noted = 0;
  inline std::string note_of(const Leaf &leaf) {
    ++noted;
    if (leaf.what() == std::string("bad")) throw std::bad_alloc();
    return leaf.what() == std::string("leaf") ? "where \\xff\\nit was" : "";
  }
  inline const char *name_of(status s) { return s == full ? "full" : ""; }
errors:
  - {cpp_type: Base, name: BaseFault}
  - {cpp_type: Leaf, name: LeafFault, fields: {__notes__: {type: text, cpp: note_of}}}
  - {cpp_type: Middle, name: MiddleFault}
  - {cpp_type: Both, name: BothFault}
  - {cpp_type: Other, name: OtherFault}
  - {cpp_type: Plain, name: LookupError, message: std::to_string(value.number)}
  - cpp_type: Marked
    name: IndexError
    message: '""'
    fields:
      name: {type: text, cpp: "\\"marked\\""}
      __notes__: {type: text, cpp: "\\"of \\" + std::to_string(value.number)"}
  - {cpp_type: MorePlain, name: PlainFault, message: std::to_string(value.number)}
  - cpp_type: status
    ok: fine
    message: '"it failed"'
    fields:
      name: {type: text, cpp: name_of}
      __notes__: {type: text, cpp: "value == 5 ? \\"note \\" + std::to_string(++noted) : std::string()"}
    name: StatusError
    exceptions:
      - {name: StatusMemoryError, when: [full], also: MemoryError}
      - {name: StatusKeyError, when: [lost], also: KeyError}
  - {cpp_type: "std::FILE *", ok: value != nullptr, message: std::strerror(errno), name: OpenError}
  - {cpp_type: Parcel, ok: value, message: '"no parcel"', name: LookupError}
  - {cpp_type: long, ok: value >= 0, message: '"it counted " + std::to_string(value)', name: CountError}
  - {cpp_type: Verdict, ok: "Verdict{0}", message: '"a verdict"', name: VerdictError}
handle_types:
  - {name: File, cpp_type: "std::FILE *", release: std::fclose(h.inner)}
  - {name: Box, cpp_type: Parcel}
functions:
  - name: open_file
    cpp: std::fopen
    params: [{name: path, type: text}, {name: mode, type: text}]
    return: File
    raises: OpenError
  - name: open_blocking
    cpp_body: return std::fopen(path.c_str(), "r");
    params: [{name: path, type: text}]
    return: File
    raises: OpenError
    blocking: true
  - name: pack
    cpp_fn: "[](bool full) { return full ? Parcel(new i64(3)) : Parcel(); }"
    params: [{name: full, type: bool}]
    return: Box
    raises: LookupError
  - {name: count, cpp_fn: "[](long n) { return n; }", params: [{name: n, type: i64}], return: i8, raises: CountError}
  - {name: notes_made, cpp_body: return noted;, return: i32}
  - name: fail
    params: [{name: what, type: text}]
    cpp_body: |
      if (what == "Base") throw Base("base");
      if (what == "Middle") throw Middle("middle");
      if (what == "Leaf") throw Leaf("leaf");
      if (what == "bad" || what == "empty") throw Leaf(what);
      if (what == "Other") throw Other("other");
      if (what == "Both") throw Both("both");
      if (what == "Plain") throw Plain{1};
      if (what == "Marked") throw Marked{1};
      if (what == "MorePlain") throw MorePlain{{2}};
      throw std::out_of_range("none of them");
  - {def: "call(s: i64)", cpp_fn: "[](i64 s) { return static_cast<status>(s); }", raises: StatusError}
  - {name: judge, cpp_fn: "[](i32 v) { return Verdict{v}; }", params: [{name: v, type: i32}], raises: VerdictError}
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def faults(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="faults").load(request.param)


@pytest.mark.parametrize("what", ["Base", "Middle", "Leaf", "Other", "Both"])
def test_the_most_derived_class_is_raised_whatever_the_order(faults: Any, what: str) -> None:
    with pytest.raises(getattr(faults, f"{what}Fault")) as caught:
        faults.fail(what)
    assert type(caught.value) is getattr(faults, f"{what}Fault")
    assert str(caught.value) == what.lower()


def test_classes_derive_as_those_of_cpp(faults: Any) -> None:
    assert faults.BaseFault.__bases__ == (faults.FaultsError,)
    assert faults.MiddleFault.__bases__ == (faults.BaseFault,)
    assert faults.LeafFault.__bases__ == (faults.MiddleFault,)
    assert set(faults.BothFault.__bases__) == {faults.MiddleFault, faults.OtherFault}
    assert issubclass(faults.OtherFault, faults.FaultsError)
    assert not issubclass(faults.OtherFault, faults.BaseFault)
    with pytest.raises(faults.BaseFault):
        faults.fail("Leaf")


def test_a_class_that_is_no_exception_of_the_standard(faults: Any) -> None:
    with pytest.raises(LookupError, match=r"^1$") as caught:
        faults.fail("Plain")
    assert type(caught.value) is LookupError
    with pytest.raises(faults.PlainFault, match=r"^2$") as derived:
        faults.fail("MorePlain")
    assert isinstance(derived.value, LookupError)
    assert isinstance(derived.value, faults.FaultsError)
    with pytest.raises(IndexError, match="none of them"):
        faults.fail("")


def test_code_is_none_where_there_is_none(faults: Any) -> None:
    for what in ("Base", "Leaf", "MorePlain"):
        with pytest.raises(faults.FaultsError) as caught:
            faults.fail(what)
        assert (caught.value.code, caught.value.name) == (None, None)
    with pytest.raises(faults.VerdictError, match=r"^a verdict$") as verdict:
        faults.judge(3)
    assert verdict.value.code is None
    with pytest.raises(faults.StatusError) as status:
        faults.call(4)
    assert (status.value.code, status.value.name) == (4, None)


def test_a_mapped_status_is_both(faults: Any) -> None:
    for number, builtin, name in ((2, MemoryError, "full"), (3, KeyError, None)):
        with pytest.raises(builtin) as caught:
            faults.call(number)
        assert isinstance(caught.value, faults.StatusError)
        assert (caught.value.code, caught.value.name, caught.value.args) == (number, name, ("it failed",))
        assert not hasattr(caught.value, "__notes__")
    assert faults.StatusMemoryError.__mro__[1:3] == (faults.StatusError, faults.FaultsError)
    assert {"StatusMemoryError", "StatusKeyError"} <= set(faults.__all__)


def test_it_can_be_pickled(faults: Any) -> None:
    with pytest.raises(MemoryError) as caught:
        faults.call(2)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.code, again.name, str(again)) == (faults.StatusMemoryError, 2, "full", "it failed")


def test_the_type_stub_and_a_stub_build_have_the_same_classes() -> None:
    stub = packages.build_text(SPEC, name="faults", stub=True).load("cffi")
    assert issubclass(stub.StatusMemoryError, MemoryError)
    assert issubclass(stub.LeafFault, stub.FaultsError)
    text = (packages.generate_text(SPEC, name="faults") / "__init__.pyi").read_text(encoding="utf-8")
    assert "class StatusMemoryError(StatusError, MemoryError): ..." in text


def raised(call: Any, *arguments: Any) -> Any:
    with pytest.raises(Exception) as caught:
        call(*arguments)
    return caught.value


def test_a_note_of_a_thrown_exception_is_made_when_it_is_read(faults: ModuleType) -> None:
    before = faults.notes_made()
    error = raised(faults.fail, "Leaf")
    raised(faults.fail, "Middle")  # another failure in between
    error.add_note("mine")
    assert (str(error), faults.notes_made()) == ("leaf", before)
    printed = "".join(traceback.format_exception(error))
    assert printed.endswith("LeafFault: leaf\nwhere \ufffd\nit was\nmine\n")
    assert error.__notes__ == ["where \ufffd\nit was", "mine"]
    assert "|".join(error.__notes__) == "where \ufffd\nit was|mine"
    assert faults.notes_made() == before + 1
    assert raised(faults.fail, "Leaf").__notes__[0].startswith("where")
    assert len(raised(faults.fail, "Leaf").__notes__) == 1
    assert pickle.loads(pickle.dumps(raised(faults.fail, "Leaf"))).__notes__ == ["where \ufffd\nit was"]


@pytest.mark.parametrize("what", ["bad", "empty"])
def test_a_note_that_is_empty_or_cannot_be_made_is_none(faults: ModuleType, what: str) -> None:
    assert list(raised(faults.fail, what).__notes__) == []


def test_a_note_follows_the_name_on_a_builtin_exception(faults: ModuleType) -> None:
    assert raised(faults.fail, "Marked").__notes__ == ["marked", "of 1"]


def test_a_note_of_a_status_is_made_at_once(faults: ModuleType) -> None:
    before = faults.notes_made()
    first, second = raised(faults.call, 5), raised(faults.call, 5)
    assert [second.__notes__, first.__notes__] == [[f"note {before + 2}"], [f"note {before + 1}"]]
    assert not hasattr(raised(faults.call, 4), "__notes__")


def test_a_note_that_nobody_reads_is_released_with_its_exception(faults: ModuleType) -> None:
    class Reads:
        """In a cycle with an exception, whose note its finalizer reads."""

        def __init__(self) -> None:
            self.error, self.error.reader = (error := raised(faults.fail, "Leaf")), self
            error.__traceback__ = None

        def __del__(self) -> None:
            read.append(list(self.error.__notes__))

    read: list[list[str]] = []
    for _ in range(3):
        Reads()
        gc.collect()
    assert len(read) == 3
    assert all(notes in ([], ["where \ufffd\nit was"]) for notes in read)


def test_a_status_that_is_the_result_too(faults: ModuleType) -> None:
    for call, arguments in ((faults.open_file, ("/nowhere/at all", "r")), (faults.open_blocking, ("/nowhere/at all",))):
        with pytest.raises(faults.OpenError, match=r"^No such file or directory$") as caught:
            call(*arguments)
        assert caught.value.code is None
    with faults.open_file("/dev/null", "r"), faults.open_blocking("/dev/null"):
        pass
    with pytest.raises(LookupError, match=r"^no parcel$"):
        faults.pack(False)
    faults.pack(True).close()
    with pytest.raises(faults.CountError, match=r"^it counted -1$") as caught:
        faults.count(-1)
    assert (caught.value.code, faults.count(127)) == (-1, 127)
    with pytest.raises(OverflowError):
        faults.count(128)


GREEDY = """\
wrapper_lib: {name: greedy}
cpp_prelude: |
  #include <cstring>
  #include <memory>
  #include <stdexcept>
errors:
  - {cpp_type: std::exception, name: StdError}
  - {cpp_type: std::runtime_error, name: RunError}
  - {cpp_type: std::invalid_argument, name: ArgumentError}
  - {cpp_type: int, ok: "value >= 0", message: '"it was " + std::to_string(value)', name: StatusError}
handle_types:
  - {name: Box, cpp_type: std::unique_ptr<int>}
functions:
  - name: box
    cpp_fn: "[](bool full) { return full ? std::make_unique<int>(1) : nullptr; }"
    params: [{name: full, type: bool}]
    return: Box
  - name: eat
    cpp_body: return *a.inner + *b.inner;
    params: [{name: a, type: Box}, {name: b, type: Box}]
    return: i64
    takes: [a, b]
  - {name: status, cpp_fn: "[](int x) { return x; }", params: [{name: x, type: i64}], raises: StatusError}
  - {name: length, cpp: std::strlen, params: [{name: text, type: text}], return: i8}
  - {name: later}
  - name: fail
    cpp_body: |
      if (how == 1) throw std::invalid_argument("1");
      throw std::bad_alloc();
    params: [{name: how, type: i64}]
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def greedy(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(GREEDY, name="greedy").load(request.param)


def test_a_declared_class_of_the_standard_does_not_catch_failures_of_the_package(greedy: ModuleType) -> None:
    status = raised(greedy.status, -3)
    assert (type(status), str(status), status.code) == (greedy.StatusError, "it was -3", -3)
    assert type(raised(greedy.status, 2**40)) is OverflowError
    assert type(raised(greedy.length, "x" * 128)) is OverflowError
    assert type(raised(greedy.length, "a\0b")) is ValueError
    assert type(raised(greedy.box, False)) is ValueError
    box = greedy.box(True)
    assert type(raised(greedy.eat, box, box)) is greedy.ClosedHandleError
    box.close()
    assert type(raised(greedy.eat, box, greedy.box(True))) is greedy.ClosedHandleError
    assert type(raised(greedy.later)) is NotImplementedError


def test_a_declared_class_of_the_standard_catches_what_the_library_throws(greedy: ModuleType) -> None:
    assert type(raised(greedy.fail, 1)) is greedy.ArgumentError
    assert type(raised(greedy.fail, 2)) is greedy.StdError

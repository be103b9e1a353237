"""Statuses of C: several types that are `int` all of them, what a failed one says by its object, and what it raises."""

from __future__ import annotations

import inspect
import pickle
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages

CASE = packages.HERE.parent / "cases" / "statuses" / "spec.wrapper_spec"
OK, ROW, DONE, SYNTAX, EOF = 0, 100, 101, -1, -2


@pytest.fixture(scope="module", params=packages.ENGINES)
def statuses(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build(CASE).load(request.param)


def raised(call: Any, *arguments: Any) -> Any:
    with pytest.raises(Exception) as caught:
        call(*arguments)
    return caught.value


def said(error: Any) -> tuple[str, str, Any, Any]:
    return type(error).__name__, str(error), error.code, error.name


def test_types_of_one_c_type_are_told_apart(statuses: Any) -> None:
    assert statuses.check(3) is None
    assert said(raised(statuses.check, -7)) == ("ReaderError", "it failed", -7, None)
    assert said(raised(statuses.write, 1)) == (
        "DiskError",
        "the call failed with a disk_status",
        1,
        "Operation not permitted",
    )
    assert statuses.write(0) is None
    assert issubclass(type(raised(statuses.write, 28)), MemoryError)


def test_the_object_of_the_call_says_what_failed(statuses: Any) -> None:
    with statuses.reader(0) as reader:
        assert said(raised(reader.next, -7)) == ("ReaderError", "at the start", -70, None)
        assert said(raised(statuses.find, reader, -8)) == ("ReaderError", "at the start", -80, None)
        for _ in range(3):
            reader.next(ROW)
        assert said(raised(statuses.find, reader, -8)) == ("ReaderError", "deep down", -80, None)
    assert said(raised(statuses.check, -8)) == ("ReaderError", "it failed", -8, None)


def test_a_handle_that_a_failing_call_hands_over_says_what_failed(statuses: Any) -> None:
    with statuses.open(2, OK) as reader:
        assert reader.line == 2
    error = raised(statuses.open, 5, SYNTAX)
    assert (*said(error), error.line) == ("SyntaxFault", "deep down", -10, None, 5)
    error = raised(statuses.open, -1, SYNTAX)  # without one
    assert (*said(error), error.line) == ("SyntaxFault", "it failed", -1, None, None)


def test_the_name_and_the_attributes_are_those_of_the_object_too(statuses: Any) -> None:
    with statuses.reader(2) as reader:
        assert reader.flush(0) is None
        for line, place in ((4, "deep down"), (5, "deep down")):
            error = raised(reader.flush, 1)
            assert (error.name, error.place) == (f"line {line}", place)
        assert issubclass(type(raised(reader.flush, 28)), MemoryError)
    with statuses.reader(0) as reader:
        assert raised(reader.flush, 28).place == "at the start"
    error = raised(statuses.write, 1)  # without an object
    assert (error.name, error.place) == ("Operation not permitted", "nowhere")


def test_some_statuses_have_an_exception_of_their_own(statuses: Any) -> None:
    assert statuses.SyntaxFault.__bases__ == (statuses.ReaderError, ValueError)
    assert statuses.OtherFault.__bases__ == (statuses.ReaderError,)
    with statuses.reader(4) as reader:
        for status, builtin, name in (
            (SYNTAX, ValueError, "SyntaxFault"),
            (-100, ValueError, "SyntaxFault"),
            (EOF, EOFError, "EndFault"),
            (-3, RuntimeError, "OtherFault"),
            (-4, RuntimeError, "ReaderError"),
        ):
            error = raised(reader.next, status)
            assert isinstance(error, builtin)
            assert isinstance(error, statuses.ReaderError)
            assert said(error) == (name, "deep down", status * 10, None)


def test_attributes_are_those_of_the_object(statuses: Any) -> None:
    with statuses.reader(4) as reader:
        error = raised(reader.next, SYNTAX)
    assert (error.line, error.status) == (5, "-1")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.line, again.status, again.code) == (statuses.SyntaxFault, 5, "-1", -10)
    without = raised(statuses.check, SYNTAX)
    assert statuses.SyntaxFault("made by hand").line is None
    assert (without.line, without.status, without.code) == (None, "-1", -1)
    assert not hasattr(raised(statuses.check, EOF), "line")
    doc = inspect.getdoc(statuses.SyntaxFault) or ""
    assert doc.startswith("What was read is not well-formed.")
    assert "line : int | None\n    the line that was read" in doc


ODD_ATTRIBUTES = """\
wrapper_lib: {name: odd, cpp_include: [stdexcept]}
cpp_prelude: |
  enum kind { KIND_A = 1, KIND_B = 2 };
  inline kind kind_of(int value) {
      if (value < -3) throw std::runtime_error("no kind is known");
      return static_cast<kind>(-value);
  }
enums:
  - {name: Kind, cpp_type: kind, prefix: KIND_, values: [A, B]}
errors:
  - cpp_type: int
    ok: 0
    message: "\\"the call failed with an odd_status\\""
    exceptions: [{name: Odd, when: value < 0, fields: {kind: {type: Kind, cpp: kind_of(value)}}}]
  - {cpp_type: bool, ok: value, name: Refused}
functions:
  - {def: "ask(is_fine: bool)", cpp_body: return is_fine;, raises: Refused}
  - {def: "run(status: i32)", cpp_body: return status;, raises: OddError}
"""


def test_attributes_that_cannot_be_told_hide_no_failure(engine: str) -> None:
    odd = packages.build_text(ODD_ATTRIBUTES, name="odd").load(engine)
    found = []
    for status in (-2, -3, -4):
        with pytest.raises(odd.Odd) as caught:
            odd.run(status)
        assert caught.value.code == status
        found.append((caught.value.kind, getattr(caught.value, "__notes__", [])))
    assert found == [
        (odd.Kind.B, []),
        (None, ["its attributes cannot be told: 3 is not a valid Kind"]),
        (None, ["its attributes cannot be told: no kind is known"]),
    ]
    with pytest.raises(odd.Refused, match=r"^the call failed$"):
        odd.ask(False)


def test_the_type_stub_has_the_attributes() -> None:
    text = (packages.generate(CASE) / "__init__.pyi").read_text(encoding="utf-8")
    assert "class SyntaxFault(ReaderError, ValueError):\n" in text
    assert "    line: int | None\n    status: str | None\n" in text
    assert "class EndFault(ReaderError, EOFError): ...\n" in text


def test_a_status_that_means_none(statuses: Any) -> None:
    with statuses.reader(0) as reader:
        assert [statuses.find(reader, status) for status in (DONE, 5, OK)] == [None, 5, 0]
    assert [statuses.lines(status) for status in (ROW, DONE, 5)] == [None, [[DONE]], [[5]]]
    assert said(raised(statuses.lines, EOF))[:2] == ("EndFault", "it ended")
    assert statuses.check(DONE) is None  # has no result: the status is fine


def test_a_message_is_shown_as_it_is(statuses: Any) -> None:
    with pytest.raises(KeyError) as raised:
        statuses.check(-17)
    assert type(raised.value) is statuses.MissingFault
    assert str(raised.value) == "it failed"  # where a plain KeyError shows 'it failed', in quotes


def test_a_status_that_means_that_a_key_is_not_there(statuses: Any) -> None:
    with statuses.reader(2) as reader:
        assert reader["a"] == 2
        with pytest.raises(KeyError, match=r"\A'\?'\Z"):
            reader["?"]
        with pytest.raises(statuses.SyntaxFault):
            reader["!"]
        del reader[3]
        with pytest.raises(IndexError, match="there is no such item"):  # by `none` of the entry, for a position
            del reader[10]
        with pytest.raises(statuses.SyntaxFault):
            del reader[-1]


def test_a_status_that_is_the_end_of_an_iteration(statuses: Any) -> None:
    with statuses.reader(1) as reader:
        assert iter(reader) is reader
        assert list(reader) == [2, 3]
        assert next(reader, "the end") == "the end"
    with statuses.reader(9) as reader, pytest.raises(statuses.SyntaxFault):
        next(reader)


def test_a_result_beside_the_status(statuses: Any) -> None:
    with statuses.reader(0) as reader:
        assert [reader.next(ROW), reader.next(DONE)] == [True, False]
        assert reader.line == 2
    assert statuses.answer(0) == 7


def test_a_status_that_stands_elsewhere(statuses: Any) -> None:
    assert said(raised(statuses.answer, EOF)) == ("EndFault", "it ended", EOF, None)
    assert statuses.quiet(0) is None
    assert said(raised(statuses.quiet, 1)) == (
        "DiskError",
        "the call failed with a disk_status",
        1,
        "Operation not permitted",
    )
    assert statuses.quiet(0) is None  # what an earlier call left in errno is not taken for a failure


def test_a_list_of_statuses(statuses: Any) -> None:
    assert statuses.all([]) is None
    assert statuses.all([OK, ROW]) is None
    assert said(raised(statuses.all, [OK, EOF, SYNTAX])) == ("EndFault", "[1]: it ended", EOF, None)


def test_a_value_that_tells_itself_whether_it_is_one(statuses: Any) -> None:
    assert statuses.number(True) == 3
    assert said(raised(statuses.number, False)) == ("StatusesError", "no number", None, None)
    assert [statuses.weather(True), statuses.storm(True), statuses.plain(True)] == [4, 4, 4]
    assert said(raised(statuses.weather, False)) == ("WeatherError", "h is not what this says", 1, None)
    assert said(raised(statuses.storm, False)) == ("StormError", "it blows", None, None)
    assert said(raised(statuses.plain, False)) == ("StatusesError", "the call failed with 12", 12, None)


def test_a_status_that_does_not_matter(statuses: Any) -> None:
    assert [statuses.any_weather(True), statuses.any_weather(False)] == [None, None]
    with statuses.reader(2) as reader:
        assert [statuses.item_if_any(reader, key) for key in ("a", "!", "?")] == [2, 2, 2]


def test_a_call_that_writes_why_it_failed(statuses: Any) -> None:
    with statuses.reader(0) as reader:
        assert reader.say(0) is None
        assert reader.say(5) is None  # fine, and says so
        error = raised(reader.say, SYNTAX)
        assert (*said(error), error.line) == ("SyntaxFault", "the call says why", -10, None, 4)
        assert said(raised(reader.say, -4))[:2] == ("ReaderError", "at the start")  # writes nothing
    assert statuses.put(1) is None
    assert said(raised(statuses.put, -1)) == ("StatusesError", "no such key", None, None)
    with statuses.reader(3) as reader:
        assert (reader.get(2), reader.measure()) == (5, 3)
        assert said(raised(reader.get, -1)) == ("StatusesError", "a text that stays", None, None)
    with statuses.reader(10) as reader:
        assert said(raised(reader.measure)) == ("StatusesError", "too deep", None, None)
    assert statuses.texts_alive() == 0


def test_statuses_are_checked_in_the_prelude_and_in_bodies(statuses: Any) -> None:
    with statuses.reader(7) as reader:
        assert statuses.in_the_prelude(reader, 5) == 5
        error = raised(statuses.in_the_prelude, reader, SYNTAX)
        assert (*said(error), error.line) == ("SyntaxFault", "deep down", -10, None, 7)
    assert said(raised(statuses.in_a_body, 2))[0] == "DiskError"
    assert statuses.in_a_body(0) is None


def test_a_failure_leaves_nothing_to_the_next(statuses: Any) -> None:
    with statuses.reader(0) as reader:
        raised(reader.next, SYNTAX)
        error = raised(statuses.check, -7)
        assert not hasattr(error, "line")
        assert type(raised(statuses.check, 2**40)) is OverflowError
        assert reader.next(ROW) is True


def test_a_stub_has_the_same_classes() -> None:
    stub = packages.build(CASE, stub=True).load("cffi")
    assert issubclass(stub.SyntaxFault, ValueError)
    with pytest.raises(stub.LibraryUnavailable):
        stub.check(0)


ORDER = """\
wrapper_lib: {name: order}
cpp_prelude: |
  #include <string>
  #include <utility>
  inline std::string asked;
  inline const char *words(int, const char *what) { asked += std::string(what) + " "; return what; }
  inline int number(int status, const char *what) { words(status, what); return 7; }
  inline int run() { return -1; }
  inline std::string told() { return std::exchange(asked, ""); }
errors:
  - cpp_type: int
    ok: [0]
    name: RunError
    fields:
      name: {type: text, cpp: "words(value, \\"name\\")"}
      __notes__: {type: text, cpp: "words(value, \\"note\\")"}
      line: {type: i64, cpp: "number(value, \\"fields\\")"}
    code: number(value, "code")
    message: words(value, "message")
    exceptions:
      - name: WorseError
        fields: {column: {type: i64, cpp: 'number(value, "own fields")'}}
        when: ['number(value, "when") == 7']
functions:
  - {def: "run()", raises: RunError}
  - {def: "told() -> text"}
"""


def test_a_failed_status_is_asked_in_one_order(engine: str) -> None:
    """A library may forget what has failed once it is asked."""
    lib = packages.build_text(ORDER, name="order").load(engine)
    error = raised(lib.run)
    assert lib.told() == "when message code name note own fields fields "
    assert (said(error), error.__notes__) == (("WorseError", "message", 7, "name"), ["note"])
    assert (error.line, error.column, lib.told()) == (7, 7, "")

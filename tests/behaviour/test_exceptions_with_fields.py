"""Exceptions of C++ with a code, attributes, and classes of their own for some codes, over both engines alike."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: sql}
cpp_prelude: |
  #include <stdexcept>
  #include <string>
  #include <system_error>
  #include <vector>
  enum class Reason { none = 0, busy = 5, corrupt = 11, full = 13 };
  struct Place { int line; int column; };
  struct SqlError : std::runtime_error {
    Reason reason; std::string query; Place place;
    SqlError(const char *what, Reason r, std::string q = "")
      : runtime_error(what), reason(r), query(std::move(q)), place{3, 4} {}
    long offset() const { if (query.empty()) throw std::logic_error("there is no query"); return long(query.size()); }
  };
  struct Interrupted : SqlError { Interrupted() : SqlError("stopped", Reason::none, "select") {} double after = 1.5; };
  struct Plain : SqlError { Plain() : SqlError("plain", Reason::full, "q") {} };
  struct Other : std::logic_error { using logic_error::logic_error; };
  enum status { ok = 0, late = 1, lost = 2 };
structs:
  - {name: Place, cpp_type: Place, fields: {line: i64, column: i64}}
errors:
  - {cpp_type: Interrupted, name: Stopped, fields: {after: {type: f64, cpp: value.after, doc: seconds}}}
  - cpp_type: SqlError
    name: SqlFault
    code: value.reason
    fields:
      query: {type: text, cpp: value.query}
      offset: {type: i64, cpp: value.offset()}
      place: {type: Place, cpp: value.place}
    exceptions:
      - {name: BusyFault, when: ["Reason::busy"], also: TimeoutError}
      - name: CorruptFault
        when: value.reason == Reason::corrupt
        fields: {pages: {type: "[i64]", cpp: "std::vector<i64>{1, 2}"}}
  - {cpp_type: Plain, name: LookupError}
  - {cpp_type: std::system_error, name: SystemFault, code: value.code()}
  - {cpp_type: Other, name: OtherFault}
  - cpp_type: status
    ok: ok
    name: StatusFault
    message: '"it is late"'
    fields: {kept: {type: i64, cpp: value * 10}}
    exceptions: [{name: StatusFaultKeyError, when: [lost], also: KeyError}]
functions:
  - name: fail
    params: [{name: how, type: text}]
    cpp_body: |
      if (how == "busy") throw SqlError("is busy", Reason::busy, "select 1");
      if (how == "corrupt") throw SqlError("is corrupt", Reason::corrupt, "select 2");
      if (how == "full") throw SqlError("is full", Reason::full, "select 3");
      if (how == "empty") throw SqlError("no query", Reason::full);
      if (how == "stopped") throw Interrupted();
      if (how == "plain") throw Plain();
      if (how == "other") throw Other("other");
      throw std::system_error(std::make_error_code(std::errc::no_space_on_device));
  - {def: "call(s: i64)", cpp_fn: "[](i64 s) { return static_cast<status>(s); }", raises: StatusFault}
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def sql(request: pytest.FixtureRequest) -> Any:
    return packages.build_text(SPEC, name="sql").load(request.param)


def raised(call: Any, *arguments: Any) -> Any:
    with pytest.raises(Exception) as caught:
        call(*arguments)
    return caught.value


def test_attributes_and_codes_of_a_thrown_exception(sql: Any) -> None:
    full = raised(sql.fail, "full")
    assert type(full) is sql.SqlFault
    assert (str(full), full.code, full.name) == ("is full", 13, None)
    assert (full.query, full.offset, full.place) == ("select 3", 8, sql.Place(3, 4))
    assert not hasattr(full, "__notes__")
    again = pickle.loads(pickle.dumps(raised(sql.call, 1)))
    assert (again.kept, again.code) == (10, 1)


def test_classes_by_code(sql: Any) -> None:
    busy, corrupt = raised(sql.fail, "busy"), raised(sql.fail, "corrupt")
    assert type(busy) is sql.BusyFault
    assert isinstance(busy, TimeoutError) and isinstance(busy, sql.SqlFault)
    assert (str(busy), busy.code, busy.query, busy.place.line) == ("is busy", 5, "select 1", 3)
    assert type(corrupt) is sql.CorruptFault
    assert (corrupt.pages, corrupt.query, corrupt.code) == ([1, 2], "select 2", 11)
    assert sql.CorruptFault.__mro__[1:3] == (sql.SqlFault, sql.SqlError)


def test_an_attribute_that_throws_is_none_and_a_note_says_why(sql: Any) -> None:
    error = raised(sql.fail, "empty")
    assert (str(error), error.code, error.offset, error.query) == ("no query", 13, None, None)
    assert list(error.__notes__) == ["its attributes cannot be told: there is no query"]


def test_a_derived_class_has_the_attributes_of_its_base(sql: Any) -> None:
    stopped = raised(sql.fail, "stopped")
    assert type(stopped) is sql.Stopped and isinstance(stopped, sql.SqlFault)
    assert (stopped.after, stopped.query, stopped.offset, stopped.place) == (1.5, "select", 6, sql.Place(3, 4))
    assert stopped.code is None
    plain = raised(sql.fail, "plain")
    assert (type(plain), plain.query) == (LookupError, "q")
    other = raised(sql.fail, "other")
    assert type(other) is sql.OtherFault and not hasattr(other, "query") and not hasattr(other, "after")


def test_a_code_of_the_standard_library(sql: Any) -> None:
    assert raised(sql.fail, "").code == 28


def test_attributes_of_all_exceptions_of_a_status(sql: Any) -> None:
    late, lost = raised(sql.call, 1), raised(sql.call, 2)
    assert (type(late), late.kept, late.code) == (sql.StatusFault, 10, 1)
    assert lost.kept == 20
    assert isinstance(lost, KeyError) and isinstance(lost, sql.StatusFault)


def test_the_type_stub_has_them() -> None:
    text = (packages.generate_text(SPEC, name="sql") / "__init__.pyi").read_text(encoding="utf-8")
    for attribute in ("offset: int", "pages: list[int]", "after: float"):  # None where C++ could not give it
        assert f"    {attribute} | None\n" in text

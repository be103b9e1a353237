"""Exceptions that a spec declares: the most derived one is raised, Python's classes derive as C++'s do."""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: faults}
cpp_prelude: |
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
  inline const char *name_of(status s) { return s == full ? "full" : ""; }
errors:
  - {type: Base, exception: BaseFault}
  - {type: Leaf, exception: LeafFault}
  - {type: Middle, exception: MiddleFault}
  - {type: Both, exception: BothFault}
  - {type: Other, exception: OtherFault}
  - {type: Plain, exception: LookupError, message: std::to_string(value.number)}
  - {type: MorePlain, exception: PlainFault, message: std::to_string(value.number)}
  - type: status
    ok: fine
    name: name_of
    message: '"it failed"'
    exception: StatusError
    map: {full: MemoryError, lost: KeyError}
  - {type: Verdict, ok: "Verdict{0}", message: '"a verdict"', exception: VerdictError}
functions:
  - name: fail
    params: [{name: what, type: text}]
    cpp_body: |
      if (what == "Base") throw Base("base");
      if (what == "Middle") throw Middle("middle");
      if (what == "Leaf") throw Leaf("leaf");
      if (what == "Other") throw Other("other");
      if (what == "Both") throw Both("both");
      if (what == "Plain") throw Plain{1};
      if (what == "MorePlain") throw MorePlain{{2}};
      throw std::out_of_range("none of them");
  - {name: call, cpp_fn: "[](i64 s) { return static_cast<status>(s); }", params: [{name: s, type: i64}], raises: status}
  - {name: judge, cpp_fn: "[](i32 v) { return Verdict{v}; }", params: [{name: v, type: i32}], raises: Verdict}
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

"""What callables raise: it ends the calls, and the call that was passed them raises it."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.callables.shared import Once, fails, load, raise_once


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return load(engine)


def test_an_exception_ends_the_calls_and_is_raised_by_the_outer_one(lib: Any) -> None:
    calls = []

    def visitor(name: str, index: int) -> bool:
        calls.append(index)
        raise Once("as it says")

    for name in ("visit", "visit_or", "visit_status"):
        calls.clear()
        fails(Once, "as it says", partial(getattr(lib, name), 3, visitor))
        assert calls == [0]
    assert lib.visit(3, lambda name, index: False) == 0


def test_an_exception_through_cpp(lib: Any) -> None:
    fails(Once, "as it says", lambda: lib.fold(3, raise_once))
    fails(Once, "as it says", lambda: lib.sorted_by(["b", "a"], raise_once))
    fails(Once, "as it says", lambda: lib.swallowed(raise_once))


def test_exceptions_that_are_none(lib: Any) -> None:
    def interrupted(*_arguments: object) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lib.visit(3, interrupted)


def test_calls_within_calls(lib: Any) -> None:
    def outer(x: int) -> int:
        fails(Once, "as it says", lambda: lib.summed(1, raise_once))
        return int(lib.summed(3, lambda y: y + x))

    assert lib.summed(2, outer) == 3 + 6


def test_an_exception_of_an_inner_call_goes_on(lib: Any) -> None:
    fails(Once, "as it says", lambda: lib.summed(2, lambda x: lib.summed(2, raise_once)))


def test_an_object_that_ends_as_an_exception_is_raised_calls_python(lib: Any) -> None:
    """What the constructor made, and what Python has on its stack."""
    ended: list[int] = []
    fails(Once, "as it says", lambda: lib.Ending(partial(ended.append, 1), raise_once))
    fails(Once, "as it says", lambda: (lib.Ending(partial(ended.append, 2)), raise_once()))
    objects.let_go()
    assert ended == [1, 2]


def test_recursion_has_an_end(lib: Any) -> None:
    def deeper(x: int) -> int:
        return int(lib.summed(1, deeper))

    with pytest.raises(RecursionError):
        lib.summed(10_000, deeper)
    assert lib.summed(3, lambda x: x) == 3


def test_it_closes_the_handle_that_it_runs_under(lib: Any) -> None:
    emitter = lib.emitter()
    emitter.on(lambda value: emitter.close())
    assert emitter.emit(1) == 1
    assert emitter.closed


PASSED_ONLY = """\
wrapper_lib:
  name: written
  cpp_prelude: |
    #include <functional>
    namespace written {
    using Function = std::function<double(double)>;
    inline const Function *running = nullptr;
    inline double run(double value, const Function &f) {
        struct Before {
            const Function *before = running;
            ~Before() { running = before; }
        } ends;
        running = &f;
        return f(value);
    }
    inline double again(double value) { return running == nullptr ? -1 : (*running)(value); }
    }
functions:
  - {def: "run(value: f64, f: fn(f64) -> f64) -> f64", cpp: "written::run", scope: call}
  - {def: "again(value: f64) -> f64", cpp: "written::again"}
"""
"""Callables that are called only while a call runs that they are passed to; `again` has it run the innermost one's."""


def test_a_call_that_runs_what_another_one_was_passed(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lib = packages.build_text(PASSED_ONLY).load(engine)
    ignored: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: ignored.append(repr(each.exc_value)))
    assert lib.again(1.0) == -1
    assert lib.run(1.0, lambda value: value if value > 4 else lib.again(2 * value)) == 8

    def raising(value: float) -> float:
        if value > 4:
            raise Once("from within")
        seen.append(value)
        with pytest.raises(Once, match="from within"):
            lib.again(2 * value)
        return float(lib.again(8.0)) if raises_again else value

    for raises_again in (True, False):
        seen: list[float] = []
        if raises_again:
            fails(Once, "from within", lambda: lib.run(4.0, raising))
        else:
            assert lib.run(4.0, raising) == 4
        assert seen == [4.0]
    assert lib.again(1.0) == -1
    assert lib.run(1.0, lambda value: value + 1) == 2
    assert ignored == []

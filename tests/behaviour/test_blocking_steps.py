"""Steps of iterators that wait: other threads of Python run meanwhile, and can end the waiting."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: steps, cpp_include: [atomic, chrono, memory, thread]}
cpp_prelude: |
  // waits until another thread lets it go on, for five seconds at most
  struct gate {
    std::atomic<int> waiting{0}, opened{0}, freed{0};
    bool pass() {
      ++waiting;
      for (int i = 0; i < 5000; ++i) {
        if (int left = opened; left > 0 && opened.compare_exchange_strong(left, left - 1)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return false;
    }
  };
  struct source { gate *by; int at = 0; bool is_late = false; void move() { ++at; if (!by->pass()) is_late = true; } };
  struct ring { gate *by; int value; };
  inline ring *after(ring *l) { l->by->pass(); ++l->value; return l->value < 3 ? l : nullptr; }
  inline void free_source(source *s) { s->by->pass(); ++s->by->freed; delete s; }
types:
  - name: GateRows
    type: iter[i64]
    data: at
    next: [move(), move()]
    valid: value->at < 4 && !value->is_late
    release: free_source(value)
  - {name: GateLinks, type: "iter[i64]", data: value->value, next: after(value)}
  - name: QueryIter
    type: iter[i64]
    data: value.at
    next: [move(), move()]
    valid: value.at < 4 && !value.is_late
handle_types:
  - name: Gate
    cpp_type: std::shared_ptr<::gate>
    thread: any
    methods:
      - {def: "Gate()", cpp_body: "return std::make_shared<::gate>();"}
      - {def: "open()", cpp_body: ++h.inner->opened;}
      - {def: "waiting() -> i64", cpp_body: return h.inner->waiting;}
      - {def: "freed() -> i64", cpp_body: return h.inner->freed;}
      - def: "rows() -> GateRows"
        cpp_body: "return new source{h.inner.get()};"
        blocking: true
      - def: "links() -> GateLinks"
        cpp_body: "static ring one; one = {h.inner.get(), 0}; return &one;"
        blocking: true
  - name: Query
    cpp_type: ::source
    blocking: true
    methods:
      - {def: "Query(by: Gate)", cpp_body: "return ::source{by.inner.get()};", holds: by}
      - {def: "at() -> i64", cpp_body: return h.inner.at;, thread: any, blocking: false}
      - def: "__iter__() -> QueryIter"
        cpp_body: return h.inner;
"""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build_text(SPEC, name="steps").load(engine)


@pytest.mark.trial("blocking-each")
@pytest.mark.parametrize("kind", ["rows", "links", "query"])
def test_other_threads_run_while_a_step_waits(lib: Any, kind: str) -> None:
    gate = lib.Gate()
    steps = 4 if kind == "rows" else 3 if kind == "query" else 2  # beside the one that says that it is over
    is_over = threading.Event()

    def let_go_on() -> None:
        passed = 0
        while not is_over.is_set():
            if gate.waiting() > passed:  # the step waits: this thread runs meanwhile
                passed += 1
                gate.open()

    other = threading.Thread(target=let_go_on)
    other.start()
    try:
        items = list(lib.Query(gate) if kind == "query" else getattr(gate, kind)())
    finally:
        is_over.set()
        other.join()
    assert items == {"rows": [1, 2, 3], "query": [1, 2, 3], "links": [0, 1, 2]}[kind]
    assert gate.waiting() >= steps
    assert gate.freed() == (kind == "rows")


def test_a_call_from_another_thread_while_a_step_waits(lib: Any) -> None:
    gate = lib.Gate()
    query = lib.Query(gate)
    steps = iter(query)
    seen: list[int] = []

    def interrupt() -> None:
        while gate.waiting() == 0:
            pass
        seen.append(query.at())
        gate.open()

    other = threading.Thread(target=interrupt)
    other.start()
    assert next(steps) == 1
    other.join()
    assert len(seen) == 1


def test_one_thread_at_a_time_steps(lib: Any) -> None:
    gate = lib.Gate()
    steps = gate.rows()
    found: list[object] = []

    def step_too() -> None:
        while gate.waiting() == 0:
            pass
        try:
            found.append(next(steps))
        except ValueError as error:
            found.append(str(error))
        gate.open()

    other = threading.Thread(target=step_too)
    other.start()
    assert next(steps) == 1
    other.join()
    assert found == ["iterator already executing"]
    for _ in range(9):
        gate.open()
    assert list(steps) == [2, 3]

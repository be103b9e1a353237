"""Lists are copied in and out, element by element, and an element that does not fit is named."""

from __future__ import annotations

import gc
from array import array
from decimal import Decimal
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import collect, live
from tests.behaviour.test_scalars import RANGES, SENTINELS


@pytest.mark.parametrize("name", RANGES)
def test_lists_of_ints(shapes: Any, name: str) -> None:
    echo = getattr(shapes, f"echo_list_{name}")
    low, high = RANGES[name]
    for values in ([], [0], [low, high, SENTINELS[name]], list(range(100)) * 20):
        out = echo(values)
        assert out == values
        assert type(out) is list
    for bad in (low - 1, high + 1, 10**5000):
        with pytest.raises(OverflowError, match=r"^values\[1\]: .* does not fit"):
            echo([0, bad])
    for wrong in ("1", 1.5, None, Decimal("1.5")):
        with pytest.raises(TypeError, match=r"^values\[2\]: an int is wanted, not "):
            echo([0, 1, wrong])


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_lists_of_floats(shapes: Any, name: str) -> None:
    echo = getattr(shapes, f"echo_list_{name}")
    assert echo([1.5, -2, True]) == [1.5, -2.0, 1.0]
    assert [repr(v) for v in echo([float("nan"), -0.0, float("inf")])] == ["nan", "-0.0", "inf"]
    with pytest.raises(TypeError, match=r"^values\[1\]: a float is wanted, not str$"):
        echo([1.0, "2"])
    with pytest.raises(OverflowError, match=r"^values\[0\]: an int of .* bits does not fit"):
        echo([10**400])


def test_floats_too_large_for_f32(shapes: Any) -> None:
    with pytest.raises(OverflowError, match=r"^values\[1\]: 1e\+39 does not fit f32$"):
        shapes.echo_list_f32([0.0, 1e39])
    assert shapes.echo_list_f64([1e39]) == [1e39]


def test_lists_of_bools(shapes: Any) -> None:
    out = shapes.echo_list_bool([True, False, True])
    assert out == [True, False, True]
    assert {type(v) for v in out} == {bool}
    for wrong in (1, 0, None, "x"):
        with pytest.raises(TypeError, match=r"^values\[1\]: a bool is wanted, not "):
            shapes.echo_list_bool([True, wrong])


def test_members_get_the_length_too(engine: str) -> None:
    reader = packages.build(packages.HERE / "same_objects" / "same_objects.wrapper_spec").load(engine).Reader()
    assert (reader.sum([1, 2, 3]), reader.sum([])) == (6, 0)
    assert reader.sum_of(array("q", [1, 2, 4])) == 7
    with pytest.raises(TypeError, match=r"^values\[1\]: an int is wanted, not str$"):
        reader.sum([1, "2"])


def test_any_sequence_will_do(shapes: Any) -> None:
    numpy = pytest.importorskip("numpy")
    for values in ((1, 2), range(1, 3), array("b", [1, 2]), b"\1\2", numpy.array([1, 2]), iter([1, 2]), {1: 0, 2: 0}):
        assert shapes.echo_list_i64(values) == [1, 2]
    assert shapes.echo_list_f32(numpy.array([0.5, 1], dtype="f4")) == [0.5, 1.0]
    for nothing in (None, 5, object()):
        with pytest.raises(TypeError, match=r"^values: a sequence is wanted, not "):
            shapes.echo_list_i64(nothing)
    with pytest.raises(TypeError, match=r"^values: a sequence is wanted, not str$"):
        shapes.echo_list_text("abc")


def test_a_sequence_that_fails(shapes: Any) -> None:
    def broken() -> Any:
        yield 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        shapes.echo_list_i64(broken())


def test_a_list_that_changes_while_it_is_read(shapes: Any) -> None:
    values: list[Any] = []

    class Shrinks:
        def __index__(self) -> int:
            values.clear()
            return 1

    values += [Shrinks(), *range(1000)]
    out = shapes.echo_list_i64(values)
    assert out[:1] == [1]
    assert out in ([1], [1, *range(1000)])


def test_lists_of_texts(shapes: Any) -> None:
    for values in ([], [""], ["", ""], ["a\0b", "", "漢", "x" * 10_000]):
        assert shapes.echo_list_text(values) == values
    assert shapes.echo_list_text(("a", "b")) == ["a", "b"]
    with pytest.raises(TypeError, match=r"^values\[1\]: a str is wanted, not bytes$"):
        shapes.echo_list_text(["a", b"b"])
    with pytest.raises(ValueError, match=r"values\[0\]: half of a surrogate pair is no character"):
        shapes.echo_list_text(["\ud800"])
    assert shapes.views("ab") == ["ab", "ab", ""]


def test_results_from_other_ranges(shapes: Any) -> None:
    assert shapes.set_out() == [1, 2, 3]
    assert shapes.deque_of_bools() == [True, False]
    with pytest.raises(OverflowError, match="does not fit"):
        shapes.array_out()


def test_lists_of_handles_out(shapes: Any) -> None:
    points = shapes.points(5)
    assert [type(p) for p in points] == [shapes.Point] * 5
    assert shapes.total_x(points) == 5.0
    points[2].close()
    with pytest.raises(shapes.ClosedHandleError, match=r"^points\[2\]: "):
        shapes.total_x(points)
    del points[2]
    assert shapes.total_x(tuple(points)) == 4.0
    assert shapes.points(0) == []


def test_lists_of_handles_that_cannot_be_copied(shapes: Any) -> None:
    soles = shapes.soles(3)
    assert [s.value for s in soles] == [0, 1, 2]
    del soles
    gc.collect()
    assert live(shapes, 3) == 0


def test_lists_of_handles_in(shapes: Any) -> None:
    nodes = [shapes.node(i) for i in range(4)]
    assert shapes.total_of_nodes(nodes) == 6
    assert shapes.total_of_structs(nodes) == 6
    assert shapes.total_of_nodes([nodes[3]] * 3) == 9, "one may be there more than once"
    assert [n.uses() for n in nodes] == [1] * 4
    for wrong in (None, 1, "x", shapes.point()):
        with pytest.raises(TypeError, match=r"^nodes\[1\]: a Node is wanted, not "):
            shapes.total_of_nodes([nodes[0], wrong])
    assert shapes.total_of_nodes([]) == 0


def test_handles_of_a_list_that_nobody_else_holds(shapes: Any) -> None:
    assert shapes.total_of_nodes(shapes.node(i) for i in range(1000)) == 499_500


SINKS = """\
wrapper_lib: {name: sinks, cpp_include: [list, memory, string, vector]}
cpp_prelude: |
  struct sink { virtual ~sink() = default; virtual int log(const std::string &line) = 0; };
  struct null_sink : sink { int log(const std::string &) override { return 0; } };
  inline std::vector<std::shared_ptr<sink>> kept;
  inline int log_all(const std::vector<std::shared_ptr<sink>> &to) {
    int sum = 0;
    for (auto &each : to) sum += each->log("line");
    return sum;
  }
  inline int log_listed(const std::list<std::shared_ptr<sink>> &to) { return log_all({to.begin(), to.end()}); }
  inline void keep(std::vector<std::shared_ptr<sink>> to) { kept = std::move(to); }
handle_types:
  - {name: Sink, cpp_type: std::shared_ptr<sink>}
  - {name: NullSink, cpp_type: std::shared_ptr<null_sink>, extends: Sink, methods: [{def: "NullSink()"}]}
  - {name: PySink, cpp_type: sink, methods: [{def: "abstract log(line: text) -> i32"}]}
functions:
  - for: {T: [Sink, NullSink, PySink]}
    entries:
      - {def: "log_all(to: [$T]) -> i32", label: "log_all_$T"}
      - {def: "log_listed(to: [$T]) -> i32", label: "log_listed_$T"}
  - {def: "keep(to: [PySink])"}
  - {def: "log_kept() -> i32", cpp_body: return log_all(kept);}
  - {def: "let_go()", cpp_body: kept.clear();}
"""


def test_smart_pointers_of_a_list_become_those_of_a_base(engine: str) -> None:
    lib: Any = packages.build_text(SINKS, name="sinks").load(engine)

    class Counting(lib.PySink):  # type: ignore[misc, name-defined]
        def log(self, line: str) -> int:
            return len(line)

    for call in (lib.log_all, lib.log_listed):
        assert [call([]), call([lib.NullSink()] * 2), call([Counting(), Counting()])] == [0, 0, 8]
    lib.keep([Counting(), Counting()])
    collect()
    assert lib.log_kept() == 8, "the list keeps the objects of Python alive"
    lib.let_go()
    assert lib.log_kept() == 0

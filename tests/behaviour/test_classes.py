"""Classes as Python's users would write them: constructors, and methods of Python's protocols."""

from __future__ import annotations

import copy
import gc
import inspect
import operator
import os
import pathlib
import pickle
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import COUNTS_REFERENCES
from tests.behaviour.packages import HERE, Package

SPEC = HERE.parent / "cases" / "classes" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture
def classes(package: Package, engine: str) -> Any:
    return package.load(engine)


def test_a_class_is_called_to_make_an_object(classes: Any) -> None:
    assert list(classes.Series(2)) == [0, 0]
    assert list(classes.Series(size=2, fill=1.5)) == list(classes.Series(2, fill=1.5)) == [1.5, 1.5]
    with classes.Series(3) as series:
        assert len(series) == 3
    assert series.closed


def test_arguments_of_a_constructor_are_checked(classes: Any) -> None:
    for call, kind, message in (
        (lambda: classes.Series(), TypeError, r"Series.__init__\(\) missing 1 required positional argument: 'size'"),
        (lambda: classes.Series(1, 2, 3), TypeError, r"__init__\(\) takes from 2 to 3 positional arguments but 4 were"),
        (
            lambda: classes.Series(1, full=2),
            TypeError,
            r"Series.__init__\(\) got an unexpected keyword argument 'full'",
        ),
        (lambda: classes.Series("x"), TypeError, "size: an int is wanted, not str"),
        (lambda: classes.Series(-1), OverflowError, "size: -1 does not fit usize"),
    ):
        with pytest.raises(kind, match=message):
            call()


def test_a_subclass_calls_the_constructor(classes: Any) -> None:
    class Ones(classes.Series):  # type: ignore[misc]
        def __init__(self, count: int) -> None:
            super().__init__(count, 1.0)  # type: ignore[no-untyped-call]
            self.label = "ones"

    ones = Ones(2)
    assert type(ones) is Ones and list(ones) == [1, 1] and ones.label == "ones"
    with pytest.raises(TypeError, match="this Series is initialized already"):
        classes.Series.__init__(ones, 3)
    assert len(ones) == 2
    with pytest.raises(OverflowError):
        Ones(-1)


def test_an_object_that_was_not_initialized_is_closed(classes: Any) -> None:
    class Lazy(classes.Series):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

    for empty in (Lazy(), classes.Series.__new__(classes.Series)):
        assert empty.closed
        for use in (len, bool, hash, str, lambda each: each[0], lambda each: each == each):
            with pytest.raises(classes.ClosedHandleError, match="closed"):
                use(empty)
        empty.close()
        classes.Series.__init__(empty, 2)
        assert list(empty) == [0, 0]
    gc.collect()


MADE_ONCE = """
wrapper_lib: {name: made_once, doc: x, cpp_include: [chrono, string, thread], std: 17}
cpp_prelude: |
  struct single { long v; explicit single(long x) : v(x) {} };
  inline long finish(single *r) { const long v = r->v; delete r; return v; }
  struct slow {
    std::string s;
    explicit slow(std::string t) : s(std::move(t)) {}
    ~slow() { std::this_thread::sleep_for(std::chrono::milliseconds(300)); }
  };
handle_types:
  - {name: Single, cpp_type: "::single *", release: delete value, methods: [{def: "Single(v: i64)"}]}
  - name: Slow
    cpp_type: "::slow"
    blocking: release
    thread: any
    methods: [{def: "Slow(s: text)"}, {def: "size() -> usize", cpp_body: "return h.inner.s.size();"}]
functions:
  - def: "finish(r: Single, then: fn()) -> i64"
    scope: call
    cpp_body: "then(); return ::finish(r.inner);"
    takes: r
"""


@pytest.fixture(scope="module")
def made_once_package() -> Package:
    return packages.build_text(MADE_ONCE, name="made_once")


@pytest.fixture
def made_once(made_once_package: Package, engine: str) -> Any:
    return made_once_package.load(engine)


def test_an_object_is_made_once_even_if_it_was_closed(made_once: Any) -> None:
    slow = made_once.Slow("x")
    slow.close()
    for _ in range(2):
        with pytest.raises(TypeError, match="this Slow is initialized already"):
            slow.__init__("y")
        assert slow.closed


OPERATORS = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor".split()


@pytest.mark.parametrize("name", [*OPERATORS, "divmod"])
def test_every_operator_from_both_sides_and_in_place(classes: Any, name: str) -> None:
    traced = classes.Traced("x")
    call = divmod if name == "divmod" else getattr(operator, f"{name.strip('_')}_" if name in ("and", "or") else name)
    assert (call(traced, 5), call(5, traced)) == (f"x {name} 5", f"5 {name} x")
    for one, other in ((traced, "y"), (traced, None), (None, traced), (traced, traced), (traced, 1.5), ({}, traced)):
        with pytest.raises(TypeError):
            call(one, other)
    with pytest.raises(OverflowError):
        call(traced, 1 << 64)
    if name == "pow":
        with pytest.raises(TypeError):
            pow(traced, 2, 3)
    if name != "divmod":
        in_place = getattr(operator, f"i{name}")
        same = in_place(traced, 5)
        assert same is traced and traced.said == f"x {name}= 5"
        for other in ("y", None, traced):
            with pytest.raises(TypeError):
                in_place(traced, other)
    traced.close()
    with pytest.raises(classes.ClosedHandleError):
        call(traced, 5)
    with pytest.raises(classes.ClosedHandleError):
        call(5, traced)


def test_an_object_that_a_call_takes_is_not_made_again(made_once: Any) -> None:
    single, raised = made_once.Single(1), []

    def make_again() -> None:
        with pytest.raises(TypeError, match="this Single is initialized already") as failed:
            single.__init__(2)
        raised.append(failed.value)

    assert made_once.finish(single, make_again) == 1
    assert len(raised) == 1 and single.closed
    with pytest.raises(TypeError, match="initialized already"):
        single.__init__(3)
    assert single.closed


def test_an_object_that_is_being_released_is_not_made_again(made_once: Any) -> None:
    slow = made_once.Slow("x" * 1000)
    closing = threading.Thread(target=slow.close)
    closing.start()
    while not slow.closed:
        time.sleep(0.01)
    with pytest.raises(TypeError, match="initialized already"):
        slow.__init__("y" * 3000)
    closing.join()
    assert slow.closed


def test_length_and_items(classes: Any) -> None:
    series = classes.Series(3, 2.0)
    assert len(series) == 3 and bool(series) and not classes.Series(0)
    assert series[0] == series[-1] == series[-3] == 2.0
    for index in (3, -4, 2**62, -(2**63)):
        with pytest.raises(IndexError, match="Series index out of range"):
            series[index]
    with pytest.raises(TypeError, match="index: an int is wanted, not str"):
        series["x"]
    assert list(reversed(series)) == [2.0] * 3 and 2.0 in series and 3.0 not in series
    assert max(series) == 2.0


def test_equality_and_hashes(classes: Any) -> None:
    one, other = classes.Series(2), classes.Series(2)
    assert one == other and one is not other and (one != other) is False
    assert one != classes.Series(3) and one != 1 and one != None and (one == "x") is False  # noqa: E711
    assert hash(one) == hash(other) == 2 and len({one, other}) == 1
    other.close()
    with pytest.raises(classes.ClosedHandleError):
        one == other  # noqa: B015


def test_text(classes: Any) -> None:
    series = classes.Series(2, 1.5)
    assert str(series) == "[1.5;1.5;]" == f"{series}" and repr(series) == "Series(2)"


def test_what_cannot_be_copied_or_pickled_says_so(classes: Any) -> None:
    grid = classes.Grid(1, 1)
    with pytest.raises(TypeError, match="a Grid cannot be pickled"):
        pickle.dumps(grid)
    for copied in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="a Grid cannot be copied"):
            copied(grid)


def test_signatures_are_known(classes: Any) -> None:
    assert str(inspect.signature(classes.Series)).replace(": int", "").replace(": float = ", "=") in (
        "(size, fill=0.0)",
        "(size: 'int', fill: 'float' = 0.0) -> 'None'",
    )


def test_items_change(classes: Any) -> None:
    series = classes.Series(3)
    series[0], series[-1] = 1, 3.5
    assert list(series) == [1, 0, 3.5] and 3.5 in series and 2 not in series
    del series[-2]
    assert list(series) == [1, 3.5]
    for change in (lambda: series.__setitem__(2, 0.0), lambda: series.__delitem__(-3)):
        with pytest.raises(IndexError, match="Series index out of range"):
            change()
    with pytest.raises(TypeError, match="value: a float is wanted, not str"):
        series[0] = "x"
    assert list(series) == [1, 3.5]


def test_keys_that_are_no_positions(classes: Any) -> None:
    table = classes.Table()
    table["a"] = 1.5
    assert table["a"] == 1.5 and "a" in table and "b" not in table and len(table) == 1
    for look in (lambda: table["b"], lambda: table.__delitem__("b")):
        with pytest.raises(KeyError) as caught:
            look()
        assert caught.value.args == ("b",)
    with pytest.raises(TypeError, match="key: a str is wanted, not int"):
        table[0]
    with pytest.raises(TypeError, match="key: a str is wanted, not int"):
        0 in table  # noqa: B015
    for go_over in (iter, list, reversed):
        with pytest.raises(TypeError, match=r"object is not (iterable|reversible|callable)"):  # the last one: PyPy
            go_over(table)
    del table["a"]
    assert len(table) == 0
    squares = classes.Squares()
    assert squares[7] == 49 and squares[-2] == 4
    with pytest.raises(KeyError) as caught:
        squares[3]
    assert caught.value.args == (3,)


def test_keys_of_several_parts(classes: Any) -> None:
    grid = classes.Grid(2, 3)
    grid[1, 2] = 7
    assert grid[1, 2] == 7 and grid[0, 0] == 0
    for key, message in (
        (1, "Grid: a key is a tuple of 2, not int"),
        ((1, 2, 3), "Grid: a key is a tuple of 2, not one of 3"),
        ((1, "x"), "column: an int is wanted, not str"),
    ):
        with pytest.raises(TypeError, match=message):
            grid[key]
        with pytest.raises(TypeError, match=message):
            grid[key] = 1
    with pytest.raises(IndexError, match="outside of the grid"):
        grid[5, 5]
    with pytest.raises((AttributeError, TypeError), match=r"__delitem__|item deletion"):
        del grid[0, 0]


def values(vector: Any) -> tuple[float, float]:
    return vector.x, vector.y


@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
def test_arithmetic(classes: Any) -> None:
    one, other = classes.Vec(1, 2), classes.Vec(3, 5)
    assert values(one + other) == (4, 7) and values(other - one) == (2, 3)
    assert values(10 - one) == (9, 8) and values(2 * one) == values(one * 2) == (2, 4)
    assert values(other / 2) == (1.5, 2.5) and values(other // 2) == (1, 2) and values(other**2) == (9, 25)
    assert one @ other == 13
    assert values(-one) == (-1, -2) and values(+one) == (1, 2) and values(~one) == (2, 1)
    assert abs(classes.Vec(3, 4)) == float(classes.Vec(3, 4)) == int(classes.Vec(3, 4)) == 5
    assert one < other and one <= other and other > one and other >= one and one != other
    assert sorted([other, one]) == [one, other] and sum([2, 3], classes.Bits(1).__index__()) == 6
    assert one() == 3 and one(2) == one(t=2) == 5


def test_a_method_may_be_an_operator_of_cpp(classes: Any) -> None:
    assert values(classes.Vec(1, 2).scaled(3)) == (3, 6)


def test_operands_that_are_foreign(classes: Any) -> None:
    class Other:
        def __radd__(self, other: object) -> str:
            return "reflected"

        __rsub__ = __rmul__ = __eq__ = __gt__ = __radd__  # type: ignore[assignment]

    one = classes.Vec(1, 2)
    assert one + Other() == one * Other() == "reflected" and (one == Other()) == "reflected" == (one < Other())
    for call in (
        lambda: one + 1,
        lambda: one * "x",
        lambda: "x" * one,
        lambda: one - "x",
        lambda: one < 1,
        lambda: one @ 2,
        lambda: pow(one, 2, 3),
        lambda: one << 1,
        lambda: one % 2,
    ):
        with pytest.raises(TypeError):
            call()
    assert one.__add__(1) is NotImplemented and one.__eq__(1) is NotImplemented and one != 1
    closed = classes.Vec(0, 0)
    closed.close()
    with pytest.raises(classes.ClosedHandleError):
        one + closed


def test_operators_that_work_in_place(classes: Any) -> None:
    one = same = classes.Vec(1, 2)
    one += classes.Vec(1, 1)
    one *= 2
    assert one is same and values(one) == (4, 6)
    one -= classes.Vec(1, 1)
    assert one is not same and values(one) == (3, 5)
    with pytest.raises(TypeError):
        one += "x"
    bits = kept = classes.Bits(1)
    bits |= classes.Bits(4)
    bits <<= 1
    assert bits is kept and bits.__index__() == 10


def test_bits(classes: Any) -> None:
    six, three = classes.Bits(6), classes.Bits(3)
    found = [six & three, six | three, six ^ three, six << 2, six >> 1, six % 4]
    assert [each.__index__() for each in found] == [2, 7, 5, 24, 3, 2]
    assert divmod(classes.Bits(17), 5) == (3, 2) and [10, 20, 30][classes.Bits(2)] == 30
    with pytest.raises(OverflowError, match="by: -1 does not fit u32"):
        six << -1


def test_hashes_fold_any_integer(classes: Any) -> None:
    """As Python does what `__hash__` returns; PyPy always, where it comes from C."""
    for number in (0, 1, 2**61 - 1, 2**61, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 2):
        assert hash(classes.Bits(number)) == (hash_of(number) if COUNTS_REFERENCES else hash(number))


def hash_of(number: int) -> int:
    class Hashed:
        def __hash__(self) -> int:
            return number

    return hash(Hashed())


def test_equality_without_a_hash(classes: Any) -> None:
    with pytest.raises(TypeError, match="unhashable type"):
        hash(classes.Vec(1, 2))


def test_copies(classes: Any) -> None:
    series = classes.Series(2, 1.0)
    copied, deep = copy.copy(series), copy.deepcopy(series)
    series[0] = 5.0
    assert list(copied) == list(deep) == [1, 1] and type(copied) is classes.Series
    bits = classes.Bits(5)
    copied = copy.copy(bits)
    bits |= classes.Bits(2)
    assert (copied.__index__(), bits.__index__()) == (5, 7)
    with pytest.raises(TypeError, match=r"^Bits has no __deepcopy__; copy\.copy\(\) copies it$"):
        copy.deepcopy(bits)


def test_contexts_of_its_own(classes: Any) -> None:
    table = classes.Table()
    with table as entered:
        assert entered is table and table.entered == 1
    assert table.entered == -1 and not table.closed


def test_a_function_of_c_makes_the_object(classes: Any) -> None:
    file = classes.File("name")
    assert len(file) == 4 and os.fspath(file) == "name" and file["name"] == "name"
    assert pathlib.Path(file) == pathlib.Path("name") and type(os.fspath(file)) is str
    with pytest.raises(KeyError) as caught:
        file["other"]
    assert caught.value.args == ("other",)
    with pytest.raises(classes.FileError, match="no path") as failed:
        classes.File("")
    assert failed.value.code == 2
    with pytest.raises(ValueError, match="a vector has numbers"):
        classes.Vec(float("nan"), 0)
    with pytest.raises(TypeError, match=r"Table.__init__\(\) takes 1 positional argument but 2 were given"):
        classes.Table(1)
    with pytest.raises(TypeError, match=r"__init__\(\) got an unexpected keyword argument 'x'"):
        classes.Table(x=1)


def test_a_subclass_whose_constructor_fails_stays_closed(classes: Any) -> None:
    class Named(classes.File):  # type: ignore[misc]
        pass

    named = Named.__new__(Named)
    with pytest.raises(classes.FileError):
        named.__init__("")  # type: ignore[misc]
    assert named.closed
    named.__init__("x")  # type: ignore[misc]
    assert len(named) == 1 and type(named) is Named


def test_a_text_is_never_that_of_a_bool_to_which_an_object_converts(classes: Any) -> None:
    assert [str(classes.Answer(True)), str(classes.Answer(False))] == ["yes", "no"]
    assert str(classes.Loud(True)) == "yes!"


# --- static methods --------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
def test_static_methods(classes: Any) -> None:
    Vec = classes.Vec
    assert Vec.dimensions() == Vec(1, 2).dimensions() == 2
    assert Vec.distance(Vec(0, 0), b=Vec(3, 4)) == 5.0
    assert Vec.shown("x") == Vec(1, 2).shown(value="x") == "x" and Vec.shown(1.5).startswith("1.5")
    assert classes.File.most() == 255
    assert not any(hasattr(classes, name) for name in ("dimensions", "distance", "shown", "from_polar", "of"))


def test_wrong_calls_of_static_methods(classes: Any) -> None:
    Vec = classes.Vec
    for call, said in [
        (lambda: Vec.distance(Vec(0, 0)), "Vec.distance() missing 1 required positional argument: 'b'"),
        (lambda: Vec.distance(Vec(0, 0), 1), "b: a Vec is wanted, not int"),
        (lambda: Vec.distance(Vec(0, 0), c=1), "Vec.distance() got an unexpected keyword argument 'c'"),
        (lambda: Vec.from_polar(), "Vec.from_polar() missing 1 required positional argument: 'r'"),
        (lambda: Vec.from_polar("x"), "r: a float is wanted, not str"),
    ]:
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == said
    with pytest.raises(
        TypeError, match=r"^Vec\.shown\(\) takes no \(NoneType\); it takes one of these:\n    shown\(value: float\)"
    ):
        Vec.shown(None)
    closed = Vec(1, 2)
    closed.close()
    with pytest.raises(classes.ClosedHandleError):
        Vec.distance(Vec(0, 0), closed)


def test_static_methods_that_make_an_object_are_class_methods(classes: Any) -> None:
    class Sub(classes.Vec):  # type: ignore[misc]
        pass

    for kind in (classes.Vec, Sub):
        made = [kind.from_polar(2), kind.from_polar(angle=0, r=2), kind.of(2), kind.of("2")]
        assert [type(each) for each in made] == [kind] * 4
        assert [each.x for each in made] == [2.0] * 4
    with pytest.raises(TypeError, match=r"^Vec\.of\(\) takes no \(list\)"):
        classes.Vec.of([])


# --- what is deprecated ----------------------------------------------------------------------------------------------


def deprecated(classes: Any) -> list[tuple[Callable[[], object], object, str]]:
    """Calls of deprecated entries, what each gives, and what it warns of."""
    Vec, answer = classes.Vec, classes.Answer(True)
    return [
        (lambda: len(classes.open_file("x")), 1, "open_file() is deprecated: use File(path)"),
        (lambda: len(classes.File.open_file(path="x")), 1, "open_file() is deprecated: use File(path)"),
        (lambda: Vec.shown("x"), "x", 'Vec.shown() is deprecated: it is text already: use "value"'),
        (lambda: answer.is_yes, True, "Answer.is_yes is deprecated: use bool()"),
        (lambda: setattr(answer, "is_yes", True), None, "Answer.is_yes is deprecated: use bool()"),
        (lambda: (Vec(5, 3) // 2).x, 2, "Vec.__floordiv__() is deprecated: use /, and floor() of its numbers"),
    ]


def test_calls_of_what_is_deprecated_warn_the_caller(classes: Any) -> None:
    for call, given, said in deprecated(classes):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            assert call() == given
        assert [str(each.message) for each in warned] == [said]
        assert (warned[0].category, warned[0].filename) == (DeprecationWarning, __file__)
        assert warned[0].lineno == call.__code__.co_firstlineno


def test_such_a_warning_can_be_an_error(classes: Any) -> None:
    for call, _, said in deprecated(classes):
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            with pytest.raises(DeprecationWarning) as failed:
                call()
        assert str(failed.value) == said


def test_other_forms_and_other_operands_warn_of_nothing(classes: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert classes.Vec.shown(1.5).startswith("1.5")
        with pytest.raises(TypeError, match="unsupported operand"):
            classes.Vec(1, 2) // "x"


SAID = """
wrapper_lib: {name: said, cpp_include: [vector]}
handle_types:
- name: One
  cpp_type: std::vector<int>
  doc: Some numbers.
  methods: [{def: "One(count: usize)", doc: So many zeros., params: {count: {doc: how many}}}]
- name: Two
  cpp_type: std::vector<float>
  doc: Other numbers.
  methods: [{def: "Two()", doc: None at all.}, {def: "Two(count: usize)", params: {count: {doc: how many}}}]
"""


def test_help_says_how_an_object_is_made(engine: str) -> None:
    said = packages.build_text(SAID, name="said").load(engine)
    shown = [f"{each.__doc__}\n{inspect.getdoc(each.__init__)}" for each in (said.One, said.Two)]
    assert all("count : int\n    how many" in each for each in shown)
    assert "Some numbers." in shown[0] and "So many zeros." in shown[0]
    assert "Other numbers." in shown[1] and "None at all." in shown[1]


def test_documentation_and_the_type_stub_say_what_is_deprecated(classes: Any, package: Package) -> None:
    assert "Deprecated: use File(path)" in classes.open_file.__doc__
    stub = (package.folder / "__init__.pyi").read_text()
    assert "from typing_extensions import deprecated as _deprecated\n" in stub
    assert '@_deprecated("use File(path)")\ndef open_file(' in stub
    assert '    @property\n    @_deprecated("use bool()")\n    def is_yes(self) -> bool:' in stub
    assert '    @is_yes.setter\n    @_deprecated("use bool()")\n' in stub
    assert "    @overload\n    @staticmethod\n    @_deprecated('it is text already: use \"value\"')\n" in stub


# --- operands of NumPy -----------------------------------------------------------------------------------------------


def test_numpy_leaves_operators_to_classes_with_reflected_ones(classes: Any, package: Package) -> None:
    numpy = pytest.importorskip("numpy")
    Vec = classes.Vec
    for scalar in (numpy.float64(2), numpy.float32(2), numpy.int64(2)):
        scaled, moved = scalar * Vec(1, 3), scalar - Vec(1, 3)
        assert type(scaled) is type(moved) is Vec
        assert (scaled.x, scaled.y, moved.x, moved.y) == (2, 6, 1, -1)
    for call in (lambda: numpy.ones(2) * Vec(1, 3), lambda: numpy.ones(2) - Vec(1, 3), lambda: numpy.sin(Vec(1, 3))):
        with pytest.raises(TypeError):
            call()
    assert Vec.__array_ufunc__ is None and not hasattr(classes.Bits, "__array_ufunc__")
    assert (package.folder / "__init__.pyi").read_text().count("    __array_ufunc__: _ClassVar[None]\n") == 2

"""Virtual functions of C++ classes that methods of Python override."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

import pytest

from tests.behaviour import packages

SPEC = packages.HERE.parent / "cases" / "interfaces" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture(scope="module")
def square(lib: Any) -> Any:
    class Square(lib.Shape):  # type: ignore[misc]
        def __init__(self, side: float) -> None:
            super().__init__()
            self.side = side

        def area(self, scale: float) -> float:
            return self.side**2 * scale

        def name(self, language: str) -> str:
            return f"Quadrat-{language}"

    return Square


@pytest.fixture(scope="module")
def busy(lib: Any) -> Any:
    """A class that overrides all of Tool's methods."""

    class Busy(lib.Tool):  # type: ignore[misc]
        def size(self) -> int:
            return int(super().size()) + 1

        def fits(self, values: list[float], at: Any) -> int:
            return int(sum(values) + at.x + at.y)

        def place(self, data: bytes) -> Any:
            assert data == b"ab"
            return lib.Spot(len(data), 7)

        def use(self, pen: Any) -> None:
            self.width, self.pen = pen.width, pen
            super().use(pen)

        def quick(self, by: int) -> int:
            return by * 2

        def at(self, i: int) -> float:
            return 1.0

        def at_const(self, i: int) -> float:
            return 2.0

        def label(self) -> str:
            return "busy"

        def prepare(self, what: str) -> str:
            return str(super().prepare(what)) + "!"

    return Busy


def collected(of: ref[Any]) -> bool:
    for _ in range(3):  # a collector that runs finalizers frees in the next round what they let go of
        gc.collect()
    return of() is None


# --- overriding -------------------------------------------------------------------------------------------------------


def test_cpp_calls_the_methods_of_python(lib: Any, square: Any) -> None:
    assert lib.described(square(3.0)) == "Quadrat-en of 18.000000"


def test_python_calls_them_too(square: Any) -> None:
    assert square(3.0).area(1.0) == 9.0


def test_a_class_below_overrides_further(lib: Any, square: Any) -> None:
    class Named(square):  # type: ignore[misc]
        def name(self, language: str) -> str:
            return super().name(language) + "!"

    assert lib.described(Named(1.0)) == "Quadrat-en! of 2.000000"


def test_what_is_abstract_has_to_be_overridden(lib: Any) -> None:
    class Half(lib.Shape):  # type: ignore[misc]
        def area(self, scale: float) -> float:
            return scale

    cannot = "an object of the abstract class {} cannot be made: it has to override {}"
    for kind, missing in ((Half, "name"), (lib.Shape, "area, name")):
        with pytest.raises(TypeError) as caught:
            kind()
        assert str(caught.value) == cannot.format(kind.__name__, missing)


def test_super_of_an_abstract_method_is_not_implemented(lib: Any, square: Any) -> None:
    class Curious(square):  # type: ignore[misc]
        def area(self, scale: float) -> float:
            return float(lib.Shape.area(self, scale))

    with pytest.raises(NotImplementedError, match=r"^Shape\.area\(\) is abstract$"):
        lib.described(Curious(1.0))


def test_an_object_without_init_is_refused(lib: Any, square: Any) -> None:
    class Empty(square):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

    with pytest.raises(lib.ClosedHandleError):
        lib.described(Empty())
    with pytest.raises(lib.ClosedHandleError):
        lib.Shape.area(Empty(), 1.0)


# --- classes with implementations -------------------------------------------------------------------------------------


def test_what_is_not_overridden_is_what_cpp_has(lib: Any) -> None:
    class Plain(lib.Tool):  # type: ignore[misc]
        pass

    for tool in (lib.Tool(20), Plain(20), lib.plain(20)):
        assert (tool.size(), tool.is_large(), tool.run(), tool.label()) == (20, True, "run prepared", "tool")
        assert (lib.fits(tool), lib.place(tool), lib.quick(tool, 3), lib.both(tool, 5)) == (
            7,
            lib.Spot(2, 97),
            3,
            505.5,
        )


def test_all_sorts_of_arguments_and_results(lib: Any, busy: Any) -> None:
    tool, pen = busy(4), lib.Pen(2)
    assert (lib.fits(tool), lib.place(tool), lib.quick(tool, 3)) == (15, lib.Spot(2, 7), 6)
    assert (lib.label(tool), tool.size(), tool.is_large()) == ("busy", 5, False)
    lib.use(tool, pen)
    assert (tool.width, pen.width) == (2, 7)
    assert tool.pen.closed, "a handle is lent for the call"


def test_a_text_that_cpp_gets_the_address_of_lives_with_the_object(lib: Any) -> None:
    class Named(lib.Tool):  # type: ignore[misc]
        said = 0

        def label(self) -> str:
            return "".join(map(chr, range(65, 265)))

        def say(self, what: str) -> str:
            self.said += 1
            return what[::-1] + str(self.said)

    named = Named(1)
    assert lib.label_later(named) == named.label() and named.said == 100


def test_a_function_and_its_const_overload_are_two_methods(lib: Any, busy: Any) -> None:
    assert lib.both(busy(1), 5) == 102.0


def test_protected_methods_are_overridden_and_called_on_what_python_made(lib: Any, busy: Any) -> None:
    assert busy(1).run() == "run prepared!"
    assert lib.Tool(1).prepare("x") == "x prepared"
    with pytest.raises(NotImplementedError, match=r"^Tool\.prepare\(\) is protected"):
        lib.plain(1).prepare("x")


def test_protected_members_that_are_not_virtual_are_called_on_what_python_made(lib: Any, busy: Any) -> None:
    class Worn(lib.Tool):  # type: ignore[misc, name-defined]
        def size(self) -> int:
            return int(self.left(2))

    worn = Worn(7)
    assert (worn.left(2), worn.left(0.5), worn.size(), lib.elsewhere(worn)) == (5, 6.5, 5, 5)
    assert lib.Tool(3).left(1) == busy(3).left(1) == 2
    with pytest.raises(NotImplementedError, match=r"^Tool\.left\(\) is protected: C\+\+ made this object"):
        lib.plain(1).left(1)
    with pytest.raises(TypeError, match=r"left\(\) takes no \(str\)"):
        worn.left("x")
    with pytest.raises(OverflowError, match="used"):
        worn.left(1 << 40)
    worn.close()
    with pytest.raises(lib.ClosedHandleError):
        worn.left(1)


def test_constructors_have_their_arguments_and_failures(lib: Any, busy: Any) -> None:
    with pytest.raises(ValueError, match="a tool has a size"):
        busy(-1)
    with pytest.raises(TypeError):
        busy()
    tool = busy(1)
    with pytest.raises(TypeError, match="initialized already"):
        tool.__init__(2)
    assert tool.size() == 2


def test_an_object_may_be_missing(lib: Any, busy: Any) -> None:
    assert lib.place(None) == lib.Spot(-1, -1)
    with pytest.raises(TypeError, match="tool"):
        lib.place("busy")


def test_what_cpp_returns_calls_the_method_of_python(lib: Any, busy: Any) -> None:
    tool = lib.same(busy(4))
    gc.collect()
    assert (type(tool), tool.size(), lib.label(tool)) == (lib.Tool, 5, "busy")


def test_only_methods_of_the_class_override(lib: Any) -> None:
    tool = lib.Tool(3)
    with pytest.raises(AttributeError):
        tool.size = lambda: 7
    assert lib.elsewhere(tool) == 3


# --- threads ----------------------------------------------------------------------------------------------------------


def test_any_thread_calls_the_method(lib: Any, busy: Any) -> None:
    assert lib.elsewhere(busy(4)) == 5


def test_what_is_raised_elsewhere_is_raised_by_the_call_that_waits(
    lib: Any, busy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Raising(busy):  # type: ignore[misc]
        def size(self) -> int:
            raise ValueError("elsewhere")

    seen: list[str] = []
    monkeypatch.setattr("sys.unraisablehook", lambda about: seen.append(str(about.exc_value)))
    with pytest.raises(ValueError, match="elsewhere"):
        lib.elsewhere(Raising(4))
    assert seen == []


def test_what_cpp_lets_go_of_in_another_thread_is_released(lib: Any, busy: Any) -> None:
    tool = busy(4)
    gone = ref(tool)
    lib.keep(tool)
    del tool
    assert not collected(gone)
    assert lib.size_of_kept() == 5
    lib.let_go_elsewhere()
    assert collected(gone)


def test_cpp_lets_go_of_an_object_while_it_has_a_lock_that_a_call_waits_for(engine: str) -> None:
    """The thread asks for the GIL several times; the call comes before another of these each time."""
    program = """
import faulthandler, sys, time, interfaces_ffi as lib
faulthandler.dump_traceback_later(60, exit=True)
class Kept(lib.Tool):
    def size(self):
        return 7
sys.setswitchinterval(1e-3)
for turn in range(200):
    tool = Kept(1)
    lib.keep(tool)
    tool.close()
    del tool
    lib.begin_to_let_go()
    end = time.perf_counter() + turn % 100 * 5e-5
    while time.perf_counter() < end:
        pass
    assert lib.size_of_kept() == 0
print("done")
"""
    assert packages.build(SPEC).python(program, engine=engine).stdout == "done\n"


def test_the_interpreter_ends_while_cpp_holds_an_object(engine: str) -> None:
    program = """
import interfaces_ffi as lib
class Kept(lib.Tool):
    def size(self):
        return 7
lib.keep(Kept(1))
print(lib.size_of_kept())
"""
    assert packages.build(SPEC).python(program, engine=engine).stdout == "7\n"


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_what_a_method_raises_is_raised_by_the_outer_call(lib: Any, square: Any) -> None:
    class Raising(square):  # type: ignore[misc]
        def area(self, scale: float) -> float:
            raise KeyError(scale)

    with pytest.raises(KeyError) as caught:
        lib.described(Raising(1.0))
    assert caught.value.args == (2.0,)
    assert caught.traceback[-1].name == "area"


def test_a_result_of_another_type_names_the_method(lib: Any, square: Any) -> None:
    class Wrong(square):  # type: ignore[misc]
        def area(self, scale: float) -> Any:
            return "large"

    with pytest.raises(TypeError, match=r"^Shape\.area\(\): a float is wanted, not str$"):
        lib.described(Wrong(1.0))


def test_a_method_with_other_parameters_names_itself(lib: Any, square: Any) -> None:
    class Other(square):  # type: ignore[misc]
        def area(self) -> float:  # type: ignore[override]
            return 1.0

    with pytest.raises(TypeError, match=r"^Shape\.area: .*area\(\) takes 1 positional argument but 2 were given"):
        lib.described(Other(1.0))


def test_cpp_that_takes_no_exception_gets_a_value(lib: Any, busy: Any) -> None:
    class Raising(busy):  # type: ignore[misc]
        def quick(self, by: int) -> int:
            raise KeyError(by)

    with pytest.raises(KeyError, match="3"):
        lib.quick(Raising(1), 3)


def test_numbers_that_cpp_does_not_have_are_refused(lib: Any, busy: Any) -> None:
    class Large(busy):  # type: ignore[misc]
        def size(self) -> int:
            return 2**40

    with pytest.raises(OverflowError, match=r"Tool\.size\(\)"):
        Large(1).is_large()


# --- lifetimes --------------------------------------------------------------------------------------------------------


def test_an_object_that_only_python_has_is_released_at_once(square: Any) -> None:
    shape = square(1.0)
    gone = ref(shape)
    del shape
    assert collected(gone)


def test_cpp_keeps_the_python_object_alive(lib: Any, square: Any) -> None:
    drawing = lib.Drawing()
    shape = square(2.0)
    gone = ref(shape)
    drawing.add(shape)
    drawing.add(shape)
    del shape
    assert not collected(gone)
    assert drawing.area() == 8.0
    drawing.close()
    assert collected(gone)


@pytest.mark.parametrize("put", ["put_pointer", "put_reference", "put_in_body"])
def test_code_of_the_spec_gets_an_object(lib: Any, busy: Any, put: str) -> None:
    stand, tool = lib.Stand(), busy(1)
    seen = ref(tool)
    getattr(stand, put)(tool)
    del tool
    gc.collect()
    assert stand.size_on() == 2, "it is kept alive by `holds`"
    if put != "put_reference":
        getattr(stand, put)(None)
        assert stand.size_on() == 0
        assert collected(seen)


def test_an_object_holds_what_it_only_points_to(lib: Any, busy: Any) -> None:
    stand, first, second = lib.Stand(), busy(1), busy(2)
    gone = [ref(first), ref(second)]
    stand.put(first)
    del first
    assert not collected(gone[0])
    assert stand.size_on() == 2
    stand.put(second)
    del second
    assert collected(gone[0])
    assert not collected(gone[1])
    assert stand.size_on() == 3
    stand.close()
    assert collected(gone[1])  # also while Python has the closed object


@pytest.mark.parametrize("way", ["put", "clear", "lift"])
def test_what_a_call_uses_stays_alive_until_it_returns(lib: Any, engine: str, way: str) -> None:
    stand, seen = lib.Stand(), []

    class Leaves(lib.Tool):  # type: ignore[misc]
        def size(self) -> int:
            gone = ref(self)
            if not seen and way == "clear":
                stand.clear()
            elif not seen and way == "lift":
                stand.lift(self)
            elif not seen:
                stand.put(lib.Tool(3))
            seen.append(gone)
            return len(seen)

    stand.put(Leaves(1))
    assert stand.sizes_on() == 12
    if engine == "cpython" or way == "put":  # else it stays until the stand ends
        assert collected(seen[0])
    assert stand.size_on() == (3 if way == "put" else 0)


def test_what_fails_after_a_callable_lets_go_raises_that(lib: Any) -> None:
    stand, seen = lib.Stand(), []

    class Fails(lib.Tool):  # type: ignore[misc]
        def size(self) -> int:
            seen.append(ref(self))
            stand.put(lib.Tool(3))
            raise LookupError("after that")

        def __del__(self) -> None:
            seen.append(stand.size_on())

    stand.put(Fails(1))
    with pytest.raises(LookupError, match=r"^after that$"):
        stand.sizes_on()
    assert collected(seen[0])
    assert seen[1:] == [3]


def test_what_no_other_call_uses_is_let_go_of_at_once(lib: Any, busy: Any) -> None:
    beside, seen = lib.Stand(), []

    class Clears(lib.Tool):  # type: ignore[misc]
        def size(self) -> int:
            beside.put(lib.Tool(3))
            seen.append(collected(gone))
            return 1

    tool = busy(2)
    gone = ref(tool)
    beside.put(tool)
    del tool
    stand, clears = lib.Stand(), Clears(1)
    stand.put(clears)
    assert stand.size_on() == 1
    assert seen == [True]


def test_a_closed_object_is_refused(lib: Any, busy: Any) -> None:
    tool = busy(1)
    tool.close()
    with pytest.raises(lib.ClosedHandleError, match="tool"):
        lib.fits(tool)
    with pytest.raises(lib.ClosedHandleError):
        tool.size()


def test_at_exit_all_are_closed_and_the_first_failure_is_shown(engine: str) -> None:
    program = """
import sys, interfaces_ffi as lib
class Bench(lib.Bench):
    def close(self):
        super().close()
        print(self.name)
        if self.name != "a":
            raise ValueError(f"no {self.name}")
sys.unraisablehook = lambda about: print(about.exc_value, file=sys.stderr)
all = [Bench(lib.Tool(i)) for i in range(3)]
for each, name in zip(all, "bac"):
    each.name = name
"""
    done = packages.build(SPEC).python(program, engine=engine)
    assert done.stdout == "b\na\nc\n"
    assert sorted(done.stderr.split("\n"))[-2:] == ["no b", "no c"], done.stderr


def test_an_interface_with_each_is_gone_over_by_its_virtual_functions(lib: Any) -> None:
    class Own(lib.Cursor):  # type: ignore[misc]
        def __init__(self, items: list[Any]) -> None:
            super().__init__()
            self.items, self.at = items, 0

        def rewind(self) -> None:
            self.at = 0

        def valid(self) -> bool:
            return self.at < len(self.items)

        def value(self) -> Any:
            return self.items[self.at]

        def advance(self) -> None:
            self.at += 1

    class WithoutValue(Own):
        value = lib.Cursor.value

    own = Own([3, 4, 5])
    assert (list(own), list(own), list(lib.counting(3)), list(WithoutValue([1]))) == (
        [3, 4, 5],
        [3, 4, 5],
        [0, 1, 2],
        [7],
    )
    steps = iter(Own([1, 2]))  # the iterator alone keeps it
    gc.collect()
    assert list(steps) == [1, 2]
    with pytest.raises(TypeError, match=r"^Cursor\.value\(\): an int is wanted, not str$"):
        list(Own(["a"]))
    failing = Own([1])
    failing.items = None
    with pytest.raises(TypeError, match="NoneType"):
        next(iter(failing))
    steps = iter(own)
    assert next(steps) == 3
    own.close()
    with pytest.raises(lib.ClosedHandleError):
        next(steps)

"""Hierarchies of classes that Python overrides: the library's classes and Python's stand for each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import objects, packages

SPEC = packages.HERE / "inheritance" / "overridden.wrapper_spec"


@pytest.fixture(scope="module")
def module(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def lib(module: Any) -> Iterator[Any]:
    """The package; the library has no objects after a test."""
    yield module
    module.forget()
    objects.collect()
    assert module.alive() == 0


def large(lib: Any) -> Any:
    """An object of a class of Python that derives from one of the library's, which extends another."""

    class Large(lib.Circle):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(5.0)

        def area(self) -> float:
            return float(super().area()) + 1

        def radius(self) -> float:
            return 9.0

        def decorated(self, text: str) -> str:
            return str(super().decorated(text)).upper()

    return Large()


def test_classes_are_subclasses(lib: Any) -> None:
    assert issubclass(lib.Circle, lib.Shape) and issubclass(lib.Shape, lib.Thing)
    assert issubclass(lib.Tile, lib.Square) and issubclass(lib.Square, lib.Shape)


@pytest.mark.parametrize(
    ("kind", "name"), [("circle", "Circle"), ("ring", "Ring"), ("square", "Square"), ("tile", "Tile"), ("", "Shape")]
)
def test_what_the_library_makes_is_of_its_class(lib: Any, kind: str, name: str) -> None:
    made = lib.make(kind)
    assert type(made) is getattr(lib, name) and isinstance(made, lib.Shape)
    assert (made.kind, made.twice(), lib.described(made)) == ("shape", 2 * made.area(), lib.described(made))
    assert made.shown() == f"<{made.name()}>" and made.at(3) == 3


def test_own_members_of_each(lib: Any) -> None:
    assert (lib.make("circle").radius(), lib.measure(lib.make("ring")), lib.make("square").side) == (1, 20, 2)
    assert (lib.make("tile").painted(), lib.make("tile").side) == ("red shape", 2)


def test_python_overrides_what_a_class_has_of_its_base(lib: Any) -> None:
    made = large(lib)
    assert isinstance(made, lib.Shape) and lib.described(made) == "circle of 76.000000"
    assert (made.twice(), made.measured(), lib.measure(made), made.name()) == (152.0, 9.0, 9.0, "circle")
    assert made.shown() == "<CIRCLE>" and lib.kind_of(made) == "shape"


def test_it_stands_for_each_of_its_bases(lib: Any) -> None:
    class Dot(lib.Shape):  # type: ignore[misc]
        def area(self) -> float:
            return 7.0

    several = [large(lib), Dot(), lib.make("ring"), lib.Circle(1.0), lib.Square()]
    assert lib.areas(several) == [76.0, 7.0, 12.0, 3.0, 4.0]
    with pytest.raises(TypeError, match="circle: a Circle is wanted, not Dot"):
        lib.measure(Dot())


def test_cpp_keeps_it_alive(lib: Any) -> None:
    lib.keep(large(lib))
    lib.keep(lib.make("square"))
    objects.collect()
    assert lib.total() == 80.0
    lib.forget()
    lib.keep(large(lib))
    again = lib.last()
    assert type(again) is lib.Circle and (again.area(), again.radius()) == (76.0, 9.0)
    lib.forget()
    objects.collect()
    assert again.area() == 76.0  # it keeps Python's object, too


def test_callables(lib: Any) -> None:
    seen: list[str] = []

    def show(shape: Any) -> str:
        seen.append(type(shape).__name__)
        return str(lib.described(shape))

    assert lib.visit(show) == "circle of 3.000000shape of 4.000000"
    assert seen == ["Circle", "Square"]
    made = large(lib)
    assert lib.chosen(lambda: made) == "circle of 76.000000"


def test_base_implementations(lib: Any) -> None:
    made = large(lib)
    assert lib.Circle.area(made) == 75.0 and lib.Circle.radius(made) == 5.0
    assert (lib.Shape.name(made), lib.Circle.name(made)) == ("shape", "circle")
    with pytest.raises(NotImplementedError, match=r"Shape\.area\(\) is abstract"):
        lib.Shape.area(made)
    with pytest.raises(NotImplementedError, match=r"Shape\.decorated\(\) is protected"):
        lib.Shape.decorated(made, "a")
    with pytest.raises(NotImplementedError, match="is protected"):
        lib.make("circle").decorated("a")
    assert lib.make("circle").name() == "circle" and lib.Shape.name(lib.make("circle")) == "circle"


def test_one_of_several_protected_functions(lib: Any) -> None:
    class Odd(lib.Circle):  # type: ignore[misc]
        def hidden_at(self, i: int) -> float:
            return float(super().hidden_at(i)) * 10.0

    assert Odd(1.0).at(4) == 40.0 and lib.make("ring").at(4) == 4.0


def test_protected_members_and_others_arguments_of_a_base(lib: Any) -> None:
    class Packed(lib.Circle):  # type: ignore[misc]
        def packed(self, data: bytes) -> int:
            return len(data) * 10 + int(self.scaled(2.0))

    assert Packed(1.0).pack(b"abc") == 36 and lib.make("ring").pack(b"abc") == 3
    with pytest.raises(NotImplementedError, match=r"scaled\(\) is protected"):
        lib.make("ring").scaled(2.0)
    with pytest.raises(NotImplementedError, match="is for C\\+\\+ to call"):
        lib.make("ring").packed(b"abc")


def test_final_functions_are_not_overridden(lib: Any) -> None:
    class Own(lib.Loose):  # type: ignore[misc]
        def area(self) -> float:
            return 50.0

        def radius(self) -> float:
            return 60.0

    made = Own()
    assert (made.twice(), made.measured(), lib.measure(made)) == (2.0, 60.0, 60.0)


def test_an_exception_comes_out_of_the_call(lib: Any) -> None:
    class Broken(lib.Circle):  # type: ignore[misc]
        def area(self) -> float:
            raise KeyError("area")

    with pytest.raises(KeyError, match="area"):
        lib.described(Broken(1.0))


def test_classes_that_list_no_such_method_are_not_derived_from(lib: Any) -> None:
    for kind in (lib.Square, lib.Thing):
        with pytest.raises(
            TypeError, match=f"a class cannot derive from {kind.__name__}, of which Python overrides no"
        ):
            type("Own", (kind,), {})

    class Blue(lib.Tile):  # type: ignore[misc]
        def colour(self) -> str:
            return "blue"

        def name(self) -> str:
            return "tile"

    class Bluer(Blue):
        pass

    assert Blue().painted() == Bluer().painted() == "blue tile"


def test_bases_beside_them_hear_of_classes(lib: Any) -> None:
    class Listed:
        known: tuple[str, ...] = ()

        def __init_subclass__(cls, also: str = "", **keywords: Any) -> None:
            super().__init_subclass__(**keywords)
            Listed.known += (cls.__name__ + also,)

    class Told(lib.Tile, Listed, also="!"):  # type: ignore[misc]
        pass

    assert Listed.known == ("Told!",)


def test_abstract_classes_stay_so(lib: Any) -> None:
    with pytest.raises(TypeError, match="abstract class Shape cannot be made: it has to override area"):
        lib.Shape()
    with pytest.raises(TypeError):
        lib.Thing()

    class Confused(lib.Circle):  # type: ignore[misc]
        def __init__(self) -> None:
            lib.Shape.__init__(self)

    with pytest.raises(TypeError):
        Confused()

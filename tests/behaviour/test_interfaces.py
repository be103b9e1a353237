"""Virtual functions of C++ classes that methods of Python override."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

import pytest

from tests.behaviour import packages


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(packages.HERE.parent / "cases" / "interfaces" / "spec.wrapper_spec").load(engine)


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


def collected(of: ref[Any]) -> bool:
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

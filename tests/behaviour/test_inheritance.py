"""Handle types that extend others: accepted wherever their bases are, and results are what C++ knows them to be."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import objects, packages

SPEC = packages.HERE / "inheritance" / "inheritance.wrapper_spec"


@pytest.fixture(scope="module")
def module(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def kinds(module: Any) -> Iterator[Any]:
    """The package; the library has no objects after a test."""
    yield module
    module.keep_shape(None)
    objects.collect()
    assert module.live() == 0


def test_classes_are_subclasses(kinds: Any) -> None:
    assert kinds.Paragraph.__mro__[1:3] == (kinds.Element, kinds.Node)
    assert issubclass(kinds.Comment, kinds.Node) and not issubclass(kinds.Comment, kinds.Element)


@pytest.mark.parametrize("kind", ["node", "element", "paragraph", "comment"])
def test_a_result_is_what_it_is_in_cpp(kinds: Any, kind: str) -> None:
    made = kinds.new_node(kind)
    assert type(made) is getattr(kinds, kind.capitalize())
    assert made.kind() == kind == kinds.kind_of(made) == kinds.kind_of_any(made) == made.late()
    assert made.label == ("element" if kind == "paragraph" else kind)
    assert type(made.twin()) is type(made)
    assert made.same(made) and not made.same(None) and not made.same(kinds.new_node("node"))


def test_an_object_of_no_wrapped_class_is_the_nearest(kinds: Any) -> None:
    made = kinds.new_node("hidden")
    assert type(made) is kinds.Element and made.kind() == "hidden" and made.tag == 7


def test_results_in_every_shape(kinds: Any) -> None:
    assert [type(each) for each in kinds.both_of()] == [kinds.Node, kinds.Element]
    assert {key: type(each) for key, each in kinds.named().items()} == {"p": kinds.Paragraph, "n": kinds.Node}
    assert type(kinds.maybe("comment")) is kinds.Comment and kinds.maybe(None) is None
    assert type(kinds.new_element()) is kinds.Paragraph


def test_arguments_in_every_shape(kinds: Any) -> None:
    node, element, paragraph = (kinds.new_node(kind) for kind in ("node", "element", "paragraph"))
    assert kinds.tag_of(element) == kinds.tag_of(paragraph) == paragraph.tag == 7
    assert kinds.together([node, element, paragraph]) == 3
    assert kinds.kinds({"a": paragraph, "b": node}) == ["paragraph", "node"]
    assert kinds.either(element) == "element" and kinds.either(3) == "number"


def test_a_base_is_no_subclass(kinds: Any) -> None:
    node, comment = kinds.new_node("node"), kinds.new_node("comment")
    for wrong in (node, comment):
        with pytest.raises(TypeError, match=r"element: an Element is wanted, not (Node|Comment)"):
            kinds.tag_of(wrong)
    with pytest.raises((TypeError, ValueError)):  # the cffi engine's properties are Python's, which take any object
        kinds.Element.tag.__get__(node)


def test_closing(kinds: Any) -> None:
    element = kinds.new_node("element")
    with element:
        pass
    assert element.closed and kinds.live() == 0
    for call in (element.kind, lambda: element.tag, lambda: kinds.kind_of(element), lambda: kinds.together([element])):
        with pytest.raises(kinds.ClosedHandleError):
            call()


def test_what_is_taken(kinds: Any) -> None:
    paragraph, dog = kinds.new_node("paragraph"), kinds.make_animal(True)
    assert kinds.swallow(paragraph) == "paragraph" and paragraph.closed
    assert kinds.eaten(dog) == "woof" and dog.closed
    assert kinds.live() == 0
    with pytest.raises(kinds.ClosedHandleError):
        kinds.eaten(dog)


def test_callables(kinds: Any) -> None:
    seen: list[Any] = []

    def visit(node: Any) -> bool:
        seen.append((type(node), node.kind(), node))
        return True

    assert kinds.walk(visit) == 3
    assert [each[:2] for each in seen] == [
        (kinds.Node, "node"), (kinds.Element, "element"), (kinds.Paragraph, "paragraph"),
    ]  # fmt: skip
    assert all(each[2].closed for each in seen)
    element = kinds.new_node("element")
    assert kinds.pick(lambda: element) == "element"


def test_shared_pointers(kinds: Any) -> None:
    circle = kinds.circle()
    assert type(circle) is kinds.Circle and circle.area() == 3.0 and circle.radius() == 1.0
    circle.grow()
    assert circle.radius() == 2.0
    kinds.keep_shape(circle)
    again = kinds.get_shape()
    assert type(again) is kinds.Circle and again is not circle
    del circle
    assert again.radius() == 2.0 and type(again.alone()) is kinds.Circle
    assert kinds.total([again, kinds.square(), kinds.shape()]) == 13.0


def test_unique_pointers(kinds: Any) -> None:
    dog, animal = kinds.make_animal(True), kinds.make_animal(False)
    assert (type(dog), type(animal)) == (kinds.Dog, kinds.Animal)
    assert (dog.says(), dog.fetch(), kinds.speech(dog), kinds.speech(animal)) == ("woof", "stick", "woof", "...")
    assert dog.says() == "woof"


def test_values(kinds: Any) -> None:
    pixel = kinds.pixel()
    assert (pixel.colour, pixel.sum(), kinds.across(pixel)) == (3, 3.0, 2.0)
    pixel.move(4.0)
    assert (pixel.sum(), kinds.across(pixel), kinds.point().sum()) == (7.0, 10.0, 3.0)


def test_class_methods(kinds: Any) -> None:
    class Mine(kinds.Element):  # type: ignore[misc]
        pass

    assert type(kinds.Node.new_node("paragraph")) is kinds.Paragraph
    assert type(kinds.Element.new_node("paragraph")) is kinds.Paragraph
    mine = Mine.new_node("element")
    assert type(mine) is Mine and mine.tag == 7 and mine.kind() == "element"
    for cls in (kinds.Element, Mine):
        with pytest.raises(TypeError, match="is wanted, and the library made a Node"):
            cls.new_node("node")


def test_constructors(kinds: Any) -> None:
    square, animal = kinds.Square(3.0), kinds.Animal()
    assert (type(square), square.area(), kinds.total([square])) == (kinds.Square, 9.0, 9.0)
    assert (type(animal), animal.says()) == (kinds.Animal, "...")
    with pytest.raises(TypeError, match="Dog cannot be made directly"):
        kinds.Dog()

    class Large(kinds.Square):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(10.0)

    assert Large().area() == 100.0

    class Odd(kinds.Square):  # type: ignore[misc]
        def __init__(self) -> None:
            kinds.Animal.__init__(self)

    with pytest.raises(TypeError):
        Odd()


def test_python_cannot_mix_two_of_them(kinds: Any) -> None:
    """Where Python lets a class derive from both, an object is of the one that it was made as."""
    try:
        both = type("Both", (kinds.Element, kinds.Comment), {})
        made = both.new_node("element")
    except TypeError:
        return
    assert made.kind() == "element" and made.tag == 7


@pytest.mark.parametrize("is_grove", [False, True])
@pytest.mark.parametrize("is_oak", [False, True])
def test_what_is_lent(kinds: Any, is_grove: bool, is_oak: bool) -> None:
    forest = kinds.new_forest(is_grove)
    assert type(forest) is (kinds.Grove if is_grove else kinds.Forest)
    tree = kinds.plant(forest, is_oak)
    assert type(tree) is (kinds.Oak if is_oak else kinds.Tree)
    assert tree.forest is forest and kinds.beside(tree).forest is forest
    objects.collect()
    forest_again = tree.forest
    del forest
    objects.collect()
    assert tree.forest is forest_again and not tree.closed
    assert forest_again.trees == 0  # one was planted, and the one beside it was cut
    forest_again.close()
    assert tree.closed
    with pytest.raises(kinds.ClosedHandleError):
        kinds.beside(tree)


def test_cycles(kinds: Any) -> None:
    shape = kinds.circle()
    derived = type("Derived", (kinds.Circle,), {})
    mine = derived.circle()
    mine.me = mine
    mine.other = shape.alone()
    del mine, shape
    gc.collect()
    assert kinds.live() == 0


def test_sizes(kinds: Any) -> None:
    if kinds.ENGINE == "cpython" and not hasattr(sys, "pypy_version_info") and getattr(sys, "_is_gil_enabled", bool):
        assert sys.getsizeof(kinds.new_node("paragraph")) <= 56

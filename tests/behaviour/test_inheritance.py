"""Handle types that extend others: accepted wherever their bases are, and results are what C++ knows them to be."""

from __future__ import annotations

import copy
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


def test_closing(kinds: Any, engine: str) -> None:
    element = kinds.new_node("element")
    with element:
        pass
    assert element.closed and kinds.live() == 0
    named = "Element" if engine == "cpython" else "Element|Node"  # C knows the class that has the method
    for call in (element.kind, lambda: element.tag, element.twin):
        with pytest.raises(kinds.ClosedHandleError, match=rf"^({named}): this handle is closed$"):
            call()
    for call in (lambda: kinds.kind_of(element), lambda: kinds.together([element])):
        with pytest.raises(kinds.ClosedHandleError, match=r"this (Element|Node) is closed$"):
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


def test_copies_are_of_the_same_class(kinds: Any) -> None:
    circle, square, pixel = kinds.circle(), kinds.Square(3.0), kinds.pixel()
    circle.grow()
    copied = copy.copy(circle)
    assert (type(copied), copied.radius(), copy.copy(square).area()) == (kinds.Circle, 2.0, 9.0)
    copied.grow()
    assert circle.radius() == 2.0
    for way in (copy.copy, copy.deepcopy):
        assert (type(way(pixel)), way(pixel).colour, type(way(kinds.point()))) == (kinds.Pixel, 3, kinds.Point)
    assert copy.copy(kinds.make_animal(True)).fetch() == "stick"
    assert copy.copy(kinds.new_node("paragraph")).kind() == "paragraph"
    with pytest.raises(TypeError, match="its class in C\\+\\+ has no copy constructor"):
        copy.copy(kinds.Cat())
    with pytest.raises(TypeError, match="its class in C\\+\\+ is one that the package does not wrap"):
        copy.copy(kinds.ellipse())
    with pytest.raises(TypeError, match="Circle has no __deepcopy__"):
        copy.deepcopy(circle)


def test_the_context_of_a_base(kinds: Any) -> None:
    with kinds.new_node("element") as element:
        assert element.label == "entered"


def test_class_methods(kinds: Any) -> None:
    class Mine(kinds.Element):  # type: ignore[misc]
        pass

    assert type(kinds.Node.new_node("paragraph")) is kinds.Paragraph
    assert type(kinds.Element.new_node("paragraph")) is kinds.Paragraph
    mine = Mine.new_node("element")
    assert type(mine) is Mine and mine.tag == 7 and mine.kind() == "element"
    for cls in (kinds.Element, Mine):
        with pytest.raises(TypeError, match=r"is wanted, and the library made a Node: call this on Node$"):
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
    if kinds.ENGINE == "cpython":
        assert sys.getsizeof(kinds.new_node("paragraph")) <= sys.getsizeof(object()) + 40


OPERATORS = """
wrapper_lib: {name: operated, cpp_include: [memory, vector], std: 17}
cpp_prelude: |
  struct base {
    long value;
    explicit base(long v) : value(v) {}
    virtual ~base() = default;
    bool operator==(const base &o) const { return value == o.value; }
    base operator+(const base &o) const { return base(value + o.value); }
  };
  struct derived : base { using base::base; bool operator<(const derived &o) const { return value < o.value; } };
  inline derived operator+(long a, const derived &b) { return derived(a * 100 + b.value); }
  struct ordered {
    long value;
    explicit ordered(long v) : value(v) {}
    bool operator<(const ordered &o) const { return value < o.value; }
  };
  struct row {
    std::vector<long> values{10, 20, 30};
    virtual ~row() = default;
    std::size_t size() const { return values.size(); }
    long &at(std::size_t i) { return values.at(i); }
  };
  struct cut : row {};
  struct bare {
    std::vector<long> values{1, 2, 3};
    virtual ~bare() = default;
    std::size_t size() const { return values.size(); }
  };
  struct seen : bare { long &at(std::size_t i) { return values.at(i); } };
handle_types:
  - name: Base
    cpp_type: std::shared_ptr<::base>
    methods:
      - {def: "Base(value: i64)"}
      - {def: "value -> i64", cpp_body: "return h.inner->value;"}
      - {def: "__eq__(other: Base) -> bool"}
      - {def: "__add__(other: Base) -> Base"}
      - {def: "__gt__(other: i64) -> bool", cpp_body: "return h.inner->value > other;"}
  - name: Derived
    cpp_type: std::shared_ptr<::derived>
    extends: Base
    methods:
      - {def: "Derived(value: i64)"}
      - {def: "__lt__(other: Derived) -> bool"}
      - {def: "__radd__(other: i64) -> Derived"}
  - {name: Leaf, cpp_type: std::shared_ptr<::derived>, extends: Derived, methods: [
      {def: "Leaf(value: i64)"}, {def: "__hash__() -> i64", cpp_body: "return h.inner->value;"}]}
  - {name: Twig, cpp_type: std::shared_ptr<::derived>, extends: Leaf, methods: [
      {def: "Twig(value: i64)"}, {def: "__le__(other: Twig) -> bool", cpp_body: "return true;"}]}
  - name: Row
    cpp_type: std::unique_ptr<::row>
    methods:
      - {def: "Row()"}
      - {def: "__len__() -> usize"}
      - {def: "__getitem__(i: position) -> i64"}
      - {def: "__setitem__(i: position, value: i64)"}
  - name: Cut
    cpp_type: std::unique_ptr<::cut>
    extends: Row
    methods:
      - {def: "Cut()"}
      - {def: "__delitem__(i: position)", cpp_body: "h.inner->values.erase(h.inner->values.begin() + i);"}
  - {name: Bare, cpp_type: std::unique_ptr<::bare>, methods: [{def: "Bare()"}, {def: "__len__() -> usize"}]}
  - {name: Between, cpp_type: std::unique_ptr<::bare>, extends: Bare}
  - name: Seen
    cpp_type: std::unique_ptr<::seen>
    extends: Between
    methods:
      - {def: "Seen()"}
      - {def: "__getitem__(i: position) -> i64"}
      - {def: "__setitem__(i: position, value: i64)"}
  - {name: Whole, cpp_type: "::bare", methods: [{def: "Whole()"}, {def: "__len__() -> usize"}]}
  - {name: Part, cpp_type: "::seen", extends: Whole, methods: [{def: Part()}, {def: "__getitem__(n: position) -> i64"}]}
  - {name: Named, cpp_type: "::seen", extends: Whole, methods: [
      {def: "Named()"}, {def: "__iter__() -> iter[i64]", cpp_body: return &h.inner.values;}]}
  - {name: ByName, cpp_type: "::seen", extends: Whole, methods: [
      {def: "ByName()"}, {def: "__getitem__(key: text) -> text", cpp_body: return key + "!";}]}
  - {name: Both, cpp_type: "::seen", extends: Named, methods: [
      {def: "Both()"}, {def: "__getitem__(key: text) -> text", cpp_body: return key + "!";}]}
  - {name: Ordered, cpp_type: "::ordered", methods: [
      {def: "Ordered(value: i64)"}, {def: "__lt__(other: Ordered) -> bool"}]}
"""


@pytest.fixture(scope="module")
def operated(engine: str) -> Any:
    return packages.build_text(OPERATORS, name="operated").load(engine)


@pytest.mark.parametrize("name", ["Derived", "Leaf", "Twig"])
def test_operators_of_a_base_stay(operated: Any, name: str) -> None:
    kind = getattr(operated, name)
    assert kind(1) == kind(1) and kind(1) == operated.Base(1) == kind(1) and kind(1) != kind(2)
    assert kind(1) < kind(2) and kind(5) > 4 and not kind(5) > 6
    assert (kind(1) + kind(2)).value == (kind(1) + operated.Base(2)).value == (operated.Base(1) + kind(2)).value == 3
    assert (7 + kind(2)).value == 702
    for foreign in (lambda: kind(1) + "x", lambda: "x" + kind(1), lambda: operated.Base(1) < operated.Base(2)):
        with pytest.raises(TypeError):
            foreign()


def test_items_of_a_base_stay(operated: Any) -> None:
    cut = operated.Cut()
    cut[-1] = 5
    del cut[-3]
    assert list(cut) == [20, 5] and len(cut) == 2
    with pytest.raises((AttributeError, TypeError), match=r"__delitem__|item deletion"):
        del operated.Row()[0]


def test_iteration_of_a_base_stays_beside_items_by_name(operated: Any) -> None:
    both = operated.Both()
    assert list(both) == list(operated.Named()) == [1, 2, 3] and both["a"] == operated.ByName()["a"] == "a!"
    with pytest.raises(TypeError, match="not iterable"):
        iter(operated.ByName())


@pytest.mark.parametrize("name", ["Seen", "Part"])
def test_positions_count_from_the_length_of_a_base(operated: Any, name: str) -> None:
    seen = getattr(operated, name)()
    assert seen[-1] == seen[2] == 3 and list(seen) == [1, 2, 3] == list(reversed(seen))[::-1]
    for index in (3, -4, 2**62):
        with pytest.raises(IndexError, match=f"{name} index out of range"):
            seen[index]
    if name == "Seen":
        seen[-3] = 7
        assert list(seen) == [7, 2, 3] and len(seen) == 3
    seen.close()
    with pytest.raises(operated.ClosedHandleError):
        seen[-1]


def test_hashes_of_what_is_compared(operated: Any) -> None:
    """As of Python's classes: `__eq__` alone takes the hash away, for the classes that derive from it as well."""
    one = operated.Ordered(1)
    assert len({one, one, operated.Ordered(1)}) == 2 and hash(one) == object.__hash__(one)
    assert one == one and one != operated.Ordered(1)
    for unhashable in (operated.Base(1), operated.Derived(1)):
        with pytest.raises(TypeError, match="unhashable type"):
            hash(unhashable)
    assert hash(operated.Leaf(7)) == hash(operated.Twig(7)) == 7 and len({operated.Twig(1), operated.Twig(1)}) == 1


def test_what_is_said_of_a_base_holds_for_what_extends_it(kinds: Any) -> None:
    for kind, words in (
        ("element", "what the node says"),
        ("paragraph", "what the node says"),
        ("comment", "a comment"),
    ):
        with pytest.raises(kinds.NodeError) as failure:
            kinds.new_node(kind).check(-1)
        assert (str(failure.value), failure.value.kind, failure.value.code) == (words, kind, -1)
    with pytest.raises(kinds.NodeError) as failure:
        kinds.check(-1)
    assert (str(failure.value), failure.value.kind) == ("no node", None)


@pytest.mark.parametrize("status", [-2, -3])
def test_an_exception_is_never_without_words(kinds: Any, status: int) -> None:
    with pytest.raises(kinds.NodeError) as failure:
        kinds.new_node("element").check(status)
    assert str(failure.value) == f"the call failed with {status}"

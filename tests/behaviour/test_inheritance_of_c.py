"""Classes that extend others `when` a kind says so, as C's objects do: results are of the most derived one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import objects, packages

SPEC = packages.HERE / "inheritance" / "of_c.wrapper_spec"
ANY, COMMIT, MERGE, TREE, BOTH, TWICE = range(6)


@pytest.fixture(scope="module")
def module(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def lib(module: Any) -> Iterator[Any]:
    """The package; the library has no objects after a test."""
    before = module.alive()
    yield module
    objects.collect()
    assert module.alive() == before


def test_classes_are_subclasses(lib: Any) -> None:
    assert issubclass(lib.Merge, lib.Commit) and issubclass(lib.Commit, lib.Object)
    assert issubclass(lib.Tree, lib.Object) and not issubclass(lib.Tree, lib.Commit)


@pytest.mark.parametrize(
    ("kind", "name"), [(ANY, "Object"), (COMMIT, "Commit"), (MERGE, "Merge"), (TREE, "Tree"), (BOTH, "Commit")]
)
def test_a_result_is_of_the_most_derived_class_whose_when_holds(lib: Any, kind: int, name: str) -> None:
    for made in (lib.make(kind), lib.maybe(kind), lib.lookup(kind)):
        assert type(made) is getattr(lib, name)
        assert (made.name, made.kind) == ("abc", kind) and lib.kind_of(made) == kind
        assert made.is_same(made) and not made.is_same(None) and not made.is_same(lib.make(kind))


def test_results_in_every_shape(lib: Any) -> None:
    assert [type(each) for each in lib.several()] == [lib.Tree, lib.Merge, lib.Object]
    assert lib.maybe(-1) is None
    with pytest.raises(lib.LibError, match="it failed"):
        lib.lookup(-1)


def test_arguments_are_cast(lib: Any) -> None:
    merge, tree = lib.make(MERGE), lib.make(TREE)
    assert (merge.parents(), merge.sides, lib.parents_of(merge)) == (MERGE, 2, MERGE)
    assert lib.kinds([merge, tree, lib.make(ANY)]) == [MERGE, TREE, ANY]
    assert lib.swallow(merge) == MERGE and merge.closed
    with pytest.raises(TypeError, match="commit: a Commit is wanted, not Tree"):
        lib.parents_of(tree)


def test_a_constructor_makes_its_class(lib: Any) -> None:
    assert type(lib.Commit(COMMIT)) is lib.Commit
    assert lib.Commit(COMMIT).name == "abc"


def test_release_is_that_of_the_base(lib: Any) -> None:
    before = lib.alive()
    with lib.make(MERGE) as merge:
        assert lib.alive() == before + 1
    assert merge.closed and lib.alive() == before
    with pytest.raises(lib.ClosedHandleError):
        merge.parents()


def test_callables(lib: Any) -> None:
    seen: list[str] = []

    def visit(made: Any) -> bool:
        seen.append(type(made).__name__)
        return True

    assert lib.walk(visit) == -1
    assert seen == ["Object", "Commit", "Merge", "Tree"]
    merge = lib.make(MERGE)
    assert lib.pick(lambda: merge) == "abc"


def test_two_that_hold_are_no_guess(module: Any) -> None:
    said = "an object of C is both (Commit and Twice|Twice and Commit), as their `when` say"
    for call in (module.make, module.maybe, module.lookup):
        with pytest.raises(RuntimeError, match=said):
            call(TWICE)
    module.set_walked(TWICE)
    with pytest.raises(RuntimeError, match=said):
        module.walk(lambda made: True)
    module.set_walked(ANY)


def test_one_object_for_each_pointer_with_its_owner(lib: Any) -> None:
    repo = lib.Repo()
    element, text = lib.node(repo, True), lib.node(repo, False)
    assert type(element) is lib.Element and type(text) is lib.Text
    assert element.same() is element and text.same() is text and element.repo is repo
    assert element.only_element() == 10 and repo.alive == 2
    element.close()
    assert (repo.alive, repo.freed) == (1, 1)
    repo.close()
    with pytest.raises(lib.ClosedHandleError):
        text.same()

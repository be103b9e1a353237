"""Drafts that `wrapper-gen import` writes of a C and of a C++ header: built as they are, and used."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages
from wrapper_gen.drafts import imported

pytest.importorskip("clang.cindex")

HEADERS = Path(__file__).with_name("imported")


def build(folder: Path, name: str, header: str) -> packages.Package:
    """The package of a draft, with the answers beside the header."""
    answers = HEADERS / f"{name}.import"
    if answers.exists():
        shutil.copy(answers, folder)
    said = {"headers": [header], "include": [str(HEADERS)]}
    outcome = imported.import_(name, folder, said, builds=False, report=print)
    assert not outcome.off, outcome.off
    outcome.write()
    return packages.build(folder / f"{name}.wrapper_spec", require=True)


@pytest.fixture(scope="module")
def shelf_package(tmp_path_factory: pytest.TempPathFactory) -> packages.Package:
    return build(tmp_path_factory.mktemp("shelf"), "shelf", "shelf.h")


@pytest.fixture(scope="module")
def plane_package(tmp_path_factory: pytest.TempPathFactory) -> packages.Package:
    return build(tmp_path_factory.mktemp("plane"), "plane", "plane.hpp")


def test_a_c_library_is_used_as_it_was_drafted(shelf_package: packages.Package, engine: str) -> None:
    lib: Any = shelf_package.load(engine)
    shelf = lib.Shelf(lib.Mode.WRITE)
    row = shelf.add(b"first")
    assert row.shelf is shelf
    assert row.read(100) == b"first"
    assert shelf.get_usage() == lib.Usage(1, 0.5)
    assert shelf.describe() == "rows"
    shelf.add(b"second")
    seen: list[int] = []
    shelf.each(lambda at: seen.append(at) or 1)
    assert seen == [0, 1]
    with pytest.raises(lib.ShelfError, match=r"^the shelf is full$"):
        shelf.add(b"third")
    assert shelf.count() == 2
    shelf.close()
    with pytest.raises(lib.ClosedHandleError):
        shelf.count()


def test_a_cpp_library_is_used_as_it_was_drafted(plane_package: packages.Package, engine: str) -> None:
    lib: Any = plane_package.load(engine)
    assert (lib.Vec(1, 2) + lib.Vec(2, 2)).norm() == 5
    assert lib.Vec(1) == lib.Vec(1, 0)
    path = lib.line(lib.Vec(0), lib.Vec(3, 4))
    path.add(lib.Vec(6, 8))
    assert (path.size(), path.join()) == (3, lib.Join.flat)
    assert [each.norm() for each in path] == [0, 5, 10]

    class Counting(lib.Visitor):  # type: ignore[misc, name-defined]
        def visit(self, name: str, length: float) -> bool:
            return name == "point" and length > 4

    assert lib.walk(path, Counting()) == 2
    with pytest.raises(lib.BadPath, match=r"^a path has points$"):
        lib.Path([])

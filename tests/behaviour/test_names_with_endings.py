"""Entries whose names differ by what the generated C++ calls parts of them, and a call that locks handles of a list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: endings, lang: c}
cpp_prelude: |
  struct box { int n; };
  inline int endings_find(box *, int n) { return n; }
  inline int endings_find_signature(box *, int n) { return n + 1; }
  inline int endings_find_body(box *, int n) { return n + 2; }
  inline int endings_sum(box *first, box **all, unsigned long count) {
    int sum = first->n;
    for (unsigned long i = 0; i < count; ++i) sum += all[i]->n;
    return sum;
  }
handle_types:
  - name: Box
    cpp_type: box *
    release: delete value
    prefix: endings_
    methods:
      - {def: "Box(n: i32)", cpp: "new box{n}"}
      - {def: "find(n: i32) -> i32"}
      - {def: "find_signature(n: i32) -> i32"}
      - {def: "find_body(n: i32) -> i32"}
functions:
  - {def: "sum(first: Box, all: [Box]) -> i32", cpp: "endings_sum(first, all, all.size())"}
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> packages.Package:
    spec: Path = tmp_path_factory.mktemp("endings") / "endings.wrapper_spec"
    spec.write_text(SPEC, encoding="utf-8")
    return packages.build(spec)


def test_names_that_end_as_parts_of_others(package: packages.Package, engine: str) -> None:
    lib: Any = package.load(engine)
    box = lib.Box(1)
    assert [box.find(1), box.find_signature(1), box.find_body(1)] == [1, 2, 3]


def test_an_object_beside_a_list_of_objects(package: packages.Package, engine: str) -> None:
    lib: Any = package.load(engine)
    box = lib.Box(1)
    assert lib.sum(box, [lib.Box(2), box]) == 4

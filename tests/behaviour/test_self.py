"""The object of a method is `self` in all C++ of its entry, over both engines alike."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = """
wrapper_lib: {name: boxes, lang: c}
cpp_prelude: |
  #include <stdlib.h>
  #include <string.h>
  struct box { int size; int freed; const char *bytes; struct box *lent[3]; };
  inline box *box_new(void) { return new box{3, 0, "abcdef", {}}; }
  inline void box_free(box *b) { delete b; }
  inline const char *box_data(box *b) { return b->bytes; }
  inline const char *box_of(box *b, box *other) { return b ? other->bytes : nullptr; }
  inline int box_fill(box *b, char *out, size_t size) { return memcpy(out, b->bytes, size), 0; }
  inline char *box_dup(box *b) { return strdup(b->bytes); }
  inline void box_give_back(box *b, char *bytes) { ++b->freed; free(bytes); }
  inline int box_add(box *b, int n) { return b->size + n; }
errors: [{cpp_type: int, ok: 0}]
handle_types:
  - name: Box
    cpp_type: box *
    release: box_free
    prefix: box_
    fields: {size: mut i32, freed: i32}
    methods:
      - {def: "Box()", cpp: box_new}
      - {def: "data() -> bytes", length: self->size}
      - {def: "fill() -> bytes", capacity: self->size}
      - {def: "of(other: Box) -> bytes", length: "self->size < other->size ? self->size : other->size"}
      - {def: "dup() -> text", release: "box_give_back(self, value)"}
      - {def: "add(n: i32? = None) -> i32", cpp: "box_add(self, n ? *n : self->size)", raises: nothing}
      - {def: "doubled() -> i32", cpp_body: return self->size * 2;}
      - {def: "own() -> i32", cpp_body: "int self = 7; return self;"}
      - def: "grow()"
        cpp_body: |
          if (self->size > 5) throw 5;
          ++self->size;
"""


@pytest.fixture(params=ENGINES)
def boxes(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="boxes").load(request.param)


def test_memory_is_measured_by_the_object(boxes: ModuleType) -> None:
    box, other = boxes.Box(), boxes.Box()
    assert (box.data(), box.fill(), box.of(other)) == (b"abc", b"abc", b"abc")
    other.size = 2
    assert box.of(other) == b"ab"
    box.size = 5
    assert (box.data(), box.fill(), box.of(other)) == (b"abcde", b"abcde", b"ab")


def test_the_object_releases_what_it_gave(boxes: ModuleType) -> None:
    box = boxes.Box()
    assert (box.dup(), box.dup(), box.freed) == ("abcdef", "abcdef", 2)


def test_a_default_of_the_object_is_asked_for_at_each_call(boxes: ModuleType) -> None:
    box = boxes.Box()
    assert (box.add(), box.add(1)) == (6, 4)
    box.size = 10
    assert box.add() == 20


def test_a_body_has_the_object_and_may_hide_it(boxes: ModuleType) -> None:
    box = boxes.Box()
    assert (box.doubled(), box.own()) == (6, 7)
    box.grow()
    assert box.size == 4
    box.size = 6
    with pytest.raises(RuntimeError):
        box.grow()

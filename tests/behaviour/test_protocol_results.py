"""Copies of what points into another object, and results of its operators, keep that object alive."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import collect
from tests.behaviour.packages import Package

SPEC = """
wrapper_lib: {name: copied_pages, doc: x, cpp_include: [string, vector], std: 17}
cpp_prelude: |
  inline long books = 0;
  struct book {
    std::vector<std::string> pages{"one page that is long enough for the heap", "two"};
    book() { ++books; }
    book(const book &) = delete;
    ~book() { --books; }
  };
  struct page {
    const book *of;
    std::size_t i;
    const std::string &read() const { return of->pages.at(i); }
    page operator+(const page &other) const { return {other.of, i}; }
    page operator-() const { return *this; }
    page operator-(long n) const { return {of, i - n}; }
  };
  struct bookmark {  // a cursor, as C has it
    const book *of;
    std::size_t at;
    bool step(const std::string **read) {
      if (at == of->pages.size()) return false;
      *read = &of->pages[at++];
      return true;
    }
  };
  struct ribbon : bookmark {};
handle_types:
  - name: Book
    cpp_type: "::book *"
    release: delete value
    methods:
      - {def: "Book()"}
      - {def: "page(i: usize) -> Page", cpp_body: "return Page{::page{h.inner, i}};", belongs_to: self}
      - {def: "__getitem__(i: position[...]) -> Page", cpp_body: "return Page{::page{h.inner, std::size_t(i)}};"}
      - {def: "__iter__() -> Bookmark", cpp_body: "return new ::bookmark{h.inner, 0};"}
      - {def: "__reversed__() -> Ribbon", cpp_body: "return new ::ribbon{{h.inner, 1}};"}
  - name: Bookmark
    cpp_type: "::bookmark *"
    release: delete value
    methods:
      - def: "__next__() -> text"
        cpp_body: |
          const std::string *read = nullptr;
          return h.inner->step(&read) ? std::optional(*read) : std::nullopt;
      - {def: "at -> usize", cpp_body: return h.inner->at;}
  - {name: Ribbon, cpp_type: "::ribbon *", extends: Bookmark}
  - name: Page
    cpp_type: "::page"
    methods:
      - {def: "read() -> text"}
      - {def: "__copy__() -> Page"}
      - {def: "__deepcopy__() -> Page"}
      - {def: "__neg__() -> Page"}
      - {def: "__sub__(n: i64) -> Page"}
      - {def: "__add__(other: Page) -> Page"}
functions:
  - {def: "books() -> i64", cpp_body: "return ::books;"}
"""


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build_text(SPEC, name="copied_pages")


@pytest.fixture
def pages(package: Package, engine: str) -> Any:
    return package.load(engine)


@pytest.mark.parametrize(
    "made",
    [
        lambda book: copy.copy(book.page(0)),
        lambda book: copy.deepcopy(book.page(0)),
        lambda book: copy.copy(copy.copy(book.page(0))),
        lambda book: -book.page(0),
        lambda book: book.page(1) - 1,
        lambda book: book[0],
    ],
)
def test_a_result_keeps_alive_what_its_object_does(pages: Any, made: Callable[[Any], Any]) -> None:
    page = made(pages.Book())
    collect()
    assert pages.books() == 1
    assert page.read() == "one page that is long enough for the heap"
    del page
    collect()
    assert pages.books() == 0


def test_a_result_keeps_alive_what_its_operands_do(pages: Any) -> None:
    page = pages.Book().page(0) + pages.Book().page(1)
    collect()
    assert pages.books() == 2
    assert page.read() == "one page that is long enough for the heap"
    page.close()
    del page
    collect()
    assert pages.books() == 0


def test_an_iterator_may_be_a_handle(pages: Any) -> None:
    found = [page.split()[0] for page in pages.Book()]
    assert found == ["one", "two"]
    cursor = iter(pages.Book())
    collect()
    assert (type(cursor), pages.books(), next(cursor)[:3], cursor.at) == (pages.Bookmark, 1, "one", 1)
    assert iter(cursor) is cursor
    assert [*cursor, next(cursor, "end"), cursor.at] == ["two", "end", 2]
    assert list(reversed(pages.Book())) == ["two"]
    cursor.close()
    with pytest.raises(pages.ClosedHandleError):
        next(cursor)
    del cursor
    collect()
    assert pages.books() == 0

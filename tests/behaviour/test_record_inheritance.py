"""Structs that extend others: their records are subclasses, over both engines alike."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE, Package

SPEC = HERE.parent / "cases" / "structs" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture
def structs(package: Package, engine: str) -> Any:
    return package.load(engine)


def test_the_fields_of_the_base_come_first(structs: Any) -> None:
    place = structs.Place(1, 2, 3)
    assert (place.x, place.y, place.colour) == (1.0, 2.0, 3)
    assert repr(place) == "Place(x=1.0, y=2.0, colour=3)"
    assert repr(structs.Sign(1, words=["a"])) == "Sign(x=1.0, y=0.0, colour=0, words=['a'])"
    assert [f.name for f in dataclasses.fields(place)] == ["x", "y", "colour"]
    assert dataclasses.replace(place, x=5) == structs.Place(5, 2, 3)
    assert dataclasses.asdict(structs.Sign(1)) == {"x": 1.0, "y": 0.0, "colour": 0, "words": []}
    assert structs.Place.__match_args__ == ("x", "y", "colour")
    assert structs.Point.__match_args__ == ("x", "y")
    with pytest.raises(AttributeError, match="Place objects do not change"):
        place.x = 1
    with pytest.raises(TypeError, match=r"y: a float is wanted, not str"):
        structs.Sign(1, "2")


def test_it_is_a_subclass(structs: Any) -> None:
    sign = structs.Sign(1, 2, 3, ["a"])
    assert structs.Sign.__mro__[:3] == (structs.Sign, structs.Place, structs.Point)
    assert isinstance(sign, structs.Point) and not isinstance(structs.Point(1), structs.Place)
    match sign:
        case structs.Point(x, y):
            assert (x, y) == (1.0, 2.0)
    assert (structs.Point.x.__get__(sign), super(structs.Sign, sign).colour) == (1.0, 3)


def test_records_of_two_classes_are_never_equal(structs: Any) -> None:
    place, note = structs.Place(1, 2), structs.Note("t", "a")
    assert place == structs.Place(1, 2) != structs.Place(1, 2, 1)
    assert hash(place) == hash(structs.Place(1, 2))
    assert place != structs.Sign(1, 2) and note != structs.Caption("t")
    assert len({note, structs.Caption("t"), structs.Note("t", "a")}) == 2


def test_pickling_and_copying(structs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, structs.Sign.__module__, structs)
    sign = structs.Sign(1, 2, 3, ["a"])
    assert pickle.loads(pickle.dumps(sign)) == copy.copy(sign) == copy.deepcopy(sign) == sign
    assert type(copy.copy(sign)) is structs.Sign


def test_members_of_the_base_work_on_it(structs: Any) -> None:
    sign = structs.Sign(3, 4)
    assert sign.is_dark() and not structs.Place(0, colour=200).is_dark()
    assert (structs.Point(3, 4).length(), sign.length(), structs.Point.length(sign)) == (25.0, 1025.0, 25.0)
    assert not sign.is_zero and structs.Place(0).is_zero
    assert sign.moved(1) == structs.Point(4, 4)
    assert sign + structs.Place(1, 1) == structs.Point(4, 5)
    assert (list(sign), sign[-1], len(sign)) == ([3.0, 4.0], 4.0, 2)
    assert structs.Place(colour=5) == structs.Place(0, 0, 5)
    assert structs.Place.diagonal(2) == structs.Point(2, 2)


def test_it_is_taken_wherever_the_base_is(structs: Any) -> None:
    sign, place = structs.Sign(1, 2, 3, ["a"]), structs.Place(1, 2, 3)
    assert structs.flip(sign) == structs.flip(place) == structs.Point(2, 1)
    assert type(structs.flip(sign)) is structs.Point
    assert structs.reach(structs.Point(0), sign) == 1.0
    assert structs.brighter(sign) == structs.Place(1, 2, 131)
    assert structs.total([sign, structs.Point(5), place]) == 7.0
    assert structs.Shape("a", [sign]).points == [structs.Point(1, 2)]
    assert structs.start_of([sign]) == structs.Point(1, 2)
    with pytest.raises(TypeError, match="place: a Place is wanted, not Point"):
        structs.brighter(structs.Point(1))
    with pytest.raises(TypeError, match=r"signs\[0\]: a Sign is wanted, not Place"):
        structs.start_of([place])


def test_the_nearest_type_is_chosen(structs: Any) -> None:
    point, place, sign = structs.Point(1), structs.Place(1), structs.Sign(1)
    assert [structs.kind(each) for each in (point, place, "text")] == [0, 1, 2]
    assert structs.kind(sign) == 0  # of no class exactly: the first alternative that takes it
    assert [structs.described(each) for each in (point, place)] == ["a point", "a place"]


def test_what_pointers_point_to_goes_along(structs: Any) -> None:
    note = structs.Note("text", "author", 3)
    assert (note.text, note.author, note.size()) == ("text", "author", 4)
    own = structs.caption_of(note)
    del note
    assert own == structs.Caption("text")


def test_python_cannot_extend_a_record(structs: Any) -> None:
    for name in ("Point", "Sign"):
        with pytest.raises(TypeError, match=rf"type 'structs_ffi.*{name}' is not an acceptable base type"):
            type("Own", (getattr(structs, name),), {})


OTHERS = """\
wrapper_lib: {name: heirs, cpp_include: [string]}
cpp_prelude: |
  class Name {
    std::string text_;
  public:
    const std::string &text() const { return text_; }
    void set_text(std::string to) { text_ = std::move(to); }
  };
  class Title : public Name {
    int rank_ = 0;
  public:
    int rank() const { return rank_; }
    void set_rank(int to) { rank_ = to; }
  };
  class Day {
    int year_ = 0;
  public:
    Day() = default;
    explicit Day(int year) : year_(year) {}
    int year() const { return year_; }
  };
  class Feast : public Day {
    std::string name_;
  public:
    Feast() = default;
    Feast(int year, std::string name) : Day(year), name_(std::move(name)) {}
    const std::string &name() const { return name_; }
  };
  struct page { int width = 80; };
  struct wide_page : page { bool wraps = true; };
  inline int shown(const wide_page &p) { return p.wraps ? p.width : -p.width; }
structs:
  - {name: Name, cpp_type: Name, fields: {text: {type: text, cpp: text()}}}
  - {name: Title, cpp_type: Title, extends: Name, module: shapes, fields: {rank: {type: i64, cpp: rank()}}}
  - {name: Day, cpp_type: Day, make: Day(year), fields: {year: {type: i32, cpp: year()}}}
  - {name: Feast, cpp_type: Feast, make: "Feast(year, name)", extends: Day, fields: {name: {type: text, cpp: name()}}}
  - {name: Page, cpp_type: page, fields: {width: i32}}
  - {name: WidePage, cpp_type: wide_page, extends: Page, make: wide_page(), fields: {wraps: bool}}
functions:
  - {def: "text_of(name: Name) -> text", cpp_body: return name.text();}
  - {def: "higher(title: Title) -> Title", cpp_body: title.set_rank(title.rank() + 1); return title;}
  - {def: "year_of(day: Day?) -> i32", cpp_body: "return day ? day->year() : 0;"}
  - {def: "feast() -> Feast", cpp_body: 'return Feast(1, "x");'}
  - {def: "shown(**page: WidePage) -> i64"}
"""


def test_accessors_make_submodules_and_options(engine: str) -> None:
    heirs = packages.build_text(OTHERS, name="heirs").load(engine)
    title = heirs.shapes.Title("Dr.", 2)
    assert heirs.higher(title) == heirs.shapes.Title("Dr.", 3)
    assert heirs.text_of(title) == "Dr." and isinstance(title, heirs.Name)
    assert heirs.feast() == heirs.Feast(1, "x")
    assert (heirs.year_of(heirs.Feast(5, "y")), heirs.year_of(None)) == (5, 0)
    assert (heirs.shown(), heirs.shown(width=3), heirs.shown(width=3, wraps=False)) == (80, 3, -3)

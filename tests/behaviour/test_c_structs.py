"""Structs of a C library, by address and with fields as C has them, and text of other characters, over both engines."""

from __future__ import annotations

import copy
import dataclasses
import gc
from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE, Package

SPEC = HERE / "c_structs" / "structs.wrapper_spec"


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture
def c(package: Package, engine: str) -> Any:
    return package.load(engine)


def test_a_struct_goes_by_its_address(c: Any) -> None:
    place = c.Place(3, 4)
    assert c.sum(place) == 7
    assert c.both(c.Place(1), c.Place(2)) == 102
    assert c.middle(c.Place(0), c.Place(4, 2)) == c.Place(2, 1)
    assert (c.maybe(place), c.maybe(None, "four")) == (3, 3)
    assert c.grid(10).cell(place) == 43


def test_a_handle_finds_its_place_beside_structs(c: Any) -> None:
    walker = c.walker(c.Place(1, 1))
    assert walker.distance(c.Place(4, 5)) == 7
    walker.go(c.Place(2, 2))
    assert walker.step(c.Place(1)) == c.Place(3, 2)
    assert c.walker().distance(c.Place(1)) == 1
    with pytest.raises(c.WalkError):
        walker.go(c.Place(-1))


def test_what_c_changes_is_the_calls_own(c: Any) -> None:
    place = c.Place(3, 4)
    assert c.spoil(place) == -1
    assert c.by_changed_reference(place) == 3
    assert c.copy(place) == place == c.Place(3, 4)


def test_a_struct_goes_as_it_is_where_c_takes_that(c: Any) -> None:
    assert c.by_reference(c.Place(9)) == 9
    assert c.overloaded(c.Place(0)) == 1


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda c: c.sum(None), "place: a Place is wanted, not None"),
        (lambda c: c.sum((1, 2)), "place: a Place is wanted, not tuple"),
        (lambda c: c.maybe(1), "place: a Place is wanted, not int"),
        (lambda c: c.sum(c.Place(2**40)), "x: 1099511627776 does not fit i32"),
    ],
)
def test_what_is_no_struct_is_refused(c: Any, act: Callable[[Any], Any], said: str) -> None:
    with pytest.raises((TypeError, OverflowError)) as raised:
        act(c)
    assert str(raised.value) == said


def test_fields_are_read_as_c_has_them(c: Any) -> None:
    ada = c.person(1)
    assert (ada.name, ada.nick, ada.city, ada.id, ada.marks) == ("Ada", None, "London", b"\1\2\3\xff", [1, -2, 300])
    assert ada == c.Person("Ada", None, "London", b"\1\2\3\xff", [1, -2, 300], 36)
    assert c.maybe_person(0) is None
    team = c.team()
    assert (team.scores, team.words, team.data, team.label) == ([1.5, 2.5], ["one", "two"], b"a\0b", "abcdef")
    assert (team.keeper, team.leader, team.places, team.others) == (ada, None, [c.Place(1, 2), c.Place(3, 4)], [])
    assert team == c.team() and hash(c.Place(1)) == hash(c.Place(1))


def test_a_record_has_copies_of_all_that_it_points_to(c: Any) -> None:
    ada, team = c.person(1), c.team()
    c.person_forget()
    assert (ada.name, team.keeper.name) == ("Ada", "Ada")
    made = c.Team(ada, leader=ada, words=["a" * 100], others=[ada, c.Person("B" * 50)])
    del ada
    gc.collect()
    assert (made.leader.name, made.words[0], made.others[1].name) == ("Ada", "a" * 100, "B" * 50)


def test_fields_go_to_c(c: Any) -> None:
    assert c.person_name_length(c.Person("Bob", "nick", "there", b"\0\0\0\5", [0, 0, 7])) == 120
    assert c.aged(c.Person("Bob")) == c.Person("Bob", age=1)
    assert c.people([c.Person("a", city="x"), c.Person("b")]) == {"a": c.Person("a", city="x"), "b": c.Person("b")}
    assert c.by_lambda(c.Person("a", city="x")) == "ax"
    ada = c.Person("Ada")
    assert c.team_check(c.Team(ada)) == 300
    assert c.team_check(c.Team(ada, ada, [1, 2], ["four"], b"12", "abc", [c.Place(9)], [ada])) == 3324
    assert c.team_check(c.team()) == 322


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda c: c.Person("a\0b"), "name: embedded null character"),
        (lambda c: c.Person("a", city="12345678"), "city: at most 7 bytes are wanted, not 8"),
        (lambda c: c.Person("a", city="a\0b"), "city: embedded null character"),
        (lambda c: c.Person("a", id=b"abc"), "id: 4 bytes are wanted, not 3"),
        (lambda c: c.Person("a", marks=[1, 2]), "marks: 3 elements are wanted, not 2"),
        (lambda c: c.Person("a", marks=[1, 2, 2**15]), "marks: 32768 does not fit i16"),
    ],
)
def test_values_that_a_member_has_no_place_for(c: Any, make: Callable[[Any], Any], said: str) -> None:
    """When the record is made, or when it is passed."""
    with pytest.raises((ValueError, OverflowError)) as raised:
        c.aged(make(c))
    assert str(raised.value) == said


def test_members_that_are_views_refer_to_what_the_record_has(c: Any) -> None:
    long = "x" * 100
    line = c.Line(long, "", b"ab", [1, 2], [c.Place(3, 4)])
    assert c.line_shown(line) == f"{long}+2 1 2 3/4"
    assert c.line_shown(c.Line("one", by="key: ")) == "key: one-0"
    assert c.line_shown(c.Line("")) == "-0" and c.Line("").note is None
    many = {str(i): c.Line(str(i) * 50, long, marks=[i]) for i in range(5)}
    assert c.lines_shown(many) == [f"{str(i) * 50}+{long}0 {i}" for i in range(5)]
    known = c.line_known(True)
    c.line_changed()
    assert known == c.Line("known", "own", b"kn", [1, 2], [c.Place(3, 4)])
    assert copy.deepcopy(known) == known and c.line_shown(known) == "known+own2 1 2 3/4"
    assert c.line_known(False) == c.Line("", None, b"", None, [])
    assert [c.line_by(), c.line_by(text=long, level=2)] == ["none1", long + "2"]
    for wrong, said in (
        (lambda: c.Line(b"x"), "text: a str is wanted"),
        (lambda: c.Line("x", 1), "note: a str .*is wanted"),
    ):
        with pytest.raises(TypeError, match=said):
            c.line_shown(wrong())
    with pytest.raises(OverflowError, match=r"^marks: 2147483648 does not fit i32$"):
        c.line_shown(c.Line("x", marks=[2**31]))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"data": b"a" * 256}, "data: 256 does not fit u8"),
        ({"label": "1234567"}, "label: at most 6 bytes are wanted, not 7"),
        ({"words": ["a", "b\0"]}, "words: embedded null character"),
    ],
)
def test_lengths_that_do_not_fit(c: Any, changes: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, OverflowError)) as raised:
        c.team_check(c.Team(c.Person("a"), **changes))
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("faulty", "said"),
    [
        (1, "the library returned a length below 0"),
        (2, "the library returned a null pointer with a length"),
        (3, "the library returned a length beyond the end of an array"),
    ],
)
def test_lengths_of_the_library_are_checked(c: Any, faulty: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        c.team(faulty).label  # noqa: B018
    assert c.team(4).data is None
    with pytest.raises(ValueError, match="the library returned a null string"):
        c.person(2).name  # noqa: B018


def test_records_with_parts_are_pickled_and_copied(c: Any) -> None:
    team = c.team()
    assert dataclasses.replace(team, words=["x"]).words == ["x"]
    assert repr(c.Person("a")) == "Person(name='a', nick=None, city='here', id=b'abcd', marks=[1, 2, 3], age=0)"


def test_a_list_of_handles_is_an_array_of_c(c: Any) -> None:
    walkers = [c.walker(c.Place(x)) for x in (1, 2, 3)]
    assert (c.walkers_sum(walkers), c.walkers_sum([])) == (321, 0)
    assert (c.walkers_weigh(walkers), c.walkers_weigh(walkers, by=2), c.walkers_weigh([])) == (6, 12, 0)
    assert (walkers[0].meet(walkers), walkers[0].meet([])) == (103, 99)
    assert (c.by_vector(walkers), c.of_structs(walkers), c.of_pointers(walkers), c.of_body(walkers)) == (3, 1, 1, 6)


def test_lists_of_what_is_no_handle_are_refused(c: Any) -> None:
    walkers = [c.walker(), c.walker()]
    with pytest.raises(TypeError, match=r"walkers\[1\]: .* is wanted, not int"):
        c.walkers_sum([walkers[0], 1])
    walkers[1].close()
    with pytest.raises(ValueError, match=r"walkers\[1\]: this Walker is closed"):
        c.walkers_weigh(walkers)
    with pytest.raises(OverflowError, match=r"len\(others\): 256 does not fit u8"):
        walkers[0].meet(walkers[:1] * 256)


def test_a_list_of_texts_is_an_array_of_c(c: Any) -> None:
    assert (c.words_count(["one", "three"]), c.words_count([])) == (53, 0)
    assert (c.words_first(["one"]), c.words_first([])) == (ord("o"), -1)
    assert c.by_texts(["a", "b"]) == 2
    with pytest.raises(ValueError, match="words: embedded null character"):
        c.words_count(["a", "b\0"])


def test_a_list_of_texts_that_ends_with_a_null_pointer(c: Any) -> None:
    assert (c.words_ended(["one", "three"]), c.words_ended([]), c.words_ended([""])) == (35, 0, 0)
    assert (c.words_of_main(["one", "three"]), c.words_of_main([])) == (2, 0)
    with pytest.raises(ValueError, match="words: embedded null character"):
        c.words_ended(["a", "b\0"])
    for wrong in ("one", [b"one"], [None], 1):
        with pytest.raises(TypeError, match="words"):
            c.words_ended(wrong)


def test_fields_of_memory_without_a_type(c: Any) -> None:
    doubled = c.chunk_doubled(c.Chunk(b"a\0b"))
    assert doubled.data == b"a\0ba\0b"
    assert c.chunk_doubled(c.Chunk(b"")).data == b""
    assert (c.chunk_sum(c.ChunkOfText("ab")), c.chunk_sum(c.ChunkOfText(None)), c.chunk_sum(c.ChunkOfText())) == (
        195,
        0,
        0,
    )
    with pytest.raises(OverflowError, match="data: 256 does not fit u8"):
        c.chunk_doubled(c.Chunk(b"a" * 256))


def test_an_expression_sees_the_members_of_a_struct(c: Any) -> None:
    assert c.place_sides(c.Place(2, 3), 4) == 83


def test_memory_that_stays_the_librarys_is_copied(c: Any) -> None:
    assert (c.raw_title(1), c.raw_title(0)) == (b"a\0b", b"")
    with pytest.raises(c.WalkError):
        c.raw_title(-1)


def test_text_of_other_characters(c: Any) -> None:
    assert (c.letters(1), c.maybe_letters(1), c.maybe_letters(0), c.signed_letters()) == (
        "héllo",
        "héllo",
        None,
        "signed",
    )
    assert c.letters_count("héllo") == 6
    assert c.letters_equal("a", "a", "a") and not c.letters_equal("a", "b", "a")
    assert (c.letters_maybe("abc"), c.letters_maybe(None)) == (3, -1)
    with pytest.raises(ValueError, match="the library returned a null string"):
        c.letters(0)
    with pytest.raises(ValueError, match="text: embedded null character"):
        c.letters_count("a\0b")

"""Objects and iterators keep what they were made of, where C++ may refer to it: no `keep_alive` says so."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import COUNTS_REFERENCES, collect

SPEC = packages.HERE / "kept_by_constructors" / "kept_by_constructors.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def text(number: int) -> str:
    """One that no short string has room for, and that nothing else refers to."""
    return f"the text of number {number}, long enough to have memory of its own"


MADE: dict[str, tuple[Callable[[Any, int], Any], Callable[[Any], Any], Callable[[int], Any]]] = {
    "text": (lambda lib, i: lib.Line(text(i)), lambda made: made.text, text),
    "text, by its string": (lambda lib, i: lib.Title(text(i)), lambda made: made.text, text),
    "text, by keyword": (lambda lib, i: lib.Line(text=text(i)), lambda made: made.text, text),
    "text?": (lambda lib, i: lib.Maybe(text(i)), lambda made: made.text, text),
    "text of a C function": (lambda lib, i: lib.Word(text(i)), lambda made: made.text, text),
    "path": (lambda lib, i: lib.Folder(text(i)), lambda made: str(made.where), text),
    "bytes": (lambda lib, i: lib.Blob(text(i).encode()), lambda made: made.data.decode(), text),
    "&[f64]": (lambda lib, i: lib.Series(array("d", [i] * 99)), lambda made: made.sum(), lambda i: 99 * i),
    "[f64]": (lambda lib, i: lib.Sums([float(i)] * 9), lambda made: [*made.values], lambda i: [i] * 9),
    "[text]": (lambda lib, i: lib.Names([text(i)] * 3), lambda made: [*made.all], lambda i: [text(i)] * 3),
    "[[f64]]": (
        lambda lib, i: lib.Table([[i, 1], [2.5]]),
        lambda made: [[*row] for row in made.rows],
        lambda i: [[i, 1], [2.5]],
    ),
    "[[f64]], moved": (
        lambda lib, i: lib.Owned([[i, 1], [2.5]]),
        lambda made: [[*row] for row in made.rows],
        lambda i: [[i, 1], [2.5]],
    ),
    "bytes that it names": (lambda lib, i: lib.Place("x", text(i).encode()), lambda made: made.name, text),
    "text of an interface": (lambda lib, i: lib.Named(text(i)), lambda made: made.shown(), text),
}


@pytest.mark.parametrize("kind", MADE)
def test_objects_keep_what_they_were_made_of(lib: Any, kind: str) -> None:
    make, read, wanted = MADE[kind]
    made = [make(lib, i) for i in range(100)]
    collect()
    for i in range(100):  # in the memory of what is gone, if it is
        make(lib, 100 + i)
    assert [read(each) for each in made] == [wanted(i) for i in range(100)]


def test_classes_that_derive_in_python_keep_it(lib: Any) -> None:
    class Loud(lib.Named):  # type: ignore[misc]  # the class is known at run time
        def shown(self) -> str:
            return str(super().shown().upper())

    made = [Loud(text(i)) for i in range(100)]
    collect()
    again = [Loud(text(100 + i)) for i in range(100)]
    assert [lib.shown(each) for each in (*made, *again)] == [text(i).upper() for i in range(200)]


def test_nothing_is_kept_where_it_may_be_missing(lib: Any) -> None:
    assert lib.Maybe().text is None and lib.Maybe(None).text is None


def check_exported(data: Any, *, wanted: bool) -> None:
    collect()
    if wanted and isinstance(data, array) and not COUNTS_REFERENCES:
        return  # PyPy's arrays grow while they are exported
    if wanted:
        with pytest.raises(BufferError):
            data.append(0)
    else:
        data.append(0)
        data.pop()


@pytest.mark.parametrize("close", [True, False])
def test_memory_stays_where_it_is_until_the_object_is_gone(lib: Any, close: bool) -> None:
    for data, kind in ((bytearray(b"some bytes"), lib.Blob), (array("d", [1.0, 2.0]), lib.Series)):
        made = kind(data)
        check_exported(data, wanted=True)
        if close:
            made.close()
        else:
            del made
        check_exported(data, wanted=False)


def test_memory_is_changed_in_place(lib: Any) -> None:
    data = array("d", [1.0, 2.0])
    series = lib.Series(data)
    data[1] = 5.5
    assert series.sum() == 6.5


def test_memory_of_two_dimensions(lib: Any) -> None:
    numpy = pytest.importorskip("numpy")
    made = [lib.Series(numpy.full((4, 5), i, dtype="float64")) for i in range(50)]
    collect()
    for i in range(50):
        numpy.full((4, 5), 100.0 + i)
    assert [each.sum() for each in made] == [20.0 * i for i in range(50)]


def test_an_empty_list_says_that_nothing_is_kept(lib: Any) -> None:
    data = bytearray(b"some bytes")
    copied = lib.Copied(data)
    check_exported(data, wanted=False)
    assert copied.text == "some bytes"


def test_what_keep_alive_names_is_all_that_is_kept(lib: Any) -> None:
    data = bytearray(b"name")
    place = lib.Place(text(1), data)
    check_exported(data, wanted=True)
    del place
    check_exported(data, wanted=False)


def test_a_constructor_that_fails_keeps_nothing(lib: Any) -> None:
    with pytest.raises(ValueError, match="no text"):
        lib.Line("")
    data = array("d", [1.0])
    with pytest.raises(TypeError):
        lib.Series(data, data)
    check_exported(data, wanted=False)


@pytest.mark.parametrize("bad", [1, None])
def test_wrong_arguments_are_refused_as_ever(lib: Any, bad: object) -> None:
    for kind in (lib.Line, lib.Sums, lib.Names, lib.Table):
        with pytest.raises(TypeError):
            kind(bad)
    with pytest.raises(TypeError, match=r"all\[1\]"):
        lib.Names(["x", 2])
    with pytest.raises(ValueError, match="null character"):
        lib.Maybe("a\0b")


def test_an_object_is_set_up_once_and_keeps_that_argument(lib: Any) -> None:
    line = lib.Line(text(1))
    with pytest.raises(TypeError, match="initialized already"):
        line.__init__(text(2))
    assert line.text == text(1)


RANGES: dict[str, tuple[Callable[[Any, int], Any], Callable[[int], list[Any]]]] = {
    "text": (lambda lib, i: lib.split(text(i)), lambda i: text(i).split(" ")),
    "two texts": (lambda lib, i: lib.split(text(i), "of number "), lambda i: text(i).split("of number ")),
    "text of a method": (lambda lib, i: lib.Text(text(i)).split(f"er {i}, "), lambda i: text(i).split(f"er {i}, ")),
    "&[f64]": (lambda lib, i: lib.sequence(array("d", [i] * 99)), lambda i: [i] * 99),
    "[f64]": (lambda lib, i: lib.listed([float(i)] * 9), lambda i: [i] * 9),
    "[text], by reference": (lambda lib, i: lib.same([text(i)] * 3), lambda i: [text(i)] * 3),
    "[text], its ends": (lambda lib, i: lib.ends([text(i)] * 3), lambda i: [text(i)] * 3),
    "text, its characters": (lambda lib, i: lib.codes(text(i)), lambda i: list(text(i).encode())),
}


@pytest.mark.parametrize("kind", RANGES)
def test_iterators_keep_what_they_go_over(lib: Any, kind: str) -> None:
    make, wanted = RANGES[kind]
    made = [make(lib, i) for i in range(50)]
    first = [next(each) for each in made]
    collect()
    for i in range(50):
        list(make(lib, 100 + i))
    assert [[head, *tail] for head, tail in zip(first, made, strict=True)] == [wanted(i) for i in range(50)]


def test_iterators_let_go_at_their_end(lib: Any) -> None:
    data = array("d", [1.0, 2.0])
    numbers = lib.sequence(data)
    check_exported(data, wanted=True)
    assert list(numbers) == [1.0, 2.0]
    check_exported(data, wanted=False)
    numbers = lib.sequence(data)
    next(numbers)
    del numbers
    check_exported(data, wanted=False)


def test_paths_of_every_kind(lib: Any, tmp_path: Path) -> None:
    assert lib.Folder(tmp_path).where == tmp_path


def test_options_and_what_may_be_missing(lib: Any) -> None:
    made = [lib.Machine(text(i).encode(), array("d", [i] * 9), name=text(i), scale=2.0) for i in range(50)]
    collect()
    for i in range(50):
        lib.Machine(text(100 + i).encode(), array("d", [1.0] * 9), name=text(100 + i))
    assert [each.code.decode() for each in made] == [each.other for each in made] == [text(i) for i in range(50)]
    assert [each.sum() for each in made] == [18.0 * i for i in range(50)]
    plain = lib.Machine()
    assert (plain.code, plain.other, plain.sum()) == (b"none", "plain", 0.0)
    data = array("d", [1.0])
    machine = lib.Machine(values=data)
    check_exported(data, wanted=True)
    del machine
    check_exported(data, wanted=False)

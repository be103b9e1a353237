"""What a C library gives in memory: buffers that it fills, the size asked first, memory of its own that we release."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.leak_scale import Scale, loop
from tests.behaviour.objects import COUNTS_REFERENCES

SPEC = packages.HERE / "memory" / "rooms.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def test_headers_of_the_library_may_have_names_of_the_package_s(lib: Any) -> None:
    assert lib.lines() == 42


# --- buffers that the call fills -------------------------------------------------------------------------------------


def test_bytes_are_all_of_the_buffer_and_text_ends_at_its_nul(lib: Any) -> None:
    mem = lib.open(b"less")
    assert mem.fill(3) == b"lll"
    assert mem.fill(0) == b""
    assert mem.name() == "less"
    assert mem.name(3) == "les"
    assert mem.name(0) == ""


def test_length_is_an_expression(lib: Any) -> None:
    mem = lib.open(b"less")
    assert mem.whole_name(6) == "less\0\0"
    assert mem.first_bytes() == b"less"
    assert mem.read(3) == b"les"
    assert mem.read_half(4) == b"le"
    assert mem.read_by_size() == b"less"
    with pytest.raises(RuntimeError, match=r"wrote 4 bytes into a buffer of 2$"):
        mem.read_by_size(2)
    with pytest.raises(RuntimeError, match=r"wrote -1 bytes into a buffer of 2$"):
        lib.open(b"").read(2)


def test_what_is_left_at_a_pointer_to_the_capacity_is_the_length(lib: Any) -> None:
    mem = lib.open(b"a\0b")
    assert mem.pack(10) == b"a\0b"
    assert mem.pack_text(10) == "a\0b"
    assert mem.pack_by_reference(2) == b"a\0"
    assert mem.pack_computed() == b"a\0b"
    with pytest.raises(lib.MemError):
        mem.pack(2)
    assert mem.pack_grown() == b"a\0b"


def test_a_capacity_is_not_negative(lib: Any) -> None:
    mem = lib.open(b"less")
    with pytest.raises(ValueError, match=r"^size: -1 is negative, and the size of a buffer$"):
        mem.fill(-1)
    with pytest.raises(ValueError, match=r"^size: -9 is negative, and the size of a buffer$"):
        mem.name(-9)
    with pytest.raises(OverflowError):
        mem.read(-1)
    with pytest.raises(OverflowError, match="size"):
        mem.name(2**31)


def test_a_capacity_stands_beside_text_that_may_be_missing(lib: Any) -> None:
    assert lib.title("one") == "one!"
    assert lib.title(None) == "none!"
    assert lib.title("three", 3) == "th"


def test_a_dimension_is_a_capacity(lib: Any) -> None:
    assert lib.echo(b"abcd") == b"abcd"


# --- the size first --------------------------------------------------------------------------------------------------


def test_the_call_says_the_size_first(lib: Any) -> None:
    mem = lib.open(b"twice")
    for call, expected in (
        (mem.print, "twice"),
        (mem.print_whole, "twice"),
        (mem.ask, b"twice"),
        (mem.ask_text, "twice"),
    ):
        before = mem.calls
        assert call() == expected
        assert mem.calls == before + 2
    assert lib.open(b"a\0b").ask_text() == "a\0b"


def test_nothing_is_there(lib: Any) -> None:
    mem = lib.open(b"")
    assert (mem.print(), mem.print_whole()) == ("", "")


def test_a_status_ends_the_first_call(lib: Any) -> None:
    mem = lib.open(b"")
    with pytest.raises(lib.MemError):
        mem.ask()
    assert mem.calls == 1


def test_more_room_is_made_where_there_is_more_meanwhile(lib: Any) -> None:
    mem = lib.open(b"x")
    assert mem.growing() == b"g" * 300
    assert mem.growing() == b"g" * 300


def test_a_size_that_cannot_be_is_an_error(lib: Any) -> None:
    with pytest.raises(RuntimeError, match=r"^greedy: the library asks for more than 1073741824 bytes$"):
        lib.open(b"+").greedy()
    with pytest.raises(RuntimeError, match=r"wrote -5 bytes into a buffer of 0$"):
        lib.open(b"-").greedy()


# --- the library's memory --------------------------------------------------------------------------------------------


def test_memory_is_released_whether_it_is_returned_or_written(lib: Any) -> None:
    mem, empty, before = lib.open(b"less"), lib.open(b""), lib.live_count()
    for name in ("dump", "dump_to", "dump_silently", "dump_in_order", "dump_or_none", "dump_silently_or_none"):
        assert getattr(mem, name)() == "less"
    assert mem.blob() == b"less"
    assert (empty.dump_or_none(), empty.dump_silently_or_none()) == (None, None)
    for name, kind in (
        ("dump", ValueError),
        ("dump_to", lib.MemError),
        ("dump_silently", ValueError),
        ("blob", lib.MemError),
    ):
        with pytest.raises(kind):
            getattr(empty, name)()
    with pytest.raises(UnicodeDecodeError):
        lib.open(b"\xff").dump()
    assert mem.codes() == [*b"less"]
    assert lib.live_count() == before


def test_memory_that_the_library_keeps_is_copied(lib: Any) -> None:
    mem, before = lib.open(b"a\0b"), lib.live_count()
    assert mem.view() == mem.view_sized() == mem.kept() == b"a\0b"
    assert lib.live_count() == before


# --- what the call changes -------------------------------------------------------------------------------------------


def test_an_item_with_the_name_of_a_parameter_is_what_the_call_leaves_there(lib: Any) -> None:
    mem = lib.open(b"ab")
    assert (mem.step(0), mem.step(1)) == (1, 2)
    with pytest.raises(lib.MemError):
        mem.step(2)
    found = lib.replace("a_b_c", "--")
    assert (found.subject, found.places) == ("a--b--c", 2)
    assert lib.replace("a\0_", "") == ("a\0", 1)
    assert lib.double_bytes(b"a\0") == b"a\0a\0"
    values = [2.5, 1.0]
    assert lib.sort(values) == [1.0, 2.5]
    assert values == [2.5, 1.0]
    words = ["a"]
    assert lib.append(words, "bcd", 1)._asdict() == {"longest": 3, "words": ["a", "bcd"]}
    assert words == ["a"]


def test_an_item_that_is_written_apart_or_by_code_is_no_change(lib: Any) -> None:
    assert lib.apart(4) == 8
    assert lib.pair(4)._asdict() == {"n": 4, "m": 5}


# --- several that the call fills -------------------------------------------------------------------------------------


def test_several_arrays_are_made_before_the_call(lib: Any) -> None:
    found = lib.nearest(array("f", [1.5, 2.5]), 3)
    distances, labels = memoryview(found.distances), memoryview(found.labels)
    assert (distances.shape, distances.format, labels.format) == ((2, 3), "f", "l")
    assert distances.tolist() == [[1.5, 2.5, 3.5], [2.5, 3.5, 4.5]]
    assert labels.tolist() == [[0, 1, 2], [10, 11, 12]]
    assert found.labels is found[1]
    distances[0, 0] = 9
    assert memoryview(found.distances)[0, 0] == 9
    del found, labels
    assert distances.tolist()[1] == [2.5, 3.5, 4.5]
    assert memoryview(lib.nearest(array("f"), 3).labels).shape == (0, 3)
    with pytest.raises(lib.MemError):
        lib.nearest(array("f", [1.0]), 101)


def test_a_single_array_is_made_before_the_call(lib: Any) -> None:
    assert memoryview(lib.open(b"a").square(2)).tolist() == [[97.0, 98.0], [99.0, 100.0]]


def test_several_buffers_are_filled(lib: Any) -> None:
    assert lib.cases("aBc")._asdict() == {"low": "abc", "high": b"ABC\0", "codes": [97, 66, 99, 0, 0], "status": 7}
    assert lib.cases("aBcdef", 2) == ("ab", b"AB", [97, 66, 0], 7)
    assert lib.cases("a", 0) == ("", b"", [0], 7)


def test_memory_that_cannot_be_is_an_error(lib: Any) -> None:
    assert memoryview(lib.nothing_filled(3).f64s).tolist() == [0.0, 0.0, 0.0]
    assert lib.nothing_filled(0).status == 0
    with pytest.raises(ValueError, match=r"^f64s: -1 is negative, and the size of a buffer$"):
        lib.nothing_filled(-1)
    # C++ leaves open which of two arguments it looks at first: g++ and clang++ begin at different ends.
    with pytest.raises(ValueError, match=r"^(low|high): -1 is negative, and the size of a buffer$"):
        lib.cases("a", -1)
    with pytest.raises(MemoryError, match=r"^f64s: there is no memory for what the call fills$"):
        lib.nothing_filled(1 << 62)
    with pytest.raises(MemoryError, match=r"^f64s: there is no memory"):
        lib.nothing_filled(1 << 55)


def test_written_calls_name_the_same(lib: Any) -> None:
    mem = lib.open(b"ab")
    assert (mem.print_written(), mem.ask_written(), mem.view_written(), mem.step_written(1)) == ("ab", b"ab", b"ab", 2)
    assert memoryview(mem.square_written(1)).tolist() == [[97.0]]


@pytest.fixture(scope="module")
def tested(engine: str) -> Any:
    return packages.build(packages.HERE / "memory" / "tested.wrapper_spec").load(engine)


def test_a_status_that_the_spec_does_not_name_is_tested_first(tested: Any) -> None:
    good, bad = tested.St(1), tested.St(-1)
    calls = {"save": (), "blob": (), "blob2": (), "fill": (9,), "pack": (9,), "two": (2,), "step": (2,)}
    given = {name: getattr(good, name)(*arguments) for name, arguments in calls.items()}
    assert [given[name] for name in ("save", "blob", "fill", "pack")] == ["written", b"blob", "n 1", b"pp"]
    assert (good.dump(), given["blob2"], given["step"]) == ("returned", b"blob", 3)
    assert [memoryview(each).tolist() for each in given["two"]] == [[0.0, 1.0], [0.0, 1.0]]
    for name, arguments in calls.items():
        with pytest.raises(tested.StError) as raised:
            getattr(bad, name)(*arguments)
        assert raised.value.code == 3
    assert bad.print() == "n -1"
    with pytest.raises(ValueError, match="null string"):
        bad.dump()


QUICK = (
    "mem.print()", "mem.ask()", "mem.pack_grown()", "mem.dump()", "mem.dump_silently()", "mem.codes()", "mem.square(3)",
    "lib.nearest(x, 3)", "lib.cases('abc', 2)", "lib.replace('a_b', '-' * 100)", "lib.append(['a' * 50], 'b', 1)",
)  # fmt: skip
FAILING = (
    "empty.ask()", "empty.dump()", "empty.dump_to()", "greedy.greedy()", "mem.fill(-1)", "bad.dump()",
    "lib.nearest(x, 101)", "lib.nothing_filled(1 << 55)", "lib.cases('\u00e9', 1)",
)  # fmt: skip


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references")
@pytest.mark.parametrize("fails", [False, True])
def test_nothing_stays_of_a_call(lib: Any, fails: bool) -> None:
    values = {
        "lib": lib,
        "x": array("f", [1.0, 2.0]),
        "mem": lib.open(b"less"),
        "empty": lib.open(b""),
        "greedy": lib.open(b"+"),
        "bad": lib.open(b"\xff"),
    }
    scale, before = Scale([None, lib.MemError, lib.Mem]), lib.live_count()
    growth = {each: scale.measure(loop(each, values, fails=fails), 2000) for each in (FAILING if fails else QUICK)}
    assert {each: what for each, what in growth.items() if what} == {}
    assert lib.live_count() == before

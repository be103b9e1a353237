"""Out-parameters of functions of a C library: one is the result, or several are, with names or without, or none."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import collect

SPEC = packages.HERE / "c_calls" / "c_calls.wrapper_spec"
CASE = packages.HERE.parent / "cases" / "c_calls" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def reader(lib: Any) -> Any:
    return lib.open("abcd")


# --- out-parameters --------------------------------------------------------------------------------------------------


def test_an_out_parameter_is_the_result(lib: Any, reader: Any) -> None:
    assert reader.size() == 4
    assert reader.depth_again() == 0  # the out-parameter is first in C
    assert lib.checked("ff", 16) == 255  # and in the middle
    assert reader.kind() is reader.kind_number() is lib.Kind.RICH
    assert reader.is_deep() is False
    assert reader.name() == "abcd"
    assert reader.point() == lib.Point(1.5, 0.0)


def test_several_out_parameters_are_a_tuple(lib: Any, reader: Any) -> None:
    assert reader.both() == (4, 2.0)
    assert lib.limits() == (-1, 1)


def test_an_out_parameter_beside_a_result_comes_first(reader: Any) -> None:
    assert reader.scan(3) == (3, 4)


def test_references_are_written_to_as_pointers_are(engine: str) -> None:
    case = packages.build(CASE).load(engine)
    sheet = case.sheet(3)
    assert sheet.extent() == (3, 6.0)  # the last argument of C++ has a default
    assert (sheet.extent_by(0.5).rows, sheet.extent_by(0.5).area) == (3, 1.5)
    assert [sheet.title(), sheet.titles(2), sheet.titles(0)] == ["sheet 3", "sheet 3sheet 3", ""]
    sheet.put(-4, 0.0)
    with pytest.raises(case.SheetError):
        sheet.extent()


def test_overloads_and_defaults_of_cpp_take_part_in_finding_the_handles_place(engine: str) -> None:
    sheet = packages.build(CASE).load(engine).sheet(3)
    assert [sheet.moved(5), sheet.moved_often(5, 3), sheet.moved_by_text("four")] == [13, 18, 7]
    with pytest.raises(OverflowError, match=r"\Aby: 1099511627776 does not fit i32\Z"):
        sheet.moved(2**40)


def test_the_items_of_several_results_have_the_names_of_the_entry(engine: str) -> None:
    sheet = packages.build(CASE).load(engine).sheet(3)
    found = sheet.sought(2)
    assert (found.row, found.value, found.is_there) == found == (4, 0.25, True)
    assert sheet.sought(3).is_there is False
    assert sheet.pairs([1.0, 2.0, 3.0, 40.0]) == 43  # two pairs, of which C counts


def test_a_null_pointer_is_none_only_where_that_is_declared(lib: Any) -> None:
    nameless = lib.open("?")
    assert nameless.maybe_name() is None
    assert nameless.maybe_next() is None
    with pytest.raises(ValueError, match=r"^the library returned a null string$"):
        nameless.name()
    with pytest.raises(ValueError, match=r"^the library returned a null pointer where the spec declares a handle$"):
        nameless.next()


def test_a_handle_that_is_written_is_python_s(lib: Any, reader: Any) -> None:
    reader.set_depth(1)
    alive = lib.alive()
    following = reader.next()
    assert following.name() == "next"
    assert lib.alive() == alive + 1
    following.close()
    assert lib.alive() == alive


def test_what_a_failing_call_writes_is_not_read(lib: Any) -> None:
    with pytest.raises(lib.ReaderFailure, match=r"^bad$"):
        lib.open("").size()


def test_a_handle_that_a_failing_call_hands_over_is_released(lib: Any) -> None:
    alive = lib.alive()
    for _ in range(3):
        with pytest.raises(lib.ReaderFailure, match=r"^bad$"):
            lib.open("!bad")
    assert lib.alive() == alive


def test_a_status_may_mean_that_nothing_is_written(lib: Any, reader: Any) -> None:
    assert reader.find(5) == 5
    assert reader.find(0) is None
    with pytest.raises(lib.ReaderError, match=r"^abcdbad$"):  # by the object of the call
        reader.find(-1)
    assert reader.found(0) is True
    assert reader.found(1) is False


def test_a_call_may_write_into_a_stream_or_a_string(lib: Any, reader: Any) -> None:
    assert reader.print() == "abcd/0"
    assert reader.print_bytes() == b"abcd/0"
    assert reader.repeat(2) == "abcdabcd"  # the stream is in the middle in C
    assert reader.repeat(0) == ""
    assert reader.dump() == b"\0\xc8a"
    assert reader.halves() == ("ab", b"\xffcd")
    assert reader.halves().rest == b"\xffcd"


def test_text_that_is_written_has_to_be_utf_8(reader: Any) -> None:
    with pytest.raises(UnicodeDecodeError):
        reader.dump_text()


def test_nothing_of_a_stream_or_a_string_is_read_where_the_call_fails(lib: Any, reader: Any) -> None:
    reader.set_depth(-1)
    for call in (reader.print, reader.print_bytes, reader.dump, reader.dump_text):
        with pytest.raises(lib.ReaderFailure, match=r"^bad$"):
            call()


@pytest.mark.parametrize(
    ("times", "error", "words"),
    [
        (256, OverflowError, "times: 256 does not fit u8"),
        (-1, OverflowError, "times: -1 does not fit u8"),
        ("2", TypeError, "times: an int is wanted, not str"),
    ],
)
def test_arguments_beside_a_stream_are_checked(reader: Any, times: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"^{words}$"):
        reader.repeat(times)


def test_a_function_with_the_name_of_one_of_ours_is_the_library_s(lib: Any) -> None:
    assert lib.describe("x") == "x!"  # `wg::describe` takes a text alone


def test_a_value_that_does_not_fit_is_refused(lib: Any) -> None:
    long = lib.open("x")
    long.feed(b"1" * 200)
    assert long.size() == 201
    with pytest.raises(OverflowError):
        long.tiny_size()


# --- names of items --------------------------------------------------------------------------------------------------


def test_items_with_names_are_a_named_tuple(lib: Any, reader: Any) -> None:
    measured = reader.measured()
    assert type(measured) is lib.ReaderMeasuredResult
    assert measured == (4, 2.0)
    assert (measured.size, measured.ratio) == (4, 2.0)
    assert repr(measured) == "ReaderMeasuredResult(size=4, ratio=2.0)"
    assert lib.ReaderMeasuredResult.__doc__ == "What `Reader.measured` gives."
    assert "ReaderMeasuredResult" in lib.__all__
    assert reader.scanned(3)._asdict() == {"depth": 3, "result": 4}
    assert lib.named_limits().low == -1


def test_an_item_stands_where_its_name_does(reader: Any) -> None:
    swapped = reader.swap_by_name()
    assert (swapped.first, swapped.second) == (1, 2)


def test_handles_may_be_items(lib: Any, reader: Any) -> None:
    assert reader.followed() == (None, "abcd", False)
    reader.set_depth(1)
    found = reader.followed()
    assert found.next.name() == "next"
    assert found.found is True


def test_a_named_tuple_is_collected(lib: Any, reader: Any) -> None:
    reader.set_depth(1)
    collect()
    alive = lib.alive()
    found = reader.followed()
    assert lib.alive() == alive + 1
    del found
    collect()
    assert lib.alive() == alive


# --- several items, or none ------------------------------------------------------------------------------------------


def test_a_status_says_that_there_are_no_items(lib: Any, reader: Any) -> None:
    assert reader.seek(0) == (4, None, "abcd")
    assert reader.seek(10) is None
    with pytest.raises(lib.ReaderError, match=r"^abcdbad$"):
        reader.seek(-1)
    at, following, name = reader.seek(3)
    assert (at, following.name(), name) == (7, "abcd", "abcd")


def test_items_with_names_may_be_missing(lib: Any, reader: Any) -> None:
    found = reader.sought(0)
    assert type(found) is lib.ReaderSoughtResult
    assert (found.at, found.next, found.name) == (4, None, "abcd")
    assert reader.sought(10) is None
    assert reader.sought_so(0) == ("abcd", None, 4)
    assert reader.sought_so(10) is None


def test_an_entry_has_its_own_statuses_for_none(lib: Any, reader: Any) -> None:
    assert reader.sought_by(0).at == 4
    assert reader.sought_by(-1) is None
    with pytest.raises(lib.ReaderFailure, match=r"^too small$"):
        reader.sought_by(10)


def test_items_may_be_missing_by_a_status_that_its_type_tells(lib: Any, reader: Any) -> None:
    assert reader.marks(3) == (0, 3)
    assert reader.marks(0) is None
    with pytest.raises(lib.MarksError):
        reader.marks(-1)


def test_a_parameter_that_changes_is_one_of_the_items(reader: Any) -> None:
    assert reader.advance(1) == (2, 2.0)
    assert reader.advance(4) is None


def test_the_value_of_the_call_is_the_last_item(lib: Any, reader: Any) -> None:
    assert reader.by_errno(0) == (1, 4)
    assert reader.by_errno(errno.ENOENT) is None
    with pytest.raises(lib.ReaderFailure):
        reader.by_errno(errno.EPERM)


def test_a_number_for_a_call_without_items_is_checked(reader: Any) -> None:
    with pytest.raises(OverflowError, match=r"^key: 1099511627776 does not fit i32$"):
        reader.sought(1 << 40)
    with pytest.raises(TypeError, match=r"^key: an int is wanted, not str$"):
        reader.sought("x")


def test_a_handle_beside_a_status_for_none_is_released(lib: Any, reader: Any) -> None:
    collect()
    alive = lib.alive()
    assert reader.sought(10) is None
    assert lib.alive() == alive

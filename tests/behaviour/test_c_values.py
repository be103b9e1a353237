"""Values that a C library changes, hands over, or asks more room for, without code in the spec."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.leak_scale import Scale, loop
from tests.behaviour.objects import COUNTS_REFERENCES

SPEC = packages.HERE / "c_values" / "values.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


# --- changed in place ------------------------------------------------------------------------------------------------


def test_what_the_call_left_in_a_parameter_is_the_result(lib: Any) -> None:
    assert lib.double(21, 2) == 42
    assert lib.flip() is lib.Mode.WRITE
    assert lib.flip(lib.Mode.WRITE) is lib.Mode.READ
    assert lib.advance(lib.Cursor(1, 4), 3.0) == (lib.Cursor(5, 4), 1.5)


def test_a_changed_parameter_is_the_item_of_its_name_or_the_next(lib: Any) -> None:
    assert lib.swap(1, 2)._asdict() == {"b": 1, "a": 2, "total": 3}
    assert lib.take(5, 7)._asdict() == {"left": 2, "taken": 5}


def test_a_changed_parameter_stands_among_the_out_parameters(lib: Any) -> None:
    store = lib.store("ab")
    at, letter = store.next(0)
    assert (at, letter) == (1, ord("a"))
    assert store.next(at) == (2, ord("b"))
    with pytest.raises(lib.StoreError, match=r"^bad$"):
        store.next(2)


@pytest.mark.parametrize(("value", "words"), [(2**15, "value: 32768 does not fit i16"), (-(2**40), None)])
def test_a_changed_parameter_is_checked_on_its_way_in(lib: Any, value: int, words: str | None) -> None:
    with pytest.raises(OverflowError, match=f"^{re.escape(words or f'value: {value} does not fit i16')}$"):
        lib.double(value, 1)


def test_a_changed_parameter_has_its_type(lib: Any) -> None:
    for wrong in ("1", None, 1.0):
        with pytest.raises(TypeError, match="value"):
            lib.double(wrong, 1)


# --- null ------------------------------------------------------------------------------------------------------------


def test_none_is_a_null_pointer(lib: Any) -> None:
    store = lib.store("ab")
    assert (store.named("abc"), store.named(""), store.named(None)) == (5, 2, -1)
    assert (lib.measure("abc"), lib.measure(), lib.measure(None, 3)) == (4, -1, -3)
    assert (lib.rename("a"), lib.rename(None)) == (97, -1)
    assert (lib.stated("a"), lib.stated(None)) == (8, -7)
    assert (store.sum(b"\1\2"), store.sum(b""), store.sum()) == (5, 2, -1)
    assert (lib.as_it_is("a\0"), lib.as_it_is(None)) == ("a\0", "none")


def test_text_that_may_be_missing_holds_no_null_character(lib: Any) -> None:
    for call in (lib.store("ab").named, lib.measure, lib.rename, lib.stated):
        with pytest.raises(ValueError, match=r"^name: embedded null character$"):
            call("a\0b")
        with pytest.raises(TypeError, match="name"):
            call(1)


# --- handed over -----------------------------------------------------------------------------------------------------


def test_memory_that_is_handed_over_is_the_result_and_released(lib: Any) -> None:
    store = lib.store("a word")
    assert store.save() == store.dump(1) == b"a word"
    assert store.save_text() == store.words() == "a word"
    assert store.dump(0) == b""
    assert lib.store("").save() == b""
    assert lib.blocks() == 0


def test_memory_is_released_where_the_call_fails(lib: Any) -> None:
    with pytest.raises(lib.StoreError, match=r"^bad$"):
        lib.store("!").save()
    with pytest.raises(lib.LibraryUnavailable.__base__, match=r"^the library says that it wrote -1 bytes$"):
        lib.store("a").dump(-1)
    assert lib.blocks() == 0


def test_a_null_pointer_is_nothing_or_an_error(lib: Any) -> None:
    assert lib.store("0").nothing() == b""
    for call in (lib.store("1").nothing, lib.store("0").words):
        with pytest.raises(ValueError, match=r"^the library returned a null string$"):
            call()
    with pytest.raises(lib.LibraryUnavailable.__base__, match=r"^the library says that it wrote -1 bytes$"):
        lib.store("-").nothing()


def test_memory_that_is_handed_over_may_be_missing(lib: Any) -> None:
    assert [lib.alias(0), lib.alias(1), lib.alias(9)] == [None, "alias", None]
    assert [lib.blob(0), lib.blob(1)] == [None, b"a\0b"]
    assert [lib.motto(0), lib.motto(1)] == [None, "ours"]
    for call in (lib.alias, lib.blob):
        with pytest.raises(lib.StoreError):
            call(-1)
    assert lib.blocks() == 0


# --- more room -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 5, 15, 16, 17, 500, 511, 512, 513, 100_000])
def test_a_buffer_grows_until_the_library_is_content(lib: Any, size: int) -> None:
    text = "x" * size
    for call in ("read", "read_silently", "print"):
        found = getattr(lib.store(text), call)()
        assert (found if isinstance(found, str) else found.decode()) == text
        assert getattr(lib.store(text), call)(0) == found
        assert getattr(lib.store(text), call)(200_000) == found


def test_a_library_that_says_how_much_it_wants_is_asked_twice(lib: Any) -> None:
    store = lib.store("x" * 100_000)
    store.read()
    assert store.calls == 2
    store.print()
    assert store.calls == 4
    store.read_silently()
    assert 4 + 5 < store.calls < 4 + 20


def test_a_status_that_is_no_call_for_more_is_raised(lib: Any) -> None:
    with pytest.raises(lib.StoreError, match=r"^bad$"):
        lib.store("!").read()


@pytest.mark.skipif(packages.watched(), reason="a sanitizer takes minutes for buffers of a gigabyte")
@pytest.mark.parametrize("text", ["", "+"])
def test_a_library_that_is_never_content_is_left(lib: Any, text: str) -> None:
    store = lib.store(text)
    with pytest.raises(
        lib.LibraryUnavailable.__base__, match=r"^size: the library asks for more than 1073741824 bytes$"
    ):
        store.greedy()
    assert store.calls < 40


def test_a_buffer_grows_no_further_than_c_can_say(lib: Any) -> None:
    store = lib.store("")
    with pytest.raises(OverflowError, match=r"^size: 256 does not fit u8$"):
        store.narrow()
    assert store.calls < 10


def test_a_capacity_that_there_is_no_memory_for_names_the_parameter(lib: Any) -> None:
    with pytest.raises(MemoryError, match=r"^size: there is no memory for 4611686018427387904 bytes$"):
        lib.store("x").print(1 << 62)


# --- leaks -----------------------------------------------------------------------------------------------------------

QUICK = (
    "lib.double(21, 2)", "lib.swap(1, 2)", "lib.advance(lib.Cursor(1, 4), 3.0)", "store.next(0)", "store.save()",
    "store.words()", "store.dump(2)", "store.named(None)", "store.named('x')", "store.sum(b'x')",
    "store.read(0)", "store.print(0)",
)  # fmt: skip
FAILING = (
    "lib.double(1 << 20, 1)", "store.next(99)", "broken.save()", "broken.read(0)", "store.dump(-1)",
    "store.narrow()", "store.named('a' + chr(0))", "store.print(1 << 62)",
    *(["store.read(1 << 32)"] if not packages.watched() else []),  # a sanitizer takes minutes for so much memory
)  # fmt: skip


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references")
@pytest.mark.parametrize("fails", [False, True])
def test_nothing_stays_of_a_call(lib: Any, fails: bool) -> None:
    values = {"lib": lib, "store": lib.store("a word"), "broken": lib.store("!" + "x" * 1000)}
    scale = Scale([None, lib.StoreError, lib.Store])
    growth = {each: scale.measure(loop(each, values, fails=fails), 2000) for each in (FAILING if fails else QUICK)}
    assert {each: what for each, what in growth.items() if what} == {}
    assert lib.blocks() == 0

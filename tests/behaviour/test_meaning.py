"""Values keep their meaning on their way: null is no handle, enums keep their bits, owners live on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import collect, let_go

SPEC = packages.HERE / "meaning" / "meaning.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


# --- null pointers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["book", "owned", "raw", "raw_in_a_body", "raw_in_a_struct", "raw_in_braces", "raws", "structs"]
)
def test_a_null_pointer_is_no_handle(lib: Any, name: str) -> None:
    make = getattr(lib, name)
    assert make(True)
    with pytest.raises(ValueError, match=r"^the library returned a null pointer where the spec declares a handle$"):
        make(False)
    collect()
    assert lib.books() == 0


@pytest.mark.parametrize("name", ["cell", "cell_in_a_body", "cell_in_a_struct", "cells"])
def test_an_empty_value_is_no_handle(lib: Any, name: str) -> None:
    make = getattr(lib, name)
    assert make(True)
    with pytest.raises(ValueError, match=r"^the library returned an empty value where the spec declares a handle$"):
        make(False)


@pytest.mark.parametrize(
    "name", ["maybe_book", "maybe_raw", "maybe_struct", "maybe_optional", "maybe_cell", "maybe_cell_in_a_body"]
)
def test_an_optional_null_pointer_is_none(lib: Any, name: str) -> None:
    make = getattr(lib, name)
    assert make(False) is None
    assert make(True) is not None


# --- enums -----------------------------------------------------------------------------------------------------------


def test_values_of_64_bits_keep_their_sign(lib: Any) -> None:
    assert [each.value for each in lib.Mask] == [1, 1 << 63]
    assert [each.value for each in lib.Big] == [0, 1 << 63, (1 << 64) - 1]
    assert [each.value for each in lib.Signed] == [-32768, 32767]
    for each in lib.Big:
        assert lib.big(each) is each
        assert lib.big(int(each)) is each
    for signed in lib.Signed:
        assert lib.signed_one(signed) is signed
    both = lib.Mask.LOW | lib.Mask.TOP
    assert lib.mask() is lib.Mask.TOP
    assert lib.mask(both) == both
    assert lib.mask_bits(both) == lib.mask_bits(int(both)) == (1 << 63) + 1
    assert lib.maybe_mask(lib.Mask.TOP) is lib.Mask.TOP
    assert lib.maybe_mask(None) is None
    assert lib.small(lib.Small.A | lib.Small.B) == 129


def test_flags_that_do_not_fit_are_refused(lib: Any) -> None:
    for call in (lib.small, lib.maybe_small):
        for wrong in (lib.Small(1 << 8), lib.Small(1 << 40) | lib.Small.A, 1 << 32, lib.Small(1 << 70), 1 << 64):
            with pytest.raises(OverflowError, match=rf"^value: {int(wrong)} does not fit u8$"):
                call(wrong)
    for large in (1 << 64, lib.Mask(1 << 65), (1 << 64) + 1):
        with pytest.raises(OverflowError, match=rf"^value: {int(large)} does not fit u64$"):
            lib.mask(large)
    assert lib.small(255) == 255
    with pytest.raises(OverflowError, match=r"^the result: -?[0-9]+ does not fit u8$"):
        lib.small_of(256)


# --- bools in memory -------------------------------------------------------------------------------------------------


def bools(*values: int) -> memoryview:
    return memoryview(bytearray(values)).cast("?")


@pytest.mark.parametrize("name", ["count_true", "maybe_count", "invert"])
def test_a_byte_that_is_no_bool_is_refused(lib: Any, name: str) -> None:
    call: Callable[[object], object] = getattr(lib, name)
    with pytest.raises(ValueError, match=r"a byte that is no bool: 2 at index 1$"):
        call(bools(1, 2, 0))
    call(bools(1, 0))
    call(bools())


def test_bools_in_memory(lib: Any) -> None:
    assert lib.count_true(bools(1, 0, 1)) == 2
    memory = bytearray([1, 0, 0])
    lib.invert(memoryview(memory).cast("?"))
    assert memory == bytearray([0, 1, 1])


# --- owners ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "borrow",
    [
        lambda lib, book: [book.word(0)],
        lambda lib, book: book.words(),
        lambda lib, book: [lib.word_of(book)],
        lambda lib, book: lib.first_of([book, book]),
    ],
    ids=["optional", "list", "optional owner", "list of owners"],
)
def test_what_is_borrowed_keeps_its_owner(lib: Any, borrow: Callable[[Any, Any], list[Any]]) -> None:
    book = lib.book(True)
    words = borrow(lib, book)
    expected = [word.read() for word in words]
    book.close()
    del book
    collect()
    assert lib.books() == 1
    assert [word.read() for word in words] == expected
    last = words.pop()
    words.clear()
    let_go()
    assert lib.books() == 1
    last.close()
    collect()
    assert lib.books() == 0


def test_none_keeps_nothing(lib: Any) -> None:
    book = lib.book(True)
    assert book.word(3) is None
    assert lib.word_of(None) is None
    assert lib.first_of([]) == []
    book.close()
    assert lib.books() == 0


# --- statuses --------------------------------------------------------------------------------------------------------


def test_a_condition_says_what_is_fine(lib: Any) -> None:
    for fine in (0, 1, 7):
        assert lib.set_state(fine) is None
    with pytest.raises(lib.StateError) as caught:
        lib.set_state(-1)
    assert caught.value.code == -1
    for mapped in (-2, -3):
        with pytest.raises(ValueError):
            lib.set_state(mapped)


def test_values_and_conditions_mix(lib: Any) -> None:
    assert lib.set_step(0) is lib.set_step(1) is None
    with pytest.raises(lib.StepError):
        lib.set_step(2)


# --- callables that return handles -----------------------------------------------------------------------------------


def test_a_callable_may_return_a_handle_or_none(lib: Any) -> None:
    assert [lib.ask_maybe(lambda _: lib.book(True)), lib.ask_maybe(lambda _: None)] == [3, -1]
    raw = lib.raw(True)
    assert [lib.ask_raw(lambda _: raw), lib.ask_raw(lambda _: None)] == [3, -1]
    assert [lib.ask_cell(lambda _: lib.cell(True)), lib.ask_cell(lambda _: None)] == [1, -1]
    with pytest.raises(TypeError, match=r"^f\(\): a Book is wanted, not str$|^f\(\): .*Book"):
        lib.ask_maybe(lambda _: "book")


def test_a_callable_may_return_a_list_of_handles(lib: Any) -> None:
    assert lib.ask_all(lambda _: [lib.book(True), lib.book(True)]) == 6
    assert lib.ask_all(lambda _: []) == 0
    with pytest.raises(TypeError, match=r"^f\(\)\[1\]: "):
        lib.ask_all(lambda _: [lib.book(True), None])


def test_a_class_says_what_gives_its_objects(lib: Any) -> None:
    with pytest.raises(TypeError, match=r"^Loan cannot be made directly; use loans\(\)$"):
        lib.Loan()


# --- results that do not fit -----------------------------------------------------------------------------------------


def test_a_result_that_does_not_fit_is_named(lib: Any) -> None:
    for call in (lib.wide, lib.wide_pair):
        with pytest.raises(OverflowError, match=rf"^the result: {2**40} does not fit i32$"):
            call()
    with pytest.raises(OverflowError, match=r"^the result: 1e\+300 does not fit f32$"):
        lib.wide_fraction()


def test_a_result_with_equal_keys_is_no_dict(lib: Any) -> None:
    assert [lib.multi(False), lib.pairs(False)] == [{"a": 1, "b": 3}, {1: 1, 2: 2}]
    assert lib.pairs_in_a_list(False) == [{1: 1, 2: 2}] * 2
    for call in (lib.multi, lib.pairs, lib.pairs_in_a_list):
        for _ in range(3):
            with pytest.raises(ValueError, match=r"^the result has a key twice, .* declare \[\(K, V\)\] to get both$"):
                call(True)

"""Arguments keep their meaning where C++ would convert them in silence: their range is checked, or nothing compiles."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "arguments" / "arguments.wrapper_spec"
RANGES = {"bool": (0, 1), "i8": (-128, 127), "u8": (0, 255), "i16": (-(2**15), 2**15 - 1), "u16": (0, 2**16 - 1)}
RANGES |= {"i32": (-(2**31), 2**31 - 1), "u32": (0, 2**32 - 1)}


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def call_of(lib: Any, name: str) -> Any:
    """A function, or a method of a new object."""
    owner, _, method = name.rpartition(".")
    return getattr(lib.cell(0) if owner else lib, method)


@pytest.mark.parametrize(
    ("name", "kind", "large"),
    [
        ("got_int", "i32", 2**32 + 5),
        ("got_int_of_u64", "i32", 2**63 + 5),
        ("got_uchar", "u8", 300),
        ("got_uchar", "u8", -1),
        ("got_uchar_of_u16", "u8", 300),
        ("got_short", "i16", 2**15),
        ("got_unsigned", "u32", -1),
        ("got_bool", "bool", 2),
        ("got_optional", "i32", 2**32),
        ("with_default", "i32", -(2**31) - 1),
        ("pick", "i32", 2**33),
        ("functor", "u16", 2**16),
        ("number", "i32", 2**40),
        ("alias", "i32", 2**40),
        ("lambda_int", "i32", 2**32 + 5),
        ("lambda_uchar", "u8", 256),
        ("lambda_optional", "i32", 2**32),
        ("Cell.set", "i32", 2**32),
        ("Cell.lambda_set", "i32", 2**32),
        ("Cell.pick", "i16", 2**15),
        ("Cell.any_i8", "i8", 128),
    ],
)
def test_a_number_that_does_not_fit_is_refused(lib: Any, name: str, kind: str, large: int) -> None:
    call = call_of(lib, name)
    with pytest.raises(OverflowError, match=rf"^value: {large} does not fit {kind}$"):
        call(large)
    call(0)
    call(1)


def test_numbers_that_fit_arrive(lib: Any) -> None:
    for low_or_high in RANGES["i32"]:
        assert lib.got_int(low_or_high) == lib.lambda_int(low_or_high) == low_or_high
    assert [lib.got_uchar(255), lib.got_short(-5), lib.got_unsigned(7)] == [255, -5, 7]
    assert [lib.got_bool(0), lib.got_bool(1)] == [False, True]
    assert [lib.got_optional(None), lib.got_optional(3), lib.lambda_optional(None)] == [-1, 3, -1]
    assert lib.got_double(2**40) == 2.0**40
    assert [lib.with_default(2), lib.with_both(2, 3)] == [42, 5]


@pytest.mark.parametrize("name", ["got_float", "lambda_float", "got_optional_float"])
def test_a_fraction_that_is_too_large_is_refused(lib: Any, name: str) -> None:
    call = getattr(lib, name)
    assert call(1.5) == 1.5
    assert call(float("inf")) == float("inf")
    for large in (1e300, -3.5e38):
        with pytest.raises(OverflowError, match=re.escape(f"value: {large!r} does not fit f32")):
            call(large)


def test_enums_are_checked_as_the_numbers_that_they_are(lib: Any) -> None:
    assert lib.colour_as_uchar(lib.Colour.RED) == 0
    with pytest.raises(OverflowError, match=r"^value: 700 does not fit u8$"):
        lib.colour_as_uchar(lib.Colour.BLUE)
    assert lib.plain_as_int(lib.Plain.SMALL) == 1
    with pytest.raises(OverflowError, match=r"^value: 4294967296 does not fit i32$"):
        lib.plain_as_int(lib.Plain.HUGE)
    assert lib.strict(lib.Strict.ONE) == 1


def test_what_is_called_stays_what_cpp_chooses(lib: Any) -> None:
    assert [lib.pick(1), lib.pick_text("1")] == [1, 2]
    assert lib.two(2**40, 3) == 3
    assert lib.deduced(1, 5) == 2005
    assert [lib.twice(1.5), lib.square_root(16), lib.exact(2**40)] == [3.0, 4.0, 2**40]
    assert [lib.area(2**33, 4), lib.hidden(5)] == [2**35, 5]
    assert lib.lambda_mixed(2**40, 1, 2) == 2**40 + 3
    cell = lib.cell(7)
    assert [cell.pick(1), cell.pick_text("a"), cell.any(2**40)] == [1, 2, 2**40]
    for call in (lib.two, lib.deduced):
        with pytest.raises(OverflowError, match=rf"^value: {2**31} does not fit i32$"):
            call(1, 2**31)
    with pytest.raises(OverflowError, match=rf"^value: {2**31} does not fit i16$"):
        lib.lambda_mixed(1, 2**31, 1)


@pytest.mark.parametrize("name", ["drain", "lambda_drain"])
def test_a_refused_argument_consumes_nothing(lib: Any, name: str) -> None:
    sole = lib.sole(2)
    with pytest.raises(OverflowError, match="does not fit i32"):
        getattr(lib, name)(sole, 2**31)
    assert not sole.closed
    assert getattr(lib, name)(sole, 3) == 5
    assert sole.closed


# --- text and bytes --------------------------------------------------------------------------------------------------


def test_text_is_never_cut(lib: Any) -> None:
    for call in (lib.c_length, lib.lambda_c_length):
        assert call("abc") == 3
        for cut in ("\0", "a\0b", "abc\0"):
            with pytest.raises(ValueError, match=r"^value: embedded null character$"):
                call(cut)
    assert lib.of_string("a\0b") == lib.of_view("a\0b") == 3
    assert lib.both("a\0b", "cd") == 302
    with pytest.raises(ValueError, match=r"^value: embedded null character$"):
        lib.both("ab", "c\0d")
    assert lib.choose("x") == 1


@pytest.mark.parametrize("name", ["bytes_view", "bytes_string", "lambda_view", "lambda_string", "lambda_value"])
def test_bytes_go_as_a_view_or_a_string(lib: Any, name: str) -> None:
    call = getattr(lib, name)
    assert [call(b""), call(b"a\0b"), call(bytearray(5)), call(memoryview(b"12"))] == [0, 3, 5, 2]


def test_bytes_go_as_an_address_and_a_length(lib: Any) -> None:
    data = bytes([0, 1, 255])
    assert lib.bytes_pair(data) == lib.bytes_void(data) == lib.lambda_pair(data, 0) == 256
    assert lib.bytes_pair(b"") == 0
    assert lib.bytes_among("ab", b"c\0d", 10) == 2 + 3 + 10 + ord("c")
    sink = lib.sink()
    assert [sink.feed(data), sink.lambda_feed(data)] == [256, 512]
    assert lib.bytes_narrow(bytes(127)) == 127
    with pytest.raises(OverflowError, match=r"^len\(data\): 128 does not fit i8$"):
        lib.bytes_narrow(bytes(128))
    with pytest.raises(OverflowError, match=r"^more: "):
        lib.lambda_pair(data, 2**31)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("key_of", {2**32 + 7: 3}, "m{4294967303}: 4294967303 does not fit i32"),
        ("key_of", {7: 2**32 + 3}, "m[7]: 4294967299 does not fit i32"),
        ("short_of", {"a'b": 65541}, 'm["a\'b"]: 65541 does not fit i16'),
        ("first_of", {300}, "m{300}: 300 does not fit i8"),
        ("float_of", {"a": 1e300}, "m['a']: 1e+300 does not fit f32"),
        ("unsigned_of", {"a": -1}, "m['a']: -1 does not fit u32"),
        ("bool_of", {"a": 2}, "m['a']: 2 does not fit bool"),
        ("pair_of", (1, 2**32), "m[1]: 4294967296 does not fit i32"),
        ("tuple_of", (1, 70000, 2), "m[1]: 70000 does not fit i16"),
        ("maybe_pair", (2**32, 1), "m[0]: 4294967296 does not fit i32"),
        ("deep_of", {"a": (2**32, 1)}, "m['a'][0]: 4294967296 does not fit i32"),
        ("rows_of", [[], [1, 40000]], "m[1][1]: 40000 does not fit i16"),
        ("maps_of", [{"a": 1}, {"b": 2**32}], "m[1]['b']: 4294967296 does not fit i32"),
        ("sets_of", [{2**32}], "m[0]{4294967296}: 4294967296 does not fit i32"),
        ("pairs_of", [(1, 2), (3, 2**16)], "m[1][1]: 65536 does not fit i16"),
        ("lists_of", {"a": [1, 2**32]}, "m['a'][1]: 4294967296 does not fit i32"),
        ("maybe_lists_of", [[2**32]], "m[0][0]: 4294967296 does not fit i32"),
        ("lambda_lists_of", [[1], [2**32]], "m[1][0]: 4294967296 does not fit i32"),
        ("in_body", {"a": 65541}, "dict['a']: 65541 does not fit i16"),
        ("lambda_pair_of", (70000, 1), "m[0]: 70000 does not fit i16"),
        ("Box.put", (1, 2**32), "k[1]: 4294967296 does not fit i32"),
    ],
)
def test_a_part_that_does_not_fit_is_refused(lib: Any, name: str, value: object, words: str) -> None:
    call = getattr(lib.Box(), "put") if name == "Box.put" else getattr(lib, name)  # noqa: B009
    with pytest.raises(OverflowError, match=f"^{re.escape(words)}$"):
        call(value)


def test_parts_that_fit_arrive(lib: Any) -> None:
    assert [lib.key_of({7: 3}), lib.short_of({"a": -5}), lib.first_of({-128}), lib.unsigned_of({"a": 2**32 - 1})] == [
        7003,
        -5,
        -128,
        2**32 - 1,
    ]
    assert [lib.float_of({"a": 0.5}), lib.bool_of({"a": 1}), lib.pair_of((2, 3)), lib.tuple_of((1, 2, 3))] == [
        0.5,
        1,
        2003,
        123,
    ]
    assert [lib.maybe_pair(None), lib.maybe_pair((4, 5)), lib.deep_of({"a": (6, 7)}), lib.in_body({"a": 8})] == [
        -1,
        4,
        6,
        8,
    ]
    assert [lib.exact_of({2**40: 1}), lib.either_of((1, 2)), lib.lambda_any_of({1: 2**40})] == [2**40, 8, 1]
    assert lib.key_of({i: i for i in range(-40, 0)}) == -40040


def test_lists_arrive_as_what_cpp_has_for_them(lib: Any) -> None:
    assert [lib.rows_of([[1], [2, -3]]), lib.maps_of([{}, {"a": 4}]), lib.sets_of([{5, 6}])] == [-3, 4, 5]
    assert [lib.pairs_of([(1, 2), (3, 4)]), lib.lists_of({"a": [1, 7]}), lib.lambda_lists_of([[8]])] == [4, 7, 8]
    assert [lib.maybe_lists_of(None), lib.maybe_lists_of([[9]]), lib.any_lists_of([[2**40]])] == [-1, 9, 2**40]
    assert lib.times_of([timedelta(seconds=1), timedelta(milliseconds=250)]) == 250
    assert [lib.paths_of(["a", Path("b/c")]), lib.path_texts_of([Path("d/e")])] == ["b/c", "d/e"]
    with pytest.raises(TypeError, match=r"^m\[1\]: a timedelta is wanted"):
        lib.times_of([timedelta(), 3])


def test_what_a_callable_returns_is_checked_part_by_part(lib: Any) -> None:
    assert lib.asked(lambda _: (5, 6)) == 5
    assert lib.asked_map(lambda _: {7: 1}) == 7
    assert lib.asked_lists(lambda: [{1: 2}, {3: 4}]) == 4
    with pytest.raises(OverflowError, match=r"^f\(\)\[1\]\[3\]: 4294967296 does not fit i32$"):
        lib.asked_lists(lambda: [{1: 2}, {3: 2**32}])
    with pytest.raises(OverflowError, match=r"^f\(\)\[0\]: 4294967296 does not fit i32$"):
        lib.asked(lambda _: (2**32, 1))
    with pytest.raises(OverflowError, match=r"^f\(\)\{4294967296\}: 4294967296 does not fit i32$"):
        lib.asked_map(lambda _: {2**32: 1})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("m", {"a": 2**32}, "m['a']: 4294967296 does not fit i32"),
        ("p", (1, 2**32), "p[1]: 4294967296 does not fit "),
        ("s", {2**16}, "s{65536}: 65536 does not fit i16"),
        ("o", (2**32, 1), "o[0]: 4294967296 does not fit i32"),
        ("r", [[1], [2, 2**32]], "r[1][1]: 4294967296 does not fit i32"),
    ],
)
def test_fields_and_properties_are_checked_part_by_part(lib: Any, name: str, value: object, words: str) -> None:
    box, good = lib.Box(), {"m": {"a": 1}, "p": (1, 2), "s": {3}, "o": None, "r": [[], [4]]}
    shown = {**good, "r": ((), (4,))}
    for each, own in good.items():
        setattr(box, each, own)
        assert getattr(box, each) == shown[each]
    with pytest.raises(OverflowError, match=f"^{re.escape(words)}"):
        setattr(box, name, value)
    assert getattr(box, name) == shown[name]
    assert lib.narrowed(lib.Narrow(**good)) == lib.Narrow(**good)
    with pytest.raises(OverflowError, match=f"^{re.escape(words)}"):
        lib.narrowed(lib.Narrow(**{**good, name: value}))


@pytest.mark.parametrize(
    ("name", "value", "key"),
    [
        ("headers", {"Accept": 1, "accept": 2}, "'accept'"),
        ("names", {"Accept", "accept"}, "'[Aa]ccept'"),
        ("fractions", {float("nan"): 2, 1.0: 1, 3.0: 3}, r"(nan|1\.0|3\.0)"),
    ],
)
def test_an_entry_that_would_vanish_in_the_container_of_cpp_is_refused(
    lib: Any, name: str, value: object, key: str
) -> None:
    with pytest.raises(ValueError, match=rf"^m: two keys become the same: {key}$"):
        getattr(lib, name)(value)


def test_what_holds_equal_keys_gets_them(lib: Any) -> None:
    assert lib.many_names({"Accept", "accept"}) == 2
    assert lib.headers({"Accept": 1, "Host": 2}) == lib.names({"Accept", "Host"}) == 2
    assert lib.fractions({1.5: 1, 2.5: 2}) == 2


# --- handles that hold pointers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("doc_size", "doc_copy", "doc_written", "doc_pointer", "doc_address", "doc_void", "doc_ref", "doc_or_bool"),
        *("pointer_or_bool", "doc_any", "doc_auto", "doc_pointer_to", "doc_macro", "doc_lambda", "doc_lambda_auto"),
        "maybe_doc",
    ],
)
def test_a_pointer_goes_where_its_object_is_wanted(lib: Any, name: str) -> None:
    assert getattr(lib, name)(lib.Doc(7)) == 7


def test_a_pointer_among_other_arguments(lib: Any) -> None:
    doc, other, third = lib.Doc(1), lib.Doc(2), lib.Doc(3)
    assert doc.add(other) == 3
    assert doc.mixed(doc, other, third) == 3211
    assert doc.mixed_again(other, third) == 321
    assert lib.named_doc("a\0c", doc) == doc.named("a\0c") == 301
    assert lib.doc_data(doc, b"\x02\x03") == 6
    assert (doc.size_of(), doc.last(5), doc.stated(6), doc.flagged(True), doc.flagged(False)) == (1, 105, 106, 11, 10)
    assert lib.maybe_doc(None) == -1
    doc.grow(2)
    lib.grow_doc(doc, 3)
    assert doc.size_of() == 6
    for grow in (doc.grow, lambda by: lib.grow_doc(doc, by)):
        with pytest.raises(OverflowError, match=r"^by: 4294967296 does not fit i32$"):
            grow(2**32)


def test_a_null_pointer_is_no_object(lib: Any) -> None:
    doc, fine = lib.Doc(1), lib.Doc(2)
    doc.to_null()
    for call in (lib.doc_size, lib.doc_copy, lib.doc_lambda, lambda doc: lib.grow_doc(doc, 1)):
        with pytest.raises(ValueError, match=r"^doc: this handle holds a null pointer$"):
            call(doc)
    with pytest.raises(ValueError, match=r"^other: this handle holds a null pointer$"):
        fine.add(doc)
    for method in (doc.size_of, lambda: doc.last(1), lambda: doc.stated(1), lambda: doc.add(fine)):
        with pytest.raises(ValueError, match=r"^this handle holds a null pointer$"):
            method()


def test_text_that_may_be_missing_is_a_null_pointer_to_c(lib: Any) -> None:
    title = lib.Title(None)
    set_ = [title.set, title.either, title.lambda_set, title.set_value, lib.maybe_length, lib.lambda_maybe]
    for call in set_:
        assert [call(None), call(""), call("h\u00e9")] == [-1, 0, 3]
    for call in (title.set_signed, lib.maybe_bytes):
        assert [call(None), call("a")] == [-1, 97]
    assert (lib.lambda_maybe(), title.set_signed(), lib.maybe_after(2), lib.maybe_after(2, "ab")) == (3, -1, 199, 202)
    assert (title.both("a\0b", None), title.both("a", "bc")) == (299, 102)
    for call in [title.set, title.either, title.lambda_set, lib.maybe_length, lib.lambda_maybe, lib.Title]:
        with pytest.raises(ValueError, match=r"^text: embedded null character$"):
            call("a\0b")
    assert title.set_value("a\0b") == 3


class Word(str):
    """A str that is taken as one, by another way than a str itself."""


@pytest.mark.parametrize("by", [3, -(2**40), True], ids=repr)
@pytest.mark.parametrize("share", [0.5, 2, True], ids=repr)
@pytest.mark.parametrize("name", ["ab", "h\u00e9", Word("ab")], ids=ascii)
def test_arguments_of_all_sorts_are_taken_beside_each_other(lib: Any, by: int, share: float, name: str) -> None:
    doc, other = lib.Doc(1), lib.Doc(2)
    wanted = (120 + by, float(share), True, str(name))
    for _ in range(3):  # a call site's keywords are known from the second time on
        assert doc.all_sorts(other, by, share, True, name) == wanted
        assert doc.all_sorts(other, by, name=name, share=share, flag=True) == wanted
        assert doc.all_sorts(other, by, share=share, flag=True, name=name) == wanted
    for wrong in ((None, by, share, True, name), (other, 2**64, share, True, name), (other, by, "", True, name)):
        with pytest.raises((TypeError, OverflowError), match=r"^(other|by|share): "):
            doc.all_sorts(*wrong)
    with pytest.raises(TypeError, match=r"takes 6 positional arguments but 5 were given|missing 1 required"):
        doc.all_sorts(other, by, share, True)
    other.close()
    for last in (name, 7):  # what comes first is reported first
        with pytest.raises(lib.ClosedHandleError, match=r"^other: "):
            doc.all_sorts(other, by, share, True, last)

"""Functions of a C library by name: handles, lengths and buffers, without code in the spec."""

from __future__ import annotations

import gc
import re
from array import array
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.leak_scale import Scale, loop
from tests.behaviour.objects import COUNTS_REFERENCES, four_gib_and
from wrapper_gen.diagnostics import ToolchainError

SPEC = packages.HERE / "c_calls" / "c_calls.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def reader(lib: Any) -> Any:
    return lib.open("abcd")


# --- the place of the handle -----------------------------------------------------------------------------------------


def test_the_handle_goes_where_the_call_compiles(reader: Any) -> None:
    assert reader.depth == 0
    reader.set_depth(3)  # the handle is last in C
    assert reader.depth == 3
    assert reader.add(2, 200) == 205  # and in the middle
    assert reader.is_named("abcd")
    assert not reader.is_named("abc")


def test_a_handle_of_the_same_type_stands_second(lib: Any, reader: Any) -> None:
    assert reader.difference(lib.open("x")) == 3


def test_macros_take_part(reader: Any) -> None:
    reader.alias(7)
    assert reader.depth == 7
    assert reader.twice(5) == 13


@pytest.mark.parametrize(
    ("a", "b", "words"), [(2**20, 1, "a: 1048576 does not fit i16"), (1, -1, "b: -1 does not fit u8")]
)
def test_a_number_is_checked_wherever_the_handle_stands(reader: Any, a: int, b: int, words: str) -> None:
    with pytest.raises(OverflowError, match=f"^{re.escape(words)}$"):
        reader.add(a, b)


def test_text_with_a_null_character_is_refused(reader: Any) -> None:
    with pytest.raises(ValueError, match=r"^name: embedded null character$"):
        reader.is_named("ab\0cd")


def test_closed_handles_are_refused(lib: Any, reader: Any) -> None:
    closed = lib.open("x")
    closed.close()
    for call in (closed.size, closed.next, lambda: closed.add(1, 1), lambda: reader.difference(closed)):
        with pytest.raises(lib.ClosedHandleError):
            call()


WRONG = """
wrapper_lib: {name: wrong}
cpp_prelude: |
  struct node { int n; };
  typedef void *thing;
  struct both { operator i64() const; };
  inline int either(i64, node *, f64);
  inline int either(i64, f64, node *);
  inline int thing_add(thing, i64 by);
  inline int lost(node *, i64 *);
handle_types:
  - {name: Node, cpp_type: node *, release: nothing}
  - {name: Thing, cpp_type: thing, release: nothing}
methods:
"""


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            "{handle: Node, name: go, cpp_fn: either, params: [{name: a, type: i64}, {name: b, type: f64}]}",
            [
                "wrong.wrapper_spec:15: Node.go: its arguments can stand in several orders; "
                'say C\'s order: cpp: "either(self, a, b)"',
                'Node.go: this order compiles: cpp: "either(a, self, b)"',
                'Node.go: this order compiles: cpp: "either(a, b, self)"',
            ],
        ),
        (
            "{handle: Thing, name: add, cpp_fn: thing_add, params: [{name: by, type: i64}], return: i64}",
            ["a handle that is a void * could stand anywhere; write the call in cpp, as C has it"],
        ),
        ("{handle: Node, name: value, cpp_fn: lost, return: i64}", ["too few arguments"]),
    ],
)
def test_what_is_not_decided_does_not_compile(entry: str, words: list[str]) -> None:
    with pytest.raises(ToolchainError) as raised:
        packages.build_text(f"{WRONG}  - {entry}\n", name="wrong")
    assert raised.value.diagnostic.span.line == 15
    for each in words:
        assert each in raised.value.output


# --- lengths ---------------------------------------------------------------------------------------------------------


def test_values_bring_their_length_where_c_has_one(lib: Any, reader: Any) -> None:
    reader.feed(b"123")
    assert reader.size() == 7
    assert reader.count(b"a-b-c", ord("-")) == 2  # address and length before the handle
    assert lib.total([1.5, 2.5]) == lib.total_of(array("d", [1.5, 2.5])) == 4
    values = array("f", [0, 0])
    reader.fill(values)
    assert list(values) == [7, 7]
    reader.set_name("h\u00e9\0more")
    assert reader.name() == "h\u00e9"


def test_a_length_that_does_not_fit_is_refused(reader: Any) -> None:
    assert reader.tiny(b"x" * 255) == 255
    with pytest.raises(OverflowError, match=r"^len\(data\): 256 does not fit u8$"):
        reader.tiny(b"x" * 256)


# --- C's order, where the spec says it -------------------------------------------------------------------------------


def test_what_python_does_not_see_is_passed(reader: Any) -> None:
    assert reader.twins(1) == 1000 + 20 + 5
    with pytest.raises(OverflowError, match=r"^flags: 1099511627780 does not fit i32$"):
        reader.twins(1 << 40)


@pytest.mark.parametrize(("option", "value"), [("depth", 7), ("ratio", -0.5), ("title", "h\u00e9"), ("title", "")])
def test_each_option_of_a_variadic_function_has_its_type(reader: Any, option: str, value: object) -> None:
    getattr(reader, f"put_{option}")(value)
    assert getattr(reader, f"get_{option}")() == value


@pytest.mark.parametrize(
    ("option", "value", "error", "words"),
    [
        ("depth", 2**31, OverflowError, "value: 2147483648 does not fit i32"),
        ("depth", 1.0, TypeError, "value: an int is wanted, not float"),
        ("ratio", "1", TypeError, "value: a float is wanted, not str"),
        ("title", "a\0b", ValueError, "value: embedded null character"),
        ("title", b"a", TypeError, "value: a str is wanted, not bytes"),
        ("title", None, TypeError, "value: a str is wanted, not None"),
    ],
)
def test_an_option_of_another_type_is_refused(
    reader: Any, option: str, value: object, error: type[Exception], words: str
) -> None:
    before = getattr(reader, f"get_{option}")()
    with pytest.raises(error, match=f"^{words}$"):
        getattr(reader, f"put_{option}")(value)
    assert getattr(reader, f"get_{option}")() == before


def test_a_variadic_function_that_fails_raises(lib: Any, reader: Any) -> None:
    with pytest.raises(lib.ReaderFailure, match=r"^bad$"):
        reader.put_depth(-1)
    with pytest.raises(lib.ReaderFailure, match=r"^bad$"):
        reader.get_title()


def test_items_of_the_result_stand_where_the_spec_has_them(reader: Any) -> None:
    reader.set_depth(5)
    assert reader.swap() == (7, 1)
    assert reader.ignored() == reader.ignored_as() == 5


def test_a_length_stands_where_the_spec_has_it(reader: Any) -> None:
    assert reader.before(b"abc") == ord("c")
    with pytest.raises(OverflowError, match=r"^len\(data\): 256 does not fit u8$"):
        reader.before(b"x" * 256)
    assert reader.pairs([1, 2, 3, 4]) == 10
    with pytest.raises(OverflowError, match=r"^len\(values\): 32768 does not fit i16$"):
        reader.pairs([0.0] * 65536)


def test_a_variadic_argument_has_the_type_that_the_spec_says(reader: Any) -> None:
    assert reader.option(1 << 40) == 1 << 40
    assert reader.option_text("four") == 4
    with pytest.raises(ValueError, match=r"^value: embedded null character$"):
        reader.option_text("fo\0ur")


def test_a_macro_takes_its_arguments_in_the_order_of_the_spec(reader: Any) -> None:
    assert reader.twice_more(5) == 13


def test_a_variadic_function_gets_a_length_of_its_own_type(reader: Any) -> None:
    reader.set_depth(0)
    assert reader.weigh(b"") == 0
    assert reader.weigh(b"ab\x05") == 100 * 3 + 5 + 1000 * 6


def test_addresses_of_one_call_may_be_of_several_types(lib: Any) -> None:
    assert lib.derive(b"\x01\x02", b"\x10\x20\x30", 1, 4) == bytes([0x12, 0x23, 0x32, 0x13])
    assert lib.mix(b"ab\x03", b"\xff", None) == 3 + 10 + 3000 + 255 + 7
    assert lib.mix(b"", b"", bytearray(2)) == 200
    assert lib.mix_by_lambda(b"\x01", memoryview(b"ab\x02")) == 1 + 30 + 1000 + 2
    assert lib.named_mix("5", b"\xff", b"\xff") == 5 - 1 + 255


# --- buffers ---------------------------------------------------------------------------------------------------------


def test_a_buffer_that_the_call_fills_is_the_result(reader: Any) -> None:
    assert reader.read(10) == reader.read_back(10) == b"abcd"
    assert reader.read(2) == b"ab"
    assert reader.read(0) == b""
    assert reader.read_text(3) == "abc"
    reader.set_depth(1)
    assert reader.noise(3) == b"bbb"
    assert reader.pack() == reader.pack(4) == b"abcd"


def test_a_call_that_does_not_fill_its_buffer_raises(lib: Any, reader: Any) -> None:
    with pytest.raises(lib.ReaderFailure, match=r"^too small$"):
        reader.pack(3)
    with pytest.raises(lib.ReaderFailure, match=r"^no count$"):
        lib.open("?").read(10)


def test_a_capacity_that_does_not_fit_is_refused(reader: Any) -> None:
    with pytest.raises(OverflowError):
        reader.read(-1)
    with pytest.raises(ValueError, match=r"^size: -1 is negative, and the size of a buffer$"):
        reader.noise(-1)
    with pytest.raises(OverflowError, match=r"^size: 4294967296 does not fit u32$"):
        reader.pack(1 << 32)
    with pytest.raises(MemoryError):
        reader.read(1 << 62)


def test_a_length_beyond_four_gib_is_not_cut_off(reader: Any) -> None:
    with four_gib_and(3) as data:
        with pytest.raises(OverflowError, match=r"^len\(data\): 4294967299 does not fit i32$"):
            reader.feed(data)
        with pytest.raises(OverflowError, match=r"^len\(data\): 4294967299 does not fit u8$"):
            reader.tiny(data)


def test_a_library_that_says_it_wrote_too_much_is_not_believed(lib: Any) -> None:
    with pytest.raises(
        lib.LibraryUnavailable.__base__, match=r"^the library says that it wrote 6 bytes into a buffer of 5$"
    ):
        lib.open(">").read(5)


# --- leaks -----------------------------------------------------------------------------------------------------------

QUICK = (
    "reader.size()", "reader.both()", "reader.measured()", "reader.scan(3)", "reader.kind()", "reader.maybe_name()",
    "reader.point()", "reader.maybe_next()", "reader.followed()", "lib.open('x').close()", "lib.checked('ff', 16)",
    "reader.count(b'a-b', 45)", "reader.is_named('abcd')", "reader.swap()", "reader.option_text('four')",
    "reader.sought(0)", "reader.sought(3)", "reader.sought(10)", "reader.before(b'abc')", "reader.read(10)",
    "reader.pack(10)", "lib.total([1.5, 2.5])",
)  # fmt: skip
FAILING = (
    "lib.open('!bad')", "reader.sought(-1)", "lib.open('').size()", "lib.open('?').name()", "reader.add(1 << 20, 1)",
    "reader.tiny(b'x' * 256)", "reader.option_text('fo' + chr(0))", "reader.pack(3)", "reader.noise(-1)",
    "reader.set_name('x' * 40)", "reader.add('x', 1)",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references")
@pytest.mark.parametrize("fails", [False, True])
def test_nothing_stays_of_a_call(lib: Any, reader: Any, fails: bool) -> None:
    values = {"lib": lib, "reader": reader}
    scale = Scale([None, lib.ReaderFailure, lib.Reader, reader])
    alive = lib.alive()
    growth = {each: scale.measure(loop(each, values, fails=fails), 2000) for each in (FAILING if fails else QUICK)}
    assert {each: what for each, what in growth.items() if what} == {}
    gc.collect()
    assert lib.alive() == alive

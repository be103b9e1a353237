"""Calls that take some of an input and fill some room, objects in their place, capacities that are computed."""

from __future__ import annotations

import inspect
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.leak_scale import Scale, loop
from tests.behaviour.objects import COUNTS_REFERENCES, collect
from tests.limits import HANGS

SPEC = packages.HERE / "streams" / "streams.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def tube(lib: Any) -> Any:
    return lib.tube()


# --- input and output ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 254, 255, 256, 100_000])
def test_all_of_the_input_is_taken(tube: Any, size: int) -> None:
    data = bytes(i % 30 for i in range(size))  # the library counts it in 8 bits
    assert tube.write(data) == data
    assert tube.total == size


def test_room_grows_until_all_output_is_there(lib: Any, tube: Any) -> None:
    assert tube.write(b"ax" * 1000) == (b"a" + b"x" * 300) * 1000
    assert lib.twice(b"ab" * 200_000, 3) == b"aaabbb" * 200_000


@pytest.mark.parametrize("data", [bytearray(b"abc"), memoryview(b"abc")])
def test_an_input_is_anything_with_a_buffer(tube: Any, data: Any) -> None:
    assert tube.write(data) == b"abc"


def test_the_end_leaves_the_rest_of_the_input(tube: Any) -> None:
    result = tube.read(b"ab.cd")
    assert (result.data, result.taken, result.ended) == (b"ab", 3, True)
    assert tube.read(b"cd") == (b"cd", 2, False)


def test_a_limit_bounds_the_output(tube: Any) -> None:
    assert tube.read(b"xb", limit=100) == (b"x" * 100, 1, False)
    assert tube.pending == 200
    assert tube.read(b"", limit=150) == (b"x" * 150, 0, False)
    assert tube.read(b"b", limit=1000) == (b"x" * 50 + b"b", 1, False)


def test_a_limit_of_nothing_is_none(lib: Any, tube: Any) -> None:
    assert len(tube.read(b"x" * 100, limit=0).data) == 30_000
    assert lib.some(b"abc", 2) == (b"ab", 2)


def test_there_are_further_calls_until_the_library_is_done(lib: Any) -> None:
    lib.start_count(3000)
    assert lib.counted() == b"".join(b"%d" % (i % 10) for i in range(3000, 0, -1))
    assert lib.counted() == b""


def test_the_library_keeps_no_address(lib: Any, tube: Any) -> None:
    tube.write(b"abc")
    assert tube.is_clear
    with pytest.raises(lib.TubeError):
        tube.write(b"a!b")
    assert tube.is_clear


# --- what goes wrong -------------------------------------------------------------------------------------------------


def test_a_failing_call_raises_what_its_object_says(lib: Any, tube: Any) -> None:
    with pytest.raises(lib.TubeError, match=r"^a wrong byte$") as raised:
        tube.write(b"x" * 100 + b"!")
    assert raised.value.code == -1
    assert tube.write(b"ok") == b"ok"  # it can go on


def test_a_library_that_takes_no_more_is_an_error(tube: Any) -> None:
    with pytest.raises(RuntimeError, match=r"^the library takes no more of its input, and writes nothing$"):
        tube.write(b"ab?")


def test_a_library_that_says_it_used_more_is_not_believed(lib: Any, tube: Any) -> None:
    for call in (lambda: tube.write(b"*"), lambda: lib.greedy(b"abc")):
        with pytest.raises(RuntimeError, match=r"^the library says that it used more memory than it was lent$"):
            call()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("text",), TypeError, "data: a contiguous bytes-like object is wanted, not str"),
        ((b"", -1), OverflowError, "limit: -1 does not fit usize"),
        ((b"", "1"), TypeError, "limit: an int is wanted, not str"),
        ((None,), TypeError, "data: a contiguous bytes-like object is wanted, not None"),
    ],
)
def test_bad_arguments_are_refused(tube: Any, arguments: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(words)}"):
        tube.read(*arguments)


def test_a_signed_limit_is_checked(lib: Any) -> None:
    with pytest.raises(OverflowError, match=r"^limit: -1 does not fit"):
        lib.some(b"abc", -1)


def test_what_was_taken_has_to_fit_its_type(lib: Any) -> None:
    with pytest.raises(OverflowError, match=r"^the result: 300 does not fit u8$"):
        lib.some(b"a" * 300, 0)


def test_a_closed_stream_is_refused(lib: Any, tube: Any) -> None:
    tube.close()
    for call in (lambda: tube.write(b""), lambda: tube.read(b""), lambda: tube.total, lambda: tube.copy()):
        with pytest.raises(lib.ClosedHandleError):
            call()


def test_others_run_while_a_blocking_call_waits(lib: Any) -> None:
    results: list[bytes] = []
    waiting = threading.Thread(target=lambda: results.append(lib.wait(b"abc")), daemon=True)
    waiting.start()
    lib.open_gate()
    waiting.join(HANGS)
    assert results == [b"w"]


# --- objects in their place ------------------------------------------------------------------------------------------


def test_an_object_stays_where_it_was_made(lib: Any) -> None:
    collect()
    before = lib.tubes()
    many = [lib.tube() for _ in range(100)]
    assert all(each.write(b"a") == b"a" for each in many)  # it fails where the object has moved
    assert lib.tubes() == before + 100
    del many
    collect()
    assert lib.tubes() == before


def test_one_that_could_not_start_is_not_ended(lib: Any) -> None:
    before = lib.tubes()
    with pytest.raises(lib.TubeError, match=r"^no such kind$"):
        lib.tube(-1)
    assert lib.tubes() == before


def test_a_copy_is_another_object(lib: Any, tube: Any) -> None:
    tube.write(b"abc")
    with tube.copy() as other:
        assert other.write(b"d") == b"d"
        assert (tube.total, other.total) == (3, 4)
    assert tube.write(b"e") == b"e"


def test_members_are_properties(lib: Any, tube: Any) -> None:
    assert (tube.total, tube.pending, tube.error) == (0, 0, None)
    with pytest.raises(lib.TubeError):
        tube.write(b"!")
    assert tube.error == "a wrong byte"
    with pytest.raises(AttributeError):
        tube.total = 1


# --- buffers whose capacity is computed, and pieces in one -----------------------------------------------------------


def test_a_capacity_is_an_expression(lib: Any) -> None:
    assert lib.pack(b"abc") == b"abc"
    assert lib.pack(b"abc", 3)[:3] == b"abc"
    assert lib.pack(b"") == b""
    assert lib.pack_text("äb".encode()) == "äb"
    assert lib.ones(3) == b"\1\1\1"


def test_a_status_elsewhere_is_tested_before_anything_is_read(lib: Any) -> None:
    assert (lib.read_or_fail(3), lib.halve_or_fail(8)) == (b"rrr", 4)
    for call, code in ((lambda: lib.read_or_fail(4), -7), (lambda: lib.halve_or_fail(3), -5)):
        with pytest.raises(lib.TubeError, match=r"^no tube$") as raised:
            call()
        assert raised.value.code == code


def test_small_words_of_c(lib: Any) -> None:
    assert lib.where() == Path("/here")  # a path that the call writes
    assert lib.modes() == lib.Modes(0)  # flags of which none is set
    assert (lib.modes(lib.Modes.READ | lib.Modes.WRITE), str(inspect.signature(lib.modes))[1:5]) == (3, "mode")


def test_a_nul_may_end_what_is_written(lib: Any) -> None:
    assert (lib.line(20), lib.line(4), lib.line(0), lib.line(60)) == ("abcdefghij", "abcd", "", "")


def test_more_than_a_computed_capacity_is_an_error(lib: Any) -> None:
    words = r"^the library says that it wrote 7 bytes into a buffer of 6$"
    with pytest.raises(RuntimeError, match=words):
        lib.pack(b"abc", 4)
    with pytest.raises(RuntimeError, match="wrote 17 bytes into a buffer of 16"):
        lib.ones(17)


def test_a_capacity_beyond_all_memory_is_an_error(lib: Any) -> None:
    with pytest.raises(MemoryError):
        lib.huge(b"abc")


def test_a_list_goes_in_one_piece(lib: Any) -> None:
    assert lib.learn([b"abc", b"", b"de"]) == b"a-d"
    assert lib.learn([]) == b""
    assert lib.added(["ab", "c"]) == 3002 + ord("a")
    assert lib.added([]) == 0


def test_a_length_within_a_list_has_to_fit(lib: Any) -> None:
    with pytest.raises(OverflowError, match=r"^len\(samples\[\.\.\.\]\): 300 does not fit u8$"):
        lib.learn([b"a", b"b" * 300])
    with pytest.raises(TypeError, match=r"^samples\[1\]: "):
        lib.learn([b"a", "b"])


# --- leaks -----------------------------------------------------------------------------------------------------------

QUICK = (
    "tube.write(b'ax')", "tube.read(b'ab.c')", "tube.read(b'x', 10)", "lib.twice(b'abc')", "lib.counted()",
    "lib.tube()", "tube.copy().close()", "lib.pack(b'abc')", "lib.pack_text(b'abc')", "lib.ones(3)",
    "lib.learn([b'abc', b'd'])", "tube.error", "tube.total", "lib.some(b'abc', 2)",
)  # fmt: skip
FAILING = (
    "lib.tube(-1)", "tube.write(b'xa!')", "tube.write(b'?')", "lib.greedy(b'abc')", "lib.pack(b'', 9)",
    "tube.read('abc')", "lib.huge(b'abc')", "lib.learn([b'a' * 300])", "lib.some(b'a' * 300, 0)",
)  # fmt: skip


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references")
@pytest.mark.parametrize("fails", [False, True])
def test_nothing_stays_of_a_call(lib: Any, tube: Any, fails: bool) -> None:
    values = {"lib": lib, "tube": tube}
    scale = Scale([None, lib.TubeError, lib.Tube, tube])
    collect()
    alive = lib.tubes()
    growth = {each: scale.measure(loop(each, values, fails=fails), 2000) for each in (FAILING if fails else QUICK)}
    assert {each: what for each, what in growth.items() if what} == {}
    assert lib.tubes() == alive

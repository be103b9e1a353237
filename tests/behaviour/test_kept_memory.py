"""`keep_alive` and `holds` of bytes and memory: it stays exported, and at its place, while something points into it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import ref

import pytest

from tests.behaviour import packages
from tests.behaviour.interrupts import interrupted
from tests.behaviour.objects import COUNTS_REFERENCES, collect, four_gib_and

SPEC = packages.HERE / "same_objects" / "same_objects.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def resize(data: bytearray | array[int]) -> None:
    """Make it larger, and what it was."""
    collect()
    data.append(0)
    data.pop()


def check_exported(data: bytearray | array[int], *, wanted: bool) -> None:
    if wanted:
        with pytest.raises(BufferError):
            resize(data)
    else:
        resize(data)


SHAPES: dict[str, tuple[Callable[[Any, bytearray], Any], Callable[[Any], Any]]] = {
    "T": (lambda lib, data: lib.window(data), lambda made: made),
    "T?": (lambda lib, data: lib.window_of(lib.Easy(1), data), lambda made: made),
    "by keyword": (lambda lib, data: lib.window_of(easy=lib.Easy(1), data=data), lambda made: made),
    "[(T, i64)], first": (lambda lib, data: lib.windows(data, b"x"), lambda made: made[0][0]),
    "[(T, i64)], last": (lambda lib, data: lib.windows(b"x", data), lambda made: made[1][0]),
    "[(T, i64)], twice": (lambda lib, data: lib.windows(data, data), lambda made: made[1][0]),
    "what is reached from it": (lambda lib, data: lib.window(data).after(0), lambda made: made.after(0)),
    "a blocking call": (lambda lib, data: lib.window_later(data), lambda made: made),
    "a part of it": (lambda lib, data: lib.window(memoryview(data)[:]), lambda made: made),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_bytes_stay_exported_in_every_shape_of_result(lib: Any, shape: str) -> None:
    make, pick = SHAPES[shape]
    data = bytearray(b"0123456789" * 9)
    made = make(lib, data)
    check_exported(data, wanted=True)
    window = pick(made)
    del made
    data[:3] = b"abc"
    check_exported(data, wanted=True)
    assert window.data[:6] == b"abc345"
    window.close()
    check_exported(data, wanted=False)


def test_what_exports_stays_alive_with_the_result(lib: Any) -> None:
    window = lib.window(b"".join([b"only ", b"here"]))
    after = window.after(5)
    del window
    collect()
    assert after.data == b"here"
    assert lib.window(b"").data == b"" and lib.window_of(lib.Easy(1)).data == b"none"


def test_bytes_beyond_four_gib(lib: Any) -> None:
    with four_gib_and(2) as data:
        data[(1 << 32) + 1] = 7
        with lib.window(data) as window, window.after((1 << 32) + 1) as last:
            assert last.data == b"\x07"


def test_bytes_are_kept_alive_beside_handles(lib: Any) -> None:
    collect()
    before, data = lib.easies(), bytearray(b"data")
    window = lib.window_of(lib.Easy(1), data)
    collect()
    assert (window.data, lib.easies()) == (b"data", before + 1)
    check_exported(data, wanted=True)
    del window
    collect()
    assert lib.easies() == before
    check_exported(data, wanted=False)


@pytest.mark.parametrize(
    ("make", "raised"),
    [
        (lambda lib, data: lib.no_window(data), RuntimeError),
        (lambda lib, data: lib.window_of(lib.Easy(1), data, is_there=False), None),
        (lambda lib, data: lib.window_of(closed(lib), data), ValueError),
        (lambda lib, data: lib.windows(data, None), TypeError),
        (lambda lib, data: lib.windows(data, data, data), TypeError),
        (lambda lib, data: (lib.window(data), 1 / 0), ZeroDivisionError),
    ],
)
def test_a_call_without_a_result_keeps_nothing(lib: Any, make: Callable[..., Any], raised: type[Exception]) -> None:
    data = bytearray(b"data")
    if raised is None:
        assert make(lib, data) is None
    else:
        with pytest.raises(raised):
            make(lib, data)
    check_exported(data, wanted=False)


def closed(lib: Any) -> Any:
    easy = lib.Easy(1)
    easy.close()
    return easy


@pytest.mark.parametrize("given", ["text", None, 1, memoryview(b"abcdef")[::2]])
def test_what_is_no_memory_is_refused(lib: Any, given: Any) -> None:
    with pytest.raises(TypeError, match=r"^data: a contiguous bytes-like object is wanted"):
        lib.window(given)
    with pytest.raises(TypeError, match=r"^numbers: "):
        lib.first_mark(given)


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="its arrays grow while they are exported")
def test_memory_stays_exported(lib: Any) -> None:
    numbers = array("q", [7, 8, 9])
    mark = lib.first_mark(numbers)
    check_exported(numbers, wanted=True)
    numbers[0] = 70
    assert (mark.value, mark.again().value) == (70, 70)
    del mark
    check_exported(numbers, wanted=False)


def test_an_object_holds_what_it_is_given(lib: Any) -> None:
    data, other, reader = bytearray(b"data" * 9), bytearray(b"other"), lib.Reader()
    reader.feed(data)
    reader.rename("é" * 40)
    collect()
    assert (reader.data, reader.name) == (data, "é" * 40)
    with pytest.raises(ValueError, match="nothing to read"):
        reader.feed(bytearray())
    check_exported(data, wanted=True)
    assert reader.data == data
    reader.feed(other)  # in place of it
    check_exported(data, wanted=False)
    check_exported(other, wanted=True)
    reader.clear()
    check_exported(other, wanted=False)
    assert (reader.data, reader.name) == (b"", "none")
    reader.feed(data)
    reader.close()
    check_exported(data, wanted=False)
    lib.Reader().feed(data)
    check_exported(data, wanted=False)


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="its arrays grow while they are exported")
def test_an_object_holds_several(lib: Any) -> None:
    first, second, reader = array("q", [1, 2]), array("q", [3]), lib.Reader()
    for given in (first, second, first):
        reader.scale(given)
    assert reader.sum_of_scale() == 3
    first[0] = 10
    assert reader.sum_of_scale() == 12
    for each in (first, second):
        check_exported(each, wanted=True)
    with pytest.raises(TypeError, match=r"^values: "):
        reader.scale(b"12345678")
    reader.clear()
    for each in (first, second):
        check_exported(each, wanted=False)


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="arrays as results need CPython")
def test_an_array_keeps_the_memory_that_it_is(lib: Any) -> None:
    numbers = array("q", [7, 8, 9])
    same = lib.same_numbers(numbers, 2)
    view = memoryview(same)
    del same
    view[1] = 80
    assert list(numbers) == [7, 80, 9]
    check_exported(numbers, wanted=True)
    view.release()
    del view
    check_exported(numbers, wanted=False)
    with pytest.raises(TypeError, match=r"^numbers: .*read-only"):
        lib.same_numbers(memoryview(numbers).toreadonly(), 1)


def test_arrays_of_numpy_are_kept_alive(lib: Any) -> None:
    numpy = pytest.importorskip("numpy")

    class OnlyDLPack:
        def __init__(self, of: Any) -> None:
            self.of = of

        def __dlpack__(self, **given: Any) -> Any:
            return self.of.__dlpack__(**given)

        def __dlpack_device__(self) -> Any:
            return self.of.__dlpack_device__()

    for make in (
        lambda made: lib.first_mark(made),
        lambda made: lib.first_of_rows(made.reshape(2, 3)),
        lambda made: lib.first_mark(OnlyDLPack(made)),
    ):
        numbers = numpy.arange(41, 47)
        gone = ref(numbers)
        mark = make(numbers)
        del numbers
        collect()
        assert gone() is not None and mark.value == 41
        del mark
        collect()
        assert gone() is None


@pytest.mark.skipif(
    "thread" in packages.all_flags(), reason="CPython 3.13 counts the exports of a bytearray without a lock"
)
def test_many_threads_keep_the_same_memory(lib: Any) -> None:
    data = bytearray(b"0123456789")

    def use(count: int) -> set[bytes]:
        return {lib.window_later(data).after(i % 10).data[:1] for i in range(count)}

    with ThreadPoolExecutor(8) as pool:
        assert all(len(found) == 10 for found in pool.map(use, [300] * 8))
    check_exported(data, wanted=False)


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="memory is released some time later")
def test_nothing_of_many_calls_stays(lib: Any) -> None:
    data, numbers, easy, reader = bytearray(b"x" * 100), array("q", range(9)), lib.Easy(1), lib.Reader()

    def use() -> None:
        lib.window(data).after(3)
        lib.windows(data, data)
        lib.window_of(easy, data, is_there=False)
        lib.first_mark(numbers).again()
        lib.same_numbers(numbers, 3)
        reader.feed(data)
        reader.rename("x" * 100)
        reader.scale(numbers)
        reader.clear()
        for refused in (lambda: lib.no_window(data), lambda: lib.windows(data, 1)):
            with pytest.raises((RuntimeError, TypeError)):
                refused()

    for _ in range(200):
        use()
    gc.collect()
    before = (sys.getrefcount(data), sys.getrefcount(numbers), sys.getrefcount(easy), sys.getallocatedblocks())
    for _ in range(1000):
        use()
    gc.collect()
    after = (sys.getrefcount(data), sys.getrefcount(numbers), sys.getrefcount(easy), sys.getallocatedblocks())
    assert after[:3] == before[:3] and after[3] - before[3] < 500
    check_exported(data, wanted=False)
    check_exported(numbers, wanted=False)


AT_EXIT = """
import atexit
atexit.register(lambda: use())  # runs after those of the package
import same_objects_ffi as lib

def use():
    late = lib.window(bytearray(b"late"))
    print(kept.data, late.data, late.after(1).data)

atexit.register(use)
kept = lib.window(bytearray(b"kept"))
other = [lib.windows(bytearray(b"a"), bytearray(b"b"))]
other.append(other)
numbers = lib.same_numbers(memoryview(bytearray(80)).cast("q"), 3)
lib.window(bytearray(b"x")).close()
print("end")
"""


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="arrays as results need CPython")
def test_the_interpreter_ends_while_memory_is_kept(engine: str) -> None:
    package = packages.build(SPEC)
    path = os.pathsep.join([str(package.folder.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", AT_EXIT],
        env={**os.environ, "PYTHONPATH": path, "WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["end", *["b'kept' b'late' b'ate'"] * 2]


def test_ctrl_c_while_memory_is_held(lib: Any) -> None:
    """The call raises it, and C++ does not get the memory; the next call is as ever."""
    data = bytearray(b"0123456789")
    for line in range(3):
        made, error, came = interrupted(lambda: lib.window(data), "_hold", line)
        if not came:
            break
        assert made is None and isinstance(error, KeyboardInterrupt)
        del error
        check_exported(data, wanted=False)
    made = lib.window(data)
    check_exported(data, wanted=True)
    del made
    check_exported(data, wanted=False)

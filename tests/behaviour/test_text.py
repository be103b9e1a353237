"""Text is UTF-8 and nothing but text; bytes are anything that lends its memory."""

from __future__ import annotations

import gc
import os
from array import array
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages

TEXTS = ["", "a", "a\0b", "\0", "é", "漢字", "😀\0😀", "\x7f\x80\xff", "x" * 100_000, "\ufeff", "\U0010ffff"]


def test_text_of_each_short_size_survives(shapes: Any) -> None:
    letters = "0123456789abcdefghijklmnopqrstuvwxyz"
    for size in range(len(letters)):
        text = letters[:size]
        others = [f"{text[:at]}é{text[at + 1 :]}" for at in range(size)]
        assert [shapes.echo_text(each) for each in (text, *others)] == [text, *others]


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_text_survives(shapes: Any, text: str) -> None:
    assert shapes.echo_text(text) == text
    assert shapes.echo_text(text=text) == text


def test_text_is_text(shapes: Any) -> None:
    for value in (b"x", None, 1, ["x"], bytearray(b"x")):
        kind = "None" if value is None else type(value).__name__
        with pytest.raises(TypeError, match=f"^text: a str is wanted, not {kind}$"):
            shapes.echo_text(value)
    for lone, index in (("\ud800", 0), ("a\udfffb", 1), ("\udc80", 0)):
        said = rf"^text: half of a surrogate pair is no character: '\\{ascii(lone[index])[2:-1]}' at index {index}$"
        for call in (shapes.echo_text, shapes.text_length):
            with pytest.raises(ValueError, match=said):
                call(lone)


def test_subclasses_of_str(shapes: Any) -> None:
    class Loud(str):
        __slots__ = ()

        def encode(self, *_: object, **__: object) -> bytes:
            raise AssertionError("the text is what counts")

    assert shapes.echo_text(Loud("quiet")) == "quiet"


def test_text_for_c(shapes: Any) -> None:
    assert shapes.text_length("héllo") == 6
    with pytest.raises(ValueError, match=r"^text: embedded null character$"):
        shapes.text_length("ab\0cd")  # C's text would end there
    assert shapes.text_size("ab\0cd") == 5
    with pytest.raises(OverflowError):
        shapes.text_size("x" * 256)


def test_text_from_views_and_c(shapes: Any) -> None:
    assert shapes.view_of("héllo") == "hé"
    assert shapes.c_text() == "1.2.3"
    with pytest.raises(ValueError, match="null string"):
        shapes.null_text()


def test_text_that_is_no_utf8(shapes: Any) -> None:
    for _ in range(3):
        with pytest.raises(UnicodeDecodeError):
            shapes.bad_text()
        with pytest.raises(UnicodeDecodeError):
            shapes.bad_texts()
        with pytest.raises(UnicodeDecodeError):
            shapes.view_of("a漢漢")  # cut within a character


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"", b""),
        (b"a\0b\xff", b"a\0b\xff"),
        (bytearray(b"abc"), b"abc"),
        (bytearray(), b""),
        (memoryview(b"abcd")[1:3], b"bc"),
        (memoryview(bytearray(b"abcd")), b"abcd"),
        (array("H", [1, 2]), b"\1\0\2\0"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_bytes_survive(shapes: Any, value: Any, expected: bytes) -> None:
    out = shapes.echo_bytes(value)
    assert out == expected
    assert type(out) is bytes
    assert shapes.bytes_sum(value) == sum(expected)


def test_bytes_of_numpy(shapes: Any) -> None:
    numpy = pytest.importorskip("numpy")
    assert shapes.echo_bytes(numpy.arange(3, dtype="u1")) == b"\0\1\2"
    assert shapes.echo_bytes(numpy.zeros((2, 3), dtype="f4")) == bytes(24)
    assert shapes.echo_bytes(numpy.zeros(0)) == b""
    for gaps in (numpy.arange(6, dtype="u1")[::2], numpy.zeros((2, 3), order="F")[:, ::2]):
        with pytest.raises(TypeError, match=r"^data: a contiguous bytes-like object is wanted, not ndarray$"):
            shapes.echo_bytes(gaps)


def test_bytes_are_bytes(shapes: Any) -> None:
    for value in ("text", None, 5, [1, 2], memoryview(b"abcdef")[::2]):
        kind = "None" if value is None else type(value).__name__
        with pytest.raises(TypeError, match=f"^data: a contiguous bytes-like object is wanted, not {kind}$"):
            shapes.echo_bytes(value)
    closed = memoryview(b"abc")
    closed.release()
    with pytest.raises((TypeError, ValueError)):
        shapes.echo_bytes(closed)


def test_memory_is_given_back(shapes: Any) -> None:
    data = bytearray(b"abc")
    assert shapes.bytes_sum(data) == 294
    data += b"d"  # impossible while somebody holds its memory
    assert shapes.bytes_sum(data) == 394


def test_bytes_from_other_ranges(shapes: Any) -> None:
    assert shapes.bytes_of_vector() == bytes([0, 127, 128, 255])


def test_results_do_not_leak(shapes: Any) -> None:
    tracemalloc = pytest.importorskip("tracemalloc")
    size = 1 << 20

    def use() -> None:
        shapes.big_text(size)
        with pytest.raises(UnicodeDecodeError):
            shapes.bad_text()

    use()
    gc.collect()
    before = _resident()
    tracemalloc.start()
    for _ in range(100):
        use()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * size
    assert _resident() - before < 20 * size


def _resident() -> int:
    """Bytes of memory that this process has in use; sanitizers keep what was freed, so with them it is no measure."""
    if packages.watched():
        return 0
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")

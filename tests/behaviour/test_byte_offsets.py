"""Offsets that C++ counts in bytes of UTF-8 are indices of the `str` in Python."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.test_arguments import SPEC

WIDE = "naïve café 漢字 😀 café"
TEXTS = ["", "ascii café"[:5] * 3, "plain", "é", "ééé", "漢字漢字", "😀", "a😀b😀", WIDE, "x" * 5000 + WIDE * 50]
NPOS = -1


class Own(str):
    """A text whose methods say nothing of what it is."""

    def __len__(self) -> int:
        return 0

    def isascii(self) -> bool:
        return True

    def encode(self, *_: Any) -> bytes:
        return b""

    def __getitem__(self, _: Any) -> str:
        return ""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def parts_of(text: str) -> list[str]:
    return [text[i : i + size] for size in (1, 2, 3) for i in range(min(len(text), 40))] + ["z", "ü", text]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:12]))
def test_offsets_are_indices(lib: Any, text: str) -> None:
    for part in filter(None, parts_of(text)):
        at = text.find(part)
        assert lib.find(text, part) == (NPOS if at < 0 else at)
        assert lib.find_last(text, part) == text.rfind(part)
        assert lib.search(text, part) == (None if at < 0 else (at, at + len(part)))
        named = lib.search_named(text, part)
        assert (
            named is None
            if at < 0
            else (named.start, named.end, type(named)) == (at, at + len(part), lib.SearchNamedResult)
        )
        found = lib.search_all(text, part)
        assert [text[start:end] for start, end in found] == [part] * text.count(part)
        assert all(type(each) is tuple for each in found)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:12]))
def test_indices_are_offsets(lib: Any, text: str) -> None:
    for start in {*range(min(len(text), 60)), len(text)}:
        assert lib.spelled_out(start, text) == text[start:]
        assert lib.in_words(text, start) == (text, start)
        for part in filter(None, parts_of(text)[:20]):
            at = text.find(part, start)
            assert lib.find(text, part, start) == lib.blocking_find(text, part, start=start) == (NPOS if at < 0 else at)
            assert lib.Finder(part).find(text, start) == lib.Finder(part).find(text, after=start) == at
            assert lib.find_last(text, part, start) == text.rfind(part, 0, start + len(part))
    assert lib.find_last(text, "z", None) == -1


def test_an_index_out_of_range_is_refused(lib: Any) -> None:
    for text in ("abc", "äöü", "漢字😀", Own("äöü")):
        for wrong in (4, 2**63 - 1):
            for call in (lib.find, lib.blocking_find):
                with pytest.raises(IndexError, match=f"^start: {wrong} is out of range: the length of text is 3$"):
                    call(text, "b", wrong)
            with pytest.raises(IndexError, match=f"^before: {wrong} is out of range: the length of text is 3$"):
                lib.find_last(text, "b", wrong)
        for wrong in (4, -1, -(2**63)):
            with pytest.raises(IndexError, match=f"^start: {wrong} is out of range: the length of text is 3$"):
                lib.spelled_out(wrong, text)
    with pytest.raises(OverflowError, match=f"^start: {2**64} does not fit i64$"):
        lib.find("äöü", "b", 2**64)
    with pytest.raises(TypeError, match=r"^start: "):
        lib.find("äöü", "b", "x")
    with pytest.raises(TypeError, match=r"^start: "):
        lib.find("äöü", "b", None)
    with pytest.raises(TypeError, match=r"^text: "):
        lib.spelled_out(99, None)


def test_an_offset_fits_its_type(lib: Any) -> None:
    assert lib.narrow_offset("ä" * 63 + "x", 64) == 127
    assert lib.narrow_offset("x" * 127, 127) == 127
    with pytest.raises(OverflowError, match=r"^start: 128 does not fit"):
        lib.narrow_offset("ä" * 64, 64)


def test_what_is_no_offset_stays_as_it_is(lib: Any) -> None:
    for text in ("abcd", "äé", "😀", Own("😀")):
        assert lib.offsets(text, [-1, 4, 0, 5, 2**63 - 1, -(2**63)]) == [
            -1,
            str.__len__(text),
            0,
            5,
            2**63 - 1,
            -(2**63),
        ]
    assert lib.offsets("", [0, 1, -1]) == [0, 1, -1]


def test_an_offset_within_a_character_is_refused(lib: Any) -> None:
    for text, offset in (("ä", 1), ("x漢", 2), ("x漢", 3), ("😀", 3)):
        said = f"^the result has the offset {offset}, which is within a character of text$"
        with pytest.raises(ValueError, match=said):
            lib.offsets(text, [0, offset])


def test_offsets_need_no_order(lib: Any) -> None:
    size = len(WIDE.encode())
    starts = [i for i in range(size) if WIDE.encode()[i] & 0xC0 != 0x80] + [size]
    wanted = [len(WIDE.encode()[:i].decode()) for i in starts]
    assert lib.offsets(WIDE, starts) == wanted == list(range(len(WIDE) + 1))
    assert lib.offsets(WIDE, starts[::-1]) == wanted[::-1]
    assert lib.offsets(WIDE, starts[::3] + starts[::2]) == wanted[::3] + wanted[::2]


def test_what_the_call_writes_is_an_index_too(lib: Any) -> None:
    assert lib.find_out("näïf.x", ord(".")) == 4
    with pytest.raises(lib.NotFound):
        lib.find_out("näïf", ord("."))


def test_texts_of_own_classes_are_counted_as_str_does(lib: Any) -> None:
    assert lib.find(Own("äöü"), "ü", 1) == 2
    assert lib.search_all(Own("äöä"), "ä") == [(0, 1), (2, 3)]


def test_nothing_is_left_behind(lib: Any) -> None:
    def calls() -> None:
        for _ in range(200):
            lib.search_named(WIDE, "漢字")
            lib.search_all(WIDE, "é")
            with pytest.raises(ValueError, match="within a character"):
                lib.offsets("x漢", [0, 1, 2])
            with pytest.raises(IndexError):
                lib.find(WIDE, "é", 99)

    if not hasattr(sys, "getallocatedblocks"):
        pytest.skip("this Python does not count its blocks")
    calls()
    gc.collect()
    before = sys.getallocatedblocks()
    calls()
    gc.collect()
    assert sys.getallocatedblocks() - before < 150

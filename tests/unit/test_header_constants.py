"""The values of macros and of defaults, and how often headers are parsed for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wrapper_gen.headers import HeaderSource, read

cindex = pytest.importorskip("clang.cindex")

MACROS = """\
enum { BASE = 40 };
#define PLAIN 7
#define HEX 0x1F
#define OCTAL 017
#define ZERO 0
#define NEGATIVE (-3)
#define MINUS -4
#define NESTED ((5))
#define ALIAS PLAIN
#define SUM (PLAIN | HEX)
#define OF_ENUM (BASE + 2)
#define WIDE 4294967296
#define BARELY 2147483648
#define UNSIGNED 3u
#define LETTER 'c'
#define RATIO 2.5
#define WORDS "one " "two"
#define CAST ((unsigned char) 300)
#define SIZE sizeof(long long)
#define REDEFINED 1
#undef REDEFINED
#define REDEFINED 2
#define GONE 9
#undef GONE
#define OF_GONE GONE
#define EMPTY
#define OF_EMPTY EMPTY
#define ATTRIBUTE __attribute__((unused))
#define STATEMENT do { } while (0)
#define PASTED(a) a ## 1
#undef PASTED
#define TYPE char
#define LOOP LOOP
"""
VALUES = {
    "PLAIN": (7, "int"),
    "HEX": (31, "int"),
    "OCTAL": (15, "int"),
    "ZERO": (0, "int"),
    "NEGATIVE": (-3, "int"),
    "MINUS": (-4, "int"),
    "NESTED": (5, "int"),
    "ALIAS": (7, "int"),
    "SUM": (31, "int"),
    "OF_ENUM": (42, "int"),
    "WIDE": (4294967296, "long"),
    "BARELY": (2147483648, "long"),
    "UNSIGNED": (3, "unsigned int"),
    "LETTER": (99, "int"),
    "RATIO": (2.5, "double"),
    "WORDS": ("one two", "const char *"),
    "CAST": (44, "unsigned char"),
    "SIZE": (8, "unsigned long"),
    "REDEFINED": (2, "int"),
}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text of each file that libclang parses."""
    texts: list[str] = []
    parse = cindex.Index.parse

    def counted(self: Any, path: str, *, unsaved_files: Any = None, **given: Any) -> Any:
        texts.append(unsaved_files[0][1])
        return parse(self, path, unsaved_files=unsaved_files, **given)

    monkeypatch.setattr(cindex.Index, "parse", counted)
    return texts


def header(tmp_path: Path, text: str, language: str = "c") -> HeaderSource:
    (tmp_path / "demo.h").write_text(text, encoding="utf-8")
    return HeaderSource(("demo.h",), language, folders=(str(tmp_path),))


@pytest.mark.parametrize("language", ["c", "c++"])
def test_macros_have_the_values_that_clang_computes(tmp_path: Path, language: str) -> None:
    found = read(header(tmp_path, MACROS, language)).constants
    wanted = VALUES if language == "c" else {**VALUES, "LETTER": (99, "char")}
    assert {name: (each.value, each.type) for name, each in found.items()} == wanted


def test_headers_are_parsed_once(tmp_path: Path, parsed: list[str]) -> None:
    """Every further parse of a template-heavy header takes as long as the first; clang keeps what it has read."""
    read(header(tmp_path, MACROS))
    assert ["demo.h" in each for each in parsed] == [True, False]


def test_plain_literals_are_read_without_clang(tmp_path: Path, parsed: list[str]) -> None:
    text = '#define A 1\n#define B A\n#define C (-1)\n#define D "d"\n#define E __attribute__((unused))\n'
    assert len(read(header(tmp_path, text)).constants) == 4
    assert len(parsed) == 1


def test_defaults_that_are_names_have_their_values(tmp_path: Path, parsed: list[str]) -> None:
    text = """\
#define NIL nullptr
struct Node { static const int most = 12; enum Kind { first, second }; void cut(int count = most, Kind = second); };
namespace demo {
constexpr int twice(int x) { return 2 * x; }
const int wide = twice(9);
void f(int w = wide, Node *n = NIL);
}
template <typename T> struct Box { static const int size = 4; void g(int n = size, int m = T::size); };
"""
    found = {each.name: each for each in read(header(tmp_path, text, "c++")).all_functions()}
    assert [each.value for each in found["cut"].parameters] == [12, 1]
    assert [each.value for each in found["f"].parameters] == [18, 0]
    assert [each.default for each in found["g"].parameters] == ["size", "T :: size"]
    assert found["g"].parameters[1].value is None
    assert len(parsed) == 1

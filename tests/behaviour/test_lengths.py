"""Lengths that C has beside an address: brought where there is one meaning, and never guessed."""

from __future__ import annotations

import re
import shutil
from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES
from tests.behaviour.test_mistakes import mistake_in

CODE = """\
wrapper_lib: {name: lengths, cpp_include: [cstring]}
cpp_prelude: |
  struct gauge {
    int scale;
    int put(const void *data, int size) { return static_cast<const char *>(data)[0] * scale + size; }
    int mark(const unsigned char *data, int flags = 0) { return data[0] + flags; }
  };
  inline int size_of(const char *line) { return static_cast<int>(std::strlen(line)); }
  inline int note(const char *line, int level, int color) { return size_of(line) * 100 + level * 10 + color; }
  inline int flagged(const unsigned char *line, int flags = 0) { return line[0] + flags; }
  inline bool same_start(const char *a, const char *b, size_t n) { return std::memcmp(a, b, n) == 0; }
  inline int sum(const unsigned char *data, size_t n) {
    int all = 0;
    for (size_t i = 0; i < n; ++i) all += data[i];
    return all;
  }
  inline int weighted(const void *data, int n, int weight) {
    return sum(static_cast<const unsigned char *>(data), static_cast<size_t>(n)) * weight;
  }
  inline int joined(const unsigned char *a, size_t n, const unsigned char *b, size_t m) {
    return sum(a, n) * 10 + sum(b, m);
  }
  inline int maybe(const char *line, int n) { return line == nullptr ? -1 - n : n; }
  inline int gauge_note(gauge *g, const char *line, int level) { return g->scale * 100 + size_of(line) * 10 + level; }
  inline int gauge_find(gauge *g, const char *line, int level, int *at) {
    *at = size_of(line);
    return g->scale + level;
  }
  inline double product(const double *a, const double *b, size_t n) {
    double all = 0;
    for (size_t i = 0; i < n; ++i) all += a[i] * b[i];
    return all;
  }
  inline void start(char *out, size_t size) { if (size > 1) std::memcpy(out, "ab", 2); }
  typedef int (*heard)(const char *line, int level, void *user);
  inline int hear(heard f, void *user) { return f("abc", 1, user); }
types:
  - {name: Counted, type: "fn(line: text) -> i32", cpp: "(line, line.size(), user_data)"}
handle_types:
  - name: Gauge
    cpp_type: gauge *
    release: delete value
    methods:
      - {def: "Gauge(scale: i32)", cpp_body: "return new gauge{scale};"}
      - {def: "put(data: bytes) -> i32", cpp: put}
"""
SAYS = """\
      - {def: "note(line: text) -> i32", cpp: "gauge_note(self, line, line.size())"}
      - {def: "find(line: text) -> (at: i32, level: i32)", cpp: "gauge_find(self, line, 4, &at)"}
      - {def: "mark(data: bytes) -> i32", cpp: ".mark((const unsigned char *)data)"}
functions:
  - {def: "start(size: usize) -> bytes", capacity: size}
  - {def: "note(line: text, color: i32) -> i32", cpp: "note(line, line.size(), color)"}
  - {def: "note_at(line: text, level: i32, color: i32) -> i32", cpp_fn: note}
  - {def: "flagged(line: bytes) -> i32", cpp: "flagged((const unsigned char *)line)"}
  - {def: "flagged_text(line: text) -> i32", cpp_fn: flagged}
  - {def: "sum(data: bytes) -> i32"}
  - {def: "weighted(data: bytes, weight: i32) -> i32"}
  - {def: "joined(a: bytes, b: bytes) -> i32"}
  - {def: "maybe(line: text?) -> i32", cpp: "maybe(line, line.size())"}
  - {def: "maybe_bytes(line: bytes?) -> i32", cpp_fn: maybe}
  - {def: "product(a: &[f64; n], b: &[f64; n]) -> f64", cpp: "product(a, b, n)"}
  - {def: "hear(f: Counted) -> i32", params: {f: {scope: call}}}
"""
GUESSES = {
    '  - {def: "note(line: text, color: i32) -> i32"}': "note(line, line.size(), color)",
    '  - {def: "flagged(line: bytes) -> i32"}': "flagged((const T *)line, …)",
    '  - {def: "same_start(a: text, b: text) -> bool"}': "same_start(a, b, b.size())",
    '  - {def: "maybe(line: text?) -> i32"}': "maybe(line, line.size())",
    '  - {def: "noted(line: text) -> i32", cpp: "note(line, 1)"}': "line, line.size()",
    '      - {def: "note(line: text) -> i32", cpp_fn: gauge_note}': "gauge_note(self, line, line.size())",
    '      - {def: "find(line: text) -> (at: i32, level: i32)", cpp_fn: gauge_find}': (
        "gauge_find(self, line, line.size(), &at)"
    ),
    '      - {def: "mark(data: bytes) -> i32", cpp_method: mark}': "mark(data, data.size())",
}
"""Entries that need a length that nothing asks for, each with a part of its hint."""


@pytest.fixture(params=ENGINES)
def lengths(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(CODE + SAYS, name="lengths").load(request.param)


@pytest.mark.trial("text-takes-the-next-int")
def test_lengths_are_where_the_spec_says(lengths: ModuleType) -> None:
    assert [lengths.note("abc", 5), lengths.note_at("abc", 7, 5)] == [335, 375]
    gauge = lengths.Gauge(2)
    assert [gauge.note("abc"), gauge.find("abc"), gauge.mark(b"a")] == [233, (3, 6), 97]
    assert [lengths.maybe("four"), lengths.maybe(None), lengths.maybe_bytes(None)] == [4, -1, -1]
    with pytest.raises(ValueError, match="embedded null"):
        lengths.note_at("a\0b", 1, 1)


@pytest.mark.trial("lengths-guessed")
def test_bytes_and_memory_bring_the_only_meaning(lengths: ModuleType) -> None:
    assert [lengths.flagged(b"a"), lengths.flagged_text("a")] == [97, 97]
    assert [lengths.sum(b"\1\2"), lengths.weighted(b"\1\2", 5), lengths.joined(b"\1\2", b"\3")] == [3, 15, 33]
    assert lengths.Gauge(2).put(b"\3..") == 9
    assert lengths.product(*(memoryview(bytearray(16)).cast("d"),) * 2) == 0
    assert lengths.hear(lambda line: len(line)) == 1  # C says so


@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def test_a_guess_is_an_error_with_both_ways_out(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    monkeypatch.setenv("CXX", compiler)
    methods = [each for each in GUESSES if each.startswith("      ")]
    functions = [each for each in GUESSES if each not in methods]
    text = "\n".join([CODE.rstrip().replace("name: lengths", "name: wrong"), *methods, "functions:", *functions, ""])
    lines, error = text.split("\n"), mistake_in(text)
    found = {lines[each.span.line - 1]: each for each in (error.diagnostic, *error.more)}
    for entry, part in GUESSES.items():
        diagnostic = found.pop(entry)
        assert re.match(
            r"C\+\+ takes something after (line|b|data) that the spec does not have: its length", diagnostic.message
        )
        assert part in str(diagnostic.advice)
    assert not found


LACKS = {
    '  - {def: "sum(data: bytes) -> i32", cpp: "sum(data)"}': '"sum(data, data.size())"',
    '  - {def: "weighted(data: bytes, weight: i32) -> i32", cpp: "weighted(data, weight)"}': (
        '"weighted(data, data.size(), weight)"'
    ),
}
"""Calls in which nothing stands for what C takes behind an argument, each with its fix."""


def test_a_written_call_without_a_length_is_an_error_that_shows_it() -> None:
    text = "\n".join([CODE.rstrip().replace("name: lengths", "name: lacks"), "functions:", *LACKS, ""])
    lines, error = text.split("\n"), mistake_in(text)
    found = {lines[each.span.line - 1]: each for each in (error.diagnostic, *error.more)}
    assert {entry: [each.replacement for each in found[entry].fixes] for entry in LACKS} == {
        entry: [fix] for entry, fix in LACKS.items()
    }
    assert all(fix in str(found[entry].advice) for entry, fix in LACKS.items())


def test_what_a_call_leaves_of_a_buffer_is_no_memory_of_others(lengths: ModuleType) -> None:
    """It does not say how much it fills, so all of the buffer is the result."""
    for size in (2, 64, 4096):
        assert lengths.start(size) == b"ab" + bytes(size - 2)
    assert lengths.start(0) == b""


ALONE = """\
wrapper_lib: {name: alone, lang: c}
cpp_prelude: |
  struct node { const char *text; };
  inline const char *node_get_text(node *n) { return n->text; }
  inline int node_set_text(node *n, const char *text) { n->text = text; return 1; }
handle_types:
  - name: Node
    cpp_type: node *
    release: delete value
    fields:
      text: {type: "mut bytes?", cpp: node_get_text, set: {cpp: node_set_text, raises: nothing}}
    methods:
      - {def: "set_text(text: bytes?)", cpp: node_set_text, raises: nothing}
"""


def test_bytes_that_may_be_missing_have_no_address_without_a_length() -> None:
    """Else C would read up to a NUL, behind their end or before it."""
    error = mistake_in(ALONE)
    found = {each.span.line: each.message for each in (error.diagnostic, *error.more)}
    assert sorted(found) == [11, 13], found

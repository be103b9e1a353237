"""Reading a spec: plain data, the place of each part, and a diagnostic for each way a file can be broken."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wrapper_gen.diagnostics import Diagnostic, SpecError
from wrapper_gen.spec import Document, read_document, yaml_reader

Read = Callable[[str | bytes], Document]
PARSERS = [pytest.param(None, id="python")]
if hasattr(yaml, "CSafeLoader"):
    PARSERS.append(pytest.param(yaml.CSafeLoader, id="libyaml"))


@pytest.fixture(params=PARSERS)
def read(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads a text as a spec, with each of the two parsers."""
    monkeypatch.setattr(yaml_reader, "_FAST_LOADER", request.param)
    return lambda text: _read(tmp_path, text)


def _read(folder: Path, text: str | bytes) -> Document:
    path = folder / "lib.wrapper_spec"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_document(path, "lib.wrapper_spec")


def failure(read: Read, text: str | bytes) -> Diagnostic:
    """The one diagnostic that this text gives."""
    with pytest.raises(SpecError) as caught:
        read(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.hint
    assert "\n" not in diagnostic.message + diagnostic.hint
    return diagnostic


def at(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.code} {diagnostic.span.line}:{diagnostic.span.column}"


def place(document: Document, container: object, key: str | int) -> tuple[int, int, int]:
    span = document.span(container, key)
    return span.line, span.column, span.end_column


# --- data ---


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("text", "text"),
        ('"10"', "10"),
        ("'yes'", "yes"),
        ("true", True),
        ("False", False),
        ("y", "y"),
        ("~", None),
        ("null", None),
        ("", None),
        ("10", 10),
        ("0", 0),
        ("0x1F", 31),
        ("0o17", 15),
        ("0.10", 0.1),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("1e-5", 1e-5),
        ("00.5", 0.5),
        ("1_a", "1_a"),
        ("1.5e3", 1500.0),
        ("-.inf", float("-inf")),
        (".", "."),
        ("-", [None]),
        ("-x", "-x"),
        ("+", "+"),
        ("1.2.3", "1.2.3"),
        ("0x", "0x"),
        ("2020-01-01", "2020-01-01"),
        ("1:30", "1:30"),
        ("=", "="),
        ("!!str 10", "10"),
        ("! 10", "10"),
        ("[1, two, [3]]", [1, "two", [3]]),
        ("!!seq [1]", [1]),
        ("{b: 1}", {"b": 1}),
    ],
)
def test_values(read: Read, written: str, value: object) -> None:
    text = f"a:\n  {written}\n" if written == "-" else f"a: {written}\n"
    got = read(text).data["a"]
    assert (got, type(got)) == (value, type(value))


def test_nan(read: Read) -> None:
    got = read("a: .nan\n").data["a"]
    assert isinstance(got, float) and got != got


def test_keys_are_text(read: Read) -> None:
    document = read("values: {NO: a, ON: b, 1: c, 0.10: d, ~: e, 'x y': f}\n")
    assert list(document.data["values"]) == ["NO", "ON", "1", "0.10", "~", "x y"]  # type: ignore[call-overload] # data is of any type


def test_aliases_share(read: Read) -> None:
    document = read("base: &base {doc: d, type: i64}\nsame: *base\n")
    assert document.data["same"] is document.data["base"]
    assert place(document, document.data["same"], "type") == (1, 28, 31)


def test_a_quoted_merge_key_is_a_key(read: Read) -> None:
    assert read("a: {'<<': 1}\n").data["a"] == {"<<": 1}


def test_aliased_scalars(read: Read) -> None:
    document = read("a: &v 0.10\nb: *v\n&k key: 1\nc: {*k : 2}\n")
    assert document.data == {"a": 0.1, "b": 0.1, "key": 1, "c": {"key": 2}}
    assert document.text(document.data, "b") == "0.10"
    assert place(document, document.data, "b") == (1, 4, 11)


# --- places ---

PLACES = """\
# a comment first
wrapper_lib:   # and one here
    name: "cuda"
    version: 0.10
    paths: ['a', b]

functions:
- name: 'é f'   # comment

  params: [{name: x,
            type: i64}]
-   name: >-
      folded
      text
    empty:
-
- plain of
  two lines
"""


def test_places_of_values(read: Read) -> None:
    document = read(PLACES)
    lib = document.data["wrapper_lib"]
    assert place(document, document.data, "wrapper_lib") == (3, 5, 17)
    assert place(document, lib, "name") == (3, 11, 17)
    assert place(document, lib, "version") == (4, 14, 18)
    assert place(document, lib, "paths") == (5, 12, 20)
    paths = lib["paths"]  # type: ignore[index] # data is of any type
    assert [place(document, paths, n) for n in (0, 1)] == [(5, 13, 16), (5, 18, 19)]


def test_places_in_lists(read: Read) -> None:
    document = read(PLACES)
    functions = document.data["functions"]
    assert isinstance(functions, list)
    assert place(document, document.data, "functions")[:2] == (8, 1)
    assert place(document, functions, 0)[:2] == (8, 3)
    assert place(document, functions[0], "name") == (8, 9, 14)
    assert place(document, functions[0], "params") == (10, 11, 21)  # ends where its first line ends
    assert place(document, functions[0]["params"][0], "type") == (11, 19, 22)
    assert place(document, functions[1], "name") == (12, 11, 13)
    assert place(document, functions, 3) == (17, 3, 11)


def test_nothing_written_is_where_its_key_is(read: Read) -> None:
    document = read(PLACES)
    functions = document.data["functions"]
    assert isinstance(functions, list)
    assert place(document, functions[1], "empty") == (15, 5, 10)
    assert place(document, functions, 2) == (16, 1, 2)


def test_places_of_keys_and_containers(read: Read) -> None:
    document = read(PLACES)
    functions = document.data["functions"]
    assert isinstance(functions, list)
    assert str(document.key_span(document.data, "functions")) == "lib.wrapper_spec:7:1"
    assert str(document.key_span(functions[0], "params")) == "lib.wrapper_spec:10:3"
    assert document.key_span(functions, 1) == document.start(functions[1])
    assert str(document.start(functions[1])) == "lib.wrapper_spec:12:5"
    assert str(document.start(document.data)) == "lib.wrapper_spec:2:1"


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_places_do_not_depend_on_line_ends(read: Read, end: str) -> None:
    unix, other = read(PLACES), read(PLACES.replace("\n", end))
    assert other.data == unix.data
    assert place(other, other.data["functions"], 3) == place(unix, unix.data["functions"], 3)


def test_columns_count_characters(read: Read) -> None:
    document = read("a: '\U0001f600 é'\n\U0001f600: {'\u4e2d': x}\n")
    assert place(document, document.data, "a") == (1, 4, 9)
    assert place(document, document.data["\U0001f600"], "\u4e2d") == (2, 10, 11)


@pytest.mark.parametrize("marks", [1, 2])
def test_byte_order_mark(read: Read, marks: int) -> None:
    document = read(b"\xef\xbb\xbf" * marks + b"name: x\n")
    assert document.data == {"name": "x"}
    assert str(document.key_span(document.data, "name")) == "lib.wrapper_spec:1:1"


def test_raw_text(read: Read) -> None:
    document = read("a: 0.10\nb: '0.10'\nc: True\nd: ~\ne: 0x10\nf: text\ng: [1]\nh: !!str 0x2\n")
    texts = [document.text(document.data, key) for key in "abcdefh"]
    assert texts == ["0.10", "0.10", "True", "~", "0x10", "text", "0x2"]
    with pytest.raises(TypeError):
        document.text(document.data, "g")


# --- code ---


@pytest.mark.parametrize(
    ("written", "text", "line", "column", "literal"),
    [
        ("|\n    f();\n      g();\n", "f();\n  g();\n", 2, 5, True),
        ("|-  # why\n    f();\n", "f();", 2, 5, True),
        ("|+\n    f();\n\n", "f();\n\n", 2, 5, True),
        ("|\n\n\n    f();\n", "f();\n", 4, 5, True),
        ("|\n     \n      f();\n", "f();\n", 3, 7, True),
        ("|2\n      f();\n  g();\n", "    f();\ng();\n", 2, 7, True),
        ("&x |\n  f();\n", "f();\n", 2, 3, True),
        ("!!str |\n  f();\n", "f();\n", 2, 3, True),
        ("&x # c\n  !!str\n  |\n  f();\n", "f();\n", 4, 3, True),
        ("|\n  #ifdef X\n  f();\n", "#ifdef X\nf();\n", 2, 3, True),
        (">\n    f();\n    g();\n", "f(); g();\n", 1, 4, False),
        ("f\n", "f", 1, 4, True),
        ('"f()"\n', "f()", 1, 4, True),
        ("'f()'\n", "f()", 1, 4, True),
        ('"f(); \\n g();"\n', "f(); \n g();", 1, 4, False),
        ('"f();\n  g();"\n', "f(); g();", 1, 4, False),
        ("f();\n  g();\n", "f(); g();", 1, 4, False),
        ('\n  "f()"\n', "f()", 2, 3, True),
        ('""\n', "", 1, 4, True),
        ("|\n\nb: 1\n", "", 2, 1, True),
    ],
)
def test_code(read: Read, written: str, text: str, line: int, column: int, literal: bool) -> None:
    document = read(f"a: {written}")
    code = document.code(document.data, "a")
    assert (code.text, code.literal) == (text, literal)
    assert (code.span.line, code.span.column) == (line, column)


def test_code_of_an_alias_is_where_its_anchor_is(read: Read) -> None:
    document = read("a: &x |\n  f();\nb: *x\n")
    assert document.code(document.data, "b") == document.code(document.data, "a")


# --- files ---


def test_missing_file(tmp_path: Path) -> None:
    (tmp_path / "cuda.wrapper_spec").touch()
    with pytest.raises(SpecError) as caught:
        read_document(tmp_path / "cdua.wrapper_spec", "cdua.wrapper_spec")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("WG001", "no such file")
    assert "cuda.wrapper_spec" in diagnostic.hint


@pytest.mark.parametrize("path", ["nowhere/x.wrapper_spec", "x.wrapper_spec", "x\0y", "n" * 5000])
def test_unreadable_paths(tmp_path: Path, path: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_document(tmp_path / path, path)
    assert [d.code for d in caught.value.diagnostics] == ["WG001"]


def test_directory(tmp_path: Path) -> None:
    (tmp_path / "a.wrapper_spec").touch()
    with pytest.raises(SpecError) as caught:
        read_document(tmp_path, "specs")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "WG001" and "directory" in diagnostic.message
    assert "a.wrapper_spec" in diagnostic.hint


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.wrapper_spec"
    path.touch(mode=0o000)
    with pytest.raises(SpecError) as caught:
        read_document(path, "a.wrapper_spec")
    assert "permission" in caught.value.diagnostics[0].message


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.wrapper_spec"
    with path.open("wb") as file:
        file.truncate(50 * 1024 * 1024)  # sparse
    with pytest.raises(SpecError) as caught:
        read_document(path, "large.wrapper_spec")
    assert [d.code for d in caught.value.diagnostics] == ["WG003"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_a_device_without_end_is_too_large() -> None:
    with pytest.raises(SpecError) as caught:
        read_document(Path("/dev/zero"), "zero")
    assert [d.code for d in caught.value.diagnostics] == ["WG003"]


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        (b"\xff", "1:1"),
        (b"a: 1\nb: \xc3\xa9 \xe9\n", "2:6"),
        (b"\xef\xbb\xbfa: \x80", "1:4"),
        (b"a: \xc3", "1:4"),
        ("a: 1\n".encode("utf-16"), "1:1"),
    ],
)
def test_not_utf8(read: Read, raw: bytes, where: str) -> None:
    assert at(failure(read, raw)) == f"WG002 {where}"


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n", "---\n", "--- ~\n", "\ufeff"])
def test_empty(read: Read, text: str) -> None:
    assert at(failure(read, text)) == "WG005 1:1"


@pytest.mark.parametrize(("text", "found"), [("# c\n- a\n", "a list"), ("\n  text\n", "a single value")])
def test_not_a_mapping(read: Read, text: str, found: str) -> None:
    diagnostic = failure(read, text)
    assert diagnostic.code == "WG011" and diagnostic.message.endswith(found)
    assert diagnostic.span.line == 2


# --- broken YAML ---


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("a:\n\tb: 1\n", "2:1", "a tab is used for indentation"),
        ("a:\n  b: 1\n  \tc: 2\n", "3:3", "a tab is used for indentation"),
        ("a: |\n\tf();\n", "2:1", "a tab is used for indentation"),
        ("a: b: c\n", "1:5", "a ':' inside a plain value"),
        ("a: 1\n b: 2\n", "2:3", "a ':' where no key can be"),
        ("a: 1\nb\nc: 3\n", "2:1", "a key without ':'"),
        ("a: [](int x) { f(); }\n", "1:6", "text after the end of a value"),
        ('a: "x" y\n', "1:8", "text after the end of a value"),
        ("a:\n  b: 1\n c: 2\n", "3:2", "this line does not continue what is above it"),
        ("a: |\n    f();\n  g();\n", "3:3", "this line does not continue what is above it"),
        ("a: x\n- b\n", "2:1", "this line does not continue what is above it"),
        ("a: {? }\n", "1:6", "a key is missing here"),
        ("a: [? : b]\n", "1:6", "a key is missing here"),
        ("a: [1, 2\nb: 3\n", "2:2", "a list in brackets is not closed"),
        ("a: {b: 1\n", "2:1", "a mapping in braces is not closed"),
        ('a:\n  b: "never\n\n', "2:6", "this quote is never closed"),
        ("a: @x\n", "1:4", "a plain value cannot start with '@'"),
        ("a: `x`\n", "1:4", "a plain value cannot start with '`'"),
        ("a: &[f32]\n", "1:5", "a plain value cannot start with '&' or '*'"),
        ('a: "\\uZZ"\n', "1:7", "an escape needs hexadecimal digits"),
        ("a: |x\n  f\n", "1:5", "nothing but a comment can follow '|' or '>'"),
        ("a: |0\n  f\n", "1:5", "the indentation after '|' must be 1 to 9"),
        ("a: }\n", "1:4", "a value was expected here"),
        ("a: - b\n", "1:4", "a '- ' where no item can be"),
        ("a: ?\n", "1:4", "a '?' where no key can be"),
        ("? [a]\n: 1\n", "1:3", "a key must be text"),
        ("a: &x [1]\n? *x\n: 1\n", "2:3", "a key must be text"),
        ("a: *x\n", "1:4", "alias '*x' names nothing above it"),
        ("a: !foo x\n", "1:4", "tag '!foo' has no meaning in a spec"),
        ("a: !!binary aGk=\n", "1:4", "tag '!!binary' has no meaning in a spec"),
        ("a: !!set {x}\n", "1:4", "tag '!!set' has no meaning in a spec"),
        ('a: !!python/name:os.system ""\n', "1:4", "tag '!!python/name:os.system' has no meaning in a spec"),
        ("a: !x!y z\n", "1:4", "unknown tag"),
        ("a: !!int 3\n", "1:4", "tag '!!int' has no meaning in a spec"),
        ("a: {b: text?}\n", "1:12", "a '?' inside a plain value in brackets or braces"),
        ("a: [b, text?, c]\n", "1:12", "a '?' inside a plain value in brackets or braces"),
        ("a:\tb\n", "1:3", "a tab between values"),
        ("a: |#c\n  b\n", "1:5", "nothing but a comment can follow '|' or '>'"),
        ("a: b\u2028c\n", "1:5", "character U+2028 does not mean the same to every reader of YAML"),
        ("<<: {}\n", "1:1", "'<<' does not mean the same to every reader of YAML"),
        ("a: " + "9" * 5000, "1:4", "this is not a value of its type"),
        ("a: 1\n---\nb: 2\n", "2:1", "a second YAML document starts here"),
        ("a: 1\n...\nb: 2\n", "3:1", "the document has ended before this"),
        ("%YAML 2.0\n---\na: 1\n", "1:1", "not a version of YAML that is read here"),
        ("a: \x07\n", "1:4", "character U+0007 is not allowed in YAML"),
        ("a: x\0\n", "1:5", "character U+0000 is not allowed in YAML"),
        ("[" * 100_000, "1:101", "nested more than 100 levels deep"),
        ("- " * 100_000, "1:201", "nested more than 100 levels deep"),
        ("{a: " * 100_000, "1:401", "nested more than 100 levels deep"),
    ],
)
def test_broken_yaml(read: Read, text: str, where: str, message: str) -> None:
    diagnostic = failure(read, text)
    assert (at(diagnostic), diagnostic.message) == (f"WG004 {where}", message)


def test_every_question_mark_without_quotes_is_shown(read: Read) -> None:
    """YAML stops at the first one; a `?` where it means something, or within quotes, is none of them."""
    text = "a: {b: text?, c: \"i64?\", d: [i64?, u8], 'e?': 1}\nf: text?\n# {g: no?}\nh:\n  - {i: Doc?}\n"
    with pytest.raises(SpecError) as caught:
        read(text)
    found = [(f"{each.span.line}:{each.span.column}", each.hint) for each in caught.value.diagnostics]
    assert found == [("1:12", 'quote it: "text?"'), ("1:33", 'quote it: "i64?"'), ("5:12", 'quote it: "Doc?"')]


@pytest.mark.parametrize(
    "written", ["yes", "Off", "NO", "010", "08", "-0x1F", "0b101", "1_000", "0x_1", "1_0.5", "1.0_0", ".5_0", "1_0e5"]
)
def test_what_readers_of_yaml_disagree_about(read: Read, written: str) -> None:
    """YAML 1.1, which libyaml and PyYAML follow, and YAML 1.2 give these different values."""
    diagnostic = failure(read, f"a: [1, {written}]\n")
    assert at(diagnostic) == "WG004 1:8"
    assert diagnostic.message == f"{written!r} does not mean the same to every reader of YAML"
    assert f'quote it if it is text: "{written}"' in str(diagnostic.hint)
    assert read(f"a: [1, '{written}']\n{written}: 1\n").data == {"a": [1, written], written: 1}


def test_an_unknown_escape(read: Read) -> None:
    diagnostic = failure(read, 'a: "\\d"\n')
    assert diagnostic.message == "unknown escape in a double-quoted text"


def test_an_open_bracket_is_shown_too(read: Read) -> None:
    diagnostic = failure(read, "a:\n  b: [1,\nc: 2\n")
    ((span, what),) = diagnostic.related
    assert (str(span), what) == ("lib.wrapper_spec:2:6", "opened here")


# --- duplicates and aliases ---


def test_duplicate_keys_are_all_reported(read: Read) -> None:
    text = "a: 1\nb: {c: 1, 'c': 2}\na: 3\n1: x\na: [4]\n'1': y\n"
    with pytest.raises(SpecError) as caught:
        read(text)
    found = caught.value.diagnostics
    assert [at(d) for d in found] == ["WG006 2:11", "WG006 3:1", "WG006 5:1", "WG006 6:1"]
    assert found[1].message == "'a' occurs twice in this mapping; first on line 1"
    assert [str(span) for span, _ in found[2].related] == ["lib.wrapper_spec:1:1"]


def test_duplicates_and_broken_yaml_in_one_run(read: Read) -> None:
    with pytest.raises(SpecError) as caught:
        read("a: 1\na: 2\nb: @\n")
    assert [at(d) for d in caught.value.diagnostics] == ["WG006 2:1", "WG004 3:4"]


@pytest.mark.parametrize(
    ("text", "where"),
    [("a: &x [*x]\n", "1:8"), ("&x a: &x\n  b: *x\n", "2:6")],
)
def test_recursive_aliases(read: Read, text: str, where: str) -> None:
    assert at(failure(read, text)) == f"WG007 {where}"


def bomb(levels: int, width: int) -> str:
    """Each level has `width` aliases to the one before."""
    lines = [f"a0: &a0 [{', '.join('x' * width)}]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


def test_an_alias_bomb_is_found_without_expanding(read: Read) -> None:
    diagnostic = failure(read, bomb(30, 10))
    assert diagnostic.code == "WG007" and "1,000,000" in diagnostic.message


def test_many_small_aliases_are_no_bomb(read: Read) -> None:
    document = read("a: &a [1, 2]\nb: [" + ", ".join(["*a"] * 10_000) + "]\n")
    assert document.data["b"] == [[1, 2]] * 10_000


def test_aliases_do_not_nest_deeper_than_brackets(read: Read) -> None:
    lines = ["a0: &a0 " + "[" * 50 + "]" * 50]
    lines += [f"a{n}: &a{n} {'[' * 50}*a{n - 1}{']' * 50}" for n in range(1, 5)]
    assert at(failure(read, "\n".join(lines))) == "WG007 2:59"


# --- any text at all ---

PIECES = st.one_of(
    st.sampled_from(["\n", "\n  ", "\r", "\t", "\u2028", "b: ", "- ", "? ", ", ", "&x ", "*x ", "<<: ", "|\n", "|#"]),
    st.sampled_from(["!!int ", "---\n", "...\n", "-.inf", "1", "a", "é", "text?", "yes", "010"]),
    st.sampled_from("[]{}'\"#\\%>@~"),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_text_is_read_or_explained(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    try:
        document = _read(folder, text)
    except SpecError as error:
        assert error.diagnostics and all(d.hint for d in error.diagnostics)
        return
    lines = document.source.text.count("\n") + document.source.text.count("\r") + 1
    for key, value in document.data.items():
        span = document.span(document.data, key)
        assert 1 <= span.line <= lines and 1 <= span.column < span.end_column
        if isinstance(value, str):
            assert document.code(document.data, key).text.strip() == value.strip()


def outcome(folder: Path, text: str) -> object:
    """All that comes of reading this text."""
    try:
        document = _read(folder, text)
    except SpecError as error:
        return error.diagnostics
    spans = [document.span(document.data, key) for key in document.data]
    return repr(document.data), spans  # a NaN is not equal to itself


@pytest.mark.skipif(not hasattr(yaml, "CSafeLoader"), reason="PyYAML was built without libyaml")
@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
@example("{? }")
@example("a: [? : b]")
def test_any_text_reads_the_same_without_libyaml(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    with_libyaml = outcome(folder, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_reader, "_FAST_LOADER", None)
        assert outcome(folder, text) == with_libyaml


# --- specs of ours ---------------------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
OURS = sorted(
    path
    for folder in ("specs", "tests/cases", "tests/behaviour", "examples")
    for path in (ROOT / folder).rglob("*.wrapper_spec")
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)
FLOW_OPTIONAL = re.compile(r"[{,]\s*\w+: [^\s\"'{}\[\],]*\?\s*[,}]")


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_our_specs_are_read_by_every_reader_of_yaml(path: Path) -> None:
    """PyYAML without libyaml takes a `?` before a comma or a brace for a key, and refuses it."""
    text = path.read_text(encoding="utf-8")
    scalars = [e for e in yaml.parse(text, Loader=yaml.SafeLoader) if isinstance(e, yaml.ScalarEvent)]
    quoted = [text[e.start_mark.index : e.end_mark.index] for e in scalars if e.style in ("|", ">", '"', "'")]
    for each in quoted:  # text to every reader
        text = text.replace(each, "")
    assert FLOW_OPTIONAL.findall(text) == []


@pytest.mark.parametrize(
    "page", [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"], ids=lambda page: page.name
)
def test_our_pages_quote_what_not_every_reader_takes(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert FLOW_OPTIONAL.findall(text) == []
    for block in re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        assert list(yaml.parse(block, Loader=yaml.SafeLoader))

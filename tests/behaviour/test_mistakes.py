"""Mistakes in user code are compile errors at the spec's own line, and no result loses its meaning in silence."""

from __future__ import annotations

import array
import datetime
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.compilers import environment, quick
from wrapper_gen import compile
from wrapper_gen.diagnostics import Diagnostic, ToolchainError

COMPILERS = ["g++", pytest.param("clang++", marks=pytest.mark.long)]
MARK = "<--"
"""Stands on the line that the error must name."""
HEADER = """\
wrapper_lib: {name: wrong}
cpp_prelude: |
  #include <cstring>
  #include <functional>
  #include <map>
  #include <memory>
  #include <optional>
  enum class Fine { yes, no };
  enum Old { old_one };
  struct Box { i64 value = 1; void set(i64 v) { value = v; } i64 get() const { return value; } };
  inline i64 takes_two(i64 a, i64 b) { return a + b; }
  inline void takes_box(const Box&) {}
  inline i64 takes_int(int a) { return a; }
  inline i64 takes_bool(bool a) { return a; }
  inline i64 takes_text(const std::string &a) { return static_cast<i64>(a.size()); }
  struct Flag { Flag(bool) {} void put(const Flag &) {} void set(bool) {} };
  inline i64 takes_flag(const Flag &) { return 0; }
  inline i64 takes_flag_after(i64, Flag) { return 0; }
  inline i64 takes_one_of(int a) { return a; }
  inline i64 takes_one_of(const char *) { return 0; }
  inline i64 takes_maybe(std::optional<int> a) { return a.value_or(0); }
  struct Derived : Box { i64 more = 2; };
errors:
  - {type: Fine, ok: ["Fine::yes"]}
handle_types:
  - {name: Box, cpp_type: "::Box"}
  - {name: Sole, cpp_type: "std::unique_ptr<::Box>"}
  - {name: Raw, cpp_type: "::Box *", release: delete value}
  - {name: Flagged, cpp_type: Flag}
"""
HALVE = """\
  inline void halve(int x, int *out) { *out = x / 2; }
errors:"""
RESULTS = [
    ("return 2.5;", "i64"),
    ("return 2.5f;", "u8"),
    ('return "text";', "i64"),
    ("return nullptr;", "i64"),
    ('return "text";', "bool"),
    ("return 1.0;", "bool"),
    ("return nullptr;", "bool"),
    ("return Fine::yes;", "bool"),
    ("return old_one;", "bool"),
    ("return ::Box();", "i64"),
    ("return std::make_unique<::Box>();", "i64"),
    ("return true;", "f64"),
    ("return old_one;", "f64"),
    ('return "text";', "f64"),
    ("return 1.0L;", "f64"),
    ("return 5;", "text"),
    ("return std::vector<i64>{1};", "text"),
    ("return 5;", "[i64]"),
    ("return std::vector<f64>{1};", "[i16]"),
    ("return 5;", "Box"),
    ("return std::string();", "Box"),
    ("return ::Derived();", "Box"),
    ("return new ::Box();", "Flagged"),
    ("return std::optional<f64>(1.5);", "i32?"),
    ("return 5;", "void"),
    ("return;", "i64"),
    ("static_cast<void>(0);", "i64"),
]
"""A body and the type that it cannot have; each pair of types once, since a compiler reports it once."""
FINE = [("return 1u;", "i64"), ("return 1;", "bool"), ("return old_one;", "i64"), ("return 1;", "f64")]
FINE_CALLS = [
    "cpp_fn: '[] { return Fine::yes; }', raises: null",
    "cpp_fn: '[] { return old_one; }'",
    "cpp_fn: '[] { return Fine::yes; }'",
]
CALLS = [
    "cpp_fn: '[] { }', return: i64",
    "cpp_fn: '[](f64 x) { return x; }', params: [{name: x, type: f64}], return: u16",
    "cpp_fn: '[] { return std::string(); }', return: i64",
    "cpp_fn: takes_tow, params: [{name: a, type: i64}], return: i64",
    "cpp_fn: takes_two, params: [{name: a, type: i64}], return: i64",
    "cpp_fn: takes_box, params: [{name: a, type: i64}]",
    "cpp_fn: '[](i64 a) { return a; }', params: [{name: a, type: text}], return: i64",
    "cpp_fn: '[](i64 a) { return a; }', params: [{name: a, type: Box}], return: i64",
    "cpp_fn: '[](const auto& a) { return a.valeu; }', params: [{name: a, type: Box}], return: i64",
    "cpp_fn: '[](const auto&) {}', params: [{name: a, type: '[Sole]'}]",
    "cpp_fn: takes_int, params: [{name: a, type: f64}], return: i64",
    "cpp_fn: takes_int, params: [{name: a, type: f32}], return: i64",
    "cpp_fn: takes_maybe, params: [{name: a, type: 'f64?'}], return: i64",
    "cpp_fn: takes_one_of, params: [{name: a, type: 'i64 | text'}], return: i64",
    "cpp_fn: takes_bool, params: [{name: a, type: text}], return: i64",
    "cpp_fn: '[](int a) { return a; }', params: [{name: a, type: f64}], return: i64",
    "cpp_fn: '[](auto, const bool& a) { return a; }', params: [{name: b, type: u8}, {name: a, type: f64}]",
    "cpp_fn: '[](bool a) { return a; }', params: [{name: a, type: text}], return: i64",
    "cpp_fn: takes_bool, params: [{name: a, type: Raw}], return: i64",
    "cpp_fn: takes_bool, params: [{name: a, type: 'Raw?'}], return: i64",
    "cpp_fn: takes_flag, params: [{name: a, type: Raw}], return: i64",
    "cpp_fn: takes_flag_after, params: [{name: x, type: i64}, {name: a, type: Raw}], return: i64",
    "cpp_fn: takes_flag, params: [{name: a, type: Raw}], cpp_params: [a], return: i64",
    "cpp_fn: '[](bool a) { return a; }', params: [{name: a, type: Raw}], return: i64",
    "cpp_fn: '[](const Flag &) {}', params: [{name: a, type: Raw}]",
    "cpp_fn: '[](std::function<bool(int)>) {}', params: [{name: f, type: fn(i32) -> Raw}]",
    "cpp_fn: '[](std::function<Flag(int)>) {}', params: [{name: f, type: fn(i32) -> Raw}]",
    "cpp_fn: '[](const std::map<std::string, bool> &) {}', params: [{name: a, type: '{text: Raw}'}]",
    "cpp_fn: '[](const std::pair<Flag, int> &) {}', params: [{name: a, type: '(Raw, i32)'}]",
    "cpp_fn: takes_text, params: [{name: a, type: 'text?'}], return: i64",
    "cpp_fn: takes_bool, params: [{name: a, type: 'text?'}], return: i64",
    "cpp_fn: '[](bool a) { return a; }', params: [{name: a, type: 'text?'}], return: i64",
    "cpp_fn: '[] { return 5; }', raises: Fine",
    "cpp_body: 'return 5;', raises: Fine",
    "cpp_fn: strdup, params: [{name: a, type: text}], return: text, free: gone(value)",
    "cpp_fn: strdup, params: [{name: a, type: text}], return: bytes, length: gone(a)",
    "cpp_fn: '[] { return ::Box(); }', raises: {type: Fine, from: gone(result)}",
    "cpp_fn: '[] { return Fine::no; }', return: 'i64?', raises: Fine, none: 'Fine::gone', result: '1'",
    "cpp_fn: '[] { return Fine::no; }', raises: {type: Fine, each: None}",
    "cpp_fn: takes_two, params: [{name: a, type: i64}], cpp_params: [a, {out: _}], return: i64",
    "cpp_fn: takes_two, params: [{name: a, type: i64}], cpp_params: [a, {value: gone}], return: i64",
    "cpp_fn: strnlen, params: [{name: a, type: text}], cpp_params: [a, {role: length, of: a, value: gone}], return: u8",
]
"""What implements a function, and cannot."""
METHODS = [
    "cpp_method: gte, return: i64",
    "cpp_method: set",
    "cpp_method: set, params: [{name: v, type: f64}]",
    "cpp_method: get, return: text",
    "cpp_body: h.inner.gte();",
]
ON_THEIR_OWN = {
    "typo in a body": f"""{HEADER}functions:
  - name: f
    cpp_body: |
      i64 value = 1;

      valeu += 1;  // {MARK}
      return value;
    return: i64
""",
    "typo after a directive": f"""{HEADER}functions:
  - name: f
    cpp_body: |
      #ifdef NOTHING
      nothing();
      #endif
      valeu += 1;  // {MARK}
""",
    "no return at the end of a body": f"""{HEADER}functions:
  - name: f
    cpp_body: |
      static_cast<void>(1);
      static_cast<void>(2);  // {MARK}
    return: i64
""",
    "typo in a lambda of several lines": f"""{HEADER}functions:
  - name: f
    cpp_fn: |
      [](i64 a,
         const auto& box) {{
          return a + box.valeu;  // {MARK}
      }}
    params: [{{name: a, type: i64}}, {{name: box, type: Box}}]
    return: i64
""",
    "typo in a quoted text of several lines": f"""{HEADER}functions:
  - name: f
    cpp_body: "i64 value = 1;\\n
      return valeu;  // {MARK}"
    return: i64
""",
    "prelude": f"""\
wrapper_lib: {{name: wrong}}
cpp_prelude: |
  #include <map>

  inline in fine() {{ return 1; }}  // {MARK}
""",
    "another name of a type that results have as it is": f"""\
wrapper_lib: {{name: wrong}}
cpp_prelude: |
  typedef char *owned_text;
types:
  - {{name: Owned, is: text, cpp_type: owned_text, data: value}}  # {MARK}
functions:
  - {{def: "f() -> Owned", cpp_body: return nullptr;}}
""",
    "type of a handle": f"""{HEADER}  - {{name: Other, cpp_type: Bxo}}  # {MARK}
""",
    "end of the library": f"""\
wrapper_lib:
  name: wrong
  shutdown: wrong_end(1)  # {MARK}
cpp_prelude: inline void wrong_end() {{}}
""",
    "release of a handle": f"""{HEADER}  - {{name: Other, cpp_type: "::Box", cpp_drop: realese(h)}}  # {MARK}
""",
    "what is no object": f"""{HEADER}  - {{name: Other, cpp_type: "::Box", empty: gone(value)}}  # {MARK}
""",
    "value of an enum": f"""{HEADER}enums:
  - name: Fine
    cpp_type: Fine
    values:
      YES: Fine::yes
      NO: Fine::on  # {MARK}
""",
    "type of an enum": f"""{HEADER}enums:
  - {{name: Fine, cpp_type: Fnie, values: {{YES: 1}}}}  # {MARK}
""",
    "type of a status": "errors:\n  - {cpp_type: Fnie, ok: [0]}",
    "good status": 'errors:\n  - {cpp_type: Fine, ok: ["Fine::yse"]}',
    "mapped status": 'errors:\n  - {cpp_type: Fine, ok: ["Fine::yes"], exceptions: [{name: Odd, when: [Fine::on]}]}',
    "message of a status": 'errors:\n  - {cpp_type: Fine, ok: ["Fine::yes"], message: describe}',
    "message of a status by its object": (
        'errors:\n  - {cpp_type: Fine, ok: ["Fine::yes"], message: {Box: gone(self), else: "1"}}'
    ),
    "name of a status by its object": (
        'errors:\n  - cpp_type: Fine\n    ok: ["Fine::yes"]\n'
        '    fields: {name: {type: text, cpp: {Box: gone(self), else: "1"}}}'
    ),
    "attribute of a status": (
        'errors:\n  - {cpp_type: Fine, ok: ["Fine::yes"], name: Bad, fields: {at: {type: i64, cpp: gone(value)}}}'
    ),
    "type of an exception": 'errors:\n  - {cpp_type: "std::no_such_error"}',
    "exception without what()": 'errors:\n  - {cpp_type: "::Box"}',
}


def test_every_mistake_is_at_its_line() -> None:
    """All in one compilation: the lines of what is wrong are mentioned, and those of what is right are not."""
    fine = [f"cpp_body: '{code}', return: '{type_}'" for code, type_ in FINE] + FINE_CALLS
    wrong = [*(f"cpp_body: '{code}', return: '{type_}'" for code, type_ in RESULTS), *CALLS]
    lines = [*HEADER.splitlines(), "functions:"]
    lines += [f"  - {{name: f{i}, {each}}}" for i, each in enumerate([*fine, *wrong])]
    lines += ["methods:", *(f"  - {{handle: Box, name: m{i}, {each}}}" for i, each in enumerate(METHODS))]
    start = lines.index("functions:") + 2 + len(fine)
    expected = {start + i: each for i, each in enumerate(wrong)}
    expected |= {lines.index("methods:") + 2 + i: each for i, each in enumerate(METHODS)}
    mentioned = {int(n) for n in re.findall(r"\bwrong\.wrapper_spec:(\d+):", errors_of("\n".join(lines)))}
    assert [each for line, each in expected.items() if line not in mentioned] == []
    assert [lines[line - 1] for line in mentioned if line > lines.index("functions:") and line not in expected] == []


def errors_of(text: str) -> str:
    """What the compiler says of a spec's bridge."""
    command = [
        "c++",
        "-std=c++17",
        "-fsyntax-only",
        "-fmax-errors=0",
        "-Werror=return-type",
        "-DHAS_WRONG",
        "bridge.cpp",
    ]
    folder = packages.generate_text(text, name="wrong")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    return done.stderr


def mistake_in(
    text: str, flags: Sequence[str] = ("-fsyntax-only",), engine: str = packages.ENGINES[0]
) -> ToolchainError:
    """What building this spec says is wrong; headers of ours are read anew, since mistakes are found in them."""
    package, fixes = packages.generate_text(text, name="wrong"), packages.fixes(text, name="wrong")
    standard = quick("-O0", os.environ.get("CXX", "g++"), is_whole=False)
    with environment(CXXFLAGS=" ".join([standard, *flags])), pytest.raises(ToolchainError) as caught:
        compile.build(package, report=lambda line: None, engine=engine, fixes=fixes)
    return caught.value


def check_place(found: Diagnostic, text: str) -> None:
    line = next(i for i, each in enumerate(text.split("\n"), 1) if MARK in each)
    shown = Path(found.span.path)
    assert shown.is_file(), "the path is one of the current folder"
    assert (shown.name, found.span.line, found.code) == ("wrong.wrapper_spec", line, "WG061"), found.message


@pytest.mark.quick(2, slow=4)
@pytest.mark.parametrize("name", ON_THEIR_OWN)
def test_mistakes_are_named_where_they_are(name: str) -> None:
    text = ON_THEIR_OWN[name]
    if text.startswith("errors:"):
        text = HEADER.replace('errors:\n  - {type: Fine, ok: ["Fine::yes"]}', f"{text}  # {MARK}")
    check_place(mistake_in(text).diagnostic, text)


@pytest.mark.quick(1, slow=2)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("cpp_body: 'return 2.5;', return: i64", "the result is no integer"),
        ("cpp_body: 'return 5;', return: text", "the result is neither text nor bytes"),
        (
            "cpp_body: 'return 0.1L;', return: f64",
            "the result is a long double, which has more digits than f64",
        ),
        ('cpp_body: return "text";, return: bool', "the result is no bool"),
        ("cpp_fn: '[] { return 5; }', raises: Fine", "`raises:` names another type"),
        (
            "cpp_fn: '[] { return Fine::yes; }', raises: {type: Fine, each: None}",
            "`wg::each` wants a list of statuses, and what it has is none",
        ),
        ("cpp_body: 'return std::vector<int>();', raises: {type: Fine, each: None}", "`raises:` names another type"),
        ("cpp_body: 'return 5;'", "the body returns a value, and the entry has no result"),
        ("cpp_fn: '[] { return ::Box(); }', raises: {type: Fine, from: result.value}", "`raises:` names another type"),
        ("cpp_body: 'wg_check<Fine>(Fine::no, 3.5);'", "wg_check: the object is none of a handle type"),
        ("cpp_body: wg_check<Old>(old_one);", "wg_check: `errors:` has no status of this name"),
        ("cpp_fn: takes_tow", "takes_tow"),
        ("cpp_fn: gone, params: [{name: x, type: i64}], cpp_params: [x], return: i64", "'gone'"),
        ("cpp_fn: gone, params: [{name: x, type: i64}], return: text, out: {capacity: x}", "'gone'"),
        ("cpp_fn: nowhere::gone, params: [{name: x, type: i64}], cpp_params: [x], return: i64", "'nowhere'"),
        ("cpp_fn: std::gone, params: [{name: x, type: i64}], return: text, out: {capacity: x}", "'gone'"),
    ],
)
def test_the_first_mistake_is_shown(line: str, words: str) -> None:
    text = f"{HEADER}functions:\n  - {{name: f, {line}}}  # {MARK}\n"
    error = mistake_in(text)
    check_place(error.diagnostic, text)
    assert words in error.diagnostic.message


STATUSES = f"""\
wrapper_lib: {{name: wrong}}
cpp_prelude: |
  enum class Twice {{ yes, no }};
  inline Twice both(int) {{ return Twice::yes; }}
  inline int *none() {{ return nullptr; }}
errors:
  - {{name: First, cpp_type: Twice, ok: "Twice::yes"}}
  - {{name: Second, cpp_type: Twice, ok: "Twice::no"}}
  - {{name: Third, cpp_type: int, ok: 0, on_null: 7}}
handle_types: [{{name: Number, cpp_type: int *, cpp_drop: static_cast<void>(value)}}]
functions:
  - {{CALL}}  # {MARK}
"""


@pytest.mark.quick(1, slow=2)
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            'def: "both(x: i32)"',
            "2 errors have the C++ type Twice, which the call returns: say raises: First, or raises: Second",
        ),
        (
            'def: "none() -> Number?", raises: Third',
            "a null pointer is None here, so `on_null` of the error has no use",
        ),
        ('def: "none() -> Number", raises: First', "`raises:` names another type than the call returns"),
    ],
)
def test_a_status_that_is_not_decided(call: str, words: str) -> None:
    text = STATUSES.replace("{CALL}", f"{{{call}}}")
    found = mistake_in(text).diagnostic
    check_place(found, text)
    assert words in found.message


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_an_out_parameter_that_nothing_speaks_of_gets_a_way_out(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    without_statuses = HEADER.replace(
        'errors:\n  - {type: Fine, ok: ["Fine::yes"]}\n', HALVE.removesuffix("errors:"), 1
    )
    text = f"""{without_statuses}functions:
  - {{name: halve, cpp_fn: halve, params: [{{name: x, type: i64}}], return: i64}}  # {MARK}
"""
    with environment(CXX=compiler):
        found = mistake_in(text).diagnostic
    check_place(found, text)
    assert found.hint.endswith('& before what it writes, and values that Python does not see: cpp: "halve(x, &out)"')
    mended = text.replace("cpp_fn: halve", 'cpp: "halve(x, &out)"')
    assert packages.build_text(mended, name="wrong").load().halve(10) == 5


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_result_that_is_no_range_is_one_mistake(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    wanted = {
        "[i64]": "for an address say `length`",
        "[Raw]": "for an address say `length`",
        "{text: i64}": "for an address say `length`",
        "set[i64]": "for an address say `length`",
        "iter[i64]": "for a cursor or a linked list, give `types` an entry with `next`",
        "(i64, i64, i64)": "make one in `result`",
    }
    text = f"{HEADER}functions:\n"
    text += "".join(f"  - {{def: 'f{i}() -> {each}', cpp_body: return ::Box();}}\n" for i, each in enumerate(wanted))
    with environment(CXX=compiler):
        failed = mistake_in(text)
    found = {each.span.line: each for each in (failed.diagnostic, *failed.more)}
    assert len(found) == 1 + len(failed.more) == len(wanted)
    for line, (type_, way) in enumerate(wanted.items(), text.count("\n") - len(wanted) + 1):
        assert found[line].message.startswith(f"the result is no {'tuple' if '(' in type_ else 'range'}")
        assert found[line].hint.startswith(way)


ITERATORS = """\
wrapper_lib: {name: wrong}
cpp_prelude: |
  #include <list>
  struct item { int n; };
  struct row { std::list<item> items; };
  struct table { row first; row &get() { return first; } };
handle_types:
  - name: Table
    cpp_type: table
    methods:
      - {def: "Table()"}
      - {def: "get() -> Row", cpp: self.get()}
      - {def: "__iter__() -> iter[i64]", cpp: self.first.items}
  - name: Row
    cpp_type: "row &"
    belongs_to: Table
    methods:
      - {def: "__iter__() -> iter[text]", cpp: self.items}
"""


@pytest.mark.quick(1)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_elements_of_other_types_are_named_at_the_entry(compiler: str, engine: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    with environment(CXX=compiler):
        failed = mistake_in(ITERATORS, engine=engine)
    found = {each.span.line: each.message for each in (failed.diagnostic, *failed.more)}
    assert found == {13: "the result is no integer", 18: "the result is neither text nor bytes"}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_code_that_takes_handles_otherwise_gets_a_way_out(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    bodies = ["::Box *p = &box; p->set(1);", "::Box &found = box; found.set(1);", "box.set(1);", "box->set(1);"]
    text = f"{HEADER}functions:\n"
    text += "".join(f"  - {{def: 'f{i}(box: Box)', cpp_body: '{body}'}}\n" for i, body in enumerate(bodies))
    text += (
        "  - {def: 'g(box: Raw?)', cpp_fn: '[](::Box &) {}'}\nmethods:\n  - {def: 'Box.__eq__(other: Box) -> bool'}\n"
    )
    with environment(CXX=compiler):
        failed = mistake_in(text)
    found = {each.span.line - text.count("\n") + 2: each.hint for each in (failed.diagnostic, *failed.more)}
    assert sorted(found) == [-4, -3, -2, -1, 0, 2]
    assert found.pop(2).endswith(
        "implements __eq__, with cpp or cpp_body; for handles with one pointer, say identity: true"
    )
    if compiler == "g++":  # clang++ says why in notes only
        assert found.pop(0) == "a parameter `T?` may be None: let the lambda take a pointer, which is null then"
    for line in (-4, -3, -2, -1):
        assert found[line].startswith("Box is the struct of the handle type here, with the member `inner`"), found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_is_said_of_types_is_named_at_their_own_lines(compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    text = """\
wrapper_lib: {name: wrong}
cpp_prelude: |
  namespace barn { struct Hen { std::string says() const { return "cluck"; } }; struct Egg : Hen {}; }
  using namespace barn;
  struct settings { const int fixed = 1; int free = 2; };
  struct reading { const int at = 1; };
  inline int run(int count, const settings &with) { return count + with.free; }
structs:
  - {name: Settings, cpp_type: settings, fields: {fixed: i32, free: i32}}
  - {name: Reading, cpp_type: reading, fields: {at: i32}}
handle_types:
  - {name: Hen, cpp_type: barn::Hen}
  - {name: Egg, cpp_type: "barn::Egg *", release: delete value, extends: Hen}
functions:
  - {def: "run(count: i32, **options: Settings) -> i32"}
  - {def: "read() -> Reading", cpp_body: "return {};"}
  - {def: "says(hen: Hen) -> text", cpp_fn: "[](const Hen &hen) { return hen.says(); }"}
"""
    with environment(CXX=compiler):
        failed = mistake_in(text)
    found = {each.span.line: each for each in (failed.diagnostic, *failed.more) if each.span.path.endswith("spec")}
    assert sorted(found) == [9, 10, 13, 17]
    for line, member in ((9, "fixed"), (10, "at")):
        assert found[line].message == f"the member {member} of the C++ struct is const, and cannot be set"
        assert found[line].hint == f"drop the field {member}"
    assert found[13].message == "`extends`: one of the two types holds objects, and the other one points to them"
    assert found[13].hint == "let both hold their objects in the same way"
    assert found[17].hint.startswith("Hen is the struct of the handle type here, with the member `inner`")
    assert found[17].hint.endswith("a lambda gets that itself where it has the class with its namespace, or as ::Hen")


@pytest.mark.quick(2, slow=4)
@pytest.mark.parametrize("holds", ["::Box", "::Box *", "Opaque *", "int"])
def test_a_function_of_c_as_a_member_gets_a_way_out(holds: str) -> None:
    text = f"""{HEADER}  - {{name: Thing, cpp_type: "{holds}", cpp_drop: "static_cast<void>(h)"}}
methods:
  - {{handle: Thing, name: step, cpp_method: thing_step, return: i64}}  # {MARK}
""".replace("  struct Box", "  struct Opaque;\n  struct Box", 1)
    found = mistake_in(text).diagnostic
    check_place(found, text)
    assert found.hint.startswith(
        "thing_step is no member of what the handle holds: for a function of C, say cpp: ::thing_step"
    )


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++; clang++ does not say what is missing")
def test_a_missing_member_is_said_before_what_follows_from_it() -> None:
    text = f'{HEADER}methods:\n  - {{def: "Box.gone(value: i64 | text)"}}  # {MARK}\n'
    with environment(CXX="g++"):
        found = mistake_in(text).diagnostic
    check_place(found, text)
    assert "member named 'gone'" in found.message


def test_a_way_out_of_a_body_without_return() -> None:
    text = f"""{HEADER}functions:
  - name: f
    cpp_body: |
      if (a > 0)
          return 1;  // {MARK}
    params: [{{name: a, type: i64}}]
    return: i64
"""
    check_place(mistake_in(text, flags=["-O0"]).diagnostic, text)  # found later than syntax is


def test_the_command_exits_with_4(tmp_path: Path) -> None:
    spec = tmp_path / "specs" / "wrong.wrapper_spec"
    spec.parent.mkdir()
    text = ON_THEIR_OWN["typo in a body"]
    spec.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "wrapper_gen", "build", "specs/wrong.wrapper_spec"],
        cwd=tmp_path,
        env={**os.environ, "CXXFLAGS": "-fsyntax-only"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    line = text[: text.index(MARK)].count("\n") + 1
    column = text.splitlines()[line - 1].index("valeu") + 1
    assert (
        f"specs/wrong.wrapper_spec:{line}:{column}: error: the compiler says: 'valeu' was not declared" in done.stderr
    )
    assert "valeu += 1;" in done.stderr


PLAN = """\
  class plan {
  public:
    virtual ~plan() = default;
    virtual void area(int) {}
    virtual void area(double) const {}
  private:
    virtual void hidden() {}
  };
"""
NOT_VIRTUAL = {
    'def: "aera(scale: f64) -> f64"': "Plan.aera: the C++ class has no aera, or several: ",
    'def: "area(scale: f64) -> f64"': "Plan.area: the C++ class has no area, or several: ",
    'def: "name() -> [text]", cpp_method: nmae': "Plan.name: the C++ class has no nmae, or several: ",
    'def: "other() -> Box?", abstract: true': "Plan.other: the C++ class has no other, or several: ",
    'def: "hidden()"': "Plan.hidden: the C++ class has no hidden, or several: ",
    'def: "at(i: f64)", cpp_method: area, cpp_type: void (float)': "the C++ class has no area of this cpp_type: ",
}


ALIASES = """\
wrapper_lib: {name: wrong, lang: c}
cpp_prelude: |
  struct parser { int n; };
  typedef struct parser *Parser_P;
  typedef const Parser_P Constant;
  inline Parser_P parser_new(void) { return new parser{}; }
  inline Constant parser_last(Parser_P p) { return p; }
  inline Parser_P parser_own(void) { static parser own = {1}; return &own; }
handle_types:
"""


@pytest.mark.quick(1)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ('{name: Parser, cpp_type: Parser_P, methods: [{def: "Parser()", cpp: parser_new}]}', 1),
        ("{name: Parser, cpp_type: Parser_P, fields: {last: {type: Parser, cpp: parser_last}}}", 1),
        ("{name: Parser, cpp_type: Constant, fields: {last: Parser}}", 1),
        (
            "{name: Parser, cpp_type: Parser_P, methods:\n"
            '    [{def: "static own() -> Parser", cpp: parser_own, release: nothing},\n'
            '    {def: "static made() -> Parser", cpp: parser_new}]}',
            3,
        ),
    ],
)
def test_a_pointer_of_another_name_that_nothing_releases(entry: str, line: int, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    with environment(CXX=compiler):
        found = mistake_in(f"{ALIASES}  - {entry}\n").diagnostic
    assert found.message == "Parser holds a pointer, and the spec does not say who owns the one that this returns"
    assert found.hint.startswith("on Parser say what releases it, release, or what it belongs to, belongs_to; ")
    assert found.span.line == ALIASES.count("\n") + line


def test_an_object_that_is_released_in_any_case() -> None:
    text = f"""\
{ALIASES}  - {{name: Parser, cpp_type: Parser_P, release: "delete value"}}
  - {{name: Text, cpp_type: line}}
functions:
  - {{def: "own() -> Parser", cpp: parser_own, release: nothing}}
  - {{def: "line() -> Text", cpp: "::line()", release: nothing}}  # {MARK}
""".replace("  struct parser {", "  #include <string>\n  struct line { std::string text; };\n  struct parser {")
    found = mistake_in(text).diagnostic
    check_place(found, text)
    assert found.message == "Text holds an object whose destructor runs in any case"


def test_a_virtual_function_that_cpp_has_not_is_one_mistake() -> None:
    header = HEADER.replace("  inline i64 takes_two", f"{PLAN}  inline i64 takes_two")
    methods = "".join(f"      - {{{each}}}\n" for each in NOT_VIRTUAL)
    text = f'{header}interfaces:\n  - name: Plan\n    cpp_type: "::plan"\n    methods:\n{methods}'
    found = mistake_in(text)
    every = [found.diagnostic, *found.more]
    first = text.count("\n") - len(NOT_VIRTUAL) + 1
    assert [each.span.line for each in every] == list(range(first, first + len(NOT_VIRTUAL)))
    for each, words in zip(every, NOT_VIRTUAL.values(), strict=True):
        assert words in each.message
    assert found.output.count("error:") == len(NOT_VIRTUAL), "nothing follows from these"


def test_a_start_whose_status_could_be_of_several_types() -> None:
    text = f"""\
wrapper_lib:
  name: wrong
  init: wrong_init()  # {MARK}
cpp_prelude: "inline int wrong_init() {{ return 0; }}"
errors:
  - {{type: one, cpp_type: int, ok: 0}}
  - {{type: two, cpp_type: int, ok: 0}}
"""
    error = mistake_in(text)
    check_place(error.diagnostic, text)
    assert "`init` returns what no status type, or more than one, is" in error.diagnostic.message


STORE = """\
wrapper_lib: {name: wrong}
cpp_prelude: |
  struct store;
  extern "C" {
  inline int store_put(store *, const char *, int, double) { return 0; }
  inline int store_put_last(const char *, int, store *) { return 0; }
  inline int store_get(store *, const char *, int *out, int *other) { return *out = *other = 0; }
  inline int store_read(store *, char *, int, double) { return 0; }
  inline int store_each(store *, int, void (*)(void *), void *) { return 0; }
  inline void store_free(store *) {}
  }
errors:
  - {type: st, cpp_type: int, ok: 0}
handle_types:
  - {name: Store, cpp_type: "store *", release: store_free(value)}
"""


@pytest.mark.quick(2, slow=4)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('def: "Store.put(key: text, value: text, x: f64)"', "value is declared as text, and C++ takes int"),
        ('def: "Store.put(key: i64, value: i64, x: f64)"', "key is declared as i64, and C++ takes const char*"),
        ('def: "Store.put(key: text, value: i64, x: Store)"', "x is declared as Store, and C++ takes double"),
        ('def: "Store.put_last(key: text, value: text)"', "value is declared as text, and C++ takes int"),
        (
            'def: "Store.put(key: text, value: text, x: f64)", cpp_params: [h, key, value, x]',
            "value is declared as text, and C++ takes int",
        ),
        (
            'def: "Store.put(key: text, x: f64)", cpp_params: [h, key, {value: \'"one"\'}, x]',
            '"one" stands there, and C++ takes int',
        ),
        ('def: "Store.get(key: i64) -> (i64, i64)"', "key is declared as i64, and C++ takes const char*"),
        ('def: "Store.get(key: text) -> (i64, text)"', "item 2 of the result is declared as text, and C++ writes int"),
        (
            'def: "Store.get(key: text) -> (i64, text)", names: [a, b], cpp_params: [h, key, a, b]',
            "b is declared as text, and C++ writes int",
        ),
        (
            'def: "Store.read(x: text) -> text", out: {capacity: 16}',
            "x is declared as text, and C++ takes double",
        ),
        (
            'def: "Store.each(n: text, f: fn())", params: {f: {scope: call}}',
            "n is declared as text, and C++ takes int",
        ),
    ],
)
def test_the_one_argument_of_another_type_is_named(entry: str, message: str, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    function = re.sub(r'.*"Store\.(\w+).*', r"store_\1", entry)
    text = f"{STORE}methods:\n  - {{{entry}, cpp_fn: {function}, raises: st}}  # {MARK}\n"
    with environment(CXX=compiler):
        found = mistake_in(text).diagnostic
    check_place(found, text)
    assert found.message.replace("char *", "char*") == message
    assert found.hint.startswith("declare it as C++ has it; or ")


@pytest.mark.parametrize(
    ("entry", "order"),
    [
        ('def: "Store.get(key: text) -> i64"', "(self, key, &out)"),
        ('def: "Store.get(key: text)"', "(self, key)"),
    ],
)
def test_arguments_that_nothing_speaks_of_are_asked_for(entry: str, order: str) -> None:
    """There is no fix: the compiler has tried what the call writes everywhere."""
    function = re.sub(r'.*"Store\.(\w+).*', r"store_\1", entry)
    text = f"{STORE}methods:\n  - {{{entry}, cpp_fn: {function}, raises: st}}  # {MARK}\n"
    found = mistake_in(text).diagnostic
    check_place(found, text)
    assert found.hint.endswith(f'values that Python does not see: cpp: "{function}{order}"')
    assert found.fixes == ()


NUMBERS = """\
wrapper_lib: {name: wrong, cpp_include: [functional, string]}
cpp_prelude: |
  enum tag { T_NULL, T_INT };
  struct val { tag t; long i; };
  struct box { long v = 3; std::string name; };
  inline long takes_text_of(int (*)(const char *, void *), void *) { return 0; }
  inline long takes_kept(const std::function<const std::string &(int)> &) { return 0; }
  inline long takes_made(const std::function<box(int)> &) { return 0; }
  inline long takes_all(const std::vector<std::function<box(int)>> &) { return 0; }
  inline long takes_counted(const std::function<long(int)> &) { return 0; }
  inline long takes_void(void *, const char *) { return 0; }
  inline long takes_function(int (*)(int), const char *) { return 0; }
  inline long takes_address(const char *, long *, double) { return 0; }
  inline long takes_value(val *, const char *) { return 0; }
  inline int tag_of(val *v) { return v->t; }
  inline long takes_sole(std::unique_ptr<box>, const char *) { return 0; }
types:
  - {name: Value, cpp_type: val *, tag: tag_of(value), cases: {T_NULL: None, T_INT: [i64, value->i]}}
handle_types:
  - {name: Box, cpp_type: "::box"}
  - {name: Sole, cpp_type: "std::unique_ptr<::box>"}
functions:
  - {def: "make() -> Box", cpp_body: "return ::box();"}
  - {def: "make_sole() -> Sole", cpp_body: "return std::make_unique<::box>();"}
"""


@pytest.mark.quick(2, slow=4)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("entry", "message", "hint"),
    [
        (
            'def: "takes_void(op: i32, n: text) -> i64"',
            "op is declared as i32, and C++ takes void*",
            "no number is an address: for user data of a callable, drop op",
        ),
        (
            'def: "takes_function(op: i32, n: text) -> i64"',
            "op is declared as i32, and C++ takes int (*)(int)",
            "C++ calls this: declare it as a callable, op: fn(…) -> …, with its `scope`",
        ),
        (
            'def: "takes_address(n: text, v: i64, x: f64) -> i64"',
            "v is declared as i64, and C++ takes long*",
            "C++ takes the address of a long: if it writes there, make it a result, and drop v",
        ),
        (
            'def: "takes_value(x: Value, n: text) -> i64"',
            "x is a Value, and nothing says how a val* is made of a value of Python's",
            "let `tag` and the cases be members, or say how each is made",
        ),
        (
            'def: "takes_sole(b: Sole, n: text) -> i64"',
            "b is declared as Sole, and C++ takes std::unique_ptr<box>",
            "a call that gets the only pointer to an object takes it: takes: b",
        ),
        (
            'def: "Box.v -> i64"',
            "this calls a data member of the C++ class, which is no function",
            "read it as a property: fields: {v: i64}",
        ),
        (
            'def: "Box.value() -> i64?", cpp_method: v',
            "this calls a data member of the C++ class, which is no function",
            "read it as a property: fields: {value: {type: i64?, cpp: v}}",
        ),
        (
            'def: "Box.name() -> text"',
            "this calls a data member of the C++ class, which is no function",
            "read it as a property: fields: {name: text}",
        ),
        (
            'def: "takes_text_of(f: fn(text) -> text) -> i64", params: {f: {scope: call}}',
            "the result of a callable has another type in C++ than the spec declares",
            "declare the one that C++ has, or say what it gets with `result`",
        ),
        (
            'def: "takes_kept(f: fn(i32) -> text) -> i64"',
            "C++ wants a reference from a callable, and what Python returns lies nowhere",
            "give C++ a lambda that keeps it",
        ),
        (
            'def: "takes_made(f: fn(i32) -> text) -> i64"',
            "f is declared as fn(i32) -> text, and C++ takes std::function<box(int)>",
            "declare it as C++ has it",
        ),
        (
            'def: "takes_made(f: (fn(i32) -> text)?) -> i64"',
            "f is declared as (fn(i32) -> text)?, and C++ takes std::function<box(int)>",
            "declare it as C++ has it",
        ),
        (
            'def: "takes_all(f: [fn(i32) -> text]) -> i64"',
            "f is declared as [fn(i32) -> text], and C++ takes std::vector<std::function<box(int)>>",
            "declare it as C++ has it",
        ),
        (
            'def: "takes_counted(f: fn(i32) -> text) -> i64"',
            "f is declared as fn(i32) -> text, and C++ takes std::function<long(int)>",
            "declare it as C++ has it",
        ),
        (
            'def: "takes_counted(f: fn(i32) -> Box) -> i64"',
            "f is declared as fn(i32) -> Box, and C++ takes std::function<long(int)>",
            "declare it as C++ has it",
        ),
    ],
)
def test_what_is_no_number_or_no_function_gets_a_way_out(entry: str, message: str, hint: str, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    section = "methods:\n" if "Box." in entry else ""
    text = f"{NUMBERS}{section}  - {{{entry}}}  # {MARK}\n"
    with environment(CXX=compiler):
        found = mistake_in(text).diagnostic
    check_place(found, text)
    shown = re.sub(r" ?\*(?!\))&?", "*", found.message).replace("long int", "long")
    assert re.sub(r" (?=\(int\)>)|(?<=>) (?=>)", "", shown) == message
    assert found.hint.replace("long int", "long").startswith(hint)


def test_a_property_of_another_type_blames_its_value() -> None:
    text = f"{STORE}    properties:\n      mode: {{type: text, get: null, set: store_mode}}  # {MARK}\n"
    text = text.replace(
        "inline void store_free", "inline void store_mode(store *, unsigned) {}\n  inline void store_free"
    )
    text = text.replace(
        '{name: Store, cpp_type: "store *", release: store_free(value)}',
        "name: Store\n    cpp_type: store *\n    release: store_free(value)",
    )
    found = mistake_in(text).diagnostic
    check_place(found, text)
    assert found.message == "mode is declared as text, and C++ takes unsigned int"
    assert (
        found.hint == "declare it as C++ has it; or write code that converts it: cpp_body: … for what reads it, "
        "set: {cpp_body: …} for what sets it"
    )


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_mistake_in_an_entry_that_is_repeated_names_its_rows(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    text = f"""{STORE}methods:
  - for: {{T: [text, i64]}}
    def: "Store.put_$T(key: $T, value: i32, x: f64)"  # {MARK}
    cpp_fn: store_put
    raises: st
functions:
  - for: [{{name: one, V: "0"}}, {{name: two, V: "std::none"}}, {{name: three, V: "std::gone"}}]
    def: "$name() -> i64"
    cpp_body: return $V;
"""
    with environment(CXX=compiler):
        error = mistake_in(text)
    said, other = sorted([error.diagnostic, *error.more], key=lambda each: each.span.line)
    check_place(said, text)
    message = said.message.replace("char *", "char*")
    assert message == "key is declared as i64, and C++ takes const char*, for T: i64"
    assert other.span.line == text[: text.index("return $V")].count("\n") + 1
    assert other.message.startswith("the compiler says: ")
    assert other.message.endswith(", for name: two, V: std::none; name: three, V: std::gone")


def test_each_call_with_such_an_argument_is_named() -> None:
    """Also where two calls have the same mistake, which the compiler explains once a template."""
    entries = ["Store.put(key: i64, value: i64, x: f64)", "Store.put_too(key: i64, value: i64, x: f64)"]
    text = STORE + "methods:\n"
    text += "".join(f'  - {{def: "{each}", cpp_fn: store_put, raises: st}}\n' for each in entries)
    error = mistake_in(text)
    assert [each.message for each in [error.diagnostic, *error.more]] == [
        "key is declared as i64, and C++ takes const char*"
    ] * 2


@pytest.mark.quick(2, slow=4)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "entry",
    [
        'def: "Store.gone(key: text)"',
        'def: "Store.gone(key: text)", cpp_params: [h, key]',
        'def: "Store.gone(f: fn())", params: {f: {scope: call}}',
        'def: "Store.gone() -> text", out: {capacity: 16}',
    ],
)
def test_an_unknown_function_is_said_to_be_unknown(entry: str, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    text = f"{STORE}methods:\n  - {{{entry}, cpp_fn: store_gone, raises: st}}  # {MARK}\n"
    with environment(CXX=compiler):
        found = mistake_in(text).diagnostic
    check_place(found, text)
    assert found.hint == "C++ knows no store_gone: check the name, and that a header of `cpp_include` declares it"


def test_a_mistake_in_an_argument_is_at_its_line() -> None:
    text = f"""\
wrapper_lib: {{name: wrong}}
cpp_prelude: |
  inline int halve(int x) {{ return x / 2; }}
functions:
  - def: "halve(x: i64? = None) -> i64"
    cpp: "halve(x ? *x : no_such())"  # {MARK}
"""
    found = mistake_in(text).diagnostic
    check_place(found, text)
    assert "'no_such'" in found.message


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("init: NO_SUCH_INIT, fields: {depth: i32}", "NO_SUCH_INIT"),
        ("init: SHOW_INIT, fields: {depht: i32}", "depht"),
    ],
)
def test_a_mistake_in_options_is_at_its_line(line: str, word: str) -> None:
    text = f"""\
wrapper_lib: {{name: wrong}}
cpp_prelude: |
  struct show {{ int depth; }};
  #define SHOW_INIT {{3}}
  inline int show_it(const show *options) {{ return options->depth; }}
structs:
  - {{name: Show, cpp_type: show, {line}}}  # {MARK}
functions:
  - {{def: "show_it(**options: Show) -> i64"}}
"""
    found = mistake_in(text).diagnostic
    check_place(found, text)
    assert word in found.message


REFERRING = {
    "std::string_view": "mut text",
    "std::optional<std::string_view>": "mut text?",
    "std::pair<std::string_view, long>": "mut (text, i64)",
    "std::tuple<std::string_view>": "mut (text,)",
    "std::vector<std::string_view>": "mut [text]",
    "std::vector<std::optional<std::string_view>>": "mut [text?]",
    "std::map<long, std::string_view>": "mut {i64: text}",
    "std::variant<long, std::string_view>": "mut i64 | text",
    "::Letters": "mut text",
}
OWNING = {
    "std::optional<std::string>": "mut text?",
    "std::pair<std::string, long>": "mut (text, i64)",
    "std::vector<std::vector<double>>": "mut [[f64]]",
    "std::map<long, std::string>": "mut {i64: text}",
    "std::variant<long, std::string>": "mut i64 | text",
    "::Fixed": "mut text",
}


@pytest.mark.slow
def test_a_data_member_that_refers_to_what_it_is_assigned_is_not_set() -> None:
    """Its own memory has every other one, also where it is inside of the object and has no destructor."""
    lines = [
        "wrapper_lib: {name: wrong, cpp_include: [map, optional, string, string_view, tuple, variant, vector]}",
        "cpp_prelude: |",
        "  struct Letters { const char *at; usize n; Letters(const std::string &s = {}) : at(s.data()), n(s.size()) {} "
        "const char *data() const { return at; } usize size() const { return n; } };",
        "  struct Fixed { char at[8] = {}; Fixed(const std::string &s = {}) { s.copy(at, 7); } "
        "char *data() { return at; } const char *data() const { return at; } usize size() const { return 7; } };",
        "  struct Note {",
    ]
    members = {f"m{i}": each for i, each in enumerate([*REFERRING, *OWNING])}
    lines += [f"    {cpp} {name};" for name, cpp in members.items()]
    lines += ["  };", "handle_types:", "  - name: Note", '    cpp_type: "::Note"', "    properties:"]
    start = len(lines) + 1
    lines += [f'      {name}: "{(REFERRING | OWNING)[cpp]}"' for name, cpp in members.items()]
    mentioned = {int(n) for n in re.findall(r"\bwrong\.wrapper_spec:(\d+):", errors_of("\n".join(lines) + "\n"))}
    found = [cpp for line, cpp in enumerate(members.values(), start) if line in mentioned]
    assert found == list(REFERRING)


@pytest.mark.parametrize(
    ("member", "field"),
    [("std::optional<std::string_view>", "text?"), ("std::pair<std::string_view, int>", "(text, i64)")],
)
def test_a_field_whose_parts_refer_to_what_they_are_assigned_does_not_compile(member: str, field: str) -> None:
    text = f"""\
wrapper_lib: {{name: wrong, cpp_include: [optional, string, string_view, utility]}}
cpp_prelude: "struct note {{ {member} said; }};"
structs:
  - {{name: Note, cpp_type: note, fields: {{said: "{field}"}}}}
functions:
  - {{def: "same(note: Note) -> Note", cpp_body: return note;}}
"""
    assert "a field whose member only refers to memory would refer to what is gone after the call" in errors_of(text)


def test_an_option_that_is_an_array_names_the_way_out() -> None:
    text = """\
wrapper_lib: {name: wrong}
cpp_prelude: "struct opts { int level; char name[8]; }; inline int run(const opts *o) { return o->level; }"
structs:
  - {name: Opts, cpp_type: opts, fields: {level: i32 = 1, name: text = ""}}
functions:
  - {def: "run(**options: Opts) -> i32"}
"""
    assert "a member that is an array cannot be an option: let the call take the struct" in errors_of(text)


@pytest.mark.quick(1, slow=2)
@pytest.mark.parametrize(
    ("result", "declared"),
    [
        ("std::optional<std::string_view>", "text?"),
        ("std::pair<std::string_view, int>", "(text, i64)"),
        ("Doubles", "[f64]"),
    ],
)
def test_a_callable_gives_no_view_of_what_is_gone(result: str, declared: str) -> None:
    text = f"""\
wrapper_lib: {{name: wrong}}
cpp_prelude: |
  #include <functional>
  #include <optional>
  #include <string_view>
  #include <utility>
  struct Doubles {{
    const double *at; std::size_t count;
    Doubles(const double *a, std::size_t c) : at(a), count(c) {{}}
    Doubles(const std::vector<double> &of) : at(of.data()), count(of.size()) {{}}
    const double *data() const {{ return at; }}
    std::size_t size() const {{ return count; }}
  }};
  inline void call(const std::function<{result}(int)> &f) {{ f(1); }}
functions:
  - {{def: "call(f: fn(i64) -> {declared})", params: {{f: {{scope: call}}}}}}  # {MARK}
"""
    found = mistake_in(text).diagnostic
    check_place(found, text)
    assert "C++ takes a view as the result of a callable" in found.message


OF_VALUES = [
    'def: "f(all: [text]) -> iter[text]", cpp_fn: same',
    'def: "f(all: [text]) -> iter[text]", cpp_body: return &all;',
    'def: "f(all: [text]) -> iter[text]", cpp_body: return std::ref(all);',
    'def: "f(all: [text]) -> iter[text]", cpp_body: "return std::make_pair(all.begin(), all.end());"',
    'def: "f(a: &[f64]) -> iter[f64]", cpp_body: return a;',
    'def: "f(a: &[f64; n]) -> iter[f64]", cpp_body: return a;',
    'def: "f(a: text) -> iter[i64]", cpp_fn: "[](std::string_view a) { return a; }"',
    'def: "f(a: text) -> iter[text]", cpp_fn: "[](std::string_view a) { return std::vector<std::string_view>{a}; }"',
    'def: "f(all: [text]) -> iter[text]", cpp_fn: words_of',
]
OF_ARGUMENTS = [
    *(f"{each}, keep_alive: []" for each in OF_VALUES),
    'def: "f(all: set[text]) -> iter[text]", cpp_body: return &all;',
    'def: "f(all: {text: f64}) -> iter[(text, f64)]", cpp_body: return std::ref(all);',
]
"""Iterators over what is gone when the call has returned."""


@pytest.mark.quick(2, slow=4)
@pytest.mark.parametrize("entry", OF_ARGUMENTS)
def test_no_iterator_goes_over_arguments(entry: str) -> None:
    text = f"""\
wrapper_lib: {{name: wrong}}
cpp_prelude: |
  #include <functional>
  #include <string_view>
  inline const std::vector<std::string> &same(const std::vector<std::string> &all) {{ return all; }}
  struct words {{
    const std::string *b, *e;
    const std::string *begin() const {{ return b; }}
    const std::string *end() const {{ return e; }}
  }};
  inline words words_of(const std::vector<std::string> &all) {{ return {{all.data(), all.data() + all.size()}}; }}
functions:
  - {{{entry}}}  # {MARK}
"""
    found = mistake_in(text).diagnostic
    check_place(found, text)
    assert "the iterator would go over memory that it does not own" in found.message


MEMBERS = {
    "bits": ("struct raw { unsigned low : 3; int all; };", "low: u8", "bit-field", "has no address: copy it, low: {"),
    "packed": (
        "struct __attribute__((packed)) raw { char tag; int low; };",
        "low: i32",
        "packed field",
        "copy it, low: {type: …, cpp: (value.low), set: value.low = low}",
    ),
    "callable": (
        "struct raw { std::function<std::vector<char>(int)> low; };",
        "low: fn(i32) -> bytes",
        "the result of a callable has another type in C++",
        "declare the one that C++ has",
    ),
}
"""C++, a field of it, and what is said of that field."""


@pytest.mark.trial("struct-with-a-callable")
@pytest.mark.quick(2, slow=4)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kind", MEMBERS)
def test_mistakes_in_fields_are_at_the_fields(kind: str, compiler: str) -> None:
    if not shutil.which(compiler) or (kind, compiler) == ("packed", "clang++"):  # which refers to packed members
        pytest.skip(f"{compiler} does not say it")
    cpp, field, message, hint = MEMBERS[kind]
    text = f"""wrapper_lib: {{name: wrong}}
cpp_prelude: |
  #include <functional>
  #include <vector>
  {cpp}
structs:
  - name: Raw
    cpp_type: raw
    scope: held
    fields:
      {field}  # {MARK}
functions:
  - {{def: "keep(raw: Raw)", cpp_fn: "[](const ::raw &) {{}}"}}
"""
    text = text if kind == "callable" else text.replace("    scope: held\n", "")
    with environment(CXX=compiler):
        found = mistake_in(text)
    assert [found.diagnostic, *found.more] == [found.diagnostic]
    check_place(found.diagnostic, text)
    assert message in found.diagnostic.message
    assert hint in found.diagnostic.hint


CHANGED = """wrapper_lib: {name: wrong}
cpp_prelude: |
  #include <map>
  #include <string>
  #include <tuple>
  #include <vector>
  struct Spot { int x; };
  inline void grow(std::vector<int> &all) { all.push_back(1); }
  inline int grow_by(int n, std::vector<std::string> &all) { all.resize(all.size() + n); return n; }
  inline void count(std::map<std::string, int> &all) { ++all["n"]; }
  inline void move_all(std::vector<Spot> &all) { for (auto &each : all) ++each.x; }
  inline void cry(std::string &word) { word += "!"; }
  struct Pile { int top = 3; void put_on(std::vector<int> &all) { all.push_back(top); } };
  inline void double_it(int &n) { n *= 2; }
structs:
  - {name: Spot, cpp_type: "::Spot", fields: {x: i32}}
handle_types:
  - name: Pile
    cpp_type: "::Pile"
    methods:
      - {def: "Pile()"}
      - {def: "put_on(all: [i32])"}
functions:
  - {def: "grow(all: [i32])"}
  - {def: "grow_by(n: i32, all: [text]) -> i32"}
  - {def: "count(all: {text: i32})"}
  - {def: "move_all(all: [Spot])"}
  - {def: "cry(word: text)"}
"""
"""Calls of what changes a list, a dict or a text, of which C++ gets a copy."""


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_changes_a_list_gets_a_way_out_that_compiles(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    with environment(CXX=compiler):
        failed = mistake_in(CHANGED)
    lines = CHANGED.split("\n")
    found = [failed.diagnostic, *failed.more]
    assert sorted(each.span.line for each in found) == [
        i for i, line in enumerate(lines, 1) if re.search(r" - .*\b(all|word): ", line)
    ]
    for each in found:
        way = re.fullmatch(
            r"C\+\+ is given a copy: give back what it changed, (\{.*\})(; T is its C\+\+ type)?", each.hint
        )
        assert way, each
        before, _, _ = lines[each.span.line - 1].partition("{def:")
        lines[each.span.line - 1] = before + way[1].replace("(T all)", "(std::vector<::Spot> all)")
    lib = packages.build_text("\n".join(lines), name="wrong").load()
    assert lib.grow([0]) == [0, 1]
    assert lib.grow_by(1, ["a"]) == (1, ["a", ""])
    assert lib.count({"m": 2}) == {"m": 2, "n": 1}
    assert lib.move_all([lib.Spot(1)]) == [lib.Spot(2)]
    assert lib.cry("oh") == "oh!"
    assert lib.Pile().put_on([1]) == [1, 3]
    text = CHANGED[: CHANGED.index("functions:")].replace('      - {def: "put_on(all: [i32])"}\n', "")
    text += f'functions:\n  - {{def: "double_it(n: i64)"}}  # {MARK}\n'
    with environment(CXX=compiler):
        number = mistake_in(text).diagnostic
    check_place(number, text)
    assert number.hint.endswith(
        "if it reads and writes it, name an item of the result so, -> (n: T), with the type that C++ has, int"
    )
    mended = text.replace('"double_it(n: i64)"', '"double_it(n: i32) -> (n: i32)"')
    assert packages.build_text(mended, name="wrong").load().double_it(4) == 8


LENGTHS_FIRST = """\
wrapper_lib: {name: wrong}
cpp_prelude: |
  #include <cstddef>
  #include <cstdint>
  inline int sum(int n, const unsigned char *all, int from) { for (int i = 0; i < n; ++i) from += all[i]; return from; }
  inline double half(std::size_t n, const double *all) { return n == 0 ? 0 : all[n - 1] / 2; }
  inline void last(std::uint16_t n, const int *all, int *out) { *out = all[n - 1]; }
  inline std::size_t both(std::size_t n, const void *first, int m, const int *second, bool more) {
    return n * 10 + static_cast<std::size_t>(m + (first != nullptr && second[0] == 7) + more);
  }
  struct pile { int top; };
  inline pile *pile_new(int top) { return new pile{top}; }
  inline int pile_put(pile *on, long n, const void *data) {
    return on->top += static_cast<int>(n) + static_cast<const char *>(data)[0];
  }
handle_types:
  - name: Pile
    cpp_type: "::pile *"
    release: delete value
    prefix: pile_
    methods:
      - {def: "Pile(top: i32)", cpp: pile_new}
      - {def: "put(data: bytes) -> i32"}
functions:
  - {def: "sum(all: bytes, from_: i32 = 0) -> i32", cpp_fn: "::sum"}
  - {def: "half(all: &[f64]) -> f64"}
  - {def: "last(all: [i32]) -> i32"}
  - {def: "both(first: bytes, second: [i32], more: bool) -> usize"}
"""
"""C has the length of each array before its address."""


@pytest.mark.slow
@pytest.mark.trial("errno")
@pytest.mark.parametrize("compiler", COMPILERS)
def test_lengths_before_addresses_get_a_way_out_that_compiles(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    with environment(CXX=compiler):
        failed = mistake_in(LENGTHS_FIRST)
    lines = LENGTHS_FIRST.split("\n")
    found = [failed.diagnostic, *failed.more]
    assert sorted(each.span.line for each in found) == [
        i for i, line in enumerate(lines, 1) if re.search(r"def: .*(all|first|data): ", line)
    ]
    for each in found:
        assert re.fullmatch("C takes the length of (all|data|first and second) before the address", each.message)
        way = each.hint.removeprefix("say C's order: ")
        (fix,) = each.fixes
        assert way in fix.replacement or fix.replacement == way.removeprefix("cpp: ")  # beside a key, or in place of it
        line = lines[each.span.line - 1]
        lines[each.span.line - 1] = line[: fix.span.column - 1] + fix.replacement + line[fix.span.end_column - 1 :]
    lib = packages.build_text("\n".join(lines), name="wrong").load()
    assert (lib.sum(b"\x01\x02", 3), lib.sum(b""), lib.last([4, 5])) == (6, 0, 5)
    assert lib.half(array.array("d", [2.0, 3.0])) == 1.5
    assert lib.both(b"abc", [7, 8], True) == 34
    assert lib.Pile(1).put(b"\x05\x06") == 8


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_code_that_is_no_function_gets_a_way_out(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    text = f"""wrapper_lib: {{name: wrong}}
cpp_prelude: |
  inline int latest = 0;
  inline int fail() {{ latest = 41; return -1; }}
errors:
  - type: state
    cpp_type: int
    ok: [0]
    exception: StateError
    code: latest  # {MARK}
functions:
  - {{def: "fail()", raises: state}}
"""
    with environment(CXX=compiler):
        found = mistake_in(text).diagnostic
    check_place(found, text)
    assert found.hint.endswith("put another into parentheses, code: (latest)")
    lib = packages.build_text(text.replace("code: latest", "code: (latest)"), name="wrong").load()
    with pytest.raises(lib.StateError) as caught:
        lib.fail()
    assert caught.value.code == 41


POINTS = """\
wrapper_lib: {name: wrong}
cpp_prelude: |
  #include <chrono>
  #include <functional>
  #include <vector>
  using days_of = std::chrono::system_clock::time_point;
  inline days_of opened() { return days_of(std::chrono::seconds(90)); }
  inline bool is_open(days_of at) { return at >= opened(); }
  inline long ticks(std::chrono::steady_clock::time_point at) { return at.time_since_epoch().count(); }
  inline int among(const std::vector<days_of> &all) { return static_cast<int>(all.size()); }
  struct stay { days_of from; };
  struct guest { days_of born() const { return opened(); } void set_born(days_of) {} };
structs:
  - {name: Stay, cpp_type: "::stay", fields: {from_: {type: duration, cpp: from}}}
handle_types:
  - name: Guest
    cpp_type: "::guest"
    methods: [{def: "Guest()"}]
    fields:
      born: mut duration
functions:
  - {def: "opened() -> duration"}
  - {def: "is_open(at: duration) -> bool"}
  - {def: "ticks(at: duration) -> i64"}
  - {def: "among(all: [duration]) -> i32"}
  - {def: "stayed(stay: Stay) -> Stay", cpp_fn: "[](stay s) { return s; }"}
"""
"""C++ has points in time where the spec has durations."""


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_points_in_time_are_no_durations(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    with environment(CXX=compiler):
        failed = mistake_in(POINTS)
    lines = POINTS.split("\n")
    found = {lines[each.span.line - 1].strip(): each for each in (failed.diagnostic, *failed.more)}
    wrong = [line.strip() for line in lines if "duration" in line]
    assert [line for line in wrong if line not in found] == []
    of_other_clock = found[wrong[4]].hint
    assert {each.hint for each in found.values()} == {"declare datetime in place of duration", of_other_clock}
    assert 'value: "std::chrono::steady_clock::time_point(at)"' in of_other_clock
    mended = (
        POINTS.replace('"opened() -> duration"', '"opened() -> duration", result: value.time_since_epoch()')
        .replace(
            "is_open(at: duration) -> bool", 'is_open(at: duration) -> bool", cpp_params: [at], cpp_fn: "::is_open'
        )
        .replace(
            'cpp_params: [at], cpp_fn: "::is_open', 'cpp_params: [{name: at, value: "days_of(at)"}], cpp_fn: "::is_open'
        )
        .replace('-> i64"', '-> i64", cpp_params: [{name: at, value: "std::chrono::steady_clock::time_point(at)"}]')
        .replace(
            "among(all: [duration]) -> i32",
            'among(all: [duration]) -> i32", cpp_body: "return among(std::vector<days_of>(all.size()));',
        )
        .replace(
            "{type: duration, cpp: from}",
            "{type: duration, get: value.from.time_since_epoch(), set: value.from = days_of(from_)}",
        )
        .replace(
            "born: mut duration",
            "born: {type: mut duration, get: {cpp_body: return h.inner.born().time_since_epoch();}, "
            "set: {cpp_body: h.inner.set_born(days_of(born));}}",
        )
    )
    lib = packages.build_text(mended, name="wrong").load()
    at = datetime.timedelta(seconds=90)
    assert (lib.opened(), lib.is_open(at), lib.is_open(at - datetime.timedelta.resolution)) == (at, True, False)
    assert lib.ticks(datetime.timedelta(microseconds=3)) == 3000
    assert lib.stayed(lib.Stay(at)) == lib.Stay(at)
    guest = lib.Guest()
    guest.born = guest.born
    assert (guest.born, lib.among([at])) == (at, 1)


TIMES = """\
wrapper_lib: {name: wrong, cpp_include: [chrono, ctime]}
cpp_prelude: |
  using steady = std::chrono::steady_clock;
  inline long ticks(steady::time_point at) { return at.time_since_epoch().count(); }
  inline steady::time_point started() { return {}; }
  inline std::time_t now() { return 5; }
  inline long since(std::time_t at) { return at; }
  inline long after(std::chrono::seconds at) { return at.count(); }
  inline long wait(long ms) { return ms; }
  inline long waited() { return 3; }
functions:
  - {def: "ticks(at: datetime) -> i64"}
  - {def: "started() -> datetime"}
  - {def: "now() -> datetime"}
  - {def: "since(at: datetime) -> i64"}
  - {def: "after(at: datetime) -> i64"}
  - {def: "wait(time: duration) -> i64"}
  - {def: "waited() -> duration"}
"""
"""C++ has numbers, durations and points in time of other clocks where the spec has a datetime or a duration."""


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_times_that_are_something_else(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    with environment(CXX=compiler):
        failed = mistake_in(TIMES)
    lines = TIMES.split("\n")
    found = {lines[each.span.line - 1].strip(): each for each in (failed.diagnostic, *failed.more)}
    said = [found[line.strip()] for line in lines if line.strip().startswith("- {def")]
    assert [each.message for each in said] == [
        "C++ has a time_point of steady_clock, which no calendar knows, where a datetime is declared",
        "the result is a std::chrono::time_point of another clock than the system's, which no calendar knows",
        "the result is a number, and nothing says of what",
        "C++ has a number where a datetime is declared, and nothing says of what",
        "C++ has a std::chrono::duration where a datetime is declared",
        "C++ has a number where a duration is declared, and nothing says of what",
        "the result is a number, and nothing says of what",
    ]
    mended = (
        TIMES.replace(
            '"ticks(at: datetime) -> i64"',
            '"ticks(at: duration) -> i64", cpp_params: [{name: at, value: "steady::time_point(at)"}]',
        )
        .replace('"started() -> datetime"', '"started() -> duration", result: value.time_since_epoch()')
        .replace("now() -> datetime", "now() -> datetime[s]")
        .replace("since(at: datetime)", "since(at: datetime[s])")
        .replace("after(at: datetime)", "after(at: duration)")
        .replace("time: duration", "time: duration[ms]")
        .replace("waited() -> duration", "waited() -> duration[ms]")
    )
    lib = packages.build_text(mended, name="wrong").load()
    start, second = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC), datetime.timedelta(seconds=1)
    assert (lib.ticks(second), lib.started(), lib.now()) == (10**9, datetime.timedelta(), start + 5 * second)
    assert (lib.since(start + second), lib.after(second), lib.wait(second)) == (1, 1, 1000)
    assert lib.waited() == datetime.timedelta(milliseconds=3)


BUFFERS = """\
wrapper_lib: {name: wrong, cpp_include: [string]}
cpp_prelude: |
  struct buf { const char *ptr; unsigned long size; };
  typedef buf chunk;
  using piece = chunk;
  inline buf words() { return {"a\\0b", 3}; }
  inline chunk data() { return {"c\\0d", 3}; }
  inline piece more() { return {"e\\0f", 3}; }
types:
  - {name: Words, type: text, cpp_type: buf, data: ptr, length: size}
  - {name: Data, type: bytes, cpp_type: chunk, data: ptr, length: size}
  - {name: More, type: bytes, cpp_type: piece, data: ptr, length: size}
functions:
  - {def: "words() -> Words"}
  - {def: "data() -> Data"}
  - {def: "more() -> More"}
"""
"""One C++ type by three of its names."""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_entries_of_types_with_one_cpp_type_by_other_names(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    with environment(CXX=compiler):
        failed = mistake_in(f"{BUFFERS}# {compiler}\n")  # a text of its own: both may run at once
    same = "is the same type as the one of another entry of `types`, by another of its names in C++"
    lines = BUFFERS.split("\n")
    found = [
        (lines[each.span.line - 1].split("name: ")[1][:4], each.message) for each in (failed.diagnostic, *failed.more)
    ]
    assert found == [("Data", f"Data: chunk {same}"), ("More", f"More: piece {same}")]
    assert failed.diagnostic.hint.startswith("write both alike: then only the names of the entries mean it")


@pytest.mark.parametrize("engine", ["cpython", "cffi"])
def test_entries_of_types_with_one_cpp_type_by_one_name(engine: str) -> None:
    lines = BUFFERS.replace("cpp_type: chunk", "cpp_type: buf").split("\n")
    mended = "\n".join(line for line in lines if "More" not in line)
    lib = packages.build_text(mended, name="wrong").load(engine)
    assert (lib.words(), lib.data()) == ("a\0b", b"c\0d")

"""What only the compiler finds undecided in a spec: one error an entry, with text that decides it when it is put in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.behaviour.test_mistakes import mistake_in
from wrapper_gen import pipeline, report
from wrapper_gen.diagnostics import Diagnostic, Fix, ToolchainError

SPEC = """\
wrapper_lib: {name: wrong}
cpp_prelude: |
  struct node;
  typedef void *thing;
  inline int either(i64, node *, f64) { return 0; }
  inline int either(i64, f64, node *) { return 0; }
  struct meter { int readings() const { return 1; } };
  inline int thing_add(thing, i64) { return 0; }
  inline void halve(int x, int *out) { *out = x / 2; }
  inline int each_of(void (*)(void *), void *) { return 0; }
  inline int walk_two(int (*f)(void *, size_t, void *), void *data) { return f(data, 0, data); }
  inline int bounds(int *low, const char *, int *high) { return *low = *high = 0; }
  inline int bounds(int *low, int *high, const char *) { return *low = *high = 0; }
  inline double inverse(double, double &azimuth, double &back) { return azimuth = back = 0; }
  inline double inverse(double, double &length, double &azimuth, double &back) { return length = azimuth = back = 0; }
errors:
  - {cpp_type: int, ok: 0, message: "\\"the call failed with a status\\""}
handle_types:
  - {name: Node, cpp_type: node *, release: nothing}
  - {name: Meter, cpp_type: meter}
  - name: Thing
    cpp_type: thing
    release: nothing
    methods:
      - {name: add, cpp: "::thing_add", params: [{name: by, type: i64}], return: i64}
methods:
  - {def: "Node.lost() -> i64"}
  - {def: "Meter.reading() -> i64"}
  - def: "Node.go(a: i64, b: f64) -> i64"
    cpp: "::either"
functions:
  - {def: "halve(x: i64) -> i64"}
  - {def: "each_of(f: fn()) -> i64"}
  - def: "each_again(f: fn()) -> i64"
    cpp: each_of(f, f.user_data)
  - {def: "walk_two(f: fn(bytes) -> i64) -> i64", scope: call}
  - def: "bounds(name: text) -> (i64, i64)"
    raises: WrongError
  - {def: "inverse(a: f64) -> (length: f64, azimuth: f64, back: f64)"}
"""
WANTED = {
    "add": ("a handle that is a void * could stand anywhere", ['"thing_add(self, by)"', '"thing_add(by, self)"']),
    "go": ("its arguments can stand in several orders", ['"either(a, self, b)"', '"either(a, b, self)"']),
    "halve": ("the compiler says: ", ['cpp: "halve(x, &out)"']),
    "each_of": ("does not compile with a callable", ["scope: call", "scope: once"]),
    "each_again": (
        "f is declared as fn(), and C++ takes void (*)(void*)",
        ["scope: call", "scope: once"],
    ),
    "bounds": (
        "its arguments can stand in several orders",
        ['cpp: "bounds(&out, name, &out)"', 'cpp: "bounds(&out, &out, name)"'],
    ),
    # C++'s value would be the last item, or nothing
    "inverse": (
        "its arguments can stand in several orders",
        ['cpp: "inverse(a, &length, &azimuth)"', 'cpp: "inverse(a, &length, &azimuth, &back)"'],
    ),
}
"""The name in each entry, a part of what is said of it, and the text of the fixes."""


LOST = '  - {def: "Node.lost() -> i64"}\n'
"""No member of the C struct, and nothing that names a function of C."""


NEAR = '  - {def: "Meter.reading() -> i64"}\n'
"""The class has a member of nearly this name."""


TWO = '  - {def: "walk_two(f: fn(bytes) -> i64) -> i64", scope: call}\n'
"""Either `void *` could be the user data."""


@pytest.fixture(scope="module")
def error() -> ToolchainError:
    return mistake_in(SPEC)


@pytest.fixture(scope="module")
def found(error: ToolchainError) -> dict[str, Diagnostic]:
    lines = SPEC.split("\n")
    by_line = {each.span.line: each for each in [error.diagnostic, *error.more]}
    names = {
        name: next(
            i for i, line in enumerate(lines, 1) if (f"{name}(" in line and "def" in line) or f"name: {name}," in line
        )
        for name in WANTED
    }
    # code that an entry names stands on a line of its own
    return {name: by_line.get(line) or by_line[line + 1] for name, line in names.items()}


def made(text: str, fix: Fix) -> str:
    lines = text.split("\n")
    line = lines[fix.span.line - 1]
    lines[fix.span.line - 1] = line[: fix.span.column - 1] + fix.replacement + line[fix.span.end_column - 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize("name", WANTED)
def test_each_is_one_error_with_the_ways_to_decide(name: str, found: dict[str, Diagnostic]) -> None:
    words, fixes = WANTED[name]
    assert words in found[name].message.replace("(void *)", "(void*)")
    assert [fix.replacement.strip().rstrip(",") for fix in found[name].fixes] == fixes


@pytest.mark.parametrize("name", WANTED)
def test_a_fix_gives_a_spec_that_is_read(name: str, found: dict[str, Diagnostic], tmp_path: Path) -> None:
    for fix in found[name].fixes:
        spec = tmp_path / "wrong.wrapper_spec"
        spec.write_text(made(SPEC, fix))
        pipeline.read(spec, spec.name)


def test_a_function_of_c_that_is_not_named_gets_a_way_out(error: ToolchainError) -> None:
    line = SPEC[: SPEC.index(LOST)].count("\n") + 1
    found = next(each for each in [error.diagnostic, *error.more] if each.span.line == line)
    assert found.hint.endswith("for a function of C, say cpp: ::NAME, or prefix on the handle type")


def test_a_member_that_the_class_nearly_has_is_named(error: ToolchainError) -> None:
    line = SPEC[: SPEC.index(NEAR)].count("\n") + 1
    found = next(each for each in [error.diagnostic, *error.more] if each.span.line == line)
    assert found.hint.endswith("the class has readings: if that is meant, say cpp: readings")


def test_a_callback_with_two_void_pointers_gets_both_ways_out(error: ToolchainError) -> None:
    line = SPEC[: SPEC.index(TWO)].count("\n") + 1
    found = next(each for each in [error.diagnostic, *error.more] if each.span.line == line)
    assert "which of it is the user data" in found.hint
    assert found.hint.endswith("of several void *, list them in an entry of `types`: cpp: (user_data, ...)")


def test_json_and_sarif_have_them(found: dict[str, Diagnostic]) -> None:
    assert '"replacement": "\\"either(a, self, b)' in report.as_json(list(found.values()))
    assert '"text": "\\"either(a, self, b)' in report.as_sarif(list(found.values()), "1")


def test_all_fixes_together_compile(found: dict[str, Diagnostic]) -> None:
    text = SPEC
    for line in (LOST, NEAR, TWO):
        text = text.replace(line, f"{' ' * (len(line) - 1)}\n")
    for each in sorted(found.values(), key=lambda each: -each.fixes[0].span.line):
        text = made(text, each.fixes[0])
    assert packages.build_text(text, name="wrong").load().bounds("x") == (0, 0)

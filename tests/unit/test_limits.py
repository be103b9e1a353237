"""However long or deep a spec is, reading it takes time in proportion, and so does saying what is wrong with it."""

from __future__ import annotations

import cProfile
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from wrapper_gen import pipeline
from wrapper_gen.cli import main
from wrapper_gen.diagnostics import MOST_SHOWN, nearest
from wrapper_gen.runtime_files import Runtime

PARTS = 4
"""How much shorter the spec is that a long one is compared with."""
CALLS = 70
"""Of functions, for each character: no spec below takes more than 58. Where an unknown word was compared with all known
words, three took 57 to 255.
"""
MORE_TIME = 2.5
"""For each character of the long spec, against one of the short: what grows with the square takes 4 times as long."""
LEAST_SECONDS = 0.05
"""Of this process: where the shorter spec takes less, most of it is not for the spec."""
HEAD = "wrapper_lib:\n  name: demo\n"
FUNCTION = HEAD + "functions:\n  - name: f\n    cpp_fn: "
Text = Callable[[int], str]


def each(count: int, line: str) -> str:
    return "".join(line.format(i) for i in range(count))


LONG: dict[str, tuple[int, Text]] = {
    "unknown keys": (8000, lambda n: FUNCTION + "f\n" + each(n, "    key{}: 1\n")),
    "unknown keys at the top": (8000, lambda n: HEAD + each(n, "key{}: 1\n")),
    "an unknown key in each entry": (
        4000,
        lambda n: HEAD + "functions:\n" + each(n, "  - {{name: f{0}, cpp_fn: f, key{0}: 1}}\n"),
    ),
    "one key on one line": (2000, lambda n: HEAD + "functions: [{" + "name: f, " * n + "}]\n"),
    "one key on many lines": (6000, lambda n: HEAD + "functions:\n" * n),
    "mistakes on one line": (4000, lambda n: HEAD + "functions: [" + each(n, "{{name: '1 {}', cpp_fn: g}}, ") + "]\n"),
    "unknown types among many": (
        2000,
        lambda n: (
            HEAD
            + "handle_types:\n"
            + each(n, "  - {{name: Handle{}, cpp_type: 'std::string'}}\n")
            + "functions:\n"
            + each(n, "  - {{name: f{0}, cpp_fn: f, return: Handel{0}}}\n")
        ),
    ),
    "unknown values of an enum": (
        4000,
        lambda n: (
            HEAD
            + "enums:\n  - name: E\n    cpp_type: E\n    values: {"
            + each(n, "A{}: 1, ")
            + "}\nfunctions:\n"
            + each(n // 2, "  - {{name: f{0}, cpp_fn: f, params: [{{name: x, type: E, default: B{0}}}]}}\n")
        ),
    ),
    "unknown error types": (
        1500,
        lambda n: (
            HEAD
            + "errors:\n"
            + each(n, "  - {{type: E{}, ok: 0}}\n")
            + "functions:\n"
            + each(n, "  - {{name: f{0}, cpp_fn: f, raises: X{0}}}\n")
        ),
    ),
    "parameters": (9000, lambda n: FUNCTION + "f\n    params:\n" + each(n, "      - {{name: x{}, type: i64}}\n")),
    "sources": (6000, lambda n: HEAD + "  sources: [" + each(n, "s{}.cpp, ") + "]\n"),
    "templates of a lambda": (5000, lambda n: FUNCTION + "'[](" + "a<" * n + "int" + ">" * n + " x) {}'\n"),
    "templates never closed": (8000, lambda n: FUNCTION + "'[](" + "a<" * n + "int x) {}'\n"),
    "comparisons of a lambda": (8000, lambda n: FUNCTION + "'[](int x = " + "a < " * n + ", int y) {}'\n"),
    "comments never closed": (30_000, lambda n: FUNCTION + "'[](int x " + "/* " * n + "'\n"),
    "raw texts never closed": (40_000, lambda n: FUNCTION + "'[](int x = " + 'R"a( ' * n + "'\n"),
    "templates of a name": (3000, lambda n: FUNCTION + "'a" + "<b>::c" * n + "!'\n"),
    "brackets of YAML": (100_000, lambda n: HEAD + "functions: " + "[" * n + "]" * n + "\n"),
    "a mistake of YAML after much": (
        4000,
        lambda n: HEAD + "functions:\n" + each(n, "  - {{name: f{0}, cpp_fn: f}}\n") + "x: }\n",
    ),
    "levels of YAML": (3000, lambda n: HEAD + "functions:\n" + "".join("  " * i + "  a:\n" for i in range(n))),
    "dashes of YAML": (100_000, lambda n: HEAD + "functions:\n  " + "- " * n + "\n"),
    "question marks of a type": (600, lambda n: FUNCTION + "f\n    return: 'i64" + "?" * n + "'\n"),
    "brackets of a type": (3000, lambda n: FUNCTION + "f\n    return: '" + "[" * n + "i64" + "]" * n + "'\n"),
}


@pytest.fixture
def validate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)

    def run(text: str, *options: str) -> Result:
        Path("demo.wrapper_spec").write_text(text, encoding="utf-8")
        return CliRunner().invoke(main, ["validate", "demo.wrapper_spec", *options])

    return run


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", LONG)
def test_long_specs_take_work_in_proportion(name: str, validate: Callable[..., Result]) -> None:
    size, text = LONG[name]

    def work(size: int) -> tuple[float, float]:
        """Calls of functions and seconds, for each character."""
        written = text(size)
        with cProfile.Profile() as profile:
            start = time.process_time()
            result = validate(written)
            taken = time.process_time() - start
        assert result.exit_code in (0, 3), result.stderr
        assert len(re.findall(r"\[WG\d+\]$", result.stderr, re.MULTILINE)) <= MOST_SHOWN
        assert len(result.stderr) < 200_000
        calls = sum(entry.callcount for entry in profile.getstats())
        return calls / len(written), max(taken, LEAST_SECONDS) / len(written)

    # The shortest of some tries: others who use the processor make any of them longer.
    short = min(work(size // PARTS)[1] for _ in range(2))
    calls, seconds = work(size)
    assert calls < CALLS
    assert seconds < MORE_TIME * short or any(work(size)[1] < MORE_TIME * short for _ in range(2))


def test_of_many_mistakes_the_first_are_shown_and_the_others_counted(validate: Callable[..., Result]) -> None:
    text = LONG["unknown keys"][1](8000)
    shown = validate(text).stderr.splitlines()
    found = [line for line in shown if line.endswith("[WG010]")]
    assert [line.split(":")[1] for line in found] == [str(number) for number in range(6, 6 + MOST_SHOWN)]
    assert shown[-1] == "and 7,900 more"
    data = json.loads(validate(text, "--format", "json").stderr)
    assert (len(data["diagnostics"]), data["more"]) == (MOST_SHOWN, 7900)
    (run,) = json.loads(validate(text, "--format", "sarif").stderr)["runs"]
    assert (len(run["results"]), run["properties"]) == (MOST_SHOWN, {"more": 7900})


def test_many_warnings_hide_no_error(validate: Callable[..., Result]) -> None:
    text = HEAD + "functions:\n" + each(150, "  - {{name: f{}}}\n") + "  - {name: last, cpp_fn: f, return: i46}\n"
    shown = validate(text).stderr
    assert "unknown type 'i46' [WG030]" in shown
    assert shown.endswith("and 51 more\n")


def test_a_misspelt_word_is_found_among_many() -> None:
    known = {f"{kind}_{number}" for kind in ("read", "write", "open", "close") for number in range(3000)}
    assert nearest("wriet_1234", known) == "write_1234"
    assert nearest("clsoe_77", known) == "close_77"
    assert nearest("red_2999", known) == "read_2999"
    assert nearest("nothing like it", known) == ""


def _chain_of_handles(count: int) -> str:
    """Each extends the one before it."""
    first = 'handle_types:\n  - {name: T0, cpp_type: "t0 *", release: delete value, methods: [{def: "m0() -> i64"}]}\n'
    return first + "".join(
        f'  - {{name: T{i}, cpp_type: "t{i} *", extends: T{i - 1}, methods: [{{def: "m{i}() -> i64"}}]}}\n'
        for i in range(1, count)
    )


def _chain_of_structs(count: int) -> str:
    return "structs:\n" + "".join(
        f"  - {{name: S{i}, cpp_type: s{i}, {f'extends: S{i - 1}, ' if i else ''}fields: {{x{i}: i32}}}}\n"
        for i in range(count)
    )


def _parameters(count: int) -> str:
    return f'functions:\n  - {{def: "f({", ".join(f"x{i}: i64" for i in range(count))}) -> i64"}}\n'


def _parameters_of_a_lambda(count: int) -> str:
    return _parameters(count).replace(' -> i64"}', ' -> i64", cpp_fn: "[](auto... x) { return (x + ...); }"}')


def _exceptions(count: int) -> str:
    cases = ", ".join(f"{{name: X{i}, when: [{i + 1}]}}" for i in range(count))
    status = f"errors:\n  - {{type: st, cpp_type: int, ok: [0], exceptions: [{cases}]}}\n"
    return f"{status}functions:\n  - {{def: f(), raises: st}}\n"


@pytest.mark.trial("extends-chain-cubic")
@pytest.mark.parametrize(
    ("entries", "count", "most"),
    [
        (_exceptions, 200, 2.3),
        (_chain_of_handles, 50, 3.0),  # each has a list of all that it extends
        (_chain_of_structs, 25, 4.5),  # each has the fields of all that it extends
        (_parameters, 150, 2.3),
        (_parameters_of_a_lambda, 150, 2.3),
    ],
)
def test_the_work_grows_as_the_text_does(
    tmp_path: Path, entries: Callable[[int], str], count: int, most: float
) -> None:
    """Calls of functions for twice as many entries, beside those that any spec needs; a cube has 8 times as many."""

    def calls(count: int) -> int:
        spec = tmp_path / "large.wrapper_spec"
        spec.write_text(f"wrapper_lib: {{name: large}}\n{entries(count)}", encoding="utf-8")
        profile = cProfile.Profile()
        profile.enable()
        pipeline.generate(spec, spec.name)
        profile.disable()
        return sum(each.callcount for each in profile.getstats())

    calls(2)  # imports, and compiles templates
    few, some, many = calls(2), calls(count), calls(2 * count)
    assert (many - few) / (some - few) < most


@pytest.mark.parametrize("entries", [_exceptions, _parameters, _parameters_of_a_lambda])
def test_the_text_grows_as_the_spec_does(tmp_path: Path, entries: Callable[[int], str]) -> None:
    """Characters for twice as many parameters or exceptions: with the square it would be 4 times as many."""

    def size(count: int) -> int:
        spec = tmp_path / "demo.wrapper_spec"
        spec.write_text(f"wrapper_lib: {{name: demo}}\n{entries(count)}", encoding="utf-8")
        return sum(len(each) for each in pipeline.generate(spec, "demo.wrapper_spec").files.values())

    least = size(1)
    assert size(2000) - least < 2.2 * (size(1000) - least)


# --- generating ------------------------------------------------------------------------------------------------------


def _library(count: int) -> str:
    """So many classes with methods, functions, records and enums; few errors and bases, as libraries have."""
    members = "\n".join(
        [
            '      - def: "Node{0}(name: text)"',
            '      - def: "size() -> i64"',
            '      - def: "put(key: text, values: [f64])"',
            '      - def: "static count() -> i64"',
            '      - def: "__eq__(other: Node{0}) -> bool"',
            '      - def: "depth -> i64"\n',
        ]
    )
    declared = "  - name: Node{0}\n    cpp_type: '::Node{0}'\n    methods:\n" + members
    return "".join(
        [
            HEAD,
            "handle_types:\n" + each(count, declared),
            "  - {name: Leaf0, cpp_type: '::Leaf0', extends: Node0}\n",
            "enums:\n" + each(count, "  - {{name: Kind{0}, cpp_type: '::Kind{0}', values: {{ONE: '::One{0}'}}}}\n"),
            "structs:\n" + each(count, "  - {{name: Point{0}, cpp_type: '::Point{0}', fields: {{x: f64, y: f64}}}}\n"),
            "errors:\n  - {type: '::Code', exception: CodeError, ok: [0]}\n",
            "functions:\n" + each(count, "  - def: 'make_{0}(first: Kind{0}, second: [Point{0}]) -> Node{0}'\n"),
        ]
    )


def _former_library(count: int) -> str:
    """The same in the original format, in which methods stand apart from their classes."""
    taken = "    params: [{{name: first, type: i64}}, {{name: second, type: text}}]\n"
    method = "  - name: {1}\n    handle: Node{0}\n    cpp_method: {1}\n    params: [{{name: at, type: i64}}]\n"
    methods = "".join(method.format(i, name) for i in range(count) for name in ("size", "label"))
    return "".join(
        [
            HEAD,
            "handle_types:\n" + each(count, "  - {{name: Node{0}, cpp_type: '::Node{0}'}}\n"),
            "functions:\n"
            + each(count, "  - name: make_{0}\n    cpp_fn: make_{0}\n" + taken + "    return: Node{0}\n"),
            "methods:\n" + methods,
        ]
    )


@pytest.mark.parametrize("library", [_library, _former_library])
def test_no_line_of_ours_runs_more_often_than_in_proportion(tmp_path: Path, library: Callable[[int], str]) -> None:
    count = 20
    _runs_of_lines(tmp_path, library(3))  # what is imported, compiled or remembered once
    short, long = (_runs_of_lines(tmp_path, library(each)) for each in (count // 2, count))
    often = {line: (short[line], runs) for line, runs in long.items() if runs > count * count // 2}
    assert often
    assert not {line: runs for line, runs in often.items() if runs[1] > MORE_TIME * runs[0]}


def _runs_of_lines(folder: Path, text: str) -> Counter[tuple[str, int]]:
    """How often each line of the generator runs, by file and number."""
    spec = folder / "demo.wrapper_spec"
    named = re.sub(r"\b(Kind|Node|Point)(?=\d)", rf"\1Of{len(text)}_", text)  # of which nothing is remembered
    spec.write_text(named, encoding="utf-8")
    own, found = str(Path(pipeline.__file__).parent), Counter[tuple[str, int]]()

    def count(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            found[frame.f_code.co_filename, frame.f_lineno] += 1
        return count

    def enter(frame: FrameType, _: str, __: object) -> Any:
        return count if frame.f_code.co_filename.startswith(own) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        pipeline.generate(spec, "demo.wrapper_spec", runtime=Runtime.SHARED)
    finally:
        sys.settrace(before)
    return found

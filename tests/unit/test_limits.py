"""However long or deep a spec is, reading it takes time in proportion, and so does saying what is wrong with it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wrapper_gen.cli import main
from wrapper_gen.diagnostics import MOST_SHOWN, nearest

CPU_SECONDS = 6.0
"""Of this process: each spec below took more than twice that where one step's time grew with the square."""
HEAD = "wrapper_lib:\n  name: demo\n"
FUNCTION = HEAD + "functions:\n  - name: f\n    cpp_fn: "
Text = Callable[[], str]


def each(count: int, line: str) -> str:
    return "".join(line.format(i) for i in range(count))


LONG: dict[str, Text] = {
    "unknown keys": lambda: FUNCTION + "f\n" + each(8000, "    key{}: 1\n"),
    "unknown keys at the top": lambda: HEAD + each(8000, "key{}: 1\n"),
    "an unknown key in each entry": lambda: (
        HEAD + "functions:\n" + each(8000, "  - {{name: f{0}, cpp_fn: f, key{0}: 1}}\n")
    ),
    "one key on one line": lambda: HEAD + "functions: [{" + "name: f, " * 2000 + "}]\n",
    "one key on many lines": lambda: HEAD + "functions:\n" * 6000,
    "mistakes on one line": lambda: HEAD + "functions: [" + each(8000, "{{name: '1 {}', cpp_fn: g}}, ") + "]\n",
    "unknown types among many": lambda: (
        HEAD
        + "handle_types:\n"
        + each(4000, "  - {{name: Handle{}, cpp_type: 'std::string'}}\n")
        + "functions:\n"
        + each(4000, "  - {{name: f{0}, cpp_fn: f, return: Handel{0}}}\n")
    ),
    "unknown values of an enum": lambda: (
        HEAD
        + "enums:\n  - name: E\n    cpp_type: E\n    values: {"
        + each(8000, "A{}: 1, ")
        + "}\nfunctions:\n"
        + each(4000, "  - {{name: f{0}, cpp_fn: f, params: [{{name: x, type: E, default: B{0}}}]}}\n")
    ),
    "unknown error types": lambda: (
        HEAD
        + "errors:\n"
        + each(3000, "  - {{type: E{}, ok: 0}}\n")
        + "functions:\n"
        + each(3000, "  - {{name: f{0}, cpp_fn: f, raises: X{0}}}\n")
    ),
    "parameters": lambda: FUNCTION + "f\n    params:\n" + each(9000, "      - {{name: x{}, type: i64}}\n"),
    "sources": lambda: HEAD + "  sources: [" + each(6000, "s{}.cpp, ") + "]\n",
    "templates of a lambda": lambda: FUNCTION + "'[](" + "a<" * 5000 + "int" + ">" * 5000 + " x) {}'\n",
    "templates never closed": lambda: FUNCTION + "'[](" + "a<" * 8000 + "int x) {}'\n",
    "comparisons of a lambda": lambda: FUNCTION + "'[](int x = " + "a < " * 8000 + ", int y) {}'\n",
    "comments never closed": lambda: FUNCTION + "'[](int x " + "/* " * 30000 + "'\n",
    "raw texts never closed": lambda: FUNCTION + "'[](int x = " + 'R"a( ' * 40000 + "'\n",
    "templates of a name": lambda: FUNCTION + "'a" + "<b>::c" * 3000 + "!'\n",
    "brackets of YAML": lambda: HEAD + "functions: " + "[" * 100_000 + "]" * 100_000 + "\n",
    "a mistake of YAML after much": lambda: (
        HEAD + "functions:\n" + each(4000, "  - {{name: f{0}, cpp_fn: f}}\n") + "x: }\n"
    ),
    "levels of YAML": lambda: HEAD + "functions:\n" + "".join("  " * i + "  a:\n" for i in range(3000)),
    "dashes of YAML": lambda: HEAD + "functions:\n  " + "- " * 100_000 + "\n",
    "question marks of a type": lambda: FUNCTION + "f\n    return: 'i64" + "?" * 600 + "'\n",
    "brackets of a type": lambda: FUNCTION + "f\n    return: '" + "[" * 3000 + "i64" + "]" * 3000 + "'\n",
}


@pytest.fixture
def validate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)

    def run(text: str, *options: str) -> Result:
        Path("demo.wrapper_spec").write_text(text, encoding="utf-8")
        return CliRunner().invoke(main, ["validate", "demo.wrapper_spec", *options])

    return run


@pytest.mark.parametrize("name", LONG)
def test_long_specs_take_time_in_proportion(name: str, validate: Callable[..., Result]) -> None:
    text = LONG[name]()
    start = time.process_time()
    result = validate(text)
    assert time.process_time() - start < CPU_SECONDS
    assert result.exit_code in (0, 3), result.stderr
    assert len(re.findall(r"\[WG\d+\]$", result.stderr, re.MULTILINE)) <= MOST_SHOWN
    assert len(result.stderr) < 200_000


def test_of_many_mistakes_the_first_are_shown_and_the_others_counted(validate: Callable[..., Result]) -> None:
    text = LONG["unknown keys"]()
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

"""Calls with so many arguments that their probes share macros: arguments are checked as those of short calls are."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.test_mistakes import COMPILERS, mistake_in
from tests.compilers import environment

COUNT = 36
NUMBERS = ", ".join(f"n{i}: i64" for i in range(COUNT))
DECLARED = ", ".join(f"int n{i}" for i in range(COUNT))
SUM = " + ".join(f"n{i}" for i in range(COUNT))
SPEC = f"""\
wrapper_lib: {{name: longcalls, cpp_include: [map, string, utility]}}
cpp_prelude: |
  inline long sum({DECLARED}) {{ return 0L + {SUM}; }}
  inline long sum_and_text(const std::string &text, {DECLARED}) {{ return static_cast<long>(text.size()) + {SUM}; }}
  struct box {{ long v = 1; long sum({DECLARED}) const {{ return v + {SUM}; }} }};
handle_types:
  - name: Box
    cpp_type: "::box"
    methods:
      - {{def: "Box()"}}
      - {{def: "sum({NUMBERS}) -> i64"}}
functions:
  - {{def: "sum({NUMBERS}) -> i64"}}
  - {{def: "sum_in_lambda({NUMBERS}) -> i64", cpp_fn: "[]({DECLARED}) {{ return 0L + {SUM}; }}"}}
  - {{def: "sum_and_text(text: text, {NUMBERS}) -> i64"}}
  - {{def: "sum_in_map(of: {{text: i64}}, {NUMBERS}) -> i64",
     cpp_fn: "[](std::map<std::string, short> of, {DECLARED}) {{ return of.at(std::string(1, 'a')) + {SUM}; }}"}}
"""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build_text(SPEC, name="longcalls").load(engine)


def test_numbers_are_checked_one_by_one(lib: Any) -> None:
    numbers = list(range(COUNT))
    calls = {
        "sum": (lib.sum, 0),
        "sum_in_lambda": (lib.sum_in_lambda, 0),
        "Box.sum": (lib.Box().sum, 1),
        "sum_and_text": (lambda *of: lib.sum_and_text("four", *of), 4),
        "sum_in_map": (lambda *of: lib.sum_in_map({"a": 7}, *of), 7),
    }
    for call, more in calls.values():
        assert call(*numbers) == sum(numbers) + more
        for wrong in 0, 17, COUNT - 1:
            given = [2**40 if i == wrong else i for i in numbers]
            with pytest.raises(OverflowError, match=rf"^n{wrong}: {2**40} does not fit i32$"):
                call(*given)
    with pytest.raises(OverflowError, match=r"^of\['a'\]: 70000 does not fit i16$"):
        lib.sum_in_map({"a": 70000}, *numbers)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_an_argument_of_another_type_is_told_at_its_line(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    lines = SPEC.split("\n")
    at = next(i for i, line in enumerate(lines) if "sum_in_lambda" in line)
    lines[at] = lines[at].replace("n20: i64", "n20: f64")
    with environment(CXX=compiler):
        failed = mistake_in("\n".join([*lines, f"# {compiler}"]))  # a text of its own: both may run at once
    found = failed.diagnostic
    assert found.span.line == at + 1
    assert found.message.startswith("an argument would lose its meaning: the function takes an integer where the spec")

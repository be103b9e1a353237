"""Objects that C++ owns alone, in a `std::unique_ptr`: passed to Python, and refused where Python has them too."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.test_mistakes import mistake_in

PRELUDE = """\
cpp_prelude: |
  #include <functional>
  #include <memory>
  #include <optional>
  #include <string>
  #include <vector>
  struct plant {
    explicit plant(int height = 1) : height(height) { ++alive(); }
    virtual ~plant() { --alive(); }
    virtual int grow(int by) { return height += by; }
    static int &alive() { static int count = 0; return count; }
    int height;
  };
  struct kept_plant : plant {  // what a garden owns: it keeps the plant of Python's
    explicit kept_plant(std::shared_ptr<plant> to) : to(std::move(to)) {}
    int grow(int by) override { return to->grow(by); }
    std::shared_ptr<plant> to;
  };
  struct garden {
    std::vector<std::unique_ptr<plant>> all;
    void put(std::unique_ptr<plant> one) { all.push_back(std::move(one)); }
    void put_all(std::vector<std::unique_ptr<plant>> several) { for (auto &each : several) put(std::move(each)); }
    void sow(const std::function<std::unique_ptr<plant>()> &seed) { put(seed()); }
    int grow(int by) { int sum = 0; for (auto &each : all) sum += each->grow(by); return sum; }
    void clear() { all.clear(); }
  };
  struct seed { int grams = 3; ~seed() { ++gone(); } static int &gone() { static int count = 0; return count; } };
  struct visitor {
    virtual ~visitor() = default;
    virtual int look(std::unique_ptr<plant> at) = 0;
  };
  inline int show(visitor &to, int height) { return to.look(std::make_unique<plant>(height)); }
  inline int weigh(const std::function<int(std::unique_ptr<seed>)> &by) { return by(std::make_unique<seed>()); }
  inline int weigh_moved(std::function<int(std::unique_ptr<seed> &&)> by) { return by(std::make_unique<seed>()); }
"""
SPEC = f"""\
wrapper_lib: {{name: gardens}}
{PRELUDE}
interfaces:
  - {{name: Plant, cpp_type: "::plant", methods: [{{def: "grow(by: i32) -> i32"}}]}}
  - name: Visitor
    cpp_type: "::visitor"
    methods:
      - {{def: "look(at: Plant) -> i32", abstract: true, cpp_params: [at]}}
handle_types:
  - name: Seed
    cpp_type: std::unique_ptr<::seed>
    properties: {{grams: i32}}
  - name: Garden
    cpp_type: std::unique_ptr<::garden>
    methods:
      - {{def: "Garden()"}}
      - {{def: "put(one: Plant)", cpp_body: "h.inner->put(std::make_unique<kept_plant>(one.inner));"}}
      - {{def: "grow(by: i32) -> i32"}}
      - {{def: "clear()"}}
functions:
  - {{def: "show(to: Visitor, height: i32) -> i32"}}
  - {{def: "weigh(by: fn(Seed) -> i32) -> i32"}}
  - {{def: "weigh_moved(by: fn(Seed) -> i32) -> i32"}}
  - {{def: "alive() -> i32", cpp_body: "return plant::alive();"}}
  - {{def: "gone() -> i32", cpp_body: "return seed::gone();"}}
"""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build_text(SPEC, name="gardens").load(engine)


@pytest.mark.trial("overrider-given-away")
def test_one_that_cpp_owns_keeps_one_of_pythons(lib: Any) -> None:
    class Tall(lib.Plant):  # type: ignore[misc]  # a class of the package
        def grow(self, by: int) -> int:
            return 100 * by

    objects.let_go()
    before = lib.alive()
    garden = lib.Garden()
    garden.put(Tall())
    garden.put(lib.Plant())
    objects.let_go()
    assert (garden.grow(2), lib.alive() - before) == (203, 4)
    garden.clear()
    objects.let_go()
    assert lib.alive() == before


def test_python_gets_what_a_callable_is_passed_to_own(lib: Any) -> None:
    gone = lib.gone()
    kept: list[Any] = []

    def weigh(seed: Any) -> int:
        kept.append(seed)
        assert lib.gone() == gone + len(kept) - 1
        return int(seed.grams)

    assert lib.weigh(weigh) == 3
    assert lib.weigh_moved(weigh) == 3
    assert lib.gone() == gone + 2
    with pytest.raises(lib.ClosedHandleError):
        print(kept[0].grams)


def test_python_gets_what_a_method_is_passed_to_own(lib: Any) -> None:
    before = lib.alive()

    class Looking(lib.Visitor):  # type: ignore[misc]  # a class of the package
        def look(self, at: Any) -> int:
            assert lib.alive() == before + 1
            return int(at.grow(1))

    assert lib.show(Looking(), 6) == 7
    objects.let_go()
    assert lib.alive() == before


WRONG = {
    "adopt(one: Plant)": "cpp_method: put",
    "take(one: Plant)": "cpp_method: put, params: {one: {mode: take}}",
    "put_body(one: Plant)": 'cpp_body: "h.inner->put(std::move(one.inner));"',
    "put_made(one: Plant)": 'cpp_body: "h.inner->put(std::unique_ptr<plant>(one.inner));"',
    "put_lambda(one: Plant)": 'cpp_method: "[](::garden &g, std::unique_ptr<plant> one) { g.put(std::move(one)); }"',
    "put_all(several: [Plant])": "",
    "put_maybe(one: Plant?)": "cpp_method: put",
    "sow(seed: fn() -> Plant)": "",
    "sow_maybe(seed: fn() -> Plant?)": "cpp_method: sow, params: {seed: {scope: call}}",
}
"""Where C++ wants to own what Python has, too."""


def test_what_python_has_too_does_not_compile_where_it_is_given_away() -> None:
    text = SPEC.replace("wrapper_lib: {name: gardens}", "wrapper_lib: {name: wrong}")
    at = '      - {def: "clear()"}\n'
    entries = [f'      - {{def: "{entry}"{f", {code}" if code else ""}}}\n' for entry, code in WRONG.items()]
    found = mistakes(text.replace(at, at + "".join(entries)))
    expected = [each.strip() for each in entries if "put_made" not in each]
    assert [each for each in expected if each not in found] == []
    assert len(found) == len(expected) + 1 and any("put_made" in each for each in found)


def test_what_a_method_returns_does_not_compile_where_it_is_given_away() -> None:
    """Apart: C++ refuses the same conversion once, whoever asks for it."""
    text = SPEC.replace("wrapper_lib: {name: gardens}", "wrapper_lib: {name: wrong}")
    source = '  - {name: Source, cpp_type: "::source", methods: [{def: "next() -> Plant?", abstract: true}]}\n'
    declared = "  struct source { virtual ~source() = default; virtual std::unique_ptr<plant> next() = 0; };\n"
    text = text.replace("  - name: Visitor\n", f"{source}  - name: Visitor\n")
    text = text.replace("  struct visitor {\n", f"{declared}  struct visitor {{\n")
    assert [*mistakes(text)] == [source.strip()]


def mistakes(text: str) -> list[str]:
    """The lines of a spec that do not compile, each of which says what else to do."""
    failed = mistake_in(text)
    lines = text.split("\n")
    found = {lines[each.span.line - 1].strip(): each for each in (failed.diagnostic, *failed.more)}
    for line, each in found.items():
        if "put_made" not in line:
            assert re.match("Python has the (object|result) too|let C\\+\\+ take a std::shared_ptr", each.hint), each
            assert each.fixes == ()
    return [*found]

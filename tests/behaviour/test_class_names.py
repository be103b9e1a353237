"""Handle types whose name in Python is another one than the C++ class has, also one of another class."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: othernames, cpp_include: [functional, map, memory, string, utility, vector]}
cpp_prelude: |
  namespace zoo {
  struct Bird { virtual ~Bird() = default; std::string name = "bird"; std::string say() const { return name; } };
  struct Duck : Bird { Duck() { name = "duck"; } int webs = 2; };
  struct Swan { std::string name = "swan"; Duck friend_of; };
  struct Keeper { virtual ~Keeper() = default; virtual int feed(std::shared_ptr<Duck> one, int by) = 0; };
  inline std::string greet(const Bird &one) { return "hello " + one.name; }
  inline std::shared_ptr<Duck> hatch() { return std::make_shared<Duck>(); }
  inline std::vector<std::shared_ptr<Duck>> flock(int n) {
    std::vector<std::shared_ptr<Duck>> all;
    for (int i = 0; i < n; ++i) all.push_back(hatch());
    return all;
  }
  inline int webs(const std::vector<std::shared_ptr<Duck>> &all) {
    int n = 0;
    for (const auto &each : all) n += each->webs;
    return n;
  }
  inline int each(const std::vector<std::shared_ptr<Duck>> &all, const std::function<int(std::shared_ptr<Duck>)> &f) {
    int n = 0;
    for (const auto &one : all) n += f(one);
    return n;
  }
  inline std::shared_ptr<Duck> chosen(const std::function<std::shared_ptr<Duck>()> &f) { return f(); }
  inline int fed(Keeper &by, std::shared_ptr<Duck> one) { return by.feed(one, 3); }
  }
  struct pond_s { int ducks; };
  typedef struct pond_s pond;
  inline struct pond_s *pond_open(int ducks) { return new pond_s{ducks}; }
  inline int pond_ducks(const struct pond_s *p) { return p->ducks; }
  inline int pond_new(struct pond_s **to) { *to = pond_open(5); return 0; }
  inline void pond_close(struct pond_s *p) { delete p; }
  using namespace zoo;
errors:
  - {cpp_type: int, ok: [0], message: "\\"the call failed with a failure\\""}
handle_types:
  - name: Animal
    cpp_type: "std::shared_ptr<zoo::Bird>"
    methods: [{def: "say() -> text"}]
  - name: Swan  # whose name another class of the library has
    cpp_type: "std::shared_ptr<zoo::Duck>"
    extends: Animal
    methods:
      - {def: "Swan()", cpp: zoo::hatch}
      - def: "__eq__(other: Swan) -> bool"
        cpp_fn: "[](const std::shared_ptr<zoo::Duck> &a, const auto &b) { return a->webs == b->webs; }"
      - def: "add(by: i32) -> i32"
        cpp_fn: "[](const std::shared_ptr<zoo::Duck> &one, int by) { return one->webs += by; }"
      - {def: "in_body() -> i32", cpp_body: "const zoo::Duck &one = *h.inner; return one.webs;"}
      - {def: "in_struct() -> i32", cpp_fn: "[](Swan &one) { return one.inner->webs; }"}  # the handle's struct
    fields: {webs: i32}
  - name: Duck  # and this one has the other's
    cpp_type: "zoo::Swan"
    methods:
      - {def: "Duck()"}
      - {def: "webs_of_friend() -> i32", cpp_fn: "[](const zoo::Swan &one) { return one.friend_of.webs; }"}
    fields: {name: text}
  - name: Lake
    cpp_type: "struct pond_s *"
    release: pond_close(value)
    methods:
      - {def: "Lake(ducks: i32)", cpp: pond_open}
      - {def: "ducks() -> i32", cpp: "::pond_ducks"}
  - name: Feeder
    cpp_type: "zoo::Keeper"
    methods: [{def: "abstract feed(one: Swan, by: i32) -> i32"}]
functions:
  - {def: "greet(one: Animal) -> text", cpp: zoo::greet}
  - {def: "flock(n: i32) -> [Swan]", cpp: zoo::flock}
  - {def: "webs(all: [Swan]) -> i32", cpp: zoo::webs}
  - {def: "each(all: [Swan], f: fn(Swan) -> i32) -> i32", cpp: zoo::each}
  - {def: "chosen(f: fn() -> Swan) -> Swan", cpp: zoo::chosen}
  - def: "named(all: {text: Swan}) -> i32"
    cpp_body: "int n = 0; for (auto &[key, one] : all) n += one->inner->webs; return n;"
  - {def: "pair() -> (Swan, Duck)", cpp_body: "return std::make_pair(zoo::hatch(), zoo::Swan());"}
  - {def: "maybe(one: Swan?) -> i32", cpp_fn: "[](std::shared_ptr<zoo::Duck> one) { return one ? one->webs : -1; }"}
  - {def: "fed(by: Feeder, one: Swan) -> i32", cpp: zoo::fed}
  - {def: "lake() -> Lake", cpp: pond_new, raises: OthernamesError}
  - def: "deepest(all: [Lake]) -> i32"
    cpp_fn: |
      [](const std::vector<struct pond_s *> &all) {
        int n = 0;
        for (auto *p : all) n = std::max(n, p->ducks);
        return n;
      }
"""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build_text(SPEC, name="othernames").load(engine)


def test_classes_have_the_names_of_the_spec(lib: Any) -> None:
    one = lib.Swan()
    assert type(one).__name__ == "Swan"
    assert isinstance(one, lib.Animal)
    assert (one.say(), one.webs, one == lib.Swan()) == ("duck", 2, True)
    assert (one.add(3), one.in_body(), one.in_struct(), one == lib.Swan()) == (5, 5, 5, False)
    other = lib.Duck()
    assert (type(other).__name__, other.name, other.webs_of_friend()) == ("Duck", "swan", 2)
    with pytest.raises(TypeError, match="one: an Animal is wanted, not Duck"):
        lib.greet(other)
    assert lib.greet(one) == "hello duck"


def test_containers_callables_and_interfaces(lib: Any) -> None:
    flock = lib.flock(3)
    assert {type(each) for each in flock} == {lib.Swan}
    assert lib.webs(flock) == 6
    assert lib.each(flock, lambda one: one.add(1)) == 9
    assert lib.chosen(lambda: flock[0]).webs == 3
    assert lib.named({"a": flock[1], "b": lib.Swan()}) == 5
    swan, duck = lib.pair()
    assert (type(swan), type(duck)) == (lib.Swan, lib.Duck)
    assert (lib.maybe(swan), lib.maybe(None)) == (2, -1)

    class Own(lib.Feeder):  # type: ignore[misc]
        def feed(self, one: Any, by: int) -> int:
            assert type(one) is lib.Swan
            return int(one.add(by))

    assert lib.fed(Own(), swan) == 5


def test_structs_of_c(lib: Any) -> None:
    assert (lib.Lake(7).ducks(), lib.lake().ducks()) == (7, 5)
    assert lib.deepest([lib.Lake(1), lib.Lake(4), lib.lake()]) == 5

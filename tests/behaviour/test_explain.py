"""`explain`: the calls behind the entries of a spec, as each compiler has chosen them, in the same words."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.compilers import ROOT
from wrapper_gen.cli import main

COMPILERS = [each for each in ("g++", "clang++") if shutil.which(each)]
SPEC = """\
wrapper_lib: {name: demo}
cpp_prelude: |
  #include <cstdint>
  #include <cstring>
  #include <memory>
  #include <string>
  #include <string_view>
  enum status { FINE = 0, FULL = 1, GONE = 2 };
  struct store { long size = 0; };
  inline status store_open(const char *path, int flags, store **out) {
    *out = new store{flags};
    return path ? FINE : GONE;
  }
  inline void store_close(store *value) { delete value; }
  inline status store_put(const char *key, std::size_t length, store *into, int times) {
    into->size += times;
    return length && key ? FINE : FULL;
  }
  inline status store_get(store *from, int key, double *out, int *count) {
    *out = 1.5;
    *count = key;
    return from ? FINE : GONE;
  }
  inline long store_sum(const std::int32_t *values, unsigned count) { return count ? values[0] : 0; }
  inline int store_name(store *of, char *buffer, int capacity) { return of && capacity ? (buffer[0] = 'a', 1) : 0; }
  inline int store_walk(store *of, int (*visit)(void *, int), void *data) { return visit(data, of ? 1 : 0); }
  struct Point {
    double x = 0, y = 0;
    Point() = default;
    Point(double x, double y) : x(x), y(y) {}
    double length(double scale = 1) const { return (x + y) * scale; }
    void move(const std::string &how) { x += static_cast<double>(how.size()); }
    void move(double by) { x += by; }
    double getArea() const { return x * y; }
    bool operator==(const Point &other) const { return x == other.x; }
    static Point origin() { return {}; }
  };
  inline void show(int) {}
  inline void show(const std::string &) {}
  struct Listener {
    virtual ~Listener() = default;
    virtual int heard(const std::string &what) = 0;
  };
errors:
  - name: DemoError
    cpp_type: status
    ok: [FINE]
    none: [GONE]
    exceptions: [{name: DemoMemoryError, when: [FULL], also: MemoryError}]
handle_types:
  - {name: Store, cpp_type: store *, release: store_close(value)}
  - name: Point
    cpp_type: "::Point"
    fields: {x: {type: f64, set: x}, area: f64}
    methods:
      - {def: "Point(x: f64, y: f64)"}
      - {def: "length() -> f64"}
      - {def: "move(how: text)"}
      - {def: "__eq__(other: Point) -> bool"}
      - {def: "static origin() -> Point"}
  - {name: Shared, cpp_type: "std::shared_ptr<::Point>", fields: {x: mut f64, area: f64}}
  - {name: Listener, cpp_type: "::Listener", methods: [{def: "abstract heard(what: text) -> i32"}]}
functions:
  - {def: "open(path: text, flags: i32 = 3) -> Store", cpp: store_open, raises: DemoError}
  - {def: "sum(values: [i32]) -> i64", cpp: store_sum}
  - {def: "show(value: i32 | text)"}
  - {def: "sum_of(a: i32, b: i32) -> i32", cpp_body: return a + b;}
  - {def: "half(value: i64) -> i64", cpp_fn: "[](long value) { return value / 2; }"}
methods:
  - def: "Store.put(key: text, times: i32)"
    cpp: store_put(key, key.size(), self, times)
    raises: DemoError
  - {def: "Store.get(key: i32) -> (value: f64, found: i32)?", cpp: "::store_get", raises: DemoError}
  - {def: "Store.name() -> text", cpp: "::store_name", capacity: 32, length: value}
  - {def: "Store.walk(visit: fn(i32) -> i32) -> i32", cpp: "::store_walk", scope: call}
"""


def explain(*arguments: str, compiler: str = "g++") -> Result:
    return CliRunner().invoke(main, ["explain", *arguments], env={**os.environ, "CXX": compiler})


def entries(*arguments: str, compiler: str) -> dict[str, Any]:
    """What is said of each entry; of one with several, as a property with a setter, of the first."""
    done = explain(*arguments, "--format", "json", compiler=compiler)
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = {}
    for each in json.loads(done.stdout)["entries"]:
        found.setdefault(each["name"] + (" =" if each["kind"] == "setter" else ""), each)
    return found


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = tmp_path_factory.mktemp("explain") / "demo.wrapper_spec"
    spec.write_text(SPEC, encoding="utf-8")
    return spec


@pytest.fixture(scope="module")
def explained(demo: Path) -> Mapping[str, Mapping[str, Any]]:
    """By compiler."""
    return {compiler: entries(str(demo), compiler=compiler) for compiler in COMPILERS}


@pytest.fixture(scope="module", params=COMPILERS)
def said(request: pytest.FixtureRequest, explained: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    return explained[str(request.param)]


def texts(entry: Mapping[str, Any]) -> list[str]:
    return [each["text"] for each in entry["calls"]]


def arguments(entry: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    (call,) = entry["calls"]
    return [(each["kind"], each["text"], each["type"]) for each in call["arguments"]]


def test_compilers_say_the_same(explained: Mapping[str, Mapping[str, Any]]) -> None:
    first, *others = explained.values()
    assert others == [first] * len(others)


def test_an_order_that_the_compiler_has_found(said: Mapping[str, Any]) -> None:
    call = said["open"]["calls"][0]
    assert (call["callee"], call["result"], call["order"]) == ("store_open", "status", "declared")
    assert call["signature"] == "status (const char *, int, store **)"
    assert arguments(said["open"]) == [
        ("parameter", "path", "const char *"),
        ("parameter", "flags", "int"),
        ("out", "&result", "store **"),
    ]
    assert arguments(said["Store.get"]) == [
        ("object", "self", "store *"),
        ("parameter", "key", "int"),
        ("out", "&value", "double *"),
        ("out", "&found", "int *"),
    ]
    assert said["Store.get"]["calls"][0]["order"] == "found"


def test_a_length_a_buffer_and_user_data_are_arguments(said: Mapping[str, Any]) -> None:
    assert arguments(said["sum"]) == [
        ("parameter", "values", "const int *"),
        ("length", "len(values)", "unsigned int"),
    ]
    assert [kind for kind, _, _ in arguments(said["Store.name"])] == ["object", "buffer", "capacity"]
    assert [(kind, type_) for kind, _, type_ in arguments(said["Store.walk"])] == [
        ("object", "store *"),
        ("parameter", "int (*)(void *, int)"),
        ("user_data", "void *"),
    ]


def test_the_order_of_the_spec(said: Mapping[str, Any]) -> None:
    assert said["Store.put"]["calls"][0]["order"] == "cpp"
    assert arguments(said["Store.put"]) == [
        ("parameter", "key", "const char *"),
        ("length", "len(key)", "unsigned long"),
        ("object", "self", "store *"),
        ("parameter", "times", "int"),
    ]


def test_members_properties_constructors_and_operators(said: Mapping[str, Any]) -> None:
    shown = {name: texts(said[name]) for name in said if name.startswith("Point")}
    assert shown == {
        "Point": ["::Point(x, y)"],
        "Point.x": ["self.x"],
        "Point.x =": ["self.x = x"],
        "Point.area": ["self.getArea()"],
        "Point.length": ["self.length()"],
        "Point.move": ["self.move(how)"],
        "Point.__eq__": ["self == other"],
        "Point.origin": ["::Point::origin()"],
    }
    shared = {name: texts(said[name]) for name in said if name.startswith("Shared")}
    assert shared == {
        "Shared.x": ["self->x"],
        "Shared.x =": ["self->x = x"],
        "Shared.area": ["self->getArea()"],
    }
    length = said["Point.length"]["calls"][0]
    assert (length["callee"], length["signature"], length["defaults"]) == ("Point::length", "double (double) const", 1)
    kinds = [said[name]["kind"] for name in ("Point", "Point.x", "Point.x =", "Point.__eq__", "Point.origin", "open")]
    assert kinds == ["constructor", "property", "setter", "operator", "static method", "function"]


def test_one_of_several_functions_shows_what_goes_in(said: Mapping[str, Any]) -> None:
    assert arguments(said["Point.move"]) == [("parameter", "how", "std::string")]
    assert said["Point.move"]["calls"][0]["signature"] == ""
    assert [each["arguments"][0]["type"] for each in said["show"]["calls"]] == ["int", "std::string"]


def test_virtual_functions(said: Mapping[str, Any]) -> None:
    assert texts(said["Listener"]) == ["new ::Listener(), with what Python overrides"]
    heard = said["Listener.heard"]["calls"][0]
    assert (heard["kind"], heard["callee"]) == ("virtual", "::Listener::heard")
    assert heard["signature"] == "int (const std::string &)"


def test_code_of_the_spec_is_shown_by_its_place(said: Mapping[str, Any], demo: Path) -> None:
    lines = demo.read_text(encoding="utf-8").splitlines()
    for name, kind, code in (("sum_of", "code", "return a + b;"), ("half", "lambda", '"[](long value)')):
        place = said[name]["code"]
        assert lines[place["line"] - 1][place["column"] - 1 :].startswith(code)
        assert said[name]["calls"][0]["kind"] == kind
    assert arguments(said["sum_of"]) == [("parameter", "a", "i32"), ("parameter", "b", "i32")]
    assert arguments(said["half"]) == [("parameter", "value", "long")]


def test_what_becomes_of_a_call(said: Mapping[str, Any]) -> None:
    outcome = said["Store.get"]["outcome"]
    assert (outcome["source"], outcome["none"]) == ("what the call writes: &value, &found", "it is GONE")
    assert (outcome["status"], outcome["fine"]) == ("the call's value, a status", "it is FINE")
    assert outcome["raises"] == [
        {"exception": "DemoMemoryError", "when": "it is FULL"},
        {"exception": "DemoError", "when": ""},
    ]
    made = {"type": "Store", "owned": True, "release": "store_close(value)", "keeps": [], "lent_by": []}
    assert said["open"]["outcome"]["handles"] == [made]


def test_a_value_that_is_a_length_is_no_status(tmp_path: Path) -> None:
    text = """\
wrapper_lib: {name: demo, raises: DemoError}
cpp_prelude: |
  inline int fill(char *out, int capacity) { return capacity ? (out[0] = 'a', 1) : 0; }
  inline int fill_all(char *out, int capacity) { return capacity ? (out[0] = 0) : 1; }
errors: [{name: DemoError, cpp_type: int, ok: [0]}]
functions:
  - {def: "fill() -> text", capacity: 8, length: value}
  - {def: "half() -> text", cpp: fill, capacity: 8, length: value / 2}
  - {def: "fill_all() -> text", capacity: 8}
"""
    (tmp_path / "demo.wrapper_spec").write_text(text, encoding="utf-8")
    told = entries(str(tmp_path / "demo.wrapper_spec"), compiler="g++")
    tested = {name: each["outcome"]["status"] for name, each in told.items()}
    by = "the call's value, an int, which `raises` of the class or the library says"
    assert tested == {"fill": "", "half": "", "fill_all": by}


_TEXT, _NUMBER, _LIST = str, int, list
ENTRY: dict[str, Any] = {
    **dict.fromkeys(("name", "kind", "signature", "symbol", "problem"), _TEXT),
    **dict.fromkeys(("line", "column"), _NUMBER),
    "code": (dict, type(None)),
    "calls": _LIST,
    "further": _LIST,
    "outcome": dict,
}
CALL = {
    **dict.fromkeys(("kind", "callee", "text", "order", "result", "signature"), _TEXT),
    "arguments": _LIST,
    "declared": _LIST,
    "defaults": _NUMBER,
}
ARGUMENT = {**dict.fromkeys(("kind", "text", "note", "type", "given"), _TEXT), "parameters": _LIST}
OUTCOME = {
    **dict.fromkeys(("returns", "source", "none", "status", "fine"), _TEXT),
    **dict.fromkeys(("handles", "raises", "holds"), _LIST),
}


def test_the_data_has_one_form(said: Mapping[str, Any]) -> None:
    def has(found: Mapping[str, Any], form: Mapping[str, Any]) -> None:
        assert found.keys() == form.keys()
        assert all(isinstance(found[key], types) for key, types in form.items()), found

    for entry in said.values():
        has(entry, ENTRY)
        has(entry["outcome"], OUTCOME)
        for call in entry["calls"]:
            has(call, CALL)
            for argument in call["arguments"]:
                has(argument, ARGUMENT)


# --- the command -----------------------------------------------------------------------------------------------------


def test_chosen_entries_as_text(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo.parent)
    before = sorted(demo.parent.rglob("*"))
    done = explain("demo.wrapper_spec", "Store.put", "store_open", compiler=COMPILERS[-1])
    assert done.stdout == TEXT
    assert (done.exit_code, done.stderr) == (0, "")
    assert sorted(demo.parent.rglob("*")) == before


TEXT = """\
demo.wrapper_spec:64:12: open(path: text, flags: i32 = 3)
  store_open(path, flags, &result) -> status
    path:    const char *
    flags:   int
    &result: store ** (the result)
  returns Store: what the call writes: &result
    Store: Python releases it with `store_close(value)`
  raises DemoError unless it is FINE; the status is the call's value, a status
    DemoMemoryError where it is FULL

demo.wrapper_spec:70:17: Store.put(key: text, times: i32)
  store_put(key, len(key), self, times) -> status  [as cpp has it]
    key:      const char *
    len(key): unsigned long
    self:     store * (the object)
    times:    int
  returns None
  raises DemoError unless it is FINE; the status is the call's value, a status
    DemoMemoryError where it is FULL
"""


def test_inspect_lists_what_each_entry_calls(demo: Path) -> None:
    done = CliRunner().invoke(main, ["inspect", "--calls", str(demo)], env={**os.environ, "CXX": COMPILERS[-1]})
    lines = done.stdout.splitlines()
    found = {line.split(": ")[1]: line.partition(": ")[2].partition(": ")[2] for line in lines}
    tested = "DemoError unless it is FINE; the status is the call's value, a status"
    assert found["Store.put"] == f"store_put(key, len(key), self, times) -> status; {tested}"
    assert found["Point.area"] == "self.getArea() -> double; no status"
    assert len({line.rpartition("/")[2].partition(": ")[0] for line in lines}) > 10


@pytest.mark.parametrize(("name", "near"), [("Store.putt", "Store.put"), ("Stor", "Store"), ("opn", "open")])
def test_an_entry_that_is_not_there(demo: Path, name: str, near: str) -> None:
    done = explain(str(demo), name)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"has no entry '{name}'; did you mean '{near}'?" in done.stderr


def test_entries_of_a_class_by_its_name(demo: Path) -> None:
    from wrapper_gen.explain.entries import selected, shown_name
    from wrapper_gen.pipeline import read

    module, _ = read(demo, "demo.wrapper_spec")
    numbers = selected(module, ["Store"])
    names = [shown_name(module.callables[number], module) for number in numbers]
    assert names == ["Store.put", "Store.get", "Store.name", "Store.walk"]
    assert len(selected(module, [])) == len(module.callables)


def test_a_wrong_spec_is_told_as_by_other_commands(tmp_path: Path) -> None:
    spec = tmp_path / "wrong.wrapper_spec"
    spec.write_text("wrapper_lib: {name: wrong}\nfunction: []\n", encoding="utf-8")
    done = explain(str(spec))
    assert (done.exit_code, done.stdout) == (3, "")
    assert "wrong.wrapper_spec:2:1: error:" in done.stderr


def test_a_library_that_is_missing(tmp_path: Path) -> None:
    spec = tmp_path / "gone.wrapper_spec"
    spec.write_text("wrapper_lib: {name: gone, cpp_include: gone.h, optional: true}\n", encoding="utf-8")
    done = explain(str(spec))
    assert (done.exit_code, done.stdout) == (4, "")
    assert "gone.wrapper_spec:1:40: error: header gone.h was not found" in done.stderr


REFUSED = """\
wrapper_lib: {name: demo}
cpp_prelude: |
  inline long half(long value) { return value / 2; }
  inline long other(const char *value) { return *value; }
functions:
  - {def: "half(value: i64) -> i64", cpp_fn: half}
  - {def: "other(value: i64) -> i64", cpp_fn: other}
  - {def: "unknown(value: i64) -> i64", cpp_fn: no_such_function}
  - {def: "broken(value: i64) -> i64", cpp_body: return nothing;}
"""


@pytest.mark.quick(1)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_does_not_compile_is_told_and_the_rest_explained(compiler: str, tmp_path: Path) -> None:
    spec = tmp_path / "demo.wrapper_spec"
    spec.write_text(REFUSED, encoding="utf-8")
    done = explain(str(spec), "--format", "json", compiler=compiler)
    told = {each["name"]: (each["problem"], texts(each)) for each in json.loads(done.stdout)["entries"]}
    refused = ("it does not compile", list[str]())
    assert done.exit_code == 4
    assert told == {"half": ("", ["half(value)"]), "other": refused, "unknown": refused, "broken": refused}
    found = json.loads(done.stderr)["diagnostics"]
    assert {(each["code"], each["line"]) for each in found} == {("WG061", 7), ("WG061", 8), ("WG061", 9)}


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_build_finds_the_same_mistakes(compiler: str, tmp_path: Path) -> None:
    spec = tmp_path / "demo.wrapper_spec"
    spec.write_text(REFUSED, encoding="utf-8")
    done = explain(str(spec), "half", "--format", "json", compiler=compiler)
    environment = {**os.environ, "CXX": compiler}
    built = CliRunner().invoke(main, ["build", "--check-only", str(spec), "--format", "json"], env=environment)
    assert json.loads(built.stderr)["diagnostics"] == json.loads(done.stderr)["diagnostics"]


_OWN = sorted((ROOT / "specs").glob("*.wrapper_spec"))
_EXAMPLES = sorted((ROOT / "examples" / "libraries").glob("*/*.wrapper_spec"))
_TESTED = ("c_calls", "callables", "properties", "overloads", "shapes", "streams", "inheritance", "arguments")
_TESTS = [ROOT / "tests" / "behaviour" / each / f"{each}.wrapper_spec" for each in _TESTED]


@pytest.mark.quick(0, slow=3)
@pytest.mark.parametrize(
    "spec",
    [*(pytest.param(each, marks=[pytest.mark.torch] * (each.stem == "torch")) for each in _OWN), *_EXAMPLES, *_TESTS],
    ids=lambda each: each.stem,
)
def test_each_entry_of_real_specs_has_one_meaning(spec: Path) -> None:
    """On both compilers; where the library is not here, there is nothing to ask."""
    found = []
    for compiler in COMPILERS:
        done = explain(str(spec), "--format", "json", compiler=compiler)
        if "WG062" in done.stderr:
            pytest.skip("the library is not here")
        assert done.exit_code == 0, done.stderr
        found.append(json.loads(done.stdout)["entries"])
    assert found == [found[0]] * len(found)
    assert {each["problem"] for each in found[0]} <= {"", "nothing implements it yet"}

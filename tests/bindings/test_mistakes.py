"""Binding code that does not parse, has no bindings, or has what a spec has no equivalent of: where, and why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wrapper_gen.bindings import convert
from wrapper_gen.cli import main

pytest.importorskip("pybind11")
pytest.importorskip("nanobind")

UNBOUND = "the class Unbound is not bound in these files; if a type caster converts it, it is an entry of `types`"
HEAD = "#include <pybind11/eval.h>\n#include <pybind11/stl.h>\nnamespace py = pybind11;\n"
SMALL = "#include <nanobind/nanobind.h>\nnamespace nb = nanobind;\n"
"""The same for nanobind, whose headers take a third of the time."""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(text: str, *options: str, binder: str = "pybind11") -> Result:
    Path("demo.cpp").write_text(text, encoding="utf-8")
    return CliRunner().invoke(main, ["import", "--from", binder, "demo.cpp", "--lib", "demo", *options])


def left(text: str) -> dict[str, str]:
    """Why definitions are left, by their lines and columns."""
    Path("demo.cpp").write_text(HEAD + text, encoding="utf-8")
    done = convert(["demo.cpp"], "demo", "pybind11")
    for each in done.report.left:
        assert str(each.place) in done.text  # the TODO
    return {str(each.place).removeprefix("demo.cpp:"): each.why for each in done.report.left}


def errors(done: Result) -> list[str]:
    assert done.exit_code == 3
    assert not Path("demo.wrapper_spec").exists()
    found = re.findall(r"^(demo\S*:\d+:\d+: error: .*)$", done.stderr, re.MULTILINE)
    assert found
    return found


def test_a_file_that_does_not_parse() -> None:
    (found,) = errors(run(HEAD + 'PYBIND11_MODULE(demo, m) {\n  m.def("f", &missing);\n}\n'))
    assert found == "demo.cpp:5:15: error: the file does not parse: use of undeclared identifier 'missing' [WG301]"


def test_a_header_that_is_missing() -> None:
    done = run(HEAD + '#include "missing.hpp"\n')
    assert errors(done) == ["demo.cpp:4:10: error: the file does not parse: 'missing.hpp' file not found [WG301]"]
    assert "hint: name its folder with --include" in done.stderr


def test_a_file_that_is_missing() -> None:
    done = CliRunner().invoke(main, ["import", "--from", "pybind11", "demo.cpp", "--lib", "demo"])
    assert errors(done) == ["demo.cpp:1:1: error: there is no such file [WG050]"]


@pytest.mark.parametrize("text", ["", "int f() { return 1; }\n", HEAD + "PYBIND11_MODULE(demo, m) {}\n"])
def test_a_file_without_bindings(text: str) -> None:
    assert errors(run(text)) == ["demo.cpp:1:1: error: no bindings of pybind11 in this file [WG310]"]


def test_options_of_headers_are_refused() -> None:
    done = CliRunner().invoke(main, ["import", "--from", "pybind11", "demo.cpp", "--lib", "demo", "--lang", "c"])
    assert done.exit_code == 2
    assert "--lang is for headers, and not for --from" in done.stderr


def test_a_spec_is_replaced_only_by_force() -> None:
    text = SMALL + 'NB_MODULE(demo, m) { m.def("f", [](int x) { return x; }); }\n'
    Path("demo.wrapper_spec").write_text("kept", encoding="utf-8")
    done = run(text, binder="nanobind")
    assert done.exit_code == 3
    assert "this spec is there already [WG312]" in done.stderr
    assert Path("demo.wrapper_spec").read_text(encoding="utf-8") == "kept"
    assert run(text, "--force", binder="nanobind").exit_code == 0
    assert "def:" in Path("demo.wrapper_spec").read_text(encoding="utf-8")


def test_what_is_left_is_a_warning_at_its_line_and_a_todo() -> None:
    text = (
        SMALL
        + 'NB_MODULE(demo, m) {\n  m.def("f", [](nb::dict d) { return d; });\n  m.def("g", [] { return 1; });\n}\n'
    )
    done = run(text, binder="nanobind")
    assert done.exit_code == 0
    assert "demo.cpp:4:5: warning: function 'f' is left: " in done.stderr
    assert "demo.wrapper_spec: 1 of 2 definitions written, 1 left" in done.stdout
    spec = Path("demo.wrapper_spec").read_text(encoding="utf-8")
    assert "# TODO demo.cpp:4:5: f: " in spec
    done = run(text, "--force", "--format", "json", binder="nanobind")
    report = json.loads(done.stdout)
    assert (report["written"], report["left"]) == (1, 1)
    assert report["definitions"][1] == {"kind": "function", "name": "g", "place": "demo.cpp:5:5"}
    Path("demo.wrapper_spec").unlink()
    assert run(text, "--check", binder="nanobind").exit_code == 1
    assert not Path("demo.wrapper_spec").exists()


def test_functions_that_have_no_equivalent() -> None:
    assert left(
        """\
#include <pybind11/numpy.h>
static double half(double x) { return x / 2; }
PYBIND11_MODULE(demo, m) {
  int level = 3;
  m.def("a", [level](int x) { return x + level; });
  m.def("b", py::vectorize(half));
  m.def("c", [](char x) { return x; });
  m.def("d", [](int *x) { return *x; });
  m.def("e", [](const std::string &text) { return py::eval(text); });
  m.def("f", [](py::args args) { return args.size(); });
  m.def("g", half);
}
"""
    ) == {
        "8:5": "a lambda that uses the variable level of the binding code",
        "9:5": "a function over elements of arrays, which the language has no equivalent of",
        "10:5": "a char is a str of one character in Python, which the language has no type for",
        "11:5": "nothing says what the pointer int * is to: one value, or several",
        "12:5": "code that uses Python objects: eval",
        "13:5": "code that uses Python objects: args: write `*args: T` and code of that",
    }


def test_attributes_that_a_loop_makes() -> None:
    text = (
        SMALL
        + """\
#include <string>
static const char *const kName = "named";
constexpr int kSize = 4;
NB_MODULE(demo, m) {
  m.attr("one") = 1;
  m.attr(kName) = kSize;
  for (int i = 0; i < 3; ++i) m.attr(("K" + std::to_string(i)).c_str()) = 2;
  for (int i = 0; i < 3; ++i) m.attr("last") = i;
  m.attr("__version__") = "1.2";
}
"""
    )
    Path("demo.cpp").write_text(text, encoding="utf-8")
    done = convert(["demo.cpp"], "demo", "nanobind")
    assert {str(each.place): each.why for each in done.report.left} == {
        "demo.cpp:9:31": "an attribute whose name the code computes: write a constant for each",
        "demo.cpp:10:31": "an attribute that is made of the variable i of the binding code",
        "demo.cpp:11:3": (
            "the name __version__: those of the language begin with a letter: say `version` of the library"
        ),
    }
    assert all(f"TODO {each.place}" in done.text for each in done.report.left)
    assert "one:" in done.text
    assert "named:" in done.text
    assert "K:" not in done.text
    assert "last:" not in done.text


@pytest.mark.slow
def test_members_that_have_no_equivalent() -> None:
    assert left(
        """\
struct Point { int x = 0; static inline int count = 0; };
struct Other { Other(const Point &) {} };
struct Unbound {};
PYBIND11_MODULE(demo, m) {
  py::class_<Point>(m, "Point")
      .def(py::init<>())
      .def_readwrite_static("count", &Point::count)
      .def("other", [](const Point &) { return Unbound(); })
      .def("__reduce__", [](const Point &p) { return p.x; })
      .def(py::pickle([](const Point &p) { return p.x; }, [](int x) { Point p; p.x = x; return p; }));
  py::class_<Other>(m, "Other").def(py::init<const Point &>());
  py::implicitly_convertible<Point, Other>();
}
"""
    ) == {
        "10:8": "a property of a class itself: the language has static methods, and constants of modules",
        "11:8": UNBOUND,
        "12:8": "pickling: the language pickles structs, and no classes",
        "13:8": "pickling: the language pickles structs, and no classes",
        "15:3": "an implicit conversion: declare the parameters that take both types as a union, or overloads",
    }


@pytest.mark.slow
def test_bindings_in_macros_and_loops() -> None:
    found = left(
        """\
struct Point { int x = 0, y = 0; int sum() const { return x + y; } };
#define FIELD(name) def_readwrite(#name, &Point::name)
#define SHOWN(name) def(#name, [](const Point &p) { return p.name(); })
PYBIND11_MODULE(demo, m) {
  py::class_<Point>(m, "Point").FIELD(x).FIELD(y).SHOWN(sum);
  for (const char *name : {"one", "two"}) m.def(name, [] { return 1; });
}
"""
    )
    assert found == {"8:51": "a lambda that a macro has", "9:45": "a name that the code computes"}


@pytest.mark.slow
def test_templates_are_written_out_where_they_are_called() -> None:
    text = """\
template <class T> struct Box { T value{}; T get() const { return value; } };
template <class T> void bind(nb::module_ &m, const char *name) {
  nb::class_<Box<T>>(m, name).def("get", &Box<T>::get);
}
template <class T> void unused(nb::module_ &m) {
  m.def("unused", [](T x) { return x; });
}
NB_MODULE(demo, m) {
  bind<int>(m, "IntBox");
  bind<double>(m, "Box");
}
"""
    Path("demo.cpp").write_text(SMALL + text, encoding="utf-8")
    done = convert(["demo.cpp"], "demo", "nanobind")
    (only,) = done.report.left
    assert only.text() == "demo.cpp:8:5: member unused: within the template unused, of which no call is here"
    assert "name: IntBox" in done.text
    assert 'cpp_type: "::Box<double>"' in done.text


@pytest.mark.slow
def test_several_files_are_one_module() -> None:
    shapes = 'struct Point { int x = 0; };\nvoid add(nb::module_ &m) { nb::class_<Point>(m, "Point"); }\n'
    main_file = (
        'void add(nb::module_ &m);\nNB_MODULE(demo, m) {\n  auto sub = m.def_submodule("sub");\n  add(sub);\n}\n'
    )
    Path("shapes.cpp").write_text(SMALL + shapes, encoding="utf-8")
    Path("main.cpp").write_text(SMALL + main_file, encoding="utf-8")
    spec = convert(["main.cpp", "shapes.cpp"], "demo", "nanobind").text
    assert "name: Point" in spec
    assert "module: sub" in spec

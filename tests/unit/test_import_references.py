"""What `wrapper-gen import` says of objects of C++ that refer to others: by their members, and by comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_imports import importing, spec, words
from wrapper_gen.drafts.report import Became

pytest.importorskip("clang.cindex")

ATLAS = """\
#pragma once
#include <memory>
#include <string_view>
#include <vector>
namespace geo {
class Earth { double a_ = 1; public: Earth() {} double radius() const { return a_; } void widen(double a); };
class Line { const Earth &of_; public: explicit Line(const Earth &earth); double length() const; };
class Copy { Earth own_; public: explicit Copy(const Earth &earth); void set_earth(const Earth &earth); };
class Hidden { struct Parts; std::unique_ptr<Parts> parts_; public: explicit Hidden(const Earth &earth); };
class Told { int n_; public: Told();
  /** Keeps a reference to the earth, which must outlive it. */
  void look(Earth &earth); };
class Holder {
  const Earth *earth_ = nullptr;
  std::string_view tag_;
  std::vector<Line> lines_;
  Earth own_;
public:
  Holder() {}
  void attach(const Earth &earth);
  void bind(const Earth *earth);
  void draw(const Earth &earth);
  double compare(const Earth &earth) const;
  void add(const Line &line);
  void tag(std::string_view tag);
  Line first() const;
  const std::vector<Line> &lines() const;
  Line &at(int i);
  Earth &own();
  static Earth &standard();
};
Line line_of(const Earth &earth, int n);
}
"""


def test_what_objects_of_cpp_refer_to_is_held_and_asked(tmp_path: Path) -> None:
    found = words(importing(tmp_path, ATLAS, lang="cpp"))
    questions, text = (tmp_path / "demo.import").read_text(encoding="utf-8"), spec(tmp_path)
    asked = "  geo::Earth: {holds: [Hidden, Line, attach, bind, look], uses: [draw]}  # what calls do"
    assert asked in questions
    assert "  geo::Line: {holds: [add]}  # what calls do" in questions
    assert "  memory: {holds_last: [tag]}" in questions
    for each in ("Line(earth: Earth)", "Hidden(earth: Earth)", "attach(earth: Earth)", "bind(earth: Earth)"):
        assert f'# guess: the object may keep earth\n      - {{def: "{each}", holds: [earth]}}' in text
    assert '- {def: "Copy(earth: Earth)"}' in text and '- {def: "set_earth(earth: Earth)"}' in text
    assert found["geo::Holder::draw"] == (Became.GUESSED, "the call only uses earth")
    assert found["geo::Holder::compare"] == (Became.WRITTEN, "")
    assert found["geo::Told::look"] == (Became.GUESSED, "the object may keep earth")


def test_results_keep_what_their_constructors_would(tmp_path: Path) -> None:
    found = words(importing(tmp_path, ATLAS, lang="cpp"))
    text = spec(tmp_path)
    assert "{def: first() -> Line, holds: {result: self}}" in text
    assert '{def: "lines() -> [Line]", holds: {result: self}}' in text
    assert '{def: "at(i: i32) -> Line", cpp: geo::Line(self.at(i)), holds: {result: self}}' in text
    assert found["geo::Holder::at"] == (Became.GUESSED, "a copy of the Line; the Line may refer to self")
    assert 'def: "line_of(earth: Earth, n: i32) -> Line"' in text and "holds: {result: earth}" in text


def test_answers_say_what_objects_of_cpp_refer_to(tmp_path: Path) -> None:
    said = "{holds: [compare], uses: ['geo::Line::Line', attach], ask: [bind]}"
    outcome = importing(tmp_path, ATLAS, f"import: {{name: demo}}\nkeeps:\n  geo::Earth: {said}\n", lang="cpp")
    found, text = words(outcome), spec(tmp_path)
    assert '{def: "compare(earth: Earth) -> f64", holds: [earth]}' in text
    assert '{def: "Line(earth: Earth)"}' in text and '{def: "attach(earth: Earth)"}' in text
    assert found["geo::Line::Line"] == found["geo::Holder::attach"] == (Became.WRITTEN, "")
    assert found["geo::Holder::bind"][0] is Became.ASKED
    assert "{def: first() -> Line}" in text  # since the constructor only uses it
    assert not outcome.findings


def test_a_reference_to_an_object_of_another_is_its_address(tmp_path: Path) -> None:
    importing(tmp_path, ATLAS, lang="cpp")
    assert "geo::Earth: {owned: [], borrowed: [own, standard]}" in (tmp_path / "demo.import").read_text("utf-8")
    assert '{def: own() -> Earth, release: nothing, belongs_to: self, result: "&value"}' in spec(tmp_path)
    importing(tmp_path, ATLAS.replace("Earth &own()", "const Earth &own() const"), lang="cpp")
    assert "its Earth is const in C++, and must not be changed" in spec(tmp_path)

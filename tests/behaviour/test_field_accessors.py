"""Fields of structs that C++ reads and writes by functions, over both engines alike."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: reach}
cpp_prelude: |
  #include <complex>
  #include <map>
  #include <optional>
  #include <string>
  #include <string_view>
  #include <vector>
  enum class Kind { small = 1, large = 2 };
  class Item {
    std::string name_; int size_ = 7; Kind kind_ = Kind::small; std::vector<int> marks_; std::optional<int> rank_;
    float weight_ = 0; std::map<std::string, double> prices_; std::string label_;
  public:
    const std::string &name() const { return name_; }
    void set_name(std::string to) { name_ = std::move(to); }
    int getSize() const { return size_; }
    Item &setSize(int to) { if (to == 13) throw std::invalid_argument("no 13"); size_ = to; return *this; }
    Kind kind() const { return kind_; }
    void kind(Kind to) { kind_ = to; }
    const std::vector<int> &marks() const { return marks_; }
    void set_marks(const std::vector<int> &to) { marks_ = to; }
    std::optional<int> rank() const { return rank_; }
    void set_rank(std::optional<int> to) { rank_ = to; }
    float weight() const { return weight_; }
    float &weight() { return weight_; }
    const std::map<std::string, double> &prices() const { return prices_; }
    std::map<std::string, double> *mutable_prices() { return &prices_; }
    const char *label() const { return label_.c_str(); }
    void set_label(const char *to) { label_ = to; }
  };
  class Note {  // which refers to what it was given
    std::string_view text_;
  public:
    std::string_view text() const { return text_; }
    void set_text(std::string_view to) { text_ = to; }
  };
  class Box {
    Item item_; Note note_; std::optional<std::string> hint_; long w_ = 1, h_ = 2;
  public:
    const Item &item() const { return item_; }
    Item &item() { return item_; }
    const Note &note() const { return note_; }
    void set_note(const Note &to) { note_ = to; }
    bool has_hint() const { return hint_.has_value(); }
    const std::string &hint() const { return *hint_; }
    void set_hint(const std::string &to) { hint_ = to; }
    long width() const { return w_; }
    long height() const { return h_; }
    void resize(long w, long h) { w_ = w; h_ = h; }
  };
  struct Span { double low = 0; double width = 0; double high() const { return low + width; } };
  inline Note lasting() { return Note(); }
enums:
  - {name: Kind, cpp_type: Kind, values: {SMALL: "Kind::small", LARGE: "Kind::large"}}
structs:
  - name: Item
    cpp_type: Item
    fields:
      name: {type: text, cpp: name()}
      size: {type: i64, cpp: size(), default: 7}
      kind: {type: Kind, cpp: kind(), default: SMALL}
      marks: {type: "[i64]", cpp: marks(), default: []}
      rank: {type: "i64?", cpp: rank(), default: null}
      weight: {type: f64, cpp: weight(), default: 0}
      prices: {type: "{text: f64}", cpp: prices(), default: {}}
      label: {type: text, cpp: label(), default: ""}
  - {name: Note, cpp_type: Note, fields: {text: {type: text, cpp: text()}}}
  - name: Box
    cpp_type: Box
    fields:
      item: {type: Item, cpp: item()}
      note: {type: Note, cpp: value.note(), set: set_note}
      hint:
        type: text?
        cpp: "value.has_hint() ? std::optional<std::string>(value.hint()) : std::nullopt"
        default: null
      width: {type: i64, cpp: width(), set: "value.resize(width, value.height())", default: 1}
      height: {type: i64, cpp: height(), set: "value.resize(value.width(), height)", default: 2}
  - {name: Complex, cpp_type: std::complex<double>, make: "std::complex<double>(re, im)",
     fields: {re: {type: f64, cpp: real()}, im: {type: f64, cpp: imag(), default: 0}}}
  - name: Span
    cpp_type: Span
    fields: {low: f64, high: {type: f64, cpp: high(), set: "value.width = high - value.low"}}
functions:
  - {def: "same(item: Item) -> Item", cpp: "[](Item i) { return i; }"}
  - def: "sizes(items: [Item]) -> [i64]"
    cpp_body: "std::vector<i64> out; for (const Item &i : items) out.push_back(i.getSize()); return out;"
  - {def: "boxes(given: [Box]) -> [Box]", cpp_body: return given;}
  - {def: "words(note: Note) -> text", cpp: "[](const Note &n) { return n.text(); }"}
  - {def: "times(a: Complex, b: Complex) -> Complex", cpp_body: return a * b;}
  - def: "all(given: {text: Complex}) -> [Complex]"
    cpp_body: |
      std::vector<std::complex<double>> out;
      for (const auto &[k, v] : given) out.push_back(v);
      return out;
  - {def: "wider(span: Span) -> Span", cpp_body: span.width += 1; return span;}
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def reach(request: pytest.FixtureRequest) -> Any:
    return packages.build_text(SPEC, name="reach").load(request.param)


def test_fields_are_read_and_set_by_functions(reach: Any) -> None:
    item = reach.Item("one", 3, reach.Kind.LARGE, [1, 2], 5, 1.5, {"a": 2.0}, "label")
    values = ("one", 3, reach.Kind.LARGE, [1, 2], 5, 1.5, {"a": 2.0}, "label")
    for each in (item, reach.same(item), copy.deepcopy(item)):
        assert (each.name, each.size, each.kind, each.marks) == values[:4]
        assert (each.rank, each.weight, each.prices, each.label) == values[4:]
    plain = reach.Item("two")
    assert (plain.size, plain.rank, plain.kind, plain.prices) == (7, None, reach.Kind.SMALL, {})
    assert reach.same(item) == item != plain and len({item, reach.same(item), plain}) == 2
    assert reach.sizes([item, plain]) == [3, 7]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"size": 2**31}, "OverflowError: size: 2147483648 does not fit i32"),
        ({"weight": 1e39}, "OverflowError: weight: 1e+39 does not fit f32"),
        ({"size": "3"}, "TypeError: size: an int is wanted, not str"),
        ({"label": "a\0b"}, "ValueError: label: embedded null character"),
        ({"size": 13}, "ValueError: no 13"),
    ],
)
def test_what_does_not_fit_is_refused(reach: Any, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(Exception) as caught:
        reach.same(reach.Item("", **fields))
    assert f"{type(caught.value).__name__}: {caught.value}" == said


@pytest.mark.parametrize("fields", [{"marks": [2**40]}, {"rank": 2**40}])
def test_elements_that_do_not_fit_are_refused(reach: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(OverflowError):
        reach.same(reach.Item("", **fields))


def test_what_a_struct_refers_to_lives_as_long_as_it(reach: Any) -> None:
    long = "a text that is longer than what a string has room for"
    notes = [reach.Note(long + str(i)) for i in range(50)]
    copies = [copy.copy(note) for note in notes]
    assert [reach.words(note) for note in copies] == [note.text for note in notes] == [long + str(i) for i in range(50)]
    boxes = [reach.Box(reach.Item("x"), note) for note in notes]
    del notes, copies
    assert [box.note.text for box in reach.boxes(boxes)] == [long + str(i) for i in range(50)]


def test_expressions_and_references(reach: Any) -> None:
    box = reach.Box(reach.Item("in", size=4), reach.Note("n"), "h", 5, 6)
    [other] = reach.boxes([box])
    for each in (box, other):
        assert (each.item.name, each.item.size, each.note, each.hint) == ("in", 4, reach.Note("n"), "h")
        assert (each.width, each.height) == (5, 6)
    assert reach.boxes([reach.Box(reach.Item(""), reach.Note(""))])[0].hint is None
    assert repr(reach.wider(reach.Span(1, 3))) == "Span(low=1.0, high=4.0)"


def test_structs_that_are_made_at_once(reach: Any) -> None:
    a, b = reach.Complex(1, 2), reach.Complex(im=1, re=0)
    assert repr(reach.times(a, b)) == "Complex(re=-2.0, im=1.0)"
    assert reach.all({"x": a, "y": b}) == [a, b]
    assert reach.Complex(3).im == 0.0
    with pytest.raises(TypeError, match="re: a float is wanted, not str"):
        reach.Complex("a")


REFUSING = """\
wrapper_lib: {name: refusing}
cpp_prelude: |
  #include <algorithm>
  #include <stdexcept>
  #include <string>
  struct odd : std::runtime_error { using std::runtime_error::runtime_error; };
  class level {
    int value_ = 0; std::string name_;
  public:
    int value() const { return value_; }
    void set_value(int to) { if (to == 13) throw odd("no 13"); if (to == 14) throw 14; value_ = std::min(to, 100); }
    const std::string &name() const { return name_; }
    void set_name(std::string to) { if (to.empty()) throw std::invalid_argument("a name is wanted"); name_ = to; }
    void raise_to(int to) { value_ = to; }
  };
  struct ratio {
    int above, below;
    ratio(int a = 0, int b = 1) : above(a), below(b) { if (b == 0) throw odd("nothing below"); }
  };
  struct pair { level one; int two = 0; };
errors:
  - {cpp_type: odd, name: OddError}
structs:
  - name: Level
    cpp_type: level
    accessors: true
    fields: {value: i64, name: {type: text, default: a}}
    methods:
      - {def: "Level(*, text: text)", cpp_body: "level l; l.set_value(std::stoi(text)); return l;"}
      - {def: "raised(to: i64) -> Level", cpp_body: "level l = self; l.raise_to(int(to)); return l;"}
  - {name: Ratio, cpp_type: ratio, make: "ratio(int(above), int(below))", module: parts,
     fields: {above: {type: i64, get: value.above}, below: {type: i64, get: value.below, default: 1}}}
  - {name: Pair, cpp_type: pair, fields: {one: Level, two: i64}}
functions:
  - {def: "level(of: Pair) -> i64", cpp_body: return of.one.value() + of.two;}
  - {def: "part(of: Ratio) -> f64", cpp_body: return double(of.above) / of.below;}
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def refusing(request: pytest.FixtureRequest) -> Any:
    return packages.build_text(REFUSING, name="refusing").load(request.param)


def test_what_a_setter_throws_is_raised_where_the_record_is_made(refusing: Any) -> None:
    for _ in range(2):
        with pytest.raises(refusing.OddError, match="no 13"):
            refusing.Level(13)
        with pytest.raises(refusing.RefusingError, match="no std::exception"):
            refusing.Level(14)
        with pytest.raises(ValueError, match="a name is wanted"):
            refusing.Level(1, name="")
        with pytest.raises(refusing.OddError, match="no 13"):
            refusing.Level(text="13")
        with pytest.raises(refusing.OddError, match="nothing below"):
            refusing.parts.Ratio(1, 0)
    level = refusing.Level(12)
    with pytest.raises(refusing.OddError, match="no 13"):
        refusing.Pair(refusing.Level(13), 1)
    with pytest.raises(refusing.OddError, match="no 13"):
        level.__replace__(value=13)
    with pytest.raises(OverflowError, match="value: 2147483648 does not fit i32"):
        refusing.Level(2**31)
    with pytest.raises(TypeError, match="above: an int is wanted, not str"):
        refusing.parts.Ratio("12")
    assert (level.value, level.name, refusing.level(refusing.Pair(level, 1))) == (12, "a", 13)


def test_a_record_has_what_its_setters_made_of_the_values(refusing: Any) -> None:
    level = refusing.Level(1000)
    assert (level.value, level) == (100, refusing.Level(100))
    assert hash(level) == hash(refusing.Level(100)) and copy.copy(level) == level
    assert refusing.parts.Ratio(3, 2).below == 2 and refusing.part(refusing.parts.Ratio(3, 2)) == 1.5
    assert level.raised(13).value == 13  # what C++ made was not set


def test_a_stub_makes_records_of_what_it_is_given() -> None:
    stub = packages.build_text(REFUSING, name="refusing", stub=True).load("cffi")
    assert (stub.Level(13).value, stub.parts.Ratio(1, 0).below) == (13, 0)
    with pytest.raises(stub.LibraryUnavailable):
        stub.part(stub.parts.Ratio(1, 0))

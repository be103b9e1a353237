"""Properties: what reads and sets them, what they refuse, over both engines."""

from __future__ import annotations

import inspect
import re
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from tests.behaviour import packages
from wrapper_gen import pipeline, project

SPEC = packages.HERE / "properties" / "properties.wrapper_spec"


@pytest.fixture(scope="module", params=packages.ENGINES)
def lib(request: pytest.FixtureRequest) -> Any:
    return packages.build(SPEC).load(request.param)


def test_an_array_of_characters_ends_where_it_ends(lib: Any) -> None:
    gauge = lib.gauge()
    assert (gauge.code, gauge.code_bytes, gauge.maybe_code, gauge.short_code) == ("abcd", b"abcd", "abcd", "e")


def test_text_of_what_an_expression_makes_is_copied_before_that_ends(lib: Any) -> None:
    gauge, whole = lib.gauge(), "untitled, of a gauge that has a long name"
    assert (gauge.shown, gauge.shown_part, gauge.maybe_shown) == (whole, whole[10:].encode(), whole)
    assert gauge.shown_word == whole


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("count", 0, -(2**63)),
        ("narrow", 0, 2**31 - 1),
        ("ratio", 0.5, 2.0),
        ("marks", (), (1, -2, 3)),
        ("label", "", "ä label"),
        ("bits", 1, 7),
        ("literal", False, True),
        ("maxMem", 1, 12),
        ("title", "untitled", "A title"),
        ("level", 2, 9),
        ("name", "gauge", "other"),
        ("limit", 2, 100),
        ("twice", 0, 8),
        ("class_", 2, 5),
        ("type", "gauge", None),
    ],
)
def test_what_is_set_is_read(lib: Any, name: str, before: Any, after: Any) -> None:
    gauge = lib.gauge()
    assert getattr(gauge, name) == before
    setattr(gauge, name, after)
    assert getattr(gauge, name) == ("none" if name == "type" else after)


def test_the_ways_reach_the_same_object(lib: Any) -> None:
    gauge = lib.gauge()
    gauge.maxMem = 1
    assert gauge.mood is lib.Mood.WILD
    gauge.mood = lib.Mood.CALM
    assert gauge.maxMem == 0
    gauge.secret = "told"
    assert gauge.told == "told"


def test_functions_with_the_prefix(lib: Any) -> None:
    dial = lib.dial()
    assert (dial.size, dial.at) == (3, 3)
    dial.size = 5
    assert (dial.size, dial.at) == (5, 5)
    assert (dial.turn, dial.on) == (10, True)
    dial.limit = 50
    assert dial.limit == 49  # what the library's functions say is before what C shows of the struct
    with pytest.raises(ValueError, match="no dial goes that far"):
        dial.limit = 100
    assert dial.limit == 49


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("angle", 1.0, 2.5),
        ("awake", True, False),
        ("is_awake", True, False),
        ("flat", False, True),
        ("size", 3, 30),
        ("wide", 4, 40),
        ("r", 5, 50),
        ("inner_radius", 5, 50),
        ("radius_in_full", 2.0, 0.5),
    ],
)
def test_usual_names_of_getters_and_setters(lib: Any, name: str, before: Any, after: Any) -> None:
    body = lib.Body()
    assert getattr(body, name) == before
    setattr(body, name, after)
    assert getattr(body, name) == after


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("count", "x", TypeError, r"^count: an int is wanted, not str$"),
        ("count", 2**63, OverflowError, "count"),
        ("narrow", 2**31, OverflowError, "narrow.*2147483648"),
        ("maxMem", -(2**40), OverflowError, "maxMem"),
        ("bits", 8, OverflowError, "bits"),
        ("bits", -1, OverflowError, "bits"),
        ("literal", 1, TypeError, "literal: a bool is wanted, not int"),
        ("name", "nul\0", ValueError, "name"),
        ("marks", [1, "2"], TypeError, r"marks\[1\]"),
        ("title", "", ValueError, "no title"),
        ("mood", "WILD", TypeError, "mood"),
        ("class_", 2**31, OverflowError, "class_"),
    ],
)
def test_bad_values(lib: Any, name: str, value: Any, error: type[Exception], message: str) -> None:
    gauge = lib.gauge()
    before = getattr(gauge, name)
    with pytest.raises(error, match=message):
        setattr(gauge, name, value)
    assert getattr(gauge, name) == before


def test_statuses_are_raised(lib: Any) -> None:
    gauge = lib.gauge()
    with pytest.raises(lib.GaugeError):
        gauge.limit = 101
    assert gauge.limit == 2


@pytest.mark.parametrize("name", ["fixed", "hint", "told"])
def test_read_only(lib: Any, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(lib.gauge(), name, 1)


def test_write_only(lib: Any) -> None:
    gauge = lib.gauge()
    with pytest.raises(AttributeError, match=r"^property 'secret' of 'Gauge' object has no getter$"):
        _ = gauge.secret
    assert not hasattr(gauge, "secret")
    assert "Never told" in inspect.getdoc(lib.Gauge.secret)


@pytest.mark.parametrize("name", ["count", "secret", "limit"])
def test_nothing_is_deleted(lib: Any, name: str) -> None:
    gauge = lib.gauge()
    with pytest.raises(AttributeError, match=rf"^property '{name}' of 'Gauge' object has no deleter$"):
        delattr(gauge, name)


def test_closed_handles(lib: Any) -> None:
    gauge = lib.gauge()
    gauge.close()
    with pytest.raises(lib.ClosedHandleError):
        gauge.count = 1
    with pytest.raises(lib.ClosedHandleError):
        _ = gauge.count


def test_another_object_is_refused(lib: Any) -> None:
    with pytest.raises(TypeError):
        lib.Gauge.count.__set__(lib.dial(), 3)
    with pytest.raises((TypeError, AttributeError)):
        lib.Gauge.count.__set__(3, 3)


def test_properties_named_like_types_of_the_spec(lib: Any) -> None:
    gauge = lib.gauge()
    assert (gauge.text, gauge.path, gauge.bytes_) == ("a text", "a/path", 3)
    gauge.text, gauge.path, gauge.bytes_ = "x", "y", 4
    assert (gauge.text, gauge.path, gauge.bytes_) == ("x", "y", 4)
    with pytest.raises(TypeError, match="text"):
        gauge.text = 1


COPIES = """\
wrapper_lib: {name: copies}
cpp_prelude: |
  #include <map>
  #include <optional>
  #include <set>
  #include <string>
  #include <utility>
  #include <vector>
  struct Song {
    std::vector<std::string> verses{"first", "second"};
    std::vector<std::vector<double>> bars{{1, 2}, {3}};
    std::map<std::string, std::vector<int>> parts{{"alto", {1}}};
    std::set<int> keys{1, 2};
    std::pair<std::vector<int>, int> range() const { return {{1}, 2}; }
    std::optional<std::vector<int>> rests() const { return std::nullopt; }
  };
  struct Beat { double length; };
  inline std::vector<double> halves(const Beat &beat) { return {beat.length / 2, beat.length / 2}; }
  inline std::vector<std::string> all(const Song &song) { return song.verses; }
structs:
  - name: Rhythm
    cpp_type: Beat
    fields: {length: f64}
    methods: [{def: "halves -> [f64]", cpp: "::halves"}]
handle_types:
  - name: Tune
    cpp_type: Song
    fields:
      verses: mut [text]
      bars: mut [[f64]]
      parts: "mut {text: [i32]}"
      keys: mut set[i32]
      range: "([i32], i32)"
      rests: "[i32]?"
    methods: [{def: "Tune()"}, {def: "all() -> [text]", cpp: "::all"}]
"""


@pytest.fixture(scope="module")
def copies(engine: str) -> Any:
    return packages.build_text(COPIES, name="copies").load(engine)


def test_no_change_of_a_copy_is_lost_in_silence(copies: Any) -> None:
    tune = copies.Tune()
    assert (tune.verses, tune.bars) == (("first", "second"), ((1, 2), (3,)))
    assert (tune.parts, tune.keys, tune.range, tune.rests) == ({"alto": (1,)}, {1, 2}, ((1,), 2), None)
    assert copies.Rhythm(2.0).halves == (1, 1)
    changes = [
        (lambda: tune.verses.append("third"), "'tuple' object has no attribute 'append'"),
        (lambda: tune.bars[0].append(9), "'tuple' object has no attribute 'append'"),
        (lambda: tune.parts["alto"].clear(), "'tuple' object has no attribute 'clear'"),
        (lambda: tune.parts.update(bass=[1]), "'mappingproxy' object has no attribute 'update'"),
        (lambda: tune.keys.add(3), "'frozenset' object has no attribute 'add'"),
        (lambda: tune.range[0].append(3), "'tuple' object has no attribute 'append'"),
    ]
    for change, message in changes:
        with pytest.raises(AttributeError, match=message):
            change()


def test_what_a_property_shows_can_be_set_again(copies: Any) -> None:
    tune, other = copies.Tune(), copies.Tune()
    tune.verses += ("third",)
    tune.bars = [*tune.bars, [4.0]]
    tune.parts = {**tune.parts, "bass": [2, 3]}
    tune.keys |= {3}
    assert (tune.verses, tune.bars) == (("first", "second", "third"), ((1, 2), (3,), (4,)))
    assert (tune.parts, tune.keys) == ({"alto": (1,), "bass": (2, 3)}, {1, 2, 3})
    other.verses, other.bars, other.parts, other.keys = tune.verses, tune.bars, tune.parts, tune.keys
    assert (other.verses, other.bars, other.parts, other.keys) == (tune.verses, tune.bars, tune.parts, tune.keys)
    assert tune.all() == ["first", "second", "third"], "a method makes a list of its caller's own"


def test_the_type_stub_has_no_list_that_would_be_lost() -> None:
    stub = (packages.build_text(COPIES, name="copies").folder / "__init__.pyi").read_text(encoding="utf-8")
    assert "def bars(self) -> _tuple[_tuple[float, ...], ...]:" in stub
    assert "def parts(self) -> _Mapping[str, _tuple[int, ...]]:" in stub
    assert "def keys(self) -> _frozenset[int]:" in stub
    assert "def all(self) -> _list[str]:" in stub or "def all(self) -> list[str]:" in stub


# --- examples in documentation -----------------------------------------------------------------------------------


def test_examples_are_in_docstrings_as_they_are_written(lib: Any) -> None:
    module, _ = pipeline.read(SPEC, SPEC.name)
    ratio = next(f.doc for f in module.callables if "How much of it there is." in f.doc)
    for text, thing in [
        (module.enums[0].doc, lib.Mood),
        (module.errors[0].doc, lib.GaugeError),
        (ratio, lib.Gauge.ratio),
    ]:
        example = text[text.index(">>>") :].strip()
        assert f"\n\n{example}\n" in f"{inspect.getdoc(thing)}\n"


def test_a_project_runs_all_examples(engine: str, tmp_path: Path) -> None:
    """That of `__len__` as well, whose documentation no docstring of the cpython engine has."""
    module, _ = pipeline.read(SPEC, SPEC.name)
    options = project.ProjectOptions(spec=SPEC.name)
    texts = project.texts(project.view(module, options, PurePosixPath(SPEC.name)), options, names_schema=False)
    text = texts[PurePosixPath("tests/test_package.py")]
    spoiled = "    example.examples[-1].want, example.examples[-1].exc_msg = 'another', None\n    said: list"
    assert text.count("    said: list") == 1
    (tmp_path / "test_package.py").write_text(text, encoding="utf-8")
    (tmp_path / "test_spoiled.py").write_text(text.replace("    said: list", spoiled), encoding="utf-8")
    # Without the summary, in which pytest repeats messages at full length where a CI runs it.
    code = f"import pytest, sys; sys.exit(pytest.main(['-q', '-rN', '-p', 'no:cacheprovider', {str(tmp_path)!r}]))"
    said = packages.build(SPEC).python(code, engine=engine, check=False).stdout
    assert f"\n{said.count('Its `doc` is in properties.wrapper_spec.')} failed, 8 passed" in said
    failed = re.findall(r"^_+ test_example\[(.*)\] _+$", said, re.MULTILINE)
    assert failed == [f"properties_ffi.{each}" for each in ("GaugeError", "Mood", "Gauge.ratio", "Body.__len__")]

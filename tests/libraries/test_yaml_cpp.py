"""yaml-cpp over our package, by what its own documentation says."""

from __future__ import annotations

import copy
import gc
from pathlib import Path
from typing import Any

import pytest

from tests.libraries import library

DOCUMENT = """\
name: shelf
sizes: [30, 2.5, 1e3, -0x1F]
flags: {on: true, off: no, none: ~, text: "true"}
books:
  - {title: "Ænd", pages: 300}
  - title: |
      two
      lines
"""
VALUES = {
    "name": "shelf",
    "sizes": [30, 2.5, 1000.0, "-0x1F"],
    "flags": {"on": True, "off": False, "none": None, "text": "true"},
    "books": [{"title": "Ænd", "pages": 300}, {"title": "two\nlines\n"}],
}


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return library.load("yaml_cpp", engine)


@pytest.fixture
def node(lib: Any) -> Any:
    return lib.load(DOCUMENT)


# --- reading ---------------------------------------------------------------------------------------------------------


def test_documents_become_values_of_python(lib: Any, node: Any, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(DOCUMENT, encoding="utf-8")
    found = lib.values(DOCUMENT)
    assert (
        found == node.value == lib.values_of_file(tmp_path / "a.yaml") == lib.load_file(str(tmp_path / "a.yaml")).value
    )
    found["sizes"][3] = "-0x1F" if found["sizes"][3] in (-31, "-0x1F") else found["sizes"][3]
    assert found == VALUES


def test_several_documents(lib: Any) -> None:
    assert [each.value for each in lib.load_all("a: 1\n---\n[2]\n---\n~")] == [{"a": 1}, [2], None]
    assert lib.values("") is None


def test_parts_of_a_document(lib: Any, node: Any) -> None:
    assert (len(node), len(node["sizes"]), len(node["name"])) == (4, 4, 0)
    assert node["books"][0]["title"].as_text() == "Ænd"
    assert (node["sizes"][0].as_int(), node["sizes"][1].as_float(), node["flags"]["on"].as_bool()) == (30, 2.5, True)
    assert ("name" in node, "books" in node, "title" in node) == (True, True, False)
    kinds = [node["name"].kind, node["sizes"].kind, node.kind, node["flags"]["none"].kind]
    assert kinds == [lib.Kind.Scalar, lib.Kind.Sequence, lib.Kind.Map, lib.Kind.Null]
    assert (node["books"].mark.line, node["books"].mark.column) == (4, 2)
    assert node["flags"]["text"].tag == "!"
    assert node["flags"].style == lib.Style.Flow


def test_iteration_goes_over_elements_keys_and_pairs(lib: Any, node: Any) -> None:
    assert [each.scalar for each in node] == ["name", "sizes", "flags", "books"]
    assert [each["title"].scalar for each in node["books"]] == ["Ænd", "two\nlines\n"]
    assert {key.scalar: value.kind for key, value in node["flags"].items()} == dict.fromkeys(
        ["on", "off", "text"], lib.Kind.Scalar
    ) | {"none": lib.Kind.Null}
    assert list(node["name"]) == list(lib.load("{}").items()) == []
    one = iter(lib.load("[only]"))
    gc.collect()
    assert [each.as_text() for each in one] == ["only"]


def test_a_part_keeps_its_document(lib: Any) -> None:
    part = lib.load(DOCUMENT)["books"][1]["title"]
    gc.collect()
    assert part.scalar == "two\nlines\n"


def test_parts_that_are_not_there(lib: Any, node: Any) -> None:
    with pytest.raises(KeyError, match="author"):
        node["author"]
    for key in (4, -1):
        with pytest.raises((KeyError, IndexError)):
            node["sizes"][key]
    with pytest.raises(lib.YamlError, match="scalar"):
        node["name"]["first"]
    with pytest.raises(lib.BadConversion, match="line 1, column 7"):
        node["name"].as_int()
    with pytest.raises(TypeError, match=r"^key: an int or a str is wanted, not float$"):
        node[1.5]


# --- writing ---------------------------------------------------------------------------------------------------------


def test_documents_can_be_changed(lib: Any, node: Any) -> None:
    node["flags"]["more"] = lib.load("[1, 2]")
    del node["books"], node["sizes"]
    node["name"].set_tag("!shelf")
    node["flags"]["more"].append(lib.load("three"))
    del node["flags"]["text"]  # yaml-cpp forgets its quotes
    assert str(node) == "name: !<!shelf> shelf\nflags: {on: true, off: no, none: ~, more: [1, 2, three]}"
    assert lib.values(str(node))["flags"]["more"] == [1, 2, "three"]
    with pytest.raises(KeyError):
        del node["books"]


def test_an_empty_node_becomes_what_is_put_into_it(lib: Any) -> None:
    made = lib.Node()
    made["a"] = lib.load("1")
    made["b"] = lib.load("{c: d}")
    assert made.value == {"a": 1, "b": {"c": "d"}}


def test_copies_share_nothing(lib: Any, node: Any) -> None:
    same = node["flags"]
    for copied in (node.clone(), copy.copy(node), copy.deepcopy(node)):
        copied["flags"]["on"] = lib.load("changed")
        assert node["flags"]["on"].as_bool()
        assert copied != node
    same["on"] = lib.load("0")
    assert node["flags"]["on"].as_int() == 0


def test_nodes_are_equal_where_they_are_the_same(lib: Any, node: Any) -> None:
    assert node["name"] == node["name"]
    assert node != lib.load(DOCUMENT)
    assert node != 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(node)


def test_an_emitter_writes_from_beginning_to_end(lib: Any, node: Any) -> None:
    out, manip = lib.Emitter(), lib.Manip
    out << lib.Comment("sizes") << manip.BeginMap << manip.Key << "sizes" << manip.Value << manip.Flow << manip.BeginSeq
    for each in (1, 2.5, False, "a: b", None):
        out << each
    out << manip.EndSeq << manip.Key << "all" << manip.Value << node["books"] << manip.EndMap
    assert out.good
    assert out.size == len(str(out).encode())
    assert lib.values(str(out)) == {"sizes": [1, 2.5, False, "a: b", None], "all": VALUES["books"]}
    assert str(out).startswith("# sizes\n")


def test_an_emitter_writes_anchors_and_aliases(lib: Any) -> None:
    out, manip = lib.Emitter(), lib.Manip
    anchor = lib.Anchor("shared")
    with pytest.raises(TypeError):
        lib.Emitter() << object()
    out << manip.BeginSeq << anchor << "text" << lib.Alias(anchor.content) << manip.EndSeq
    assert "&shared" in str(out)
    assert lib.values(str(out)) == ["text", "text"]


def test_parts_are_set_to_values_of_python(lib: Any, node: Any) -> None:
    node["name"] = "another: name"
    node["count"] = 5
    node["ratio"] = 0.5
    node["open"] = True
    node["books"].append("the last")
    assert [node[key].value for key in ("name", "count", "ratio", "open")] == ["another: name", 5, 0.5, True]
    assert node["books"].value[-1] == "the last"
    with pytest.raises(TypeError):
        node["name"] = object()


# --- events ----------------------------------------------------------------------------------------------------------


def test_a_handler_is_told_what_is_in_a_document(lib: Any) -> None:
    class Handler(lib.EventHandler):  # type: ignore[misc]
        def on_document_start(self, mark: Any) -> None:
            told.append("start")

        def on_scalar(self, mark: Any, tag: str, anchor: int, value: str) -> None:
            told.append((value, tag, anchor, mark.line, mark.column))

        def on_sequence_start(self, mark: Any, tag: str, anchor: int, style: Any) -> None:
            told.append(style)

        def on_anchor(self, mark: Any, name: str) -> None:
            told.append(name)

        def on_alias(self, mark: Any, anchor: int) -> None:
            told.append(anchor)

    told: list[object] = []
    lib.parse("- &a 1\n- 'two'\n- *a\n--- [x]\n", Handler())
    first = ["start", lib.Style.Block, "a", ("1", "?", 1, 0, 2), ("two", "!", 0, 1, 2), 1]
    assert told == [*first, "start", lib.Style.Flow, ("x", "?", 0, 3, 5)]


def test_a_handler_ends_the_parsing_with_an_exception(lib: Any) -> None:
    class Handler(lib.EventHandler):  # type: ignore[misc]
        def on_scalar(self, mark: Any, tag: str, anchor: int, value: str) -> None:
            told.append(value)
            raise LookupError(value)

    told: list[str] = []
    with pytest.raises(LookupError, match="first"):
        lib.parse("[first, second]", Handler())
    assert told == ["first"]
    lib.parse("{a: [1, 2]}", lib.EventHandler())  # nothing has to be overridden


def test_exceptions_have_a_mark(lib: Any) -> None:
    with pytest.raises(lib.ParserError) as raised:
        lib.load("a: 1\nb: [2")
    assert raised.value.mark.line == 1
    assert raised.value.problem == "end of sequence flow not found"
    with pytest.raises(lib.ParserError) as raised:
        lib.parse("}", lib.EventHandler())
    assert raised.value.mark == lib.Mark(pos=0, line=0, column=0)


def test_an_emitter_tells_what_is_wrong(lib: Any) -> None:
    out = lib.Emitter()
    for each in ([], [lib.Manip.BeginMap]):
        for begin in each:
            out << begin
        with pytest.raises(ValueError, match="this ends what is not the innermost sequence or map"):
            out << lib.Manip.EndSeq
    assert out.good
    out << lib.Alias("not a name: [")
    assert not out.good
    assert out.last_error == "invalid alias"


# --- failures --------------------------------------------------------------------------------------------------------


def test_failures_have_their_place(lib: Any, tmp_path: Path) -> None:
    with pytest.raises(lib.ParserError, match="line 2, column"):
        lib.load("a: 1\nb: ]")
    with pytest.raises(lib.BadFile, match="bad file") as raised:
        lib.load_file(tmp_path / "none.yaml")
    assert isinstance(raised.value, lib.YamlError)


def test_documents_that_are_nested_deeply_are_refused(lib: Any) -> None:
    assert lib.values("[" * 100 + "]" * 100) is not None
    with pytest.raises(ValueError, match="nested deeper than 200 levels"):
        lib.values("[" * 300 + "]" * 300)


def test_the_program_runs(engine: str) -> None:
    out = library.run("yaml_cpp", "shelf.py", engine).stdout
    assert "- title=Persuasion, pages=474" in out
    assert "1204 pages on oak" in out
    assert "ParserError: yaml-cpp: error at line 1" in out

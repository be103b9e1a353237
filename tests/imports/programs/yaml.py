"""Nodes and emitters, by the draft of yaml-cpp."""

from pathlib import Path
from typing import Any

import pytest

m: Any = pytest.importorskip("yaml_ffi")


def test_nodes(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: [1, 2.5, yes]\n", encoding="utf-8")
    with m.load_file(str(tmp_path / "a.yaml")) as root:
        assert (root.is_map(), root.size()) == (True, 1)
        copy = m.clone(root)
    assert m.dump(copy) == "a: [1, 2.5, yes]"
    with m.load("[1]") as listed:
        listed.push_back_text("two")
        listed.push_back_node(m.load("{b: c}"))
        assert listed.size() == 3
        assert m.dump(listed).startswith("[1, two, ")
    assert copy.remove_text("a")
    assert m.load("42").as_i64() == 42
    assert [each.as_text() for each in m.load_all("--- x\n--- y\n")] == ["x", "y"]


def test_mistakes() -> None:
    with pytest.raises(m.ParserException):
        m.load("[")
    with pytest.raises(m.BadConversion):
        m.load("text").as_i64()
    with pytest.raises(m.BadFile):
        m.load_file("/nowhere/at/all")


def test_emitters() -> None:
    with m.Emitter() as emitter:
        emitter.set_local_indent(m.indent(4))
        emitter.write(m.comment("none"))
        emitter.write("text")
        assert emitter.good()
        assert "text" in emitter.c_str()
    assert m.decode_base64(m.encode_base64(b"\0\1")) == [0, 1]

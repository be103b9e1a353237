"""Documents, walkers and writers, by the draft of pugixml."""

from typing import Any

import pytest

m: Any = pytest.importorskip("pugixml_ffi")


def test_a_document() -> None:
    with m.XmlDocument() as document:
        assert document.load_string('<a n="1"><b>two</b><c/></a>')
        root = document.document_element()
        assert [each.name() for each in root] == ["b", "c"]
        assert (root.attribute("n").as_int(), root.child("b").text().get()) == (1, "two")
        added = root.append_child("d")
        added.append_attribute("k").set_value("v")
        assert added.path() == "/a/d"
        text = document.save("")
        assert '<d k="v" />' in text
        child = root.child("b")
        assert root.remove_child("c")
        document.reset()
    assert (root.closed, child.closed) == (True, True)


def test_a_document_that_is_none() -> None:
    with m.XmlDocument() as document:
        result = document.load_string("<a><b></a>")
        assert not result
        assert result.description() == "Start-end tags mismatch"


def test_walkers_and_writers() -> None:
    class Names(m.XmlTreeWalker):  # type: ignore[misc]  # of a package that is built here
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def for_each(self, node: Any) -> bool:
            self.names.append(node.name())
            return True

    class Kept(m.XmlWriter):  # type: ignore[misc]  # of a package that is built here
        def __init__(self) -> None:
            super().__init__()
            self.parts: list[bytes] = []

        def write(self, data: bytes) -> None:
            self.parts.append(data)

    with m.XmlDocument() as document:
        document.load_buffer(b"<a><b/><c><d/></c></a>")
        walker, writer = Names(), Kept()
        assert document.traverse(walker)
        document.save(writer, "")
    assert walker.names == ["a", "b", "c", "d"]
    assert b"<d />" in b"".join(writer.parts)


def test_paths() -> None:
    with m.Variables() as variables:
        assert variables.set("n", 2.0)
        assert variables.get("n").get_number() == 2
        assert m.Query("1 + $n", variables).return_type() == m.XpathValueType.number

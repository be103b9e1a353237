"""Parsing in pieces, by the draft of Expat."""

from typing import Any

import pytest

m: Any = pytest.importorskip("expat_ffi")


def test_a_document_in_pieces() -> None:
    with m.Parser("UTF-8") as parser:
        parser.set_base("base")
        assert parser.get_base() == "base"
        parser.parse(b"<a>\n<b", 0)
        parser.parse(b"/></a>", 1)
        assert parser.get_parsing_status().parsing == m.Parsing.FINISHED
        assert parser.get_current_line_number() == 2


def test_a_document_that_is_none() -> None:
    with m.Parser("UTF-8") as parser:
        with pytest.raises(m.ExpatError):
            parser.parse(b"<a></b>", 1)
        assert parser.get_error_code() == m.Error.TAG_MISMATCH
        assert m.error_string(m.Error.TAG_MISMATCH) == "mismatched tag"
        assert parser.parser_reset("UTF-8") == 1
        parser.parse(b"<a/>", 1)


def test_parsers_of_parsers() -> None:
    parser = m.Parser("UTF-8")
    parser.parse(b"<a>", 0)
    inner = parser.external_entity_parser_create("", "UTF-8")
    inner.parse(b"text", 1)
    parser.close()
    inner.close()

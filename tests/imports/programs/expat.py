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


def test_handlers() -> None:
    document = b"<!DOCTYPE a [<!ENTITY e 'E'><!ATTLIST a b CDATA 'c'>]><a>&e;<?pi data?><!--note--><![CDATA[<]]></a>"
    found: list[object] = []
    with m.Parser("UTF-8") as parser:
        parser.set_entity_decl_handler(lambda name, is_parameter, value, *_: found.append((name, value)))
        parser.set_attlist_decl_handler(lambda *all_: found.append(all_))
        parser.set_character_data_handler(found.append)
        parser.set_processing_instruction_handler(lambda *all_: found.append(all_))
        parser.set_comment_handler(found.append)
        parser.set_cdata_section_handler(lambda: found.append("["), lambda: found.append("]"))
        parser.set_end_element_handler(found.append)
        parser.set_comment_handler(None)
        parser.parse(document, 1)
    assert found == [("e", b"E"), ("a", "b", "CDATA", "c", 0), "E", ("pi", "data"), "[", "<", "]", "a"]


def test_a_handler_that_raises() -> None:
    with m.Parser("UTF-8") as parser:
        parser.set_end_element_handler(lambda name: [][len(name)])
        with pytest.raises(IndexError):
            parser.parse(b"<a><b/></a>", 1)


def test_handlers_of_closed_parsers() -> None:
    for _ in range(20):  # each has one of sixteen functions until it is closed
        with m.Parser("UTF-8") as parser:
            parser.set_end_element_handler(lambda _: None)
            parser.parse(b"<a/>", 1)


def test_parsers_of_parsers() -> None:
    parser = m.Parser("UTF-8")
    parser.parse(b"<a>", 0)
    inner = parser.external_entity_parser_create("", "UTF-8")
    inner.parse(b"text", 1)
    parser.close()
    inner.close()

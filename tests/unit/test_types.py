"""The type language: what is read is spelled alike, whatever is not a type is refused in words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wrapper_gen.types.hints import Way, hint
from wrapper_gen.types.keys import is_key
from wrapper_gen.types.model import (
    AnyObject,
    Bytes,
    Complex,
    DateTime,
    Duration,
    EnumRef,
    Handle,
    Index,
    List,
    Map,
    Optional,
    Path,
    Scalar,
    Set,
    Slice,
    SpanOf,
    Struct,
    Text,
    Tuple,
    TupleOf,
    Type,
    Union,
    Unit,
)
from wrapper_gen.types.parse import DEEPEST, BadType, Known, parse_type
from wrapper_gen.types.queries import is_compound, walk
from wrapper_gen.types.spelling import codec, descriptor

KNOWN = Known(handles={"Canvas"}, enums={"Color"}, structs={"Point"})
LEAVES = st.sampled_from(
    [
        *Scalar,
        Complex(64),
        Complex(128),
        Text(),
        Bytes(),
        Duration(),
        Duration(Unit.MS),
        DateTime(),
        DateTime(Unit.S),
        Path(),
        AnyObject(),
        Slice(),
        Index(),
        Handle("Canvas"),
        EnumRef("Color"),
        Struct("Point"),
    ]
)


def is_union(members: list[Type]) -> bool:
    """Whether no list has the elements of a tuple of any length beside it, which is the same for C++, and no object."""
    return AnyObject() not in members and not any(
        isinstance(each, TupleOf) and List(each.element) in members for each in members
    )


def containers(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    return st.one_of(
        st.builds(List, inner),
        st.builds(Optional, inner.filter(lambda each: not isinstance(each, Optional))),
        st.builds(Map, inner.filter(is_key), inner),
        st.builds(Set, inner.filter(is_key)),
        st.builds(TupleOf, inner),
        st.builds(Tuple, st.lists(inner, min_size=1, max_size=3).map(tuple)),
        st.builds(
            Union,
            st.lists(inner.filter(lambda each: not isinstance(each, Union)), min_size=2, max_size=3, unique=True)
            .filter(is_union)
            .map(tuple),
        ),
    )


TYPES: st.SearchStrategy[Type] = st.recursive(LEAVES, containers, max_leaves=6)


@given(TYPES)
def test_a_type_is_read_as_it_is_spelled(type_: Type) -> None:
    assert parse_type(str(type_), KNOWN) == type_


@given(TYPES.filter(is_compound))
def test_every_compound_type_has_all_spellings(type_: Type) -> None:
    for way in Way:
        assert descriptor(type_, way, "demo").startswith("wg::types::")
        assert hint(type_, way).code
    assert codec(type_).name.startswith(("_wire.", "_slices.", "_struct_", "_any_object"))
    assert type_ in walk(type_)


@given(TYPES, st.sampled_from(Way))
def test_a_hint_says_what_it_imports(type_: Type, way: Way) -> None:
    found = hint(type_, way)
    assert set(re.findall(r"\b_\w+", found.code)) == {each.alias for each in found.imports}
    assert "_" not in found.prose


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("i64|text?", Union((Scalar.I64, Optional(Text())))),
        ("(i64 | text)?", Optional(Union((Scalar.I64, Text())))),
        ("(i64)", Scalar.I64),
        ("(&[f64])", SpanOf(Scalar.F64, False)),
        ("(i64,)", Tuple((Scalar.I64,))),
        (" { text :[ Color ]} ", Map(Text(), List(EnumRef("Color")))),
        ("i64 | (text | bool)", Union((Scalar.I64, Text(), Scalar.BOOL))),
    ],
)
def test_how_marks_bind(text: str, type_: Type) -> None:
    assert parse_type(text, KNOWN) == type_


@given(st.text(alphabet="i64 text[]{}()?|:,&*mut_Canvas\n\0é", max_size=30))
def test_any_text_is_a_type_or_refused(text: str) -> None:
    try:
        parse_type(text, KNOWN)
    except BadType as bad:
        assert bad.code.startswith("WG0")
        assert 0 <= bad.start <= bad.end <= len(text)


@pytest.mark.parametrize("levels", [100, 1_000_000])
@pytest.mark.parametrize("opening", ["[", "(", "{text:", "{", "&[", "&", "i64|", "i64?"])
def test_any_number_of_levels_is_refused(opening: str, levels: int) -> None:
    with pytest.raises(BadType):
        parse_type(opening * levels, KNOWN)


def test_types_nest_as_deep_as_it_says() -> None:
    def nested(levels: int) -> str:
        return "[" * (levels - 1) + "i64" + "]" * (levels - 1)

    assert str(parse_type(nested(DEEPEST), KNOWN)) == nested(DEEPEST)
    with pytest.raises(BadType) as refused:
        parse_type(nested(DEEPEST + 1), KNOWN)
    assert refused.value.code == "WG014"

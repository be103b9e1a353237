"""The forms of `cpp`, and where the parts of a call stand in its text."""

from __future__ import annotations

import pytest

from wrapper_gen.written_calls import (
    BadCall,
    Piece,
    WrittenCall,
    WrittenExpression,
    WrittenName,
    addressed,
    cast_of,
    read_cpp,
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("f", WrittenName),
        ("::ns::f<int, 2>", WrittenName),
        (".size", WrittenName),
        ("operator()", WrittenName),
        ("f()", WrittenCall),
        (".data(x)", WrittenCall),
        ("operator()(x)", WrittenCall),
        ("f<a, b>(x)", WrittenCall),
        ("f(x) + 1", WrittenExpression),
        ("f(x)(y)", WrittenExpression),
        ("(f)", WrittenExpression),
        ("self->f(x)", WrittenExpression),
        ("static_cast<long>(f(x))", WrittenExpression),
        ("int(x)", WrittenExpression),
        ("new box(x)", WrittenExpression),
        ("-x", WrittenExpression),
        (".5", WrittenExpression),
    ],
)
def test_the_text_alone_says_what_it_is(text: str, form: type) -> None:
    assert isinstance(read_cpp(text), form)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("f( a ,\n  &b )", ["a", "&b"]),
        ("f(g(a, b), {1, 2}, x[i, j])", ["g(a, b)", "{1, 2}", "x[i, j]"]),
        ("f(pair<a, b>(c), a < b, c > d)", ["pair<a, b>(c)", "a < b", "c > d"]),
        ('f("a, )", \',\', R"(b, ()")', ['"a, )"', "','", 'R"(b, ()"']),
    ],
)
def test_arguments_have_their_places(text: str, arguments: list[str]) -> None:
    found = read_cpp(text)
    assert isinstance(found, WrittenCall)
    assert [each.text for each in found.arguments] == arguments
    assert [text[each.start : each.end] for each in found.arguments] == arguments
    assert found.end == len(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("f(a", (1, 2)),
        ("f(a]", (3, 4)),
        ("f(a))", (4, 5)),
        ("f(a,)", (4, 5)),
        ("f(, a)", (2, 3)),
        ('f("a)', (2, 3)),
        ("f(a);", (4, 5)),
        ("return a", (0, 6)),
    ],
)
def test_a_mistake_has_its_place(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(BadCall) as caught:
        read_cpp(text)
    assert (caught.value.start, caught.value.end) == place
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(long)x", ("long", "x")),
        ("(const char *const *)words", ("const char *const *", "words")),
        ("(struct box *)&out", ("struct box *", "&out")),
        ("(a + b) * c", None),
        ("(x)", None),
        ("x", None),
    ],
)
def test_casts(text: str, expected: tuple[str, str] | None) -> None:
    found = cast_of(Piece(text, 0, len(text)))
    assert (found and (found.type.text, found.of.text)) == expected


def test_addresses_of_names() -> None:
    assert [each.text for each in addressed("g(&out, a & b, x && y, &z->q, h(&w))")] == ["out", "w"]

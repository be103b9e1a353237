"""Dimensions of memory in the typed function: what they are called there, and that all arguments agree on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Function, Parameter
from wrapper_gen.quoting import c_string
from wrapper_gen.types.memory import dimensions_of
from wrapper_gen.types.queries import is_optional, without_optional

OBJECT = "self"
"""What C++ of the spec calls what the object of a method holds."""


@frozen
class Dimension:
    """One dimension of one parameter, and who has said before how large it is."""

    text: str
    parameter: Parameter
    place: int
    first: Dimension | Parameter | None
    """None where nothing has, or it is a number."""

    @property
    def is_new(self) -> bool:
        """Whether it is the first of its name, and no parameter has that name: it says how large the dimension is."""
        return self.first is None and not self.text.isdecimal() and not self.is_of_object

    @property
    def is_of_object(self) -> bool:
        """Whether the object of the method says how large it is."""
        return mentions(self.text, OBJECT)


def dimensions(function: Function) -> Iterator[Dimension]:
    """All dimensions of parameters, in order."""
    having = [(p, texts) for p in function.parameters if (texts := dimensions_of(without_optional(p.type)))]
    known: dict[str, Dimension | Parameter] = {p.name: p for p in function.parameters} if having else {}
    for p, texts in having:
        for place, text in enumerate(texts):
            found = Dimension(text, p, place, None if text.isdecimal() else known.get(text))
            known.setdefault(text, found)
            yield found


def dimension_names(function: Function) -> tuple[str, ...]:
    """The names that no parameter has."""
    return tuple(each.text for each in dimensions(function) if each.is_new)


def local(name: str) -> str:
    """What the typed function calls a dimension."""
    return names.extra(name, "dimension")


def checks(function: Function, own: Sequence[str]) -> Iterator[str]:
    """The statements that find out what the dimensions are, and whether arguments agree; `own` names them there."""
    called = {p.name: each for p, each in zip(function.parameters, own, strict=True)}
    for each in dimensions(function):
        is_maybe = is_optional(each.parameter.type)
        argument = f"{called[each.parameter.name]}{'->' if is_maybe else '.'}extent({each.place})"
        if each.is_new:
            yield f"[[maybe_unused]] const wg::usize {local(each.text)} = {argument};"
            continue
        where = f"{c_string(names.python(each.parameter.name))}, {each.place}, {argument}"
        wanted = each.text
        if each.is_of_object:
            value = f"[](auto &{OBJECT}) {{ return {each.text}; }}(wg_h.inner)"
            wanted = f'{value}, {c_string(each.text)}, "of the object"'
        elif isinstance(each.first, Dimension):
            of = f"dimension {each.first.place} of {names.python(each.first.parameter.name)}"
            wanted = f"{local(each.text)}, {c_string(each.text)}, {c_string(of)}"
        elif each.first is not None:
            of = f"the argument {names.python(each.text)}"
            wanted = f"{called[each.text]}, {c_string(each.text)}, {c_string(of)}"
        condition = f"if ({called[each.parameter.name]}) " if is_maybe else ""
        yield f"{condition}wg::check_extent({where}, {wanted});"


def in_a_body(function: Function) -> tuple[str, ...]:
    """The statements before a `cpp_body` by which it has the names."""
    named = [each for each in dimensions(function) if each.is_new]
    extents = [f"{names.body(each.parameter.name)}.extent({each.place})" for each in named]
    both = zip(named, extents, strict=True)
    return tuple(f"[[maybe_unused]] const wg::usize {names.body(each.text)} = {extent};" for each, extent in both)

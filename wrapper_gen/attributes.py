"""The attributes of exceptions beside `code` and `name`: which each class has, and which it has from others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wrapper_gen.frozen import frozen
from wrapper_gen.model import ErrorField, ErrorType, ExceptionCase, Module
from wrapper_gen.types.model import Optional, Tuple, Type
from wrapper_gen.types.queries import is_optional


@frozen
class Attribute:
    """One attribute of an exception."""

    field: ErrorField
    type: Type
    declared_by: str
    """The exception whose class declares it."""
    base: ErrorType | None = None
    """The class of C++ exceptions that has it, where that is another one; None is its value where that is no base."""

    @property
    def in_python(self) -> Type:
        """What Python reads: None, too, where C++ could not give it, or where Python made the exception."""
        return Optional(self.type)


@frozen
class Attributed:
    """An exception that has attributes, in the order in which they cross the C ABI."""

    exception: str
    attributes: tuple[Attribute, ...]

    @property
    def type(self) -> Type:
        """All of them as one value."""
        return Tuple(tuple(each.type for each in self.attributes))

    @property
    def own(self) -> tuple[Attribute, ...]:
        """Those that its class declares."""
        return tuple(each for each in self.attributes if each.declared_by == self.exception)


def attributed(module: Module) -> tuple[Attributed, ...]:
    """The exceptions that have attributes, each once."""
    found: dict[str, Attributed] = {}
    for error in module.errors:
        for each in of_error(error, module):
            found.setdefault(each.exception, each)
    return tuple(found.values())


def of_error(error: ErrorType, module: Module) -> Iterator[Attributed]:
    """Those that a status, or a class of exceptions, raises."""
    common = tuple(map(_plain, error.fields, [error.exception] * len(error.fields)))
    bases = () if error.ok else tuple(_of_bases(error, module))
    yield from _some(error.exception, (*common, *bases))
    cases = {case.name: case for case in error.cases}
    for case in error.cases:
        own: tuple[Attribute, ...] = ()
        for each in _with_bases(case, cases):
            own += tuple(_plain(f, each.name) for f in each.fields if f.name not in {a.field.name for a in own})
        named = {each.field.name for each in own}
        inherited = tuple(each for each in (*common, *bases) if each.field.name not in named)
        yield from _some(case.name, (*own, *inherited))


def _with_bases(case: ExceptionCase, cases: Mapping[str, ExceptionCase]) -> Iterator[ExceptionCase]:
    """A class, and those that it derives from, of one entry."""
    seen: set[str] = set()
    at: ExceptionCase | None = case
    while at and at.name not in seen:
        seen.add(at.name)
        yield at
        at = cases.get(at.base)


def _some(exception: str, attributes: tuple[Attribute, ...]) -> Iterator[Attributed]:
    if attributes:
        yield Attributed(exception, attributes)


def _plain(field: ErrorField, declared_by: str) -> Attribute:
    """One that some call cannot tell is optional."""
    is_sure = field.value.is_total or is_optional(field.type)
    return Attribute(field, field.type if is_sure else Optional(field.type), declared_by)


def _of_bases(error: ErrorType, module: Module) -> Iterator[Attribute]:
    """What other classes of exceptions have, which may be bases of this one: only C++ knows."""
    own = {f.name for f in error.fields}
    for other in module.errors:
        if not other.ok and other.exception != error.exception:
            for field in other.fields:
                if field.name not in own:
                    type_ = field.type if is_optional(field.type) else Optional(field.type)
                    yield Attribute(field, type_, other.exception, other)

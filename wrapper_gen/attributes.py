"""The attributes of exceptions beside `code` and `name`: which each class has, and which it has from others."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import ErrorField, ErrorType, Module
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
    for case in error.cases:
        own = tuple(map(_plain, case.fields, [case.name] * len(case.fields)))
        named = {f.name for f in case.fields}
        inherited = tuple(each for each in (*common, *bases) if each.field.name not in named)
        yield from _some(case.name, (*own, *inherited))
    for _, builtin in error.mapped:
        yield from _some(names.mapped_error(error.exception, builtin), common)


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

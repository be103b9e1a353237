"""What a failed call says: statuses, classes of exceptions, and what is read of either."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code
from wrapper_gen.types.model import Type
from wrapper_gen.types.scalars import SCALARS

_COMMON = frozenset(
    (*"const char short int long signed unsigned ssize_t".split(), *map(str, SCALARS), *(e.c for e in SCALARS.values()))
)
"""The words of C++ types that are no status by themselves."""


def may_be_status(cpp_type: str) -> bool:
    """Whether a type may be nothing but a status: numbers and pointers are other things, too. C++ knows for sure."""
    return "*" not in cpp_type and not _COMMON.issuperset(cpp_type.split())


@frozen
class Said:
    """What is said of a failed status, in C++ over `value` and `self`: by the class of the object, and otherwise."""

    of: tuple[tuple[str, Code], ...] = ()
    """(handle type, code), in spec order. Such code may speak of the object's `owner` too."""
    otherwise: Code | None = None

    @property
    def codes(self) -> tuple[Code, ...]:
        """Each text."""
        return (*(code for _, code in self.of), *([self.otherwise] if self.otherwise else []))

    @property
    def asks_object(self) -> bool:
        """Whether one text is for an object of any type."""
        if self.otherwise is None:
            return False
        return mentions(self.otherwise.text, "self", "h")

    @property
    def is_total(self) -> bool:
        """Whether it says something of a call without an object too."""
        return self.otherwise is not None and not self.asks_object


@frozen
class ErrorField:
    """An attribute of an exception."""

    name: str
    type: Type
    value: Said
    span: Span
    doc: str = ""


@frozen
class ExceptionCase:
    """An exception of its own for some statuses of an error, or some codes of a class of C++ exceptions.

    `also` is the builtin one that it is too, or empty; `base` the class that it derives from. Without `when` it is only
    the base of others.
    """

    name: str
    when: tuple[str, ...]
    also: str
    fields: tuple[ErrorField, ...]
    span: Span
    base: str
    doc: str = ""


@frozen
class ErrorType:
    """A status of the library: which values are fine, how to describe the others, and what they raise.

    Without `ok` it is a class of C++ exceptions.
    """

    type: str
    """What `raises` calls it."""
    cpp_type: str
    ok: tuple[str, ...]
    message: Said | None
    name: Said | None
    note: Said | None
    exception: str
    span: Span
    doc: str = ""
    code: Said | None = None
    cases: tuple[ExceptionCase, ...] = ()
    """Those of a class before that class: the first that is meant is raised."""
    fields: tuple[ErrorField, ...] = ()
    """The attributes of all its exceptions."""
    none: tuple[str, ...] = ()
    """Statuses that mean that there is no result."""
    module: str = ""
    """The submodule of its exceptions."""
    is_labelled: bool = False
    """Whether nothing tests it but what names it."""
    has_tag: bool = False
    """Whether code of the spec tests it by its name."""
    on_null: Said | None = None
    """The status of a null pointer where a result is needed; without an object, what asks one says nothing."""

    @property
    def said(self) -> tuple[Said, ...]:
        """All that is said of a failed status."""
        fields = (*self.fields, *(field for case in self.cases for field in case.fields))
        texts = (self.message, self.code, self.name, self.note, self.on_null)
        return (*(text for text in texts if text), *(field.value for field in fields))

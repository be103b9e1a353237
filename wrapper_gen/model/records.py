"""Structs by value, which are records in Python: their fields, and how C++ reaches these."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.callbacks import Callback
from wrapper_gen.model.code import Code
from wrapper_gen.model.defaults import NO_DEFAULT, NoDefault
from wrapper_gen.model.protocols import Protocol
from wrapper_gen.types.model import Type
from wrapper_gen.values import Value


@frozen
class FieldFunctions:
    """What reads and writes a field that is no data member: expressions, or names of which C++ takes the first."""

    getters: tuple[str, ...]
    get: Code | None
    """Over `value`, the struct."""
    setters: tuple[str, ...]
    put: Code | None
    """Over `value` and the field's name, which is what it is given."""
    mutables: tuple[str, ...]
    """What gives a reference or a pointer to be written to."""
    changed: Code | None
    """The same as an expression."""


@frozen
class StructField:
    """One field: its name in Python, and the member of the C++ struct, `info.name` or the like.

    `length` is the member that says how many elements it has; empty where none does.
    """

    name: str
    type: Type
    member: str
    span: Span
    default: Value | NoDefault = NO_DEFAULT
    doc: str = ""
    length: str = ""
    functions: FieldFunctions | None = None
    """What stands for the member where C++ has functions."""
    callback: Callback | None = None
    """What is said of a callable."""
    user_data: str = ""
    """The member that has its user data; empty where none does."""


@frozen
class RecordMember:
    """What a function is in Python that is a member of a record's class."""

    record: str
    name: str
    is_property: bool
    is_static: bool
    protocol: Protocol | None

    @property
    def base(self) -> str:
        """What its names in C and C++ are made of."""
        return f"{self.record}_{self.name.strip('_')}"

    @property
    def code(self) -> str:
        """What the cffi engine defines it as."""
        return f"_{self.base}"


@frozen
class StructType:
    """A struct of the library, by value: a frozen record in Python."""

    name: str
    cpp_type: Code
    fields: tuple[StructField, ...]
    span: Span
    doc: str = ""
    start: Code | None = None
    """What it starts as where it is the options of a call; or, where it speaks of `value`, what fills that."""
    make: Code | None = None
    """What makes one of the values of all fields, which it has by their names."""
    module: str = ""

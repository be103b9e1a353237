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
    label: str = ""
    """What tells it in C and C++ from other forms of the same name."""

    @property
    def is_constructor(self) -> bool:
        """Whether it makes a record where the class is called; it is static, too."""
        return self.name == self.record

    @property
    def base(self) -> str:
        """What its names in C and C++ are made of."""
        return f"{self.record}_{self.name.strip('_')}{f'_{self.label}' if self.label else ''}"

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
    deprecated: str = ""
    """What to use in its place; empty where it is not deprecated."""
    extends: str = ""
    """The struct that it extends, whose fields are its first ones; empty where it extends none."""
    inherited: int = 0
    """How many fields it has of that."""
    is_extended: bool = False
    """Whether another struct extends it."""

    @property
    def own_fields(self) -> tuple[StructField, ...]:
        """The fields that what it extends does not have."""
        return self.fields[self.inherited :]

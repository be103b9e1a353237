"""What headers declare; data only, which knows nothing of how it was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from wrapper_gen.frozen import frozen


class CKind(StrEnum):
    """What a C or C++ type is, once its typedefs are looked through."""

    VOID = "void"
    BOOL = "bool"
    INTEGER = "integer"
    FLOAT = "float"
    ENUM = "enum"
    RECORD = "record"
    POINTER = "pointer"
    REFERENCE = "reference"
    RVALUE = "rvalue reference"
    ARRAY = "array"
    FUNCTION = "function"
    OTHER = "other"
    """A template's parameter, a pointer to a member, a vector of the processor, a complex number."""


class Access(StrEnum):
    """Who may use a member."""

    PUBLIC = "public"
    PROTECTED = "protected"
    PRIVATE = "private"
    """Only destructors: a class that has one cannot be deleted by others."""


class FunctionKind(StrEnum):
    """What a function is to its class."""

    FUNCTION = "function"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    DESTRUCTOR = "destructor"
    CONVERSION = "conversion"


class HeaderPlace(NamedTuple):
    """A line of a header; `header` is as an `#include` names it, `path` where it was found."""

    header: str
    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.header}:{self.line}"


@frozen
class Type:
    """A type as it is written (`spelling`) and without typedefs (`canonical`)."""

    kind: CKind
    spelling: str
    canonical: str
    is_const: bool = False
    size: int = 0
    """Bytes; 0 where C does not know it (`void`, what is only declared, what depends on a template)."""
    is_signed: bool = False
    name: str = ""
    """Of an enum or a record: its qualified name, without `const` and `struct`; an instance's has its arguments."""
    target: Type | None = None
    """What a pointer or reference is to, the element of an array, the result of a function."""
    parameters: tuple[Type, ...] = ()
    """Of a function."""
    is_variadic: bool = False
    """A function that takes any further arguments."""
    length: int | None = None
    """Of an array; None where it says none."""
    template: str = ""
    """Of a template's instance, the template's qualified name: `std::vector`."""
    arguments: tuple[Type, ...] = ()
    """Of a template's instance, those of its arguments that are types."""

    def __str__(self) -> str:
        return self.spelling


@frozen
class Doc:
    """A comment without its markers.

    It is of a group where it stands at the first, or after the last, of declarations between which no line is empty.
    """

    text: str = ""
    of_group: bool = False

    def __bool__(self) -> bool:
        return bool(self.text)


@frozen
class Declaration:
    """Something that a header declares.

    `key` stays when lines move and a signature changes, save for C++, where it has the parameters of an overload.
    """

    key: str
    name: str
    qualified: str
    """With the namespaces and classes around it."""
    place: HeaderPlace
    doc: Doc
    is_deprecated: bool

    @property
    def signature(self) -> str:
        """What a merge compares: everything that a caller depends on, without comments and names of parameters."""
        raise NotImplementedError


@frozen
class CParameter:
    """A parameter of a function; `default` is C++'s text of it, and `value` what that is where it is a number."""

    name: str
    type: Type
    default: str = ""
    value: int | None = None


@frozen
class CFunction(Declaration):
    """A function, or what a class has of them; `owner` is the class's qualified name."""

    kind: FunctionKind
    result: Type
    parameters: tuple[CParameter, ...]
    owner: str = ""
    access: Access = Access.PUBLIC
    is_variadic: bool = False
    is_const: bool = False
    is_static: bool = False
    is_virtual: bool = False
    is_pure: bool = False
    is_deleted: bool = False
    is_defaulted: bool = False
    is_explicit: bool = False
    is_inline: bool = False
    """Its code is in the header, so no library has to export it."""
    is_noexcept: bool = False
    is_prototyped: bool = True
    """False of `int f()` in C, which says nothing of its parameters."""
    symbol: str = ""
    """What the linker calls it."""
    template: tuple[str, ...] = ()
    """Of a template, the names of its parameters; those that are no types begin with their type: `int N`."""
    attributes: tuple[str, ...] = ()
    """Those of libclang's that say something of its use: `warn_unused_result`, `nonnull`, `format`."""

    @property
    def signature(self) -> str:
        taken = [each.type.canonical for each in self.parameters] + ["..."] * self.is_variadic
        words = ["static "] * self.is_static + ["virtual "] * self.is_virtual
        return f"{''.join(words)}{self.result.canonical} ({', '.join(taken)}){' const' * self.is_const}"


@frozen
class Field:
    """A member of a struct or class; `bits` where it is a bit-field, else 0; `offset` is in bits, -1 where unknown."""

    name: str
    type: Type
    doc: Doc
    access: Access
    offset: int
    bits: int = 0
    default: str = ""


@frozen
class Base:
    """A class that another one is derived from."""

    name: str
    is_virtual: bool
    access: Access
    place: HeaderPlace | None = None
    """Where it is declared; None of what no file has."""


@frozen
class Record(Declaration):
    """A struct, class or union; without fields and functions where it is only declared."""

    tag: str
    """`struct`, `class` or `union`."""
    is_defined: bool
    fields: tuple[Field, ...] = ()
    private: tuple[tuple[str, Type], ...] = ()
    """The names and types of private members, which only say to what its objects may refer."""
    bases: tuple[Base, ...] = ()
    functions: tuple[CFunction, ...] = ()
    """Public ones, protected ones that are virtual, and the destructor in any case; of templates as well."""
    size: int = 0
    align: int = 0
    is_abstract: bool = False
    is_polymorphic: bool = False
    is_final: bool = False
    hides_constructor: bool = False
    """Whether it declares a constructor that is not among its functions."""
    template: tuple[str, ...] = ()
    outer: str = ""
    """The class in which it is declared."""
    typedefs: tuple[str, ...] = ()
    """Names that a typedef gives it, or a pointer to it (those end with ` *`)."""
    nameless: tuple[str, ...] = ()
    """The members of its members without a name: `union { int i; double d; };`."""

    @property
    def member_types(self) -> Iterator[tuple[str, Type]]:
        """The names and types of all members, also of private ones."""
        yield from ((each.name, each.type) for each in self.fields)
        yield from self.private

    @property
    def signature(self) -> str:
        if not self.is_defined:
            return self.tag
        members = [f"{each.type.canonical} {each.name}" + f" : {each.bits}" * bool(each.bits) for each in self.fields]
        above = " : " + ", ".join(each.name for each in self.bases) if self.bases else ""
        return f"{self.tag}{above} {{{'; '.join(members)}}}"


@frozen
class Enumerator:
    """A constant of an enum."""

    name: str
    value: int
    doc: Doc


@frozen
class Enum(Declaration):
    """An enum; without a `name` where C has none."""

    values: tuple[Enumerator, ...]
    underlying: Type
    is_scoped: bool
    owner: str = ""
    typedefs: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        return ", ".join(f"{each.name} = {each.value}" for each in self.values)


@frozen
class Typedef(Declaration):
    """Another name of a type."""

    type: Type
    parameter_names: tuple[str, ...] = ()
    """Of a type of functions, what the parameters are called; empty where they have no names."""

    @property
    def signature(self) -> str:
        return self.type.canonical


@frozen
class DoxygenGroup:
    """A group of a header's documentation: its name, and its title in words."""

    name: str
    title: str


@frozen
class Constant(Declaration):
    """A macro without parameters, or a constant of C++, with its value."""

    value: int | float | str | bytes
    type: str
    """C++'s: `int`, `const char *`."""
    is_macro: bool = True
    text: str = ""
    """What the macro is written as."""
    group: DoxygenGroup | None = None
    """The group of macros that it stands in."""

    @property
    def signature(self) -> str:
        return f"{self.type} {self.value!r}"


@frozen
class FunctionMacro(Declaration):
    """A macro with parameters."""

    parameters: tuple[str, ...]

    @property
    def signature(self) -> str:
        return f"({', '.join(self.parameters)})"


@frozen
class LeftOut:
    """What a header declares and this reader does not tell of, and why."""

    name: str
    place: HeaderPlace
    why: str


@frozen
class Headers:
    """All that headers of a library declare, in the order in which they stand."""

    functions: Sequence[CFunction]
    """Without those of classes, which `records` have."""
    records: Mapping[str, Record]
    """By qualified name; also those of other headers that this library's signatures name, which `is_ours` tells."""
    enums: Mapping[str, Enum]
    """By qualified name; nameless ones by their key."""
    typedefs: Mapping[str, Typedef]
    constants: Mapping[str, Constant]
    macros: Mapping[str, tuple[str, ...]]
    """Macros with parameters, which C has no types for: their names and parameters."""
    left_out: Sequence[LeftOut]
    language: str
    """`c` or `c++`."""
    macro_texts: Mapping[str, str] = MappingProxyType({})
    """What macros that are no constants are written as; empty of those without parameters."""
    files: frozenset[str] = frozenset()
    """The paths of all that was read, whoever has it."""
    other_functions: frozenset[str] = frozenset()
    """The names of functions that headers of others declare, which these include."""
    macro_places: Mapping[str, HeaderPlace] = MappingProxyType({})
    """Where macros with parameters are."""

    def all_functions(self) -> Iterator[CFunction]:
        """Functions, and those of all classes."""
        yield from self.functions
        for record in self.records.values():
            yield from record.functions

    def declarations(self) -> Iterator[Declaration]:
        """Everything that has a key, each once."""
        yield from self.functions
        for record in self.records.values():
            yield record
            yield from record.functions
        yield from self.enums.values()
        yield from self.typedefs.values()
        yield from self.constants.values()

"""The meaning of one spec: frozen, free of redundancy, independent of any target language.

Every entity knows where it stands in the spec (`span`). A name here is the spec's own; `names` derives all others.
The types of the spec language are in `types.model`, defaults and stub values in `values`.
"""

from __future__ import annotations

import re
from enum import Enum, StrEnum

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.types.model import Type
from wrapper_gen.values import Value

_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_MENTIONS_OBJECT = re.compile(r"(?<![\w.>:])h\b(?!\s*::)")

# --- user code -------------------------------------------------------------------------------------------------------


@frozen
class Code:
    """C++ of the user's, verbatim. `literal`: its lines are the spec's lines, one for one, from `span.line` on."""

    text: str
    span: Span
    literal: bool = False


class Passing(StrEnum):
    """How a lambda's parameter wants a handle."""

    STRUCT = "struct"  # the handle struct: it reaches `.inner` itself
    INNER = "inner"  # what the struct holds
    POINTER = "pointer"  # optional handles only: a pointer to the struct, null for none


class Place(StrEnum):
    """What stands at one place of a C call."""

    HANDLE = "handle"
    PARAMETER = "parameter"
    ADDRESS = "address"  # of a parameter whose length stands elsewhere
    LENGTH = "length"  # of that parameter
    OUT = "out"  # an item of the result
    DISCARD = "discard"  # what the call writes and nobody reads
    VALUE = "value"  # C++ that Python does not see
    ERROR = "error"  # the text of a failure, which the call writes


@frozen
class Argument:
    """One argument of a C call: `name` is the parameter's, `item` the number of the item of the result.

    `value` is an expression over the parameters and `h`; `cast` is the C++ type as which an argument is passed, or what
    a discarded out-parameter or a failure's text has. Of that text, `value` is what releases it.
    """

    place: Place
    span: Span
    name: str = ""
    item: int = 0
    value: str = ""
    cast: str = ""


class Written(StrEnum):
    """What says how much of a buffer a call has filled."""

    RESULT = "result"  # the call's value
    CAPACITY = "capacity"  # the capacity, which the call is given a pointer to
    ALL = "all"  # nothing: it fills all of it


@frozen
class Buffer:
    """A buffer that the call fills, which becomes the result; `capacity` is the parameter that says how large it is."""

    capacity: str
    length: Written


@frozen
class Named:
    """Implemented by a function of the library, or (in a method, with `is_member`) by a member of that name.

    `arguments` are those of the call in C's order, where the spec says it: C++ finds it out otherwise.
    """

    name: Code
    is_member: bool = False
    arguments: tuple[Argument, ...] | None = None
    buffer: Buffer | None = None


@frozen
class Lambda:
    """Implemented by a lambda.

    `passing` has one entry an argument, in order; `takes_handle`: the first is the method's handle; `in_pairs`: it has
    an address and a length for each bytes.
    """

    code: Code
    passing: tuple[Passing, ...]
    takes_handle: bool
    in_pairs: bool = False


@frozen
class Body:
    """Implemented by statements; parameters by name, in a method `h` is the handle."""

    code: Code


@frozen
class NotImplementedYet:
    """Nothing implements it; `span` is where the spec says so."""

    span: Span


Implementation = Named | Lambda | Body | NotImplementedYet

# --- entities --------------------------------------------------------------------------------------------------------


class Mode(StrEnum):
    """What a call does with a handle it is given."""

    BORROW = "borrow"
    TAKE = "take"


class Thread(StrEnum):
    """How many threads may call into a handle at once, where no GIL sees to it."""

    EXCLUSIVE = "exclusive"
    ANY = "any"


class NoDefault(Enum):
    NO_DEFAULT = "no default"

    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT = NoDefault.NO_DEFAULT
"""Stands where a parameter has no default, or a function no stub value (None is a value)."""


@frozen
class Parameter:
    """One parameter of a function or method."""

    name: str
    type: Type
    span: Span
    doc: str = ""
    default: Value | NoDefault = NO_DEFAULT
    mode: Mode = Mode.BORROW


@frozen
class Reported:
    """How the code of a function reports a failure, where its result is not just its status or its value."""

    source: Code | None = None
    """The status, over `result`, which is the value of the call, or over `h`."""
    each: bool = False
    """Whether there is a list of statuses, and each is tested."""
    by_value: bool = False
    """Whether the value tells itself: it has `ok()` or `has_value()`, and `status()` or `error()`."""
    result: Code | None = None
    """What becomes the result, over `value`, which is the value of the call."""
    none: tuple[str, ...] | None = None
    """Statuses that mean that there is no result, in place of those of the error type."""


AS_DECLARED = Reported()
"""What the code returns is the status, the result, or both."""


@frozen
class Function:
    """A function, or (with `handle`) a method of a handle type.

    `base` is the name without the library's prefix; `raises` and `keep_alive` are checked against the module.
    """

    name: str
    base: str
    parameters: tuple[Parameter, ...]
    returns: Type
    implementation: Implementation
    span: Span
    doc: str = ""
    return_doc: str = ""
    handle: str | None = None
    raises: str | None = None
    blocking: bool = False
    stub: Value | NoDefault = NO_DEFAULT
    keep_alive: tuple[str, ...] = ()
    property: bool = False
    py_name: str = ""
    reported: Reported = AS_DECLARED


@frozen
class HandleType:
    """A kind of owned object; `drop_symbol` is the exported C function that releases it."""

    name: str
    cpp_type: Code
    drop_symbol: str
    span: Span
    drop: Code | None = None
    doc: str = ""
    thread: Thread = Thread.EXCLUSIVE


@frozen
class StructField:
    """One field: its name in Python, and the member of the C++ struct, `info.name` or the like."""

    name: str
    type: Type
    member: str
    span: Span
    default: Value | NoDefault = NO_DEFAULT
    doc: str = ""


@frozen
class StructType:
    """A struct of the library, by value: a frozen record in Python."""

    name: str
    cpp_type: Code
    fields: tuple[StructField, ...]
    span: Span
    doc: str = ""


@frozen
class EnumMember:
    """One value: its Python name, and the C++ expression (or the number) it stands for."""

    name: str
    cpp: str
    span: Span
    doc: str = ""


@frozen
class EnumType:
    """An enumeration of the library; with `flags` its values combine."""

    name: str
    cpp_type: str
    members: tuple[EnumMember, ...]
    span: Span
    flags: bool = False
    doc: str = ""


@frozen
class Said:
    """What is said of a failed status, in C++ over `value` and `h`: by the type of the call's object, and otherwise."""

    of: tuple[tuple[str, Code], ...] = ()
    """(handle type, code), in spec order."""
    otherwise: Code | None = None

    @property
    def asks_object(self) -> bool:
        """Whether one text is for an object of any type."""
        if self.otherwise is None:
            return False
        return _MENTIONS_OBJECT.search(_STRING.sub('""', self.otherwise.text)) is not None

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
    """An exception of its own for some statuses of an error type; `also`: the builtin one that it is too, or empty."""

    name: str
    when: tuple[str, ...]
    also: str
    fields: tuple[ErrorField, ...]
    span: Span
    doc: str = ""


@frozen
class ErrorType:
    """A status type of the library: which values are fine, how to describe the others, and what they raise.

    Without `ok` it is a class of C++ exceptions.
    """

    type: str
    """What `raises` calls it: the C++ type itself, or a name of the spec's own."""
    cpp_type: str
    ok: tuple[str, ...]
    message: Said | None
    name: Said | None
    note: Said | None
    exception: str
    mapped: tuple[tuple[str, str], ...]
    """(C++ value, Python builtin exception), in spec order."""
    span: Span
    doc: str = ""
    code: Said | None = None
    cases: tuple[ExceptionCase, ...] = ()
    """Before `mapped`."""
    none: tuple[str, ...] = ()
    """Statuses that mean that there is no result."""

    @property
    def is_named(self) -> bool:
        """Whether `type` is a name of the spec's own: other types may be the same in C++."""
        return self.type != self.cpp_type


@frozen
class Source:
    """A further file of the user's: its name in the package, and its text; headers are only copied."""

    name: str
    path: str
    """As the spec has it, relative to the spec."""
    text: str
    compiled: bool


@frozen
class PkgConfig:
    """Ask pkg-config for this name."""

    name: str


@frozen
class PythonPackage:
    """An installed Python package that ships headers and libraries, in these folders of it.

    `imported`: load the libraries from there before the extension; the package is imported only where that fails.
    """

    name: str
    include: tuple[str, ...]
    lib: tuple[str, ...]
    imported: bool = False


Requirement = PkgConfig | PythonPackage


@frozen
class Dynamic:
    """Load the library at first use: the names to try, and the functions to take from it."""

    sonames: tuple[str, ...]
    symbols: tuple[str, ...]


@frozen
class Lifetime:
    """What starts the library, of which `raises` is the status type if it is said, and what ends it."""

    init: Code | None = None
    raises: str | None = None
    shutdown: Code | None = None


@frozen
class Library:
    """How to compile against the library and link with it."""

    includes: tuple[str, ...] = ()
    include_paths: tuple[str, ...] = ()
    search_paths: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    requires: tuple[Requirement, ...] = ()
    dynamic: Dynamic | None = None
    sources: tuple[Source, ...] = ()
    cpp_std: int = 17
    compile_args: tuple[str, ...] = ()
    link_args: tuple[str, ...] = ()
    optional: bool = False
    """Where it is missing, a stub is what is wanted."""
    lifetime: Lifetime | None = None


@frozen
class Module:
    """One spec, resolved. `spec` is its path relative to the folder that holds the output folder."""

    name: str
    version: str
    doc: str
    language: str
    package: str
    guard: str
    spec: str
    library: Library
    prelude: Code | None
    errors: tuple[ErrorType, ...]
    enums: tuple[EnumType, ...]
    structs: tuple[StructType, ...]
    handles: tuple[HandleType, ...]
    functions: tuple[Function, ...]
    methods: tuple[Function, ...]
    span: Span

    @property
    def callables(self) -> tuple[Function, ...]:
        """Functions, then methods."""
        return (*self.functions, *self.methods)

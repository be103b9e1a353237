"""The meaning of one spec: frozen, free of redundancy, independent of any target language.

Every entity knows where it stands in the spec (`span`). A name here is the spec's own; `names` derives all others.
The types of the spec language are in `types.model`, defaults and stub values in `values`.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.callbacks import Callback, CallbackArgument, Lasting, Listed, NamedCallback, Part, UserData
from wrapper_gen.model.code import (
    Accessor,
    Allocated,
    Argument,
    Body,
    Buffer,
    Code,
    Implementation,
    Lambda,
    Named,
    NotImplementedYet,
    Options,
    Passing,
    Place,
    Returned,
    Written,
)
from wrapper_gen.model.defaults import NO_DEFAULT, NoDefault
from wrapper_gen.model.enums import EnumMember, EnumType
from wrapper_gen.model.errors import ErrorField, ErrorType, ExceptionCase, Said
from wrapper_gen.model.interfaces import Virtual
from wrapper_gen.model.iteration import Each
from wrapper_gen.model.library import (
    Export,
    Folders,
    Library,
    LibraryInit,
    PkgConfig,
    PythonPackage,
    PythonSource,
    Requirement,
    Source,
)
from wrapper_gen.model.lifetime import ALL, WITHIN, HeldArguments, Lifetime, OwnTaken, ResultLifetime
from wrapper_gen.model.positions import Counted, Position
from wrapper_gen.model.protocols import Protocol
from wrapper_gen.model.records import FieldFunctions, RecordMember, StructField, StructType
from wrapper_gen.model.representations import Representation, RepresentedCase, spelled_alike
from wrapper_gen.model.streams import DRAINED, Stream, Streaming, Window
from wrapper_gen.model.submodules import Submodule
from wrapper_gen.model.waiting import Awaited
from wrapper_gen.runtime_files import Runtime
from wrapper_gen.types.model import Type
from wrapper_gen.values import Value

__all__ = [
    "ALL",
    "AS_DECLARED",
    "DRAINED",
    "NO_DEFAULT",
    "WITHIN",
    "Accessor",
    "Allocated",
    "Argument",
    "Awaited",
    "Body",
    "Buffer",
    "Callback",
    "CallbackArgument",
    "Code",
    "Counted",
    "Each",
    "Entry",
    "EnumMember",
    "EnumType",
    "ErrorField",
    "ErrorType",
    "ExceptionCase",
    "Export",
    "FieldFunctions",
    "Folders",
    "Function",
    "HandleType",
    "HeldArguments",
    "Implementation",
    "Lambda",
    "Lasting",
    "Library",
    "LibraryInit",
    "Lifetime",
    "Listed",
    "Mode",
    "Module",
    "Named",
    "NamedCallback",
    "NoDefault",
    "NotImplementedYet",
    "Options",
    "OwnTaken",
    "Parameter",
    "Part",
    "Passing",
    "PkgConfig",
    "Place",
    "Position",
    "PythonPackage",
    "PythonSource",
    "RecordMember",
    "Reported",
    "Representation",
    "RepresentedCase",
    "Requirement",
    "ResultLifetime",
    "Returned",
    "Said",
    "Source",
    "Stream",
    "Streaming",
    "StructField",
    "StructType",
    "Submodule",
    "Thread",
    "UserData",
    "Uses",
    "Virtual",
    "Window",
    "Written",
    "spelled_alike",
]


class Mode(StrEnum):
    """What a call does with a handle it is given."""

    BORROW = "borrow"
    TAKE = "take"


class Thread(StrEnum):
    """How many threads may call into a handle at once, where no GIL sees to it."""

    EXCLUSIVE = "exclusive"
    ANY = "any"


@frozen
class Parameter:
    """One parameter of a function or method."""

    name: str
    type: Type
    span: Span
    doc: str = ""
    default: Value | NoDefault = NO_DEFAULT
    mode: Mode = Mode.BORROW
    owned_on_failure: bool = False
    """Whether a handle that the call takes stays what it was if the call fails."""
    is_inout: bool = False
    """Whether the call changes it, and what it left there is an item of the result."""
    callback: Callback | None = None
    """What is said of a callable."""
    within: tuple[Callback, ...] = ()
    """What is said of callables within a container."""
    is_keyword: bool = False
    """Whether it is given by name only."""
    is_positional: bool = False
    """Whether it is given without its name only."""
    is_option: bool = False
    """Whether it is a field of a struct of options."""
    gathers: str = ""
    """`*` of a list that has all other arguments, `**` of a map that has all other keywords."""
    options: bool = False
    """Whether Python gives the fields of this struct, by name; `Function.parameters` has those in its place."""
    is_represented: bool = False
    """Whether C++ may want a value that stands for it, as `types` says."""
    byte_offset: str = ""
    """The text of the call that it is an offset into: an index in Python, bytes in C++."""
    counted: Counted | None = None
    """What its type says of an integer that is a position or a key."""

    @property
    def callbacks(self) -> tuple[Callback, ...]:
        """All callables that it brings."""
        return (self.callback,) if self.callback else self.within

    @property
    def is_either(self) -> bool:
        """Whether it is given by name or without one, as the caller likes."""
        return not (self.is_keyword or self.is_positional)


@frozen
class Reported:
    """How the code of a function reports a failure, where its result is not just its status or its value."""

    source: Code | None = None
    """The status, over `value`, which is the value of the call, or over `self`."""
    each: bool = False
    """Whether there is a list of statuses, and each is tested."""
    result: Code | None = None
    """What becomes the result, over `value`, which is the value of the call."""
    none: tuple[str, ...] | None = None
    """Statuses that mean that there is no result, in place of those of the error type."""
    ok: tuple[str, ...] | None = None
    """Statuses that are fine, in place of those of the error type."""
    is_ignored: bool = False
    """Whether the spec says that nothing looks at a status."""
    is_untold: bool = False
    """Whether the type of what the call returns tells whether that is a status, which only C++ knows."""
    inherited: str = ""
    """The error that its class or the library names: a value of its C++ type is one, too."""

    @property
    def is_value_free(self) -> bool:
        """Whether the call's own value can be nothing but a status."""
        return self.source is None and self.result is None


AS_DECLARED = Reported()
"""What the code returns is the status, the result, or both."""


@frozen
class Function:
    """A function, or (with `handle`) a method of a handle type; `base` is its name without the library's prefix."""

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
    beside_overrides: bool = False
    """Whether it is blocking only while objects of Python override virtual functions."""
    stub: Value | NoDefault = NO_DEFAULT
    lifetime: Lifetime = Lifetime()
    property: bool = False
    sets: str = ""
    """The property that it sets: Python has it as that, and as no method."""
    is_read: bool = True
    """Whether Python reads the property that it sets."""
    py_name: str = ""
    had_former_names: bool = False
    """Whether it is written as before `def`, when names of builtins got a `_` in Python."""
    deprecated: str = ""
    """What to use in its place; empty where it is not deprecated."""
    makes_deprecated: str = ""
    """What a call warns of that makes an object of a deprecated type."""
    is_form: bool = False
    """Whether others have its name in Python, too: each call is meant for one of them."""
    strides: tuple[str, ...] = ()
    """Of an array: how many elements lie between neighbours of each dimension; empty where there are no gaps."""
    constructs: str = ""
    """The handle type whose constructor it is; empty where it is none."""
    static: str = ""
    """The handle type whose static method it is; `handle` is None then."""
    protocol: Protocol | None = None
    """The method of one of Python's protocols that it is."""
    positions: tuple[Position, ...] = ()
    """Which of its parameters are positions."""
    virtual: Virtual | None = None
    """The virtual function that it is, which methods of Python override."""
    reported: Reported = AS_DECLARED
    member: RecordMember | None = None
    """The member of a record's class that it is."""
    each: Each | None = None
    """How to go over what it returns, where that is no range."""
    awaited: Awaited | None = None
    """How a task waits for it, where Python has it as a coroutine function, too."""
    module: str = ""
    """The submodule that has it, of a function; empty where the package itself does."""
    is_constant: bool = False
    """Whether the package has its value in its place."""
    byte_offset: str = ""
    """The text among its parameters that the integers of its result are offsets into."""
    then: tuple[Function, ...] = ()
    """The calls that follow the one that implements it, as entries without a result. What the first has made is the
    object of each where it is a constructor, and elsewhere the last parameter."""
    by_type: str = ""
    """The parameter whose type tells which call is made."""
    cases: tuple[Function, ...] = ()
    """These calls, one for each of its types; where it is None, it is no parameter."""


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
    lent_by: str = ""
    """The handle type whose objects own what this one only refers to; empty where it stands for itself."""
    owner: str = ""
    """The property that is the owner."""
    closing_ends: bool = False
    """Whether to close an object closes what it has lent."""
    in_place: bool = False
    """Whether the C++ object stays where it is made, and `inner` is a pointer to it."""
    extends: str = ""
    """The handle type that it extends; empty where it extends none."""
    when: Code | None = None
    """Which objects of that are of this type, over `value`, where a cast makes them so; None where C++ knows."""
    has_identity: bool = False
    """Whether one object stands for each pointer: a result may be one that is there already."""
    empty: Code | None = None
    """Whether `value`, which it would hold, is no object; without it, a null pointer is none."""
    blocking_drop: bool = False
    """Whether releasing an object may wait: the GIL is released meanwhile."""
    is_interface: bool = False
    """Whether `cpp_type` is a class whose virtual functions Python overrides: the handle holds a pointer to one."""
    unsaid_owner: Span | None = None
    """The call that returns one and does not say who owns it, where nothing releases what may be a pointer."""
    not_ours: Span | None = None
    """The call that returns one which Python does not release, where only C++ knows whether it is a pointer."""
    module: str = ""
    deprecated: str = ""
    """What to use in its place; empty where it is not deprecated."""


Entry = Function | HandleType | EnumType | StructType | ErrorType | Representation | Code
"""What stands in a spec; of code, the prelude."""


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
    statics: tuple[Function, ...] = ()
    """Static methods: functions that Python has in a class."""
    constructors: tuple[Function, ...] = ()
    """Functions that Python calls by the name of the class that they make."""
    representations: tuple[Representation, ...] = ()
    record_methods: tuple[Function, ...] = ()
    """Methods of structs: functions whose first parameter is the record, but for static ones."""
    options: tuple[StructType, ...] = ()
    """Structs that calls take as keyword arguments; in `structs` too where Python also has records of them."""
    submodules: tuple[Submodule, ...] = ()
    uses: tuple[Uses, ...] = ()
    is_used: bool = False
    """Whether another package has its declarations: its lines are of a spec that is not that package's."""
    runtime: Runtime = Runtime.VENDORED
    digest: str = ""
    """Of the spec's text, as `inputs.digest` makes it."""
    is_explained: bool = False
    """Whether its C++ is not built, but names each call as the compiler has chosen it."""

    @cached_property
    def callables(self) -> tuple[Function, ...]:
        """Functions, then static methods, constructors, methods, and those of records."""
        return (*self.functions, *self.statics, *self.constructors, *self.methods, *self.record_methods)

    @cached_property
    def calls(self) -> tuple[Function, ...]:
        """The same, with the calls that follow the first of an entry, and those by the type of an argument."""
        return tuple(call for each in self.callables for call in (each, *each.then, *each.cases))

    @cached_property
    def standing(self) -> tuple[tuple[int, Entry], ...]:
        """What stands in the spec, with its line, in order; of several on one line only the first."""
        types = (*self.handles, *self.enums, *self.structs, *self.options, *self.errors, *self.representations)
        found: dict[int, Entry] = {}
        for each in (*self.callables, *types, *((self.prelude,) if self.prelude else ())):
            found.setdefault(each.span.line, each)
        return tuple(sorted(found.items(), key=lambda each: each[0]))

    def place(self, span: Span) -> str:
        """Where something stands in the spec, as generated code and its messages show it."""
        return f"{self.spec}:{span.line}"

    @cached_property
    def extends(self) -> dict[str, str]:
        """The handle type that each extends, of those that extend one."""
        return {h.name: h.extends for h in self.handles if h.extends}

    @cached_property
    def known_handles(self) -> tuple[HandleType, ...]:
        """Its own handle types, and those of other specs that it uses."""
        return (*self.handles, *(h for each in self.uses for h in each.handles))


@frozen
class Uses:
    """Another spec, and the names of those of its types that are used: with what these are made of."""

    module: Module
    names: frozenset[str]
    span: Span
    path: str
    """As the spec that uses it has it."""

    @property
    def handles(self) -> tuple[HandleType, ...]:
        """The handle types that are used."""
        return tuple(h for h in self.module.handles if h.name in self.names)

    @property
    def enums(self) -> tuple[EnumType, ...]:
        """The enums that are used."""
        return tuple(e for e in self.module.enums if e.name in self.names)

    @property
    def structs(self) -> tuple[StructType, ...]:
        """The structs that are used."""
        return tuple(s for s in self.module.structs if s.name in self.names)

    @property
    def types(self) -> tuple[HandleType | EnumType | StructType, ...]:
        """All of them."""
        return (*self.handles, *self.enums, *self.structs)

"""What every part of resolving shares: the document, the names that are known before, and the findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, TypeVar

from wrapper_gen import names
from wrapper_gen.diagnostics import Diagnostic, Fix, Nearest, Severity, Span
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Code, Each, ErrorType, NamedCallback, Representation, StructType
from wrapper_gen.spec import DataPath, Document
from wrapper_gen.types.model import Handle, Type
from wrapper_gen.types.parse import CountedPart

Map = Mapping[str, Any]
"""A mapping of the document, already checked against the schema."""
_Resolved = TypeVar("_Resolved")


@frozen
class Naming:
    """How the library spells the names of functions that entries leave out."""

    case: str
    prefix: str
    methods: Mapping[str, str]
    """What goes before the names of functions that are methods, by handle type; members have none."""


@frozen
class Names:
    """What is known of a spec before any of its entries is resolved: its own names, and those of specs that it uses."""

    lib: str
    """What the library is called."""
    is_thread_safe: bool
    """Whether calls on one handle may run side by side, where its type does not say."""
    handles: frozenset[str]
    extends: Mapping[str, str]
    """The type that each extends, of handle types that extend one."""
    handle_entries: Mapping[str, Map]
    """The entries of all handle types, of any shape."""
    lent: Mapping[str, str]
    """The type that lends each, of handle types that are lent."""
    in_place: frozenset[str]
    """Handle types whose C++ objects stay where they are made."""
    interfaces: frozenset[str]
    """Those with methods that classes of Python override."""
    classes: frozenset[str]
    """The C++ classes of handle types and structs, without spaces."""
    pointing: frozenset[str]
    """Handle types that hold a smart pointer."""
    plain_pointers: frozenset[str]
    """Handle types that hold a plain pointer, to an object of C++."""
    enums: Mapping[str, frozenset[str] | None]
    """Names of the values, by enum; None where the spec does not tell them as it should."""
    flags: frozenset[str]
    """Enums whose values combine."""
    structs: frozenset[str]
    """Those that a type can name: while structs are resolved, the ones before."""
    calling: frozenset[str]
    """Those of them that have callables."""
    holding: Mapping[str, tuple[Handle, ...]]
    """Those of them that have handles."""
    used: Mapping[str, Type]
    """Types of other specs, by their qualified names."""
    foreign: frozenset[str]
    """The names of all types of these."""
    errors: frozenset[str]
    """Errors that `raises:` can name: those of statuses."""
    exceptions: frozenset[str]
    """Classes of C++ exceptions, which it cannot."""
    told_by_type: bool
    """Whether some of these statuses may be told by the C++ type alone."""
    raises: Mapping[str, str]
    """The error that entries raise which say nothing, by handle type; with no name, that of the library."""
    naming: Naming
    overloaded: frozenset[tuple[str, str]]
    """Names that several entries have: the handle type or nothing, and the name."""
    protocols: Mapping[str, frozenset[str]]
    """The names of the methods of protocols that each handle type has."""
    iterates: bool
    """Whether some call gives an iterator or an array, which may refer to any object."""

    def has_type(self, name: str) -> bool:
        """Whether it is the name of a handle type, an enum or a struct."""
        return name in self.handles or name in self.enums or name in self.structs


@frozen
class EndedResults:
    """An entry whose results a call ends."""

    handle: str
    by: str
    """The method that is called."""
    entry: str
    span: Span
    form: Span
    """Where the form of the method stands that says it."""
    given: Set[str]
    """The parameters of that."""
    is_argument: bool
    """Whether it names one of these: then it is meant, and the entry must be none that could be meant, too."""
    is_on_success: bool
    """Whether the entry says that all of what the call ends stays if it fails."""


@dataclass(eq=False, repr=False)
class Findings:
    """What is found while a spec is resolved; later entries may refer to what earlier ones are."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    representations: dict[str, Representation] = field(default_factory=dict)
    """Types that have another name under `types`, of which C++ has a form of its own."""
    cursors: dict[str, Each] = field(default_factory=dict)
    """Cursors and linked lists of `types` by name."""
    callbacks: dict[str, NamedCallback] = field(default_factory=dict)
    """Callables of `types` by name."""
    named_types: dict[str, Type] = field(default_factory=dict)
    """The types that both of these name."""
    records: dict[str, StructType] = field(default_factory=dict)
    """Structs."""
    statuses: dict[str, ErrorType] = field(default_factory=dict)
    """Types of statuses that say which value means that all is well."""
    tested: set[str] = field(default_factory=set)
    """Those of them that something names."""
    borrowing: set[str] = field(default_factory=set)
    """Handle types that only point to what something else owns."""
    leaking: set[str] = field(default_factory=set)
    """Those of them of which nothing says that anybody releases it."""
    perhaps_leaking: set[str] = field(default_factory=set)
    """Those that nothing releases if what they hold is a pointer, which only C++ knows."""
    unsaid: dict[str, Span] = field(default_factory=dict)
    """Where the first call stands that returns one of these, and does not say who owns it."""
    not_ours: dict[str, Span] = field(default_factory=dict)
    """Where the first call stands that returns one which it is not to release; C++ knows whether it holds a pointer."""
    ended: list[EndedResults] = field(default_factory=list)
    """Whose results which methods end."""
    repeated: dict[Span, tuple[str, ...]] = field(default_factory=dict)
    """Where the names of entries stand that a `for` repeats, and the variables of each."""
    parsed: dict[tuple[object, ...], tuple[Type, tuple[CountedPart, ...]]] = field(default_factory=dict)
    """Types that were spelled before: most specs have few."""


@frozen
class SpecReader:
    """Reads the entries of a spec, and reports what is wrong with them."""

    document: Document
    broken: frozenset[DataPath]
    """Sections and entries whose shape is wrong: they are left out."""
    findings: Findings
    row: str
    """What findings say of the row of a `for` that is resolved; empty outside of one."""

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        hint: str | Nearest = "",
        *related: tuple[Span, str],
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        own = () if self.row else fixes  # what stands once for several rows has no text that is right for each
        self.findings.diagnostics.append(Diagnostic(code, message + self.row, span, hint, related=related, fixes=own))

    def warn(self, code: str, message: str, span: Span, hint: str = "", fixes: tuple[Fix, ...] = ()) -> None:
        self.report(code, message, span, hint, Severity.WARNING, fixes)

    def report(
        self, code: str, message: str, span: Span, hint: str, severity: Severity, fixes: tuple[Fix, ...]
    ) -> None:
        own = () if self.row else fixes
        self.findings.diagnostics.append(Diagnostic(code, message + self.row, span, hint, severity, fixes=own))

    def entries(self, section: str) -> Iterator[Map]:
        """The entries of a section of the spec that have the right shape."""
        listed: Any = self.document.data.get(section)
        for i, entry in enumerate(listed if (section,) not in self.broken and isinstance(listed, list) else ()):
            if isinstance(entry, dict) and (section, i) not in self.broken:
                yield entry

    def named(self, section: str, key: str) -> Iterator[tuple[str, Map]]:
        """Every entry that has a name, also of a wrong shape: what refers to it is no mistake."""
        listed: Any = self.document.data.get(section)
        for entry in listed if isinstance(listed, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get(key), str):
                yield entry[key], entry

    def items(self, container: Map, key: str) -> Iterator[Map]:
        """The mappings of an optional list; the schema has reported what is none."""
        listed = container.get(key)
        yield from (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()

    def texts(self, container: Map, key: str) -> tuple[str, ...]:
        """An optional string or list of strings, as written."""
        value = container.get(key)
        if value is None:
            return ()
        if isinstance(value, list):
            return tuple(self.document.text(value, i) for i in range(len(value)))
        return (self.document.text(container, key),)

    def text(self, container: Map, key: str, default: str = "") -> str:
        value = container.get(key)
        if isinstance(value, str):
            return value
        return default if value is None else self.document.text(container, key)

    def type_text(self, container: Map, key: str) -> str:
        """A type as text, also where YAML takes it for a list or a map."""
        return self.document.type_text(container, key)

    def code(self, container: Map, key: str) -> Code | None:
        """Optional C++; blank is the same as absent."""
        value = container.get(key)
        if value is None or not str(value).strip():
            return None
        code = self.document.code(container, key)
        self.check_code(code.text, code.span, "\t\n")
        return code

    def expression(self, container: Map | Sequence[object], key: str | int) -> str:
        """C++ that stands inside a line of ours: a type, or a value."""
        text = self.document.text(container, key).strip()
        span = self.document.span(container, key)
        if not text:
            self.error("WG012", "C++ is missing here", span, "write a type or a value of the library")
        self.check_code(text, span, "\t")
        return text

    def expressions(self, container: Map, key: str) -> tuple[str, ...]:
        """The same for an optional one, or a list of them."""
        value = container.get(key)
        if isinstance(value, list):
            return tuple(self.expression(value, i) for i in range(len(value)))
        return () if value is None else (self.expression(container, key),)

    def check_code_key(self, container: Map, key: str, hint: str) -> None:
        """Reports a key that is to be C++ and cannot stand in a line of ours."""
        if not key.strip() or not key.isprintable():
            self.error("WG013", f"{key!r} cannot stand in C++", self.document.key_span(container, key), hint)

    def check_code(self, text: str, span: Span, allowed: str) -> None:
        """Reports characters that cannot stand in a line of C++."""
        odd = next((char for char in text if (char < " " and char not in allowed) or char == "\x7f"), None)
        if odd is not None:
            hint = "write it on one line" if odd == "\n" else "write it as an escape of C++"
            self.error("WG013", f"character U+{ord(odd):04X} cannot stand in this C++", span, hint)

    def span(self, container: Map, key: str) -> Span:
        """Where a value stands, or (for a key that is absent) where its mapping starts."""
        return self.document.span(container, key) if key in container else self.document.start(container)

    def identifier(self, container: Map, key: str, what: str) -> str:
        """A name that becomes an identifier in C, C++ and Python."""
        name = self.text(container, key)
        if not names.is_identifier(name) or names.is_reserved(name):
            self.check_identifier(name, self.span(container, key), what)
        return name

    def check_identifier(self, name: str, span: Span, what: str) -> None:
        if not names.is_identifier(name):
            self.error(
                "WG020",
                f"{name!r} cannot be the name of {what}",
                span,
                "a name starts with a letter and has only letters, digits and underscores",
            )
        elif names.is_reserved(name):
            self.error(
                "WG021", f"{name!r} is reserved", span, "names that start with wg_ or WG_ are the generator's own"
            )


@frozen
class Scope(SpecReader):
    """A spec while it is resolved: what is known of it, and what is found in it."""

    names: Names

    @property
    def is_in_row(self) -> bool:
        """Whether what is resolved stands once in the spec for several rows of a `for`."""
        return bool(self.row)

    def of_row(self, entry: Map, resolve: Callable[[Scope], _Resolved]) -> _Resolved:
        """What `resolve` makes of an entry; findings say for which row of a `for` they are."""
        row = self.document.row(entry)
        return resolve(replace(self, document=self.document.within(row), row=f", for {row}") if row else self)

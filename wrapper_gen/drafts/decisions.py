"""What is decided about headers, by answers and by proposals: all that a draft follows from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from wrapper_gen.drafts.answer_rules import owner_in
from wrapper_gen.frozen import frozen, remembered
from wrapper_gen.headers import CFunction, Headers

HANDLE, IN_PLACE, STRUCT, OPTIONS, TYPE = "handle", "in_place", "struct", "options", "type"
STATUS, EXCEPTION, INTERFACE, ALWAYS, VIEW = "status", "exception", "interface", "always", "view"
SKIPPED, UNDECIDED = "skip", "open"
ROLES = (HANDLE, IN_PLACE, STRUCT, OPTIONS, TYPE, STATUS, EXCEPTION, INTERFACE, ALWAYS, VIEW)
"""What a record can be; the answer for one has the word as its first key."""


@frozen
class RecordRole:
    """What a record is: the word, its name in Python, and what else the answer says."""

    kind: str
    name: str
    said: Mapping[str, Any]
    is_proposed: bool = False
    """Nobody has answered, and other evidence than a release of its own speaks for it."""

    @property
    def is_class(self) -> bool:
        return self.kind in (HANDLE, IN_PLACE, INTERFACE)

    @property
    def is_pointer(self) -> bool:
        """Whether a handle holds a pointer, in C++, where the answer says so."""
        return bool(self.said.get("pointer"))


@frozen
class Status:
    """A type of statuses, by the name of its exception."""

    name: str
    said: Mapping[str, Any]
    functions: frozenset[str]
    """The keys of the functions that return one."""


@frozen
class AnsweredWord:
    """What a call does with an object, or with what belongs to one: a word of an answer, or what is proposed."""

    word: str
    is_decided: bool
    question: str
    """By which group and key it is asked for."""
    condition: object = ""
    """Of `when`: C++ that says which objects are ended, alone or by class."""
    parameter: str = ""
    """Of what a call ends: the argument whose objects these are, by the header's name; empty of its own object."""


@frozen
class MacroEnum:
    """A group of macros that becomes an enum: its prefix, and the names of the macros."""

    name: str
    prefix: str
    names: Sequence[str]
    is_flags: bool
    takers: frozenset[tuple[str, str]] = frozenset()
    """The parameters that take one, by the key of the function and their name."""
    asked: frozenset[tuple[str, str]] = frozenset()
    """Those of which it is asked."""


@frozen
class LibraryOptions:
    """What the command says of the library."""

    name: str
    language: str
    headers: tuple[str, ...]
    prefix: str
    said: Mapping[str, Any]
    """The whole line of the file."""

    @property
    def is_c(self) -> bool:
        return self.language == "c"


@frozen
class Decisions:
    """Everything that is decided."""

    options: LibraryOptions
    headers: Headers
    functions: Sequence[CFunction]
    """Those that are not left out."""
    left_out: Mapping[str, str]
    """Why, by the key of a function."""
    library: Mapping[str, str]
    """C++ that starts and stops the library: `init` and `shutdown` of the spec."""
    roles: Mapping[str, Sequence[RecordRole]]
    """By record; several where one struct is used as several classes."""
    statuses: Mapping[str, Status]
    """By the canonical type."""
    owned: frozenset[str]
    borrowed: frozenset[str]
    """The keys of functions whose results are to be released, and are not."""
    keeps: Mapping[tuple[str, str], AnsweredWord]
    """`holds`, `takes`, `uses` or `ask`, by the key of a function and the record of an object that it is given."""
    keeps_memory: Mapping[tuple[str, str], AnsweredWord]
    """`holds`, `holds_last`, `uses` or `ask`, by the key of a function and the name of a parameter: text, an array."""
    referring: frozenset[str]
    """The classes of C++ whose objects refer to what their constructors are given."""
    ends: Mapping[str, AnsweredWord]
    """`all`, `on_success`, `when`, `nothing` or `ask`: whether a method ends what belongs to its object, by its key."""
    released_by: Mapping[str, str]
    """What frees the memory that a function returns, by its key; empty for nothing, "?" where it is open."""
    callables: Mapping[str, str]
    """How long callables are called, by the spelling of their type."""
    lengths: Mapping[tuple[str, str], str]
    """What an address and an integer after it are, by their names: `text`, `bytes`, `apart` or "?"."""
    buffers: Mapping[str, Mapping[str, str]]
    """What is said of the memory that a function fills, by its key: `capacity`, and `length`."""
    instances: Mapping[str, Sequence[str]]
    """The types for which a template is written, by its key."""
    writes: Mapping[tuple[str, str], AnsweredWord]
    """What a function does with what it may change: `out`, `in`, `inout`, `ask`; by its key and the parameter."""
    macro_enums: Sequence[MacroEnum]
    skipped_constants: Mapping[str, str]
    """The names of constants that no entry has, by the answers, each with the key of its answer."""

    @property
    @remembered
    def all_roles(self) -> Sequence[RecordRole]:
        return [each for roles in self.roles.values() for each in roles]

    @property
    @remembered
    def class_names(self) -> frozenset[str]:
        """The classes of Python."""
        return frozenset(each.name for each in self.all_roles if each.is_class)

    @property
    @remembered
    def kept_objects(self) -> Mapping[str, Mapping[str, AnsweredWord]]:
        """`keeps` by the key of the function; in it by the class, in the order of the roles."""
        by_record: defaultdict[str, list[tuple[str, AnsweredWord]]] = defaultdict(list)
        for (key, record), word in self.keeps.items():
            by_record[record].append((key, word))
        found: defaultdict[str, dict[str, AnsweredWord]] = defaultdict(dict)
        for record, roles in self.roles.items():
            for key, word in by_record[record]:
                found[key][roles[0].name] = word
        return dict(found)

    @property
    @remembered
    def kept_memory(self) -> Mapping[str, Mapping[str, AnsweredWord]]:
        """`keeps_memory` by the key of the function; in it by the parameter."""
        found: defaultdict[str, dict[str, AnsweredWord]] = defaultdict(dict)
        for (key, name), word in self.keeps_memory.items():
            found[key][name] = word
        return dict(found)

    def role(self, record: str) -> RecordRole | None:
        """The first role of a record."""
        return next(iter(self.roles.get(record, ())), None)

    def owner_of(self, record: str) -> str:
        """The record whose objects those of another one belong to, also itself; empty where there is none."""
        role = self.role(record)
        said = owner_in(role.said) if role is not None else None
        return next((r for r in self.roles if said is not None and said in self.names_of(r)), "")

    def names_of(self, record: str) -> frozenset[str]:
        """What answers may call a record: by its tag, its typedefs, and its classes."""
        known = self.headers.records.get(record)
        typedefs = (each.removesuffix(" *") for each in known.typedefs) if known else ()
        return frozenset({record, *typedefs, *(role.name for role in self.roles.get(record, ()))})

    def role_for(self, record: str, function: str) -> RecordRole | None:
        """The role of a record in a function of this name."""
        roles = self.roles.get(record, ())
        if len(roles) > 1:
            for each in roles:
                if re.search(str(each.said.get("match", "^$")), function):
                    return each
        return next(iter(roles), None)

    def status_of(self, function: CFunction) -> Status | None:
        """The status that a function returns."""
        found = self.statuses.get(function.result.canonical)
        return found if found is not None and function.key in found.functions else None

"""The draft of a spec that follows from what is decided, and what became of each declaration."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.building import notes_of
from wrapper_gen.drafts.c_entries import CEntries, Made
from wrapper_gen.drafts.constants import ConstantEntries, macro_rows
from wrapper_gen.drafts.cpp_entries import CppEntries, case_of, interface_methods
from wrapper_gen.drafts.decisions import Decisions, RecordRole
from wrapper_gen.drafts.documentation import record_doc
from wrapper_gen.drafts.enums import Enums
from wrapper_gen.drafts.macro_calls import wrapping_macros
from wrapper_gen.drafts.naming import best_prefix, snake, usable
from wrapper_gen.drafts.questions.context import releases
from wrapper_gen.drafts.questions.records_cpp import getters, message_of
from wrapper_gen.drafts.report import Became, Row
from wrapper_gen.drafts.spec_text import ClassDraft, Entry, SpecDraft
from wrapper_gen.drafts.structs import field, structs
from wrapper_gen.drafts.text_ends import text_ends
from wrapper_gen.drafts.types import LISTS, Asked, Follows, NotWritten, Types
from wrapper_gen.drafts.uses import is_default_constructible, record_of
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.headers import Access, CFunction, CKind, FunctionKind, Type
from wrapper_gen.types.scalars import INTEGERS

_CODES = ("code", "error_code", "err_code", "errc", "err")
"""What getters of exceptions are called that give a number which programs compare."""
_OF_EXCEPTIONS = {"args", "code", "name", "message", "add_note", "with_traceback"}
"""What exceptions of Python, or of generated packages, have."""
_VERSION = "0.1.0"
"""That of the first package: without one, wheels would be of version 0."""


@frozen
class Draft:
    """A spec, and a row for each declaration."""

    spec: SpecDraft
    rows: Sequence[Row]


def draft(decisions: Decisions) -> Draft:
    """The draft of a C library's spec."""
    return _SpecMaker(decisions).made()


class _SpecMaker:
    def __init__(self, decisions: Decisions) -> None:
        self.decisions = decisions
        self.rows: list[Row] = []
        roles = [role for each in decisions.roles.values() for role in each]
        taken = {each.name for each in roles if each.kind not in (of.SKIPPED, of.UNDECIDED, of.ALWAYS)}
        taken |= {each.name for each in decisions.statuses.values()}
        self.enums = Enums(decisions, taken)
        self.types = Types(decisions, self.enums.names)
        self.types.groups, self.types.groups_asked = self.enums.takers, self.enums.asked
        self.case = "" if decisions.options.is_c else case_of(decisions)
        self.shown = {record: _shown(decisions, record) for record in decisions.roles}

    def made(self) -> Draft:
        decisions = self.decisions
        self.taking: defaultdict[str, list[CFunction]] = defaultdict(list)
        for function in decisions.functions:
            if function.parameters:
                self.taking[record_of(function.parameters[0].type).record].append(function)
        struct_entries = structs(decisions, self.types, self.rows, self.shown)
        self.prefixes = {
            (record, role.name): self._prefix(record, role)
            for record, roles in decisions.roles.items()
            for role in roles
            if role.is_class
        }
        self.interfaces = self._interfaces()
        self.iterators = _iterated(decisions)
        methods, functions = self._entries()
        options = decisions.options
        library = {
            "name": options.name,
            "version": _VERSION,
            "lang": options.language if options.is_c else None,
            "cpp_include": list(options.headers),
            "link": options.said.get("link"),
            "requires": requires(options.said),
            "std": options.said.get("std") if not options.is_c else None,
            "prefix": options.prefix or None,
            "case": self.case or None,
            **decisions.library,
            "compile_args": [f"-D{each}" for each in options.said.get("defines", ())] or None,
        }
        constants = ConstantEntries(decisions, self._names(functions))
        spec = SpecDraft(
            library=library,
            errors=self._errors(),
            enums=self.enums.entries,
            structs=self._used(struct_entries, [*functions, *(each for found in methods.values() for each in found)]),
            types=self._types(),
            constants=constants.entries,
            classes=list(self._classes(methods)),
            functions=functions,
            notes=tuple(_notes(options.said)),
        )
        return Draft(spec, [*self.rows, *self.enums.rows, *constants.rows, *macro_rows(decisions, _folded(decisions))])

    def _names(self, functions: Sequence[Entry]) -> set[str]:
        """What a module has besides constants."""
        return self.enums.taken | {str(each.data["def"]).partition("(")[0] for each in functions}

    # --- entries ---

    def _entries(self) -> tuple[Mapping[tuple[str, str], list[Entry]], list[Entry]]:
        writer = self._writer()
        methods: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
        functions: list[Entry] = []
        overridden = {each.key for found in self.interfaces.values() for each in found}
        for function in self.decisions.headers.all_functions():
            why = self.decisions.left_out.get(function.key)
            if why is not None:
                self._row(function, Became.LEFT_OUT, why)
                continue
            if function.key in overridden:
                self._row(function, Became.GUESSED, "a virtual function, which Python overrides")
                continue
            for at, made in enumerate(self._made(writer, function)):
                is_shorter = at > 0 and function.key not in self.decisions.instances
                entry = Entry(made.data, notes_of(made.guesses), "" if is_shorter else function.key)
                (methods[made.owner] if made.owner else functions).append(entry)
        for found in (*methods.values(), functions):
            if self.decisions.options.is_c:
                _rename_twins(found)
            else:
                self._drop_twins(found)
        self.callables = writer.callables if isinstance(writer, CEntries) else {}
        return methods, functions

    def _writer(self) -> CEntries | CppEntries:
        decisions = self.decisions
        if decisions.options.is_c:
            return CEntries(
                decisions,
                self.types,
                self.prefixes,
                wrapping_macros(decisions.headers, decisions.functions),
                self.enums.taken,
            )
        return CppEntries(decisions, self.types, self.enums.values, self.case)

    def _made(self, writer: CEntries | CppEntries, function: CFunction) -> list[Made]:
        """The entries of a function, several of a template; its row says why there are none."""
        try:
            if isinstance(writer, CppEntries) and function.key in self.decisions.instances:
                found = writer.made_of_template(function)
            elif isinstance(writer, CppEntries):
                found = writer.made(function)
            else:
                found = [writer.made(function)]
        except Asked as why:
            self._row(function, Became.ASKED, str(why), why.question)
            return []
        except (NotWritten, Follows) as why:
            self._row(function, Became.LEFT_OUT if isinstance(why, NotWritten) else Became.FOLLOWS, str(why))
            return []
        guesses = dict.fromkeys(guess for made in found for guess in made.guesses)
        self._row(function, Became.GUESSED if guesses else Became.WRITTEN, "; ".join(guesses))
        return found

    def _drop_twins(self, entries: list[Entry]) -> None:
        """Keep one of what Python cannot tell apart: overloads for const objects, for integers of several sizes."""
        _rename_writers(entries)
        best: dict[str, Entry] = {}
        for each in entries:
            taken = _taken(str(each.data["def"]))
            if taken not in best or _width(each) > _width(best[taken]):
                best[taken] = each
        for each in list(entries):
            if best[_taken(str(each.data["def"]))] is not each:
                entries.remove(each)
                if not each.key:
                    continue
                at = next(at for at, row in enumerate(self.rows) if row.declaration.key == each.key)
                self.rows[at] = Row(self.rows[at].declaration, Became.FOLLOWS, "another overload takes the same")

    def _row(self, function: CFunction, word: Became, why: str, question: str = "") -> None:
        self.rows.append(Row(function, word, why, question))

    # --- sections ---

    def _errors(self) -> list[Entry]:
        found = []
        for type_, status in self.decisions.statuses.items():
            if status.said.get("ok") == OPEN:
                continue
            enum = self.decisions.headers.enums.get(type_.removeprefix("enum "))
            shown = enum.typedefs[0] if enum and enum.typedefs else type_
            data = {"name": status.name, "cpp_type": shown, "ok": status.said["ok"]}
            more = {key: status.said.get(key) for key in ("message", "none", "on_null", "exceptions", "also")}
            found.append(Entry(data | more))
        for record, roles in self.decisions.roles.items():
            for role in roles:
                if role.kind in (of.STATUS, of.EXCEPTION) and role.said.get("message") != OPEN:
                    said = {key: role.said.get(key) for key in ("ok", "message", "none", "exceptions", "also")}
                    name = f"{role.name}_" if role.name == self.decisions.options.name else role.name
                    own = message_of(self.decisions.headers.records[record]) if role.kind == of.EXCEPTION else ""
                    more = self._told(record) if own and said["message"] == f"value.{own}()" else {}
                    found.append(Entry({"name": name, "cpp_type": record, **said, **more}, key=self._key(record)))
        return found

    def _told(self, record: str) -> dict[str, Any]:
        """The code and the fields of an exception whose message a getter gives: what its other getters give."""
        known, found, fields = self.decisions.headers.records[record], dict[str, Any](), dict[str, Any]()
        for each in getters(known):
            name = snake(each.name).removeprefix("get_")
            if each.name == message_of(known) or name in fields:
                continue
            try:
                type_ = self.types.of(each.result, [], is_result=True)
            except (Asked, NotWritten):
                continue
            is_code = each.result.kind in (CKind.INTEGER, CKind.ENUM)
            if name in _CODES and is_code and "code" not in found:
                found["code"] = f"value.{each.name}()"
            elif name.isidentifier() and name not in _OF_EXCEPTIONS:
                fields[usable(name)] = {"type": type_, "cpp": f"value.{each.name}()"}
        return found | ({"fields": fields} if fields else {})

    def _types(self) -> list[Entry]:
        found = []
        for record, roles in self.decisions.roles.items():
            for role in roles:
                if role.kind == of.TYPE:
                    said = {key: role.said.get(key) for key in ("data", "length", "make", "release")}
                    data = {"name": role.name, "type": role.said[of.TYPE], "cpp_type": self.shown[record], **said}
                    found.append(Entry(data, key=self._key(record)))
        for name, each in self.callables.items():
            found.append(Entry({"name": name, "type": each.type, "cpp": each.cpp}))
        return found

    def _used(self, entries: Sequence[Entry], others: Sequence[Entry]) -> list[Entry]:
        """The structs that something says: a struct of options that no call takes is a mistake."""
        said = " ".join(_without_docs(each.data) for each in others)
        kept, is_changed = list(entries), True
        while is_changed:
            left = [each for each in kept if _is_said(each, said, kept)]
            is_changed = len(left) != len(kept)
            names = {str(each.data["name"]) for each in left}
            gone = {str(each.data["name"]) for each in kept} - names
            kept = [_without_fields(each, gone) for each in left] if is_changed else left
        keys = {each.key for each in kept}
        unsaid = {each.key for each in entries} - keys
        for at, row in enumerate(self.rows):
            if row.declaration.key in unsaid:
                self.rows[at] = Row(row.declaration, Became.FOLLOWS, "no entry has it")
        return kept

    def _classes(self, methods: Mapping[tuple[str, str], list[Entry]]) -> Iterator[ClassDraft]:
        for record, roles in self.decisions.roles.items():
            for role in roles:
                if role.kind in (of.HANDLE, of.IN_PLACE) and record not in self.iterators:
                    found = methods.get((record, role.name), [])
                    is_c = self.decisions.options.is_c
                    if not is_c and self._is_made_of_nothing(record, role):
                        found = [Entry({"def": f"{role.name}()"}), *found]
                    notes = () if is_c else self._notes_of(record, role)
                    data = self._class(record, role) if is_c else self._cpp_class(record, role)
                    yield ClassDraft(data, found, notes)
                    self._class_row(record)
                elif role.kind == of.INTERFACE and record not in self.types.unwritten:
                    data = {"name": role.name, "cpp_type": record, "extends": self._base(record)}
                    data["doc"] = record_doc(self.decisions.headers, record)
                    yield ClassDraft(data, self.interfaces[record])
                    self._class_row(record)

    def _is_made_of_nothing(self, record: str, role: RecordRole) -> bool:
        """Whether C++ gives a class a constructor that no header declares, and objects are ours to make."""
        known = self.decisions.headers.records[record]
        is_declared = known.hides_constructor or any(each.kind is FunctionKind.CONSTRUCTOR for each in known.functions)
        is_ours = role.said.get("release") != "nothing" and not role.said.get("belongs_to")
        return is_ours and not is_declared and is_default_constructible(self.decisions.headers.records, record)

    def _interfaces(self) -> dict[str, list[Entry]]:
        """The methods of interfaces; one with a function that C++ needs and that cannot be said is not written."""
        found: dict[str, list[Entry]] = {}
        for record, roles in self.decisions.roles.items():
            if not any(role.kind == of.INTERFACE for role in roles):
                continue
            known = self.decisions.headers.records[record]
            methods, wrong = interface_methods(self.decisions, self.types, record, known.functions)
            if wrong or not methods:
                self.types.unwritten.add(record)
                why = f"virtual functions: {'; '.join(wrong)[:160]}" if wrong else "it has no virtual functions"
                self.rows.append(Row(known, Became.ASKED, why, f"records/{record}"))
                continue
            found[record] = [Entry(data, key=function.key) for function, data in methods]
        return found

    def _cpp_class(self, record: str, role: RecordRole) -> dict[str, object]:
        said, holds = role.said, role.said.get("holds")
        pointer = f"{'const ' if said.get('const') else ''}{record} *"
        is_released = role.is_pointer and not holds and "release" not in said
        return {
            "name": role.name,
            "cpp_type": f"{holds}<{record}>" if holds else pointer if role.is_pointer else record,
            "extends": self._base(record),
            "release": "delete value" if is_released else said.get("release"),
            "belongs_to": self._owner(said.get("belongs_to")),
            "doc": record_doc(self.decisions.headers, record),
            **{key: said.get(key) for key in ("empty", "identity", "blocking", "thread")},
            "fields": self._fields(record, role)[0] or None,
        }

    def _base(self, record: str) -> str | None:
        """The class that it extends: its first public base that is written, and holds its objects in the same way."""
        base = self._written_base(record)
        return base.name if base is not None and not self._is_other_way(record, base) else None

    def _notes_of(self, record: str, role: RecordRole) -> tuple[str, ...]:
        """What a class is without: its base, and data members."""
        base, (_, wrong) = self._written_base(record), self._fields(record, role)
        missing = [f"without {'; '.join(wrong)}"] if wrong else []
        if base is not None and self._is_other_way(record, base):
            missing.insert(0, f"without its base {base.name}, which holds its objects in another way")
        return notes_of(missing)

    def _is_other_way(self, record: str, base: RecordRole) -> bool:
        """Whether objects are held in another way than those of a base."""
        own = self.decisions.role(record)
        ways = [(each.said.get("holds"), each.is_pointer) for each in (own, base) if each is not None]
        is_interface = of.INTERFACE in (base.kind, own.kind if own is not None else "")
        return len(set(ways)) > 1 and not is_interface

    def _written_base(self, record: str) -> RecordRole | None:
        for each in self.decisions.headers.records[record].bases:
            role = self.decisions.role(each.name)
            if (
                role is not None
                and role.is_class
                and each.access is Access.PUBLIC
                and each.name not in self.types.unwritten
            ):
                return role
        return None

    def _fields(self, record: str, role: RecordRole) -> tuple[dict[str, object], list[str]]:
        """Public data members as properties, and why others are none."""
        fields: dict[str, object] = {}
        wrong: list[str] = []
        known = self.decisions.headers.records[record]
        methods = {snake(each.name) for each in known.functions}
        ends = text_ends(known.fields) or ()
        for each in known.fields:
            name = usable(snake(each.name))
            if each.access is not Access.PUBLIC or each.bits or not each.name or name in methods or each.name in ends:
                continue
            try:
                type_ = self.types.of(each.type, [], is_field=True)
                is_lent = self._is_lent(each.type)
            except (Asked, NotWritten) as why:
                wrong.append(f"{each.name}: {why}")
                continue
            is_set = (
                not is_lent and not each.type.is_const and each.type.kind is not CKind.POINTER
            )  # nobody keeps what it would point to
            shown = f"mut {type_}" if is_set else f"{type_}?" if is_lent and each.type.kind is CKind.POINTER else type_
            made = field(shown, name, each)
            if is_lent:
                made = {
                    **(made if isinstance(made, dict) else {"type": made}),
                    "release": "nothing",
                    "belongs_to": "self",
                }
            fields[name] = made
        return fields, wrong

    def _is_lent(self, type_: Type) -> bool:
        """Whether a member is the address of an object, or a list of such, which stays the library's.

        Raises:
            NotWritten: it is, or has, an object itself.
        """
        inner = type_.arguments[:1] if type_.template in LISTS else [type_]
        member = self.types.role(inner[0]) if inner else None
        if member is None or not member.is_class:
            return False
        if inner[0].kind is CKind.POINTER and member.is_pointer:
            return True
        if inner[0] is type_ or inner[0].kind is CKind.POINTER:
            raise NotWritten(f"it is {member.name}, which is no value")
        return False

    def _class(self, record: str, role: RecordRole) -> dict[str, object]:
        return {
            "name": role.name,
            "cpp_type": self._cpp_type(record, role),
            "in_place": True if role.kind == of.IN_PLACE else None,
            "release": role.said.get("release"),
            "belongs_to": self._owner(role.said.get("belongs_to")),
            "prefix": self.prefixes.get((record, role.name)) or None,
            "doc": record_doc(self.decisions.headers, record),
            **{key: role.said.get(key) for key in ("empty", "identity", "blocking", "thread")},
        }

    def _owner(self, said: object) -> object:
        """`belongs_to` of a class, with the name of the class where the answer has a record."""
        if isinstance(said, Mapping):
            return {name: self._owner(each) for name, each in said.items()}
        found = next((r for r, shown in self.shown.items() if said in (r, shown)), None)
        role = self.decisions.role(found) if found else None
        return role.name if role else said

    def _cpp_type(self, record: str, role: RecordRole) -> str:
        known = self.decisions.headers.records.get(record)
        names = known.typedefs if known else ()
        plain = [each for each in names if not each.endswith("*")]
        if role.kind == of.IN_PLACE:
            return plain[0] if plain else record
        if not plain and names:
            return names[0].removesuffix(" *")
        return f"{plain[0] if plain else record} *"

    def _prefix(self, record: str, role: RecordRole) -> str:
        names = [
            each.name
            for each in self.taking[record]
            if self.decisions.role_for(record, each.name) is role and not releases(each.name)
        ]
        prefix, base = self.decisions.options.prefix, self.shown[record]
        start = _start(names) if len(names) > 2 else ""
        choices = {f"{base}_", f"{prefix}{snake(role.name)}_", prefix, f"{base.upper()}_", start}
        return best_prefix(names, sorted(choices))

    def _class_row(self, record: str) -> None:
        known = self.decisions.headers.records.get(record)
        if known is not None:
            self.rows.append(Row(known, Became.WRITTEN))

    def _key(self, record: str) -> str:
        known = self.decisions.headers.records.get(record)
        if known is not None:
            self.rows.append(Row(known, Became.WRITTEN))
        return known.key if known else ""


def _taken(signature: str) -> str:
    """The name and the types of a signature, as far as Python tells them apart."""
    bare = re.sub(r"\w+: |\s*=[^,)]*", "", signature.partition(" -> ")[0])
    return re.sub(r"\bf(32|64)\b", "float", re.sub(rf"\b({INTEGERS})\b", "int", bare))


def _rename_writers(entries: list[Entry]) -> None:
    """Overloads that only write what they are given, beside one that returns another value, get names of their own."""
    taken = {_taken(str(each.data["def"])) for each in entries if "->" in str(each.data["def"]) and not _writes(each)}
    for at, each in enumerate(entries):
        text = str(each.data["def"])
        written = re.search(r"&(\w+)", str(each.data.get("cpp", "")))
        if written is None or not _writes(each) or "result: " in text or _taken(text) not in taken:
            continue
        first = re.search(r"-> \((\w+):", text)
        name, _, rest = text.partition("(")
        entries[at] = replace(each, data={**each.data, "def": f"{name}_{first[1] if first else 'out'}({rest}"})


def _writes(entry: Entry) -> bool:
    """Whether items of the result are written through parameters."""
    return "&" in str(entry.data.get("cpp", "")) and "->" in str(entry.data["def"])


def _width(entry: Entry) -> int:
    """How wide the numbers of an entry's parameters are; signed ones before others."""
    return sum(
        2 * int(size) + (sign == "i") for sign, size in re.findall(r"\b([iuf])(8|16|32|64)\b", str(entry.data["def"]))
    )


def _is_said(entry: Entry, said: str, entries: Sequence[Entry]) -> bool:
    """Whether an entry, or another struct, names a struct; of options, whether a call takes them."""
    name = entry.data["name"]
    if entry.data.get("make"):
        return re.search(rf"\*\*\w+: {name}\b", said) is not None
    fields = " ".join(_without_docs(each.data["fields"]) for each in entries if each is not entry)
    return re.search(rf"\b{name}\b", f"{said} {fields}") is not None


def _without_docs(data: object) -> str:
    """What an entry says, but for documentation, which names what it likes."""
    if isinstance(data, Mapping):
        return " ".join(f"{key} {_without_docs(value)}" for key, value in data.items() if key not in ("doc", "params"))
    return str(data)


def _without_fields(entry: Entry, types: set[str]) -> Entry:
    """A struct without the fields of these types."""
    fields: Any = entry.data["fields"]
    kept = {
        name: said
        for name, said in fields.items()
        if not types & set(re.findall(r"\w+", str(said["type"] if isinstance(said, dict) else said)))
    }
    if len(kept) == len(fields):
        return entry
    left_out = ", ".join(name for name in fields if name not in kept)
    return replace(entry, data={**entry.data, "fields": kept}, notes=(*entry.notes, f"guess: without {left_out}"))


def requires(said: Mapping[str, Any]) -> list[object] | None:
    """What finds the library: names of pkg-config, and the folders that the command was given."""
    folders = [str(each) for each in said.get("include", ())]
    return [*said.get("requires", ()), *([{"dirs": folders}] if folders else [])] or None


def _notes(said: Mapping[str, Any]) -> Iterator[str]:
    """What stands above a spec that other machines cannot use as it is."""
    for each in said.get("headers", ()):
        if Path(each).is_absolute():
            yield f"{each} is a path of this machine: `--include {Path(each).parent}` names it from there"
    for each in said.get("include", ()):
        if str(each).startswith("/"):
            yield f"{each} is a folder of this machine: `requires` can name a package of pkg-config, or $VARIABLE"


def _iterated(decisions: Decisions) -> set[str]:
    """The classes that are iterators: what `begin` gives is read by `__iter__`."""
    results = (record_of(each.result) for each in decisions.functions if each.name in ("begin", "end"))
    return {each.record for each in results if each.record and not each.depth and not decisions.options.is_c}


def _folded(decisions: Decisions) -> dict[str, str]:
    """By macro with parameters, the function that is written as the macro calls it."""
    if not decisions.options.is_c:
        return {}
    return {each.macro: function for function, each in wrapping_macros(decisions.headers, decisions.functions).items()}


def _rename_twins(entries: list[Entry]) -> None:
    """Entries of one name are overloads in Python; those of C are told apart by their names in C."""
    seen: set[str] = set()
    for at, each in enumerate(entries):
        text = str(each.data["def"])
        name, _, rest = text.partition("(")
        while name in seen and name[:1].islower():
            name += "_"
        seen.add(name)
        entries[at] = Entry({**each.data, "def": f"{name}({rest}"}, each.notes, each.key)


def _start(names: Sequence[str]) -> str:
    """What names of one class begin with: up to an underscore, or `gz` of `gzread` and `gzwrite`."""
    first, last = min(names), max(names)
    alike = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    whole = first[:alike]
    if "_" in whole:
        return whole[: whole.rfind("_") + 1]
    return whole if whole.islower() and len(whole) in (2, 3) else ""


def _shown(decisions: Decisions, record: str) -> str:
    known = decisions.headers.records.get(record)
    names = sorted(known.typedefs, key=lambda each: each.endswith("*")) if known and decisions.options.is_c else []
    return names[0].removesuffix(" *") if names else record

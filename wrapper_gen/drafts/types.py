"""The types of the spec language for those of C and C++, where nothing has to be decided but what was."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.decisions import Decisions, RecordRole
from wrapper_gen.drafts.uses import is_chars, pointee, record_of
from wrapper_gen.headers import CKind, Type


class Asked(Exception):
    """Nothing is written before a question is answered."""

    def __init__(self, why: str, question: str = "") -> None:
        super().__init__(why)
        self.question = question


class NotWritten(Exception):
    """Nothing is written: the language, or a call from Python, has no use for it."""


class Follows(Exception):
    """Nothing is written of its own: something else that is written has it."""


STRINGS = ("std::basic_string", "std::basic_string_view", "std::__cxx11::basic_string")
LISTS = ("std::vector", "std::list", "std::deque", "std::array", "std::__cxx11::list", "std::initializer_list")


def number(type_: Type) -> str:
    """The type of the language that is a number or a bool of C; empty of any other."""
    if type_.kind is CKind.BOOL:
        return "bool"
    if type_.kind is CKind.INTEGER and type_.size in (1, 2, 4, 8):
        words = type_.spelling.replace("const ", "").split("::")[-1]
        return "usize" if words == "size_t" else f"{'i' if type_.is_signed else 'u'}{type_.size * 8}"
    return f"f{type_.size * 8}" if type_.kind is CKind.FLOAT and type_.size in (4, 8) else ""


_WIDE = re.compile(r"\b(wchar_t|char16_t|char32_t)\b")


def refuse_wide(type_: Type, *, is_pointed_to: bool = False) -> None:
    """Refuse a `wchar_t`, which has another size on other platforms, and addresses of wide characters.

    Raises:
        NotWritten: it is one of these.
    """
    if type_.kind in (CKind.POINTER, CKind.ARRAY, CKind.REFERENCE) and type_.target is not None:
        refuse_wide(type_.target, is_pointed_to=True)
    found = _WIDE.search(f"{type_.spelling} {type_.canonical}") if type_.kind is CKind.INTEGER else None
    if found is not None and (is_pointed_to or found[1] == "wchar_t"):
        raise NotWritten(f"no type of the language is {found[1]}: write an entry whose C++ makes it UTF-8")


def is_string(type_: Type) -> bool:
    """Whether it is a string of C++'s library, of whatever characters."""
    return (type_.template or type_.name) in STRINGS


class Types:
    """Types of the language; `guesses` of each call says what was taken for granted."""

    def __init__(self, decisions: Decisions, enums: Mapping[str, str]) -> None:
        self.decisions = decisions
        self.enums = enums
        """Python's names, by the qualified names of C and C++."""
        self.groups: Mapping[tuple[str, str], str] = {}
        """Enums of macros, by the key of a function and the name of a parameter that takes one."""
        self.groups_asked: Mapping[tuple[str, str], str] = {}
        """The same of parameters of which it is asked."""
        self.unwritten: set[str] = set()
        """Structs and classes that came to nothing."""

    def of(self, type_: Type, guesses: list[str], *, is_result: bool = False, is_field: bool = False) -> str:
        """The type that Python has for one of C or C++.

        Raises:
            Asked, NotWritten: there is none.
        """
        scalar = self.scalar(type_)
        if scalar:
            if type_.canonical.removeprefix("const ") == "char":
                guesses.append("a char is a number, and no text of one character")
            return scalar
        is_borrowed = type_.kind is CKind.REFERENCE and type_.target is not None
        if is_borrowed and type_.target is not None and (type_.target.is_const or is_result):
            inner = self.scalar(type_.target)
            if inner:
                return inner
        if type_.kind is CKind.ARRAY and is_field:
            return self._array(type_)
        of_ = record_of(type_)
        if of_.record.startswith("std::"):
            return self._standard(type_, guesses, is_result=is_result)
        if of_.record:
            return self._record(type_, guesses, is_result=is_result, is_field=is_field)
        to = pointee(type_)
        if to is not None and is_chars(to):
            return self._text(type_, to, guesses, is_result=is_result, is_field=is_field)
        raise self._refused(type_)

    def scalar(self, type_: Type) -> str:
        """A number, a bool or an enum; empty for anything else."""
        refuse_wide(type_)
        if type_.kind is not CKind.ENUM:
            return number(type_)
        found = self.enums.get(type_.name)
        if found is None:
            raise NotWritten(f"the enum {type_.name or 'without a name'} is not written")
        return found

    def role(self, type_: Type) -> RecordRole | None:
        """The role of the record of a type."""
        return self.decisions.role(record_of(type_).record)

    def refuse_held(self, type_: Type) -> None:
        """Refuse an object itself, or its address, where Python's objects are held by a smart pointer.

        Raises:
            Asked: it is one of those.
        """
        role, record = self.role(type_), record_of(type_).record
        if role is not None and role.is_class and role.said.get("holds"):
            holds = role.said["holds"]
            raise Asked(f"what becomes of {type_.spelling}, where objects are held by {holds}", f"records/{record}")

    def _array(self, type_: Type) -> str:
        element = type_.target
        assert element is not None
        if is_chars(element):
            return "text" if element.canonical.removeprefix("const ") == "char" else "bytes"
        inner = self.scalar(element)
        if not inner or not type_.length:
            raise NotWritten(f"an array of {element.spelling}")
        return f"[{inner}]"

    def _text(self, type_: Type, to: Type, guesses: list[str], *, is_result: bool, is_field: bool) -> str:
        if is_field:
            return "text?"
        if not to.is_const:
            raise Asked(f"what {type_.spelling} is: a text, or memory that is written to", "")
        if to.canonical != "const char":
            if not is_result:
                raise Asked(f"how many bytes a {type_.spelling} has")
            guesses.append("text by unsigned char")
        return "text?" if is_result else "text"

    def _record(self, type_: Type, guesses: list[str], *, is_result: bool, is_field: bool) -> str:
        record, depth, is_const = record_of(type_)
        role = self.decisions.role(record)
        question = f"records/{record}"
        if role is None:
            is_nameless = "(unnamed)" in record
            raise NotWritten("its type has no name" if is_nameless else f"{record} is declared elsewhere")
        if record in self.unwritten:
            raise NotWritten(f"{role.name} is not written")
        if role.kind is of.UNDECIDED or role.kind == of.UNDECIDED:
            raise Asked(f"what {record} is", question)
        if role.kind == of.SKIPPED:
            raise NotWritten(f"{record} is left out")
        if role.kind in (of.HANDLE, of.IN_PLACE) and depth <= 1:
            return role.name
        if (role.kind == of.VIEW and not depth) or (role.kind == of.VIEW and type_.kind is CKind.REFERENCE):
            return role.name
        if role.kind == of.INTERFACE and depth == 1 and not is_result:
            return role.name
        if role.kind == of.TYPE and (not depth or is_const or is_result):
            if is_field:
                raise NotWritten(f"a {role.name} in a struct refers to memory that nothing keeps")
            if not is_result and "make" not in role.said:
                raise Asked(f"how C gets a {role.name}: make", question)
            return role.name
        if role.kind in (of.STRUCT, of.OPTIONS) and depth <= 1:
            return self._struct(role, type_, is_result=is_result, is_field=is_field)
        raise Asked(f"what to do with {type_.spelling}", question)

    def _struct(self, role: RecordRole, type_: Type, *, is_result: bool, is_field: bool) -> str:
        record, depth, is_const = record_of(type_)
        if role.kind == of.OPTIONS and is_result:
            raise NotWritten("options are no result")
        if depth and not is_const and not is_field and type_.kind is CKind.POINTER and is_result:
            raise Asked(f"who releases the {type_.spelling} that it returns", f"records/{record}")
        return f"{role.name}?" if depth and type_.kind is CKind.POINTER and (is_result or is_field) else role.name

    def _standard(self, type_: Type, guesses: list[str], *, is_result: bool) -> str:
        """Types of C++'s library, of what can be said."""
        whole = type_
        if type_.kind in (CKind.POINTER, CKind.REFERENCE, CKind.RVALUE) and type_.target is not None:
            is_written = not type_.target.is_const and not is_result and type_.kind is not CKind.RVALUE
            if is_written or type_.kind is CKind.POINTER:
                raise Asked(f"whether C++ writes {whole.spelling}")
            type_ = type_.target
        name, inner = type_.template or type_.name, type_.arguments
        if is_string(type_):
            if inner and inner[0].canonical != "char":
                raise NotWritten(f"no text is made of {inner[0].spelling}")
            guesses.append("text, or bytes?")
            return "text"

        def at(number: int) -> str:
            self.refuse_held(inner[number])
            return self.of(inner[number], guesses, is_result=is_result)

        if name in LISTS:
            return f"[{at(0)}]"
        if name in ("std::map", "std::unordered_map"):
            return f"{{{at(0)}: {at(1)}}}"
        if name in ("std::set", "std::unordered_set"):
            return f"set[{at(0)}]"
        if name == "std::pair":
            return f"({at(0)}, {at(1)})"
        if name == "std::tuple":
            return "(" + ", ".join(at(i) for i in range(len(inner))) + ("," if len(inner) == 1 else "") + ")"
        if name == "std::variant":
            return " | ".join(at(i) for i in range(len(inner)))
        if name == "std::optional":
            return f"{at(0)}?"
        if name == "std::complex":
            return {"f32": "c64", "f64": "c128"}[at(0)]
        if name == "std::filesystem::path":
            return "path"
        if name == "std::chrono::duration":
            return "duration"
        if name == "std::chrono::time_point" and inner[0].canonical.endswith("system_clock"):
            return "datetime"
        if name == "std::function":
            return self.function(inner[0], guesses)
        if name in ("std::shared_ptr", "std::unique_ptr"):
            role = self.decisions.role(inner[0].name)
            if role is not None and role.is_class and role.said.get("holds") == name:
                return role.name
            raise Asked(f"what holds a {inner[0].spelling}", f"records/{inner[0].name}")
        raise NotWritten("a stream of C++" if "stream" in name else f"the language has no {name}")

    def function(self, called: Type, guesses: list[str]) -> str:
        """The type of a callable of C++."""
        for each in called.parameters:
            self.refuse_held(each)
        given = ", ".join(self.of(each, guesses) for each in called.parameters)
        result = called.target
        is_void = result is None or result.kind is CKind.VOID
        return f"fn({given})" + ("" if is_void or result is None else f" -> {self.of(result, guesses)}")

    @staticmethod
    def _refused(type_: Type) -> Exception:
        if type_.kind is CKind.POINTER:
            to = type_.target
            if to is not None and to.kind is CKind.VOID:
                return Asked(f"what {type_.spelling} is")
            if to is not None and to.kind is CKind.FUNCTION:
                return Asked(f"how long C has {type_.spelling}")
            return Asked(f"whether {type_.spelling} is one value or an array, and who writes it")
        if type_.kind is CKind.REFERENCE:
            return Asked(f"whether C++ writes {type_.spelling}")
        return NotWritten(f"no type of the language is {type_.spelling}")

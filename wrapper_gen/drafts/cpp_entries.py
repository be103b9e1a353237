"""The entries of C++: constructors, members, operators, static members and functions of namespaces."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.answer_rules import owner_in
from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.building import Building
from wrapper_gen.drafts.c_entries import Made
from wrapper_gen.drafts.decisions import Decisions, RecordRole
from wrapper_gen.drafts.instances import instance
from wrapper_gen.drafts.naming import snake, usable
from wrapper_gen.drafts.questions.calls import is_binary, is_length, may_count, tells
from wrapper_gen.drafts.questions.context import is_internal, is_listed
from wrapper_gen.drafts.questions.kept_numbers import written_word
from wrapper_gen.drafts.questions.statuses import untested
from wrapper_gen.drafts.questions.written import may_be_written, says_it_changes
from wrapper_gen.drafts.text_ends import refuse_text_ends
from wrapper_gen.drafts.types import Asked, Follows, NotWritten, Types, is_string
from wrapper_gen.drafts.uses import is_chars, pointee, record_of
from wrapper_gen.frozen import replace
from wrapper_gen.headers import Access, CFunction, CKind, CParameter, FunctionKind, Type
from wrapper_gen.headers.freed_arguments import freed_argument, frees_own

DUNDERS = {
    "==": "__eq__",
    "!=": "__ne__",
    "<": "__lt__",
    "<=": "__le__",
    ">": "__gt__",
    ">=": "__ge__",
    "[]": "__getitem__",
    "()": "__call__",
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "+=": "__iadd__",
    "-=": "__isub__",
    "*=": "__imul__",
    "/=": "__itruediv__",
    "%": "__mod__",
}
_ASSIGNS = ("+=", "-=", "*=", "/=")
_LITERAL = re.compile(r"true|false|-?\d+(\.\d+)?([eE][-+]?\d+)?|\"[^\"\\]*\"")
_SUFFIX = re.compile(r"(?<=[\d.])[fFuUlL]+$")
_CHARACTER = re.compile(r"'([^'\\]|\\[0-7abfnrtv\\'\"])'|char\s*\(\s*(\d+)\s*\)")
_STRING = re.compile(r"(?:std\s*::\s*)?string(?:_view)?\s*[({]\s*(\"[^\"\\]*\")?\s*[)}]")


class CppEntries:
    """Writes the entries of C++."""

    def __init__(self, decisions: Decisions, types: Types, values: Mapping[str, Mapping[str, str]], case: str) -> None:
        self.decisions = decisions
        self.types = types
        self.values = values
        """Of each enum, Python's names of the values by C++'s."""
        self.case = case
        self.iterators = _iterators(decisions)

    def made(self, function: CFunction) -> list[Made]:
        """The entry of a function, and one without its last parameters where no value of Python is their default.

        Raises:
            Asked, NotWritten, Follows: there is none.
        """
        entry = _CppEntry(self, function)
        made = entry.made()
        at = entry.first_without_default()
        if at is None:
            return [made]
        try:
            return [made, _CppEntry(self, replace(function, parameters=function.parameters[:at])).made()]
        except (Asked, NotWritten, Follows):
            left = ", ".join(f"{name} ({entry.defaults[name]})" for name in entry.without_defaults())
            return [replace(made, guesses=(*made.guesses, f"without C++'s default of {left}"))]

    def made_of_template(self, function: CFunction) -> list[Made]:
        """The entries of a template, one for each type that the answers name.

        Raises:
            Asked, NotWritten, Follows: there is none.
        """
        found = []
        for wanted in self.decisions.instances[function.key]:
            made, cpp_type = instance(function, wanted, self.decisions)
            found.append(_CppEntry(self, made, (snake(wanted), cpp_type)).made())
        return found

    def cpp_name(self, name: str) -> str:
        """What C++ calls what a `def` calls so, by the `case` of the library."""
        words = name.split("_")
        if self.case == "pascal":
            return "".join(each[:1].upper() + each[1:] for each in words)
        return words[0] + "".join(each[:1].upper() + each[1:] for each in words[1:]) if self.case == "camel" else name


def case_of(decisions: Decisions) -> str:
    """How most members are written: `pascal`, `camel`, or empty for names as Python has them."""
    names = [each.name for each in decisions.functions if each.owner and each.name.isalnum()]
    tries = {"": snake, "pascal": _pascal, "camel": _camel}
    fit = {case: sum(write(snake(name)) == name for name in names) for case, write in tries.items()}
    return max(fit, key=lambda each: fit[each])


def _pascal(name: str) -> str:
    return "".join(each[:1].upper() + each[1:] for each in name.split("_"))


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(each[:1].upper() + each[1:] for each in rest)


def _iterators(decisions: Decisions) -> Mapping[str, Type]:
    """What `*` of an iterator gives, by the iterator's class."""
    return {
        each.owner: each.result
        for each in decisions.headers.all_functions()
        if each.name == "operator*" and not each.parameters and each.owner
    }


class _CppEntry:
    def __init__(self, of_: CppEntries, function: CFunction, template: tuple[str, str] | None = None) -> None:
        self.template = template
        """Of an instance, the end of its name and its type in C++."""
        self.all = of_
        self.decisions = of_.decisions
        self.types = of_.types
        self.function = function
        self.building = Building()
        self.role: RecordRole | None = None
        self.operator = ""
        self.copied = ""
        """The class of a returned reference, which is copied first: the copy needs something kept alive."""
        self.defaults: dict[str, str] = {}
        """C++'s text of the defaults, by the names of parameters."""

    def made(self) -> Made:
        function = self.function
        self._refuse()
        if function.owner:
            self.role = self._owner()
        elif is_internal(function.qualified.rpartition("::")[0]):
            raise NotWritten(f"of {function.qualified.rpartition('::')[0]}, which is internal")
        if function.name.startswith("operator") and not re.match(r"operator\w", function.name):
            self.operator = function.name.removeprefix("operator").strip()
        self._refuse_operator()
        if function.template:
            raise NotWritten("a template: write an entry for each type that is wanted")
        if function.is_variadic:
            raise NotWritten("it takes any number of arguments: write calls of it")
        if function.name in ("begin", "end") and self.role is not None and not function.parameters:
            return self._iteration()
        self._arguments()
        self.building.take_groups(function.key, self.types)
        if function.kind is not FunctionKind.CONSTRUCTOR:
            self._result()
        if self.operator == "[]":
            self._say_position()
        return self._entry()

    def _say_position(self) -> None:
        """An integer in brackets is a position, within the size that the class tells."""
        for at, (name, type_, default) in enumerate(self.building.parameters):
            if not re.fullmatch(r"[iu]\d+|usize", type_):
                continue
            known = self.decisions.headers.records[self.function.owner].functions
            size = next((each.name for word in ("size", "length", "count") for each in known if each.name == word), "")
            if not size:
                raise Asked(f"whether {name} is a position, and how many there are, or a key")
            self.building.parameters[at] = (name, f"position[{self._of_self(size)}()]", default)
            self.building.guesses.append(f"{name} is a position below {size}()")

    def _of_self(self, member: str) -> str:
        is_address = self.role is not None and self._role_is_address(self.role)
        return f"self{'->' if is_address else '.'}{member}"

    # --- what is no entry ---

    def _refuse(self) -> None:
        function = self.function
        if function.kind is FunctionKind.DESTRUCTOR:
            raise Follows("releases the object")
        if function.is_deleted:
            raise NotWritten("C++ has deleted it")
        if function.access is not Access.PUBLIC:
            raise NotWritten("it is not public")

    def _owner(self) -> RecordRole:
        owner = self.function.owner
        role = self.decisions.role(owner)
        if owner in self.all.iterators and (role is None or (role.kind == of.HANDLE and self._is_iterator(owner))):
            raise Follows("of an iterator")
        if role is None:
            raise NotWritten(f"of {owner}, which is a template, internal or declared elsewhere")
        if role.kind == of.UNDECIDED:
            raise Asked(f"what {owner} is", f"records/{owner}")
        if role.kind in (of.VIEW, of.STATUS, of.EXCEPTION):
            raise Follows(f"of {owner}, which is no class in Python")
        if role.kind == of.INTERFACE:
            raise Follows("an interface's virtual function")
        if not (role.is_class or role.kind == of.STRUCT):
            raise NotWritten(f"{owner} is left out" if role.kind == of.SKIPPED else f"{owner} has only fields")
        if role.kind == of.STRUCT:
            raise NotWritten(f"{role.name} is a copy, of which only fields are written")
        self._refuse_constructor(owner, role)
        return role

    def _is_iterator(self, owner: str) -> bool:
        return any(each.name == "operator++" for each in self.decisions.headers.records[owner].functions)

    def _refuse_constructor(self, owner: str, role: RecordRole) -> None:
        function = self.function
        if function.kind is not FunctionKind.CONSTRUCTOR:
            return
        known = self.decisions.headers.records[owner]
        if known.is_abstract:
            raise NotWritten(f"{owner} is abstract")
        given = [record_of(each.type).record for each in function.parameters]
        if given == [owner]:
            raise NotWritten("a copy")
        if role.said.get("release") == "nothing":
            raise NotWritten(f"{role.name} is not ours to make")

    def _refuse_operator(self) -> None:
        function = self.function
        if function.kind is FunctionKind.CONVERSION:
            if function.result.kind is not CKind.BOOL:
                raise NotWritten(f"a conversion to {function.result.spelling}")
            return
        if not self.operator:
            return
        self._refuse_free_operator()
        is_unary = not function.parameters
        known = self.operator in DUNDERS and self.role is not None
        if not known or (is_unary and self.operator in ("-", "+", "*")):
            raise NotWritten(f"Python has no operator {self.operator} here")

    def _refuse_free_operator(self) -> None:
        """Operators of no class, whose operands are no objects in Python."""
        given = [] if self.function.owner else [record_of(each.type).record for each in self.function.parameters]
        roles = {each: self.decisions.role(each) for each in given if each}
        for record, role in roles.items():
            if role is not None and role.kind == of.SKIPPED:
                raise NotWritten(f"{record} is left out")
        if roles and all(role is not None and role.kind == of.VIEW for role in roles.values()):
            raise Follows(f"of {next(iter(roles))}, which is no class in Python")

    def _iteration(self) -> Made:
        if self.function.name == "end":
            raise Follows("of __iter__")
        iterator = self.function.result
        item = pointee(iterator) or self.all.iterators.get(record_of(iterator).record) or _item(iterator)
        if item is None:
            raise Asked("what its iterator gives")
        self.types.refuse_held(item)
        shown = self.types.of(item, self.building.guesses, is_result=True)
        data = {"def": f"__iter__() -> iter[{shown}]"}
        return Made(data, ("begin() and end()",), (self.function.owner, self.role.name if self.role else ""))

    # --- arguments ---

    def _arguments(self) -> None:
        steps: tuple[Callable[[int, CParameter, CParameter | None], int], ...] = (
            self._text_and_length,
            self._stream_written,
            self._written,
            self._object_written,
            self._several,
            self._number_written,
            self._struct_written,
            self._object,
            self._options,
        )
        at, parameters = 0, self.function.parameters
        while at < len(parameters):
            each, after = parameters[at], parameters[at + 1] if at + 1 < len(parameters) else None
            for step in steps:
                taken = step(at, each, after)
                if taken:
                    break
            else:
                shown = self.types.of(each.type, self.building.guesses)
                shown += "?" if shown == "text" and _is_null(each) else ""
                self.building.add(self._name(each, at), shown, self._default(each, shown))
                taken = 1
            at += taken
        refuse_text_ends(parameters)

    def _name(self, parameter: CParameter, at: int) -> str:
        return self.building.name(parameter.name, at, is_c=False)

    def _default(self, parameter: CParameter, shown: str) -> str:
        """The default as a `def` has it; empty of one that only C++ knows, which makes the parameter a required one."""
        text = parameter.default.replace(" ", "")
        if not text:
            return ""
        self.defaults[self.building.name(parameter.name, len(self.building.parameters), is_c=False)] = parameter.default
        if _is_null(parameter):
            return "None" if shown.endswith("?") else ""
        if match := _CHARACTER.fullmatch(parameter.default):
            text = str(ord(ast.literal_eval(f"'{match[1]}'"))) if match[1] else match[2]
        elif match := _STRING.fullmatch(parameter.default):
            text = match[1] or '""'
        elif parameter.value is not None and re.fullmatch(r"i\d+" if parameter.value < 0 else r"[iu]\d+|usize", shown):
            text = str(parameter.value)
        bare = _SUFFIX.sub("", text)
        if re.fullmatch(r"u(\d+|size)", shown) and bare.startswith("-"):
            return ""  # C++ makes a large number of it
        if _LITERAL.fullmatch(bare):
            if shown == "bool" and bare in ("0", "1"):
                return "True" if bare == "1" else "False"
            fits = {"true": "True", "false": "False"}.get(bare, bare)
            is_text = bare.startswith('"')
            return fits if is_text == (shown.startswith(("text", "bytes"))) and not shown[:1].isupper() else ""
        return self.all.values.get(shown, {}).get(text.split("::")[-1], "")

    def _text_and_length(self, at: int, each: CParameter, after: CParameter | None) -> int:
        to = pointee(each.type)
        if to is None or not to.is_const or not (to.kind is CKind.VOID or is_chars(to)) or not is_length(after):
            return 0
        assert after is not None
        if to.canonical == "const char" and not tells(each.name, after.name):
            raise Asked(f"whether {after.name} is the length of {each.name}")
        name = self._name(each, at)
        if each.default or after.default:
            self.defaults[name] = each.default or after.default
        is_bytes = to.kind is CKind.VOID or is_binary(each.name, to)
        self.building.add(name, "bytes" if is_bytes else "text")
        self.building.give(f"{name}.size()")
        self.building.guesses.append(f"{after.name} is the length of {each.name}")
        return 2

    def _stream_written(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        to = each.type.target
        is_changed = to is not None and not to.is_const and each.type.kind in (CKind.POINTER, CKind.REFERENCE)
        if to is None or not is_changed or not to.template.endswith("basic_ostream"):
            return 0
        if self.function.result.kind not in (CKind.VOID, CKind.BOOL):
            return 0
        _refuse_wide(to)
        if self.function.kind is FunctionKind.CONSTRUCTOR:
            return 0
        self.building.write(self._name(each, at), "text")
        self.building.guesses.append("what is written to a stream")
        return 1

    def _written(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        """A text, a container of C++'s library or a number that the call may read, write, or both."""
        to = each.type.target
        if to is None or not may_be_written(each) or self.function.kind is FunctionKind.CONSTRUCTOR:
            return 0
        _refuse_wide(to)
        word = self.decisions.writes.get((self.function.key, each.name))
        if word is None or word.word == "ask":
            changes = ": the comment says that it changes" if says_it_changes(self.function, each) else ""
            question = word.question if word is not None else ""
            raise Asked(f"whether C++ reads {each.name} as well as writing it{changes}", question)
        guesses: list[str] = []
        shown = self.types.of(to, guesses, is_result=word.word != "in")
        shown = "bytes" if shown == "text" and self._has_bytes() else shown
        name = self._name(each, at)
        if word.word == "in":
            self.building.add(name, shown)
            self.building.guesses.append(f"what C++ does with {name}")
        elif word.word == "inout":
            self.building.change(name, shown)
        else:
            self.building.write(name, shown)
        if not word.is_decided:
            self.building.guesses.append(f"C++ only writes {name}")
        self.building.guesses += ["bytes, or text?"] if guesses else []
        return 1

    def _has_bytes(self) -> bool:
        """Whether the library has views of bytes: its strings are bytes as well, then."""
        return any(each.kind == of.VIEW and each.name == "bytes" for each in self.decisions.all_roles)

    def _object_written(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        record, depth, is_const = record_of(each.type)
        role = self.decisions.role(record)
        if role is None or role.kind != of.HANDLE or depth != 2 or is_const or not role.is_pointer:
            return 0
        self.building.write(self._name(each, at), role.name)
        self._say_owner(role)
        return 1

    def _number_written(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        to = pointee(each.type)
        is_number = to is not None and to.kind in (CKind.BOOL, CKind.INTEGER, CKind.FLOAT, CKind.ENUM) and to.size > 1
        is_alone = self.function.result.kind in (CKind.VOID, CKind.BOOL) or self._is_status()
        if to is None or not is_number or to.is_const:
            return 0
        word = written_word(self.decisions, self.function, each)
        if not (is_alone or word):
            return 0
        if self.function.kind is FunctionKind.CONSTRUCTOR:
            raise Asked(f"whether the object keeps {each.name}, and reads or writes the number later")
        write = self.building.change if word == "inout" else self.building.write
        write(self._name(each, at), self.types.scalar(to))
        self.building.guesses += [] if word else [f"C++ writes {each.name}"]
        return 1

    def _several(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        """An address with a number of values is no single value."""
        to = pointee(each.type) or (each.type.target if each.type.kind is CKind.ARRAY else None)
        if to is None or to.kind not in (CKind.RECORD, CKind.INTEGER, CKind.FLOAT) or is_chars(to):
            return 0
        number = may_count(self.function, at, is_any=to.kind is not CKind.RECORD)
        if number:
            raise Asked(f"whether {each.name} is one or several: {number} may say how many")
        return 0

    def _struct_written(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        record, depth, is_const = record_of(each.type)
        role = self.decisions.role(record)
        if role is None or role.kind != of.STRUCT or depth != 1 or is_const or each.type.kind is CKind.RVALUE:
            return 0
        direction = next((k for k in ("out", "in", "inout") if is_listed(self.function.name, role.said.get(k))), "")
        name = self._name(each, at)
        if direction == "out":
            self.building.write(name, role.name)
        elif direction == "in":
            self.building.add(name, role.name)
        else:
            raise Asked(f"whether C++ reads or writes {each.name}", f"records/{record}")
        self.building.guesses.append(f"what C++ does with {name}")
        return 1

    def _object(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        record, depth, _ = record_of(each.type)
        role = self.decisions.role(record)
        if role is None or role.kind not in (of.HANDLE, of.INTERFACE) or depth != 1:
            return 0
        if each.type.kind is CKind.RVALUE:
            raise NotWritten("it takes its argument away: takes, by hand")
        is_value = role.kind == of.HANDLE and not role.is_pointer and not role.said.get("holds")
        if each.type.kind is CKind.POINTER and is_value:
            raise Asked(f"whether {each.name} is one {role.name} or several, and who writes it", f"records/{record}")
        shown = role.name
        if _is_null(each):
            self.building.add(self._name(each, at), f"{shown}?", "None")
        else:
            self.building.add(self._name(each, at), shown)
        return 1

    def _options(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        record, depth, is_const = record_of(each.type)
        role = self.decisions.role(record)
        if role is None or role.kind != of.OPTIONS or depth > 1:
            return 0
        if depth and not is_const and each.type.kind is not CKind.RVALUE:
            raise Asked(f"whether C++ reads or writes {each.name}", f"records/{record}")
        self.types.of(each.type, [])
        self.building.set_options(self._name(each, at), role.name)
        return 1

    # --- result ---

    def _is_status(self) -> bool:
        """Whether the result is a status; one whose success nobody knows is asked for."""
        status = self.decisions.status_of(self.function)
        if status is not None and status.said.get("ok") in (OPEN, [OPEN]):
            raise Asked("which of its values means success", f"statuses/{self.function.result.name}")
        role = self.decisions.role(record_of(self.function.result).record)
        return status is not None or (role is not None and role.kind == of.STATUS)

    def _result(self) -> None:
        result, function = self.function.result, self.function
        if self._is_status() or result.kind is CKind.VOID or self.operator in _ASSIGNS:
            return
        record, depth, is_const = record_of(result)
        role = self.decisions.role(record)
        if role is not None and role.kind == of.HANDLE:
            is_itself = function.owner == record and result.kind is CKind.REFERENCE and not function.is_static
            if is_itself and not is_const:
                return  # it returns the object itself
            self._object_returned(role, result, is_const=is_const, depth=depth)
            return
        to = pointee(result)
        if to is not None and is_chars(to) and not to.is_const:
            release = self.decisions.released_by.get(function.key, OPEN)
            if release == OPEN:
                raise Asked("what frees the memory that it returns", f"memory/{result.canonical}")
            self.building.keys["release"] = release or "nothing"
            self.building.result = "text?"
            return
        if self._is_data(to):
            self.building.result = "bytes?"
            self.building.keys["length"] = self._of_self("size()")
            self.building.guesses.append("size() is its length")
            return
        self.building.result = self.types.of(result, self.building.guesses, is_result=True)
        wrong = untested(function) if result.kind is CKind.INTEGER else ""
        self.building.guesses += [wrong] if wrong else []

    def _is_data(self, to: Type | None) -> bool:
        """Whether the result is the bytes of an object that has a `size`, which no NUL ends."""
        known = self.decisions.headers.records.get(self.function.owner)
        if known is None or self.function.name != "data" or self.function.parameters or to is None:
            return False
        return is_chars(to) and to.is_const and any(e.name == "size" and not e.parameters for e in known.functions)

    def _object_returned(self, role: RecordRole, result: Type, *, is_const: bool, depth: int) -> None:
        self.building.result = role.name
        if not depth:
            return
        self.types.refuse_held(result)
        if not role.is_pointer:
            if result.kind is CKind.POINTER:
                why = f"whether the {role.name} that it points to may be copied"
                raise Asked(why, f"records/{record_of(result).record}")
            self.building.guesses.append(f"a copy of the {role.name}")
            if not is_const and record_of(result).record not in self.decisions.referring:
                self.building.keys["belongs_to"] = "nothing"
            return
        self._say_owner(role)
        address = "&value" if result.kind is CKind.REFERENCE else "value"
        if is_const and not role.said.get("const"):
            self.building.keys["result"] = f"const_cast<{record_of(result).record} *>({address})"
            self.building.guesses.append(f"its {role.name} is const in C++, and must not be changed")
        elif result.kind is CKind.REFERENCE:
            self.building.keys["result"] = address

    def _record_given(self) -> str:
        """The record of the object that the call returns or writes."""
        written = (record_of(each.type) for each in self.function.parameters)
        return record_of(self.function.result).record or next(each.record for each in written if each.depth == 2)

    def _say_owner(self, role: RecordRole) -> None:
        key = self.function.key
        is_method = bool(self.function.owner) and not self.function.is_static
        if role.said.get("release") == "nothing":
            if self.function.result.kind is CKind.POINTER:
                self.building.may_be_null(self.function.doc, snake(self.function.name))
            if not role.said.get("belongs_to"):
                self.building.keys["belongs_to"] = "self" if is_method else "nothing"
        elif key in self.decisions.borrowed:
            self.building.keys["release"] = "nothing"
            if not role.said.get("belongs_to"):
                self.building.keys["belongs_to"] = "self" if is_method else "nothing"
            if self.function.result.kind is CKind.POINTER:
                self.building.result += "?"
            self.building.guesses.append("not ours to release, by the answer")
        elif key not in self.decisions.owned:
            raise Asked(f"who releases the {role.name} that it gives", f"results/{self._record_given()}")
        else:
            if self.function.result.kind is CKind.POINTER:
                self.building.may_be_absent(self.function.doc)
            if is_method and not role.said.get("belongs_to"):
                self.building.keys["holds"] = {"result": "self"}

    # --- the entry ---

    def _entry(self) -> Made:
        function, building = self.function, self.building
        name = self._entry_name()
        data: dict[str, object] = {}
        is_made = self._constructs()
        self._refuse_without_owner()
        self._hold(is_made=bool(is_made))
        if is_made:
            building.arguments = ["&self" if each.startswith("&") else each for each in building.arguments]
            building.outs.clear()
            name = is_made[1]
        word = "static " if function.is_static and not is_made else ""
        data["def"] = word + building.signature(name)
        data |= self._cpp(name, is_made=bool(is_made)) | building.keys
        data |= building.documented(function.doc)
        owner = is_made or ((function.owner, self.role.name) if self.role is not None else None)
        return Made(data, tuple(building.guesses), owner)

    def without_defaults(self) -> list[str]:
        """The parameters that callers have to give though C++ has defaults, as theirs or a later one is none here."""
        return [name for name in self.building.required() if name in self.defaults]

    def first_without_default(self) -> int | None:
        """Which parameter is the first whose default is no value of Python; None where there is no such."""
        given = {name: default for name, _, default in self.building.parameters}
        left = [name for name in self.without_defaults() if not given[name]]
        headers = [header for header, name in self.building.named.items() if name in left[:1]]
        places = (at for at, each in enumerate(self.function.parameters) if each.name in headers and each.default)
        return next(places, None)

    def _refuse_without_owner(self) -> None:
        """An object that belongs to another one is made of that, or is an empty one that nobody needs."""
        role, said = self.role, self.role.said.get("belongs_to") if self.role else None
        if self.function.kind is not FunctionKind.CONSTRUCTOR or role is None or not said:
            return
        given = [self.decisions.role(record_of(each.type).record) for each in self.function.parameters]
        owners = [
            each for each in given if each is not None and (each.name == role.name or each is self._role_named(said))
        ]
        if not owners:
            raise NotWritten(f"a {role.name} that belongs to nothing")

    def _role_named(self, said: object) -> RecordRole | None:
        return self.decisions.role(str(said))

    def _hold(self, *, is_made: bool) -> None:
        """Say which objects C++ may keep: those of which it is asked, and that it is given by pointer, or overrides."""
        function, kept = self.function, set()
        for each in function.parameters:
            record, _, is_const = record_of(each.type)
            role = self.decisions.role(record)
            is_kept = each.type.kind is CKind.POINTER or (role is not None and role.kind == of.INTERFACE)
            if role is not None and role.is_class and is_kept and not (is_const and role.kind != of.INTERFACE):
                kept.add(role.name)
        is_constructor = is_made or function.kind is FunctionKind.CONSTRUCTOR
        key, decisions = function.key, self.decisions
        words = decisions.kept_objects.get(key, {})
        kept |= set(words)
        result_holds = self.building.keys.get("holds") == {"result": "self"}
        self.building.keep(words, kept, is_constructor=is_constructor, result_holds=result_holds)
        memory = decisions.kept_memory.get(key, {})
        has_object = self.role is not None and not function.is_static
        self.building.keep_given(memory, decisions.class_names, has_object=has_object, is_constructor=is_constructor)
        if not is_constructor and not self.operator:  # what operators return keeps its operands by itself
            self._hold_referred(has_object=has_object)
        if not is_constructor and not self.operator:
            self._take_freed()
        ends = decisions.ends.get(key)
        if ends is not None and ends.parameter:
            self.building.end(ends, all_=self.building.named.get(ends.parameter, ends.parameter), of_argument=True)
        elif self.role is not None and not is_constructor and "self" not in self.building.taken:
            self.building.end(ends, all_="self" if self._is_owned_owner() else "all")

    def _take_freed(self) -> None:
        """Say that the call takes what it frees, as its comment says: its object, or one that it is given by a pointer.

        Raises:
            Asked: the result belongs to that.
        """
        function, headers = self.function, self.decisions.headers
        own = self.role
        if own is not None and own.kind == of.HANDLE and own.is_pointer and frees_own(function, headers):
            if self.building.keys.get("belongs_to") == "self":
                raise Asked("whether it frees its object, as its comment says, or its result belongs to that")
            self.building.take_freed("self", "its object")
        at = freed_argument(function, headers)
        if at is None:
            return
        given = function.parameters[at]
        role = self.decisions.role(record_of(given.type).record)
        if role is None or role.kind != of.HANDLE or not role.is_pointer:
            return
        word = self.decisions.kept_objects.get(function.key, {}).get(role.name)
        name = self.building.named.get(given.name, "")
        if word is None or not word.is_decided:
            self.building.take_freed(name, name)

    def _hold_referred(self, *, has_object: bool) -> None:
        """Say what a result may refer to whose constructor keeps what it is given: a copy of it refers to that, too."""
        referring, function = self.decisions.referring, self.function
        results = [function.result, *(each.type for each in function.parameters if each.type.target is not None)]
        given = {name: type_.rstrip("?") for name, type_, _ in self.building.parameters}
        shown = " ".join(type_ for _, type_ in self.building.items)
        for record in sorted({found for each in results for found in _records_in(each)} & referring):
            role = self.decisions.role(record)
            if role is None or not role.is_class or not re.search(rf"\b{role.name}\b", shown):
                continue
            classes = self.decisions.class_names
            names = [*(["self"] if has_object else []), *(name for name, type_ in given.items() if type_ in classes)]
            if self.building.keep_referred(names, role.name) and record_of(function.result)[:2] == (record, 1):
                self.copied = "" if self._role_is_address(role) else record

    @staticmethod
    def _role_is_address(role: RecordRole) -> bool:
        return role.is_pointer or bool(role.said.get("holds"))

    def _is_owned_owner(self) -> bool:
        """Whether objects of the class own others, and belong to one themselves, also as those of a base do."""
        records, above = self.decisions.headers.records, [self.function.owner]
        while above:
            role = self.decisions.role(above[0])
            if role is not None and role.said.get("belongs_to"):
                own = self.decisions.role(self.function.owner)
                names = (self.function.owner, own.name if own is not None else "")
                return any(owner_in(each.said) in names for each in self.decisions.all_roles)
            known = records.get(above.pop(0))
            above += [each.name for each in known.bases] if known else []
        return False

    def _constructs(self) -> tuple[str, str] | None:
        """The class of which a static member makes an object that it writes: `DB::Open`."""
        if not self.function.is_static or self.role is None or len(self.building.items) != 1:
            return None
        if (
            self.building.outs
            and self.building.outs[0][1] == self.role.name
            and self.function.key in self.decisions.owned
        ):
            return self.function.owner, self.role.name
        return None

    def _entry_name(self) -> str:
        function = self.function
        if function.kind is FunctionKind.CONSTRUCTOR and self.role is not None:
            return self.role.name
        if function.kind is FunctionKind.CONVERSION:
            return "__bool__"
        if self.template:
            return f"{snake(function.name)}_{self.template[0]}"
        return DUNDERS[self.operator] if self.operator else usable(snake(function.name))

    def _cpp(self, name: str, *, is_made: bool) -> dict[str, object]:
        function, building = self.function, self.building
        if function.kind in (FunctionKind.CONSTRUCTOR, FunctionKind.CONVERSION):
            return {"cpp": building.call(f"new {function.owner}")} if self._needs_call() and self._is_held() else {}
        if self.operator:
            return {}
        scope = "" if function.owner and not function.is_static else self._qualified()
        if self.copied:
            called = building.call(scope or function.name, receiver="" if scope else self._of_self(""))
            return {"cpp": f"{self.copied}({called})"}
        if self.template:
            called = f"{scope or function.name}<{self.template[1]}>"
            return {"cpp": building.call(called, receiver="" if scope else ".")}
        if self._needs_call() or is_made:
            receiver = "" if scope else "."
            return {"cpp": building.call(scope or function.name, receiver=receiver)}
        if scope:
            prefix = self.decisions.options.prefix
            is_found = not function.owner and prefix and prefix + self.all.cpp_name(name) == scope
            return {} if is_found else {"cpp": scope}
        return {} if self.all.cpp_name(name) == function.name else {"cpp": function.name}

    def _is_held(self) -> bool:
        return self.role is not None and self.role.is_pointer

    def _needs_call(self) -> bool:
        return self.building.is_written or bool(self.building.outs)

    def _qualified(self) -> str:
        return self.function.qualified


def _records_in(type_: Type) -> Iterator[str]:
    """The records that a value, or what a container has, is of."""
    if type_.target is not None and type_.kind in (CKind.POINTER, CKind.REFERENCE, CKind.RVALUE):
        yield from _records_in(type_.target)
    elif type_.kind is CKind.RECORD:
        yield type_.name
        for each in type_.arguments:
            yield from _records_in(each)


def _refuse_wide(type_: Type) -> None:
    """Strings and streams of other characters than `char`."""
    is_characters = is_string(type_) or type_.template.endswith("basic_ostream")
    if is_characters and not (type_.arguments[:1] and type_.arguments[0].canonical == "char"):
        raise NotWritten(f"no text is made of {type_.spelling}")


def _is_null(parameter: CParameter) -> bool:
    """Whether its default is a null pointer."""
    is_null = parameter.default.strip() in ("nullptr", "NULL", "0") or parameter.value == 0
    return is_null and parameter.type.kind is CKind.POINTER


def _item(iterator: Type) -> Type | None:
    """What an iterator of the standard library's containers gives."""
    given = iterator.arguments[:1]
    if not given or not iterator.template.startswith(("std::", "__gnu_cxx::")):
        return None
    return pointee(given[0]) if iterator.template.endswith("__normal_iterator") else given[0]


def _given(building: Building, types: Types, function: CFunction) -> None:
    """What C++ gives a function that Python overrides."""
    at, parameters = 0, function.parameters
    while at < len(parameters):
        each, after = parameters[at], parameters[at + 1] if at + 1 < len(parameters) else None
        name, to = building.name(each.name, at, is_c=False), pointee(each.type)
        if to is not None and to.is_const and (to.kind is CKind.VOID or is_chars(to)) and is_length(after):
            building.add(name, "bytes")
            building.give(f"{name}.size()")
            at += 2
            continue
        types.refuse_held(each.type)
        building.add(name, types.of(each.type, building.guesses))
        at += 1
    refuse_text_ends(parameters)


def interface_methods(
    decisions: Decisions, types: Types, record: str, functions: Sequence[CFunction]
) -> tuple[list[tuple[CFunction, dict[str, object]]], list[str]]:
    """The virtual functions that classes of Python override, and why others are not there."""
    found: list[tuple[CFunction, dict[str, object]]] = []
    wrong: list[str] = []
    for function in functions:
        if not function.is_virtual or function.kind is not FunctionKind.METHOD:
            continue
        building = Building()
        try:
            _given(building, types, function)
            if function.result.kind is not CKind.VOID:
                building.result = types.of(function.result, building.guesses, is_result=True).rstrip("?")
        except (Asked, NotWritten) as why:
            wrong.append(f"{function.name}: {why}" if function.is_pure else "")
            continue
        name = usable(snake(function.name))
        if any(str(data["def"]).partition("(")[0].endswith(f" {name}") for _, data in found):
            continue
        word = "abstract" if function.is_pure else "virtual"
        data: dict[str, object] = {"def": f"{word} {building.signature(name)}", **building.documented(function.doc)}
        own = f".{function.name}" if name != function.name else ""
        mirrored = f"{own}({', '.join(building.arguments)})" if building.is_written else own
        found.append((function, data | ({"cpp": mirrored} if mirrored else {})))
    return found, [each for each in wrong if each]

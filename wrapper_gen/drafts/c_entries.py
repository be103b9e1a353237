"""The entries of C's functions: each argument is the object, a parameter, an item of the result, or a constant."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.answers import OPEN, SKIP
from wrapper_gen.drafts.building import Building
from wrapper_gen.drafts.c_callables import CallableDraft, callable_of
from wrapper_gen.drafts.decisions import Decisions, RecordRole
from wrapper_gen.drafts.documentation import may_be_null
from wrapper_gen.drafts.macro_calls import Constants
from wrapper_gen.drafts.naming import class_name, snake, usable
from wrapper_gen.drafts.questions.calls import (
    counts,
    is_binary,
    is_length,
    is_length_of,
    may_be_length,
    may_count,
    pair_of,
    says_capacity,
    spelling_of,
    tells,
)
from wrapper_gen.drafts.questions.context import IsRelease, is_listed, is_release, makes, releases, tells_of, words_of
from wrapper_gen.drafts.questions.kept_numbers import written_word
from wrapper_gen.drafts.questions.statuses import says_value, untested
from wrapper_gen.drafts.text_ends import refuse_text_ends
from wrapper_gen.drafts.types import Asked, Follows, NotWritten, Types
from wrapper_gen.drafts.uses import function_type, is_chars, is_void_pointer, pointee, record_of
from wrapper_gen.drafts.written_anew import may_write_anew
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, CKind, CParameter, Type
from wrapper_gen.headers.freed_arguments import freed_argument

_RESULT_FIRST = re.compile(r"(out|p?result|ret)", re.IGNORECASE)


@frozen
class Made:
    """The entry of a function, and the class that it belongs to: a record and its role; none of a function."""

    data: Mapping[str, object]
    guesses: tuple[str, ...]
    owner: tuple[str, str] | None


class CEntries:
    """Writes the entries of C functions; remembers which classes have a constructor."""

    def __init__(
        self,
        decisions: Decisions,
        types: Types,
        prefixes: Mapping[tuple[str, str], str],
        macros: Mapping[str, Constants],
        taken: set[str],
    ) -> None:
        self.decisions = decisions
        self.types = types
        self.prefixes = prefixes
        """The prefix of each class, by record and name."""
        self.macros = macros
        frees = {_called(each): "frees memory of results" for each in decisions.released_by.values()}
        roles = [role for each in decisions.roles.values() for role in each]
        self.releases = frees | {_called(role.said.get("release")): f"releases {role.name}" for role in roles}
        """Why functions that release are no entries of their own."""
        self.constructed: set[str] = set()
        self.constructors = _constructors(decisions)
        self.classes = {
            role.name: (record, role) for record, of_ in decisions.roles.items() for role in of_ if role.is_class
        }
        """Records and their roles, by the name of the class."""
        self.class_names = frozenset(self.classes)
        self.takers: defaultdict[str, set[str]] = defaultdict(set)
        """The names of the functions that take one first, by record."""
        for function in decisions.functions:
            if function.parameters:
                self.takers[record_of(function.parameters[0].type).record].add(function.name)
        self.callables: dict[str, CallableDraft] = {}
        """The callables that `types` says, by name."""
        self.taken: set[str] = taken

    def callable_type(self, made: CallableDraft, spelling: str, parameter: str, function: CFunction) -> str:
        """The name of a type of callables, of which an entry of `types` has C's arguments."""
        name = class_name(spelling, self.decisions.options.prefix)
        if not spelling.isidentifier():
            name = class_name(f"{function.name}_{parameter}", self.decisions.options.prefix)
        while self.callables.get(name, made) != made or name in self.taken:
            name += "Function"
        self.callables[name] = made
        return name

    def made(self, function: CFunction) -> Made:
        """The entry of a function.

        Raises:
            Asked, NotWritten, Follows: there is none.
        """
        self._refuse(function)
        return _CEntry(self, function).made()

    def _refuse_release(self, function: CFunction) -> None:
        """A class has one release: others would release its objects twice."""
        if len(function.parameters) != 1 or _is_clearing(function.name):
            return
        record = record_of(function.parameters[0].type).record
        for role in self.decisions.roles.get(record, ()):
            if not role.is_class or role.said.get("release") == "nothing":
                continue
            ends = is_release(function, words_of(self.decisions.headers, record), self.takers.get(record, ()))
            if ends is IsRelease.YES:
                raise NotWritten(f"another release of {role.name}, which has {_called(role.said.get('release'))}")
            if ends is IsRelease.MAYBE and freed_argument(function, self.decisions.headers) is None:
                raise Asked("whether it releases its object, or ends something else")

    def _refuse(self, function: CFunction) -> None:
        if function.name in self.releases:
            raise Follows(self.releases[function.name])
        self._refuse_release(function)
        first = record_of(function.parameters[0].type) if function.parameters else None
        role_of_first = self.decisions.role(first.record) if first else None
        is_options = (
            role_of_first is not None and role_of_first.kind == of.OPTIONS and first is not None and first.depth
        )
        if is_options and re.search(r"_init(_options)?$", function.name):
            raise Follows("what options begin as")
        hides = self.decisions.headers.macros.get(function.name)
        if hides is not None and len(hides) != len(function.parameters):
            raise NotWritten("a macro of its name, with other parameters, hides it")
        if function.is_variadic:
            raise NotWritten("it takes any number of arguments: write calls of it")
        if not function.is_prototyped:
            raise Asked("which parameters it has: C's declaration does not say")


def _called(release: object) -> str:
    """The function that a `release` calls."""
    return str(release or "").partition("(")[0]


def _is_made_of(name: str) -> bool:
    """Whether what a function gives is made of its arguments, and may refer to them."""
    return makes(name) or re.search(r"(^|_)(from|wrap|view|of)(_|$)", snake(name)) is not None


def _is_clearing(name: str) -> bool:
    return re.search(r"(clear|reset)\w*$", name, re.IGNORECASE) is not None


def _constructors(decisions: Decisions) -> dict[str, str]:
    """By record, the function that becomes the constructor: of those that make one of nothing, the shortest name."""
    found: dict[str, list[str]] = {}
    for function in decisions.functions:
        given = [record_of(each.type) for each in (CParameter("", function.result), *function.parameters)]
        made = [each.record for at, each in enumerate(given) if each.record and each.depth == (2 if at else 1)]
        roles = [decisions.role(each.record) for each in given[1:] if each.depth == 1]
        is_alone = not any(role is not None and role.is_class for role in roles)
        if function.key in decisions.owned and makes(function.name) and len(made) == 1 and is_alone:
            found.setdefault(made[0], []).append(function.name)
    return {record: min(names, key=len) for record, names in found.items()}


def _is_hidden(type_: Type) -> bool:
    """Whether C takes a `void *`, by whatever name."""
    to = pointee(type_)
    return to is not None and to.kind is CKind.VOID


def _has_alike(function: CFunction) -> bool:
    """Whether two arguments are addresses of the same type, whose order nothing tells."""
    given = [record_of(each.type)[:2] for each in function.parameters]
    objects = [each for each in given if each[0]]
    return len(objects) > len(set(objects))


class _CEntry:
    """One function."""

    def __init__(self, of_: CEntries, function: CFunction) -> None:
        self.all = of_
        self.decisions = of_.decisions
        self.types = of_.types
        self.function = function
        self.building = Building()
        self.status = self.decisions.status_of(function)
        self.owner: tuple[str, RecordRole] | None = None
        self.object: int = -1
        """The number of the argument that is the object."""
        self.initialises = False
        self.copies_to = ""
        """The class of the object that the first argument becomes."""
        self.anew: Mapping[int, RecordRole] = {}
        """The classes of the objects that the call makes in its arguments, by the numbers of these."""
        self.undecided: Asked | None = None

    def made(self) -> Made:
        self._find_object()
        self._arguments()
        self.building.take_groups(self.function.key, self.types)
        self._result()
        self._say_which_owner()
        return self._entry()

    # --- the object ---

    def _find_object(self) -> None:
        for at, each in enumerate(self.function.parameters):
            record, depth, _ = record_of(each.type)
            for role in self.decisions.roles.get(record, ()):
                if depth == 1 and role.kind == of.IN_PLACE and is_listed(self.function.name, role.said.get("init")):
                    self.owner, self.object, self.initialises = (record, role), at, True
                    if self.status is None:
                        self.status = self.decisions.statuses.get(self.function.result.canonical)
                    return
        if self._find_copy():
            return
        self._find_written_anew()
        for at, each in enumerate(self.function.parameters):
            record, depth, _ = record_of(each.type)
            if at in self.anew:
                continue
            found = self.decisions.role_for(record, self.function.name)
            if found is not None and found.is_class and depth == 1:
                self.owner, self.object = (record, found), at
                return
            if not self._may_be_before_object(each):
                return

    def _find_copy(self) -> bool:
        """Whether the first argument is the place for a copy of the second."""
        first, *others = self.function.parameters or (None,)
        if first is None:
            return False
        record, depth, is_const = record_of(first.type)
        role = self.decisions.role_for(record, self.function.name)
        is_alike = depth == 1 and bool(others) and record_of(others[0].type)[:2] == (record, depth)
        is_copy = re.search(r"copy|dup|clone", self.function.name, re.IGNORECASE) is not None
        if role is None or role.kind != of.IN_PLACE or is_const or not is_alike or not is_copy:
            return False
        self.owner, self.object, self.copies_to = (record, role), 1, role.name
        return True

    def _find_written_anew(self) -> None:
        """Arguments that the call writes anew; what may be one is asked for, since an object would lose what it has."""
        function, may_be = self.function, {}
        for at, each in enumerate(function.parameters):
            record, depth, is_const = record_of(each.type)
            role = self.decisions.role_for(record, function.name)
            if role is not None and role.kind == of.IN_PLACE and depth == 1 and not is_const:
                may_be[at] = (record, role)
        named = {at: each for at, each in may_be.items() if may_write_anew(function, function.parameters[at])}
        for at, (record, role) in (named or may_be).items():
            if is_listed(function.name, role.said.get("out")):
                self.anew = {**self.anew, at: role}
            elif any(is_listed(function.name, role.said.get(word)) for word in ("in", "inout")):
                continue
            elif named or is_listed(function.name, role.said.get("ask")):
                what = f"whether C writes {function.parameters[at].name} anew, or into an object that is ready"
                self.undecided = Asked(what, f"records/{record}")

    def _may_be_before_object(self, parameter: CParameter) -> bool:
        """Whether C writes this, so that the object is a later argument."""
        to = pointee(parameter.type)
        if to is None or to.is_const or to.kind is CKind.FUNCTION:
            return False
        record, depth, _ = record_of(parameter.type)
        role = self.decisions.role(record)
        is_value = role is not None and role.kind in (of.STRUCT, of.TYPE)
        return depth == 2 or is_value or bool(_RESULT_FIRST.match(parameter.name))

    # --- the arguments ---

    def _arguments(self) -> None:
        steps: tuple[Callable[[int, CParameter, CParameter | None], int], ...] = (
            self._constant,
            self._self,
            self._callable,
            self._object_written,
            self._text_and_length,
            self._buffer,
            self._several,
            self._memory_written,
            self._struct_by_pointer,
            self._number_written,
            self._array_and_length,
            self._objects_and_length,
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
                self._plain(at, each)
                taken = 1
            at += taken
        refuse_text_ends(parameters)
        if self.undecided is not None:
            raise self.undecided

    def _plain(self, at: int, each: CParameter) -> None:
        """An argument of its own; None, too, of an object or a text that the comment says may be null."""
        name, type_ = self._name(each, at), self.types.of(each.type, self.building.guesses)
        may_be = type_ == "text" or type_ in self.all.class_names
        if not may_be or not may_be_null(self.function.doc, each.name):
            self.building.add(name, type_)
            return
        self.building.add(name, f"{type_}?", "None")
        self.building.guesses.append(f"{name} may be null, as the comment says")

    def _name(self, parameter: CParameter, at: int) -> str:
        return self.building.name(parameter.name, at, is_c=True)

    def _constant(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        fixed = self.all.macros.get(self.function.name)
        if fixed is not None and len(fixed.arguments) == len(self.function.parameters) and fixed.arguments[at]:
            self.building.give(str(fixed.arguments[at]))
            if fixed.is_guess:
                self.building.guesses.append(f"{each.name} is always {fixed.arguments[at]}, as by {fixed.macro}()")
            return 1
        record, depth, _ = record_of(each.type)
        role = self.decisions.role(record)
        if role is not None and role.kind == of.ALWAYS and depth == 1:
            self.building.give(str(role.said[of.ALWAYS]))
            return 1
        return 0

    def _self(self, at: int, _each: CParameter, _after: CParameter | None) -> int:
        if at == 0 and self.copies_to:
            self.building.write("out_", self.copies_to)
            return 1
        if at in self.anew:
            self.building.write(self._name(self.function.parameters[at], at), self.anew[at].name)
            if self.owner is not None and not self.anew[at].said.get("belongs_to"):
                self.building.keys["holds"] = {"result": "self"}
                self.building.guesses.append("the result may keep the object")
            return 1
        if at != self.object:
            return 0
        self.building.arguments.append("&self" if self.initialises else "self")
        self.building.is_written |= self.initialises
        return 1

    def _callable(self, at: int, each: CParameter, after: CParameter | None) -> int:
        """A function pointer with its `void *`, in either order."""
        called, data_first = function_type(each.type), False
        if called is None and is_void_pointer(each.type) and after is not None and function_type(after.type):
            is_destroyed = self.decisions.callables.get(spelling_of(after.type)) == "destroy"
            if is_destroyed:
                return 0
            each, called, data_first = after, function_type(after.type), True
        if called is None:
            return 0
        scope = self.decisions.callables.get(spelling_of(each.type), OPEN)
        if scope == OPEN:
            raise Asked(f"how long C calls {each.name}", "callables/?")
        if scope == SKIP:
            raise NotWritten(f"no callable can be {spelling_of(each.type)}")
        if scope == "object" and self.owner is None:
            raise Asked(f"which object keeps {each.name}", "callables/object")
        name = self._name(each, at)
        has_data = data_first or (after is not None and is_void_pointer(after.type))
        made = callable_of(called, spelling_of(each.type), self.types, self.building.guesses, has_data=has_data)
        shown = self.all.callable_type(made, spelling_of(each.type), name, self.function) if made.cpp else made.type
        is_alone = shown.isidentifier()
        optional = f"{shown}?" if is_alone else f"({shown})?"
        self.building.parameters.append((name, optional if scope == "object" else shown, ""))
        data = [f"{name}.user_data"] if has_data else []
        self.building.give(*data, name) if data_first else self.building.give(name, *data)
        scopes = self.building.keys.setdefault("scope", scope)
        if scopes != scope:
            raise Asked("callables of different scopes", "callables/?")
        self.building.guesses.append(f"how long C calls {name}")
        return 1 + has_data

    def _object_written(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        record, depth, is_const = record_of(each.type)
        role = self.decisions.role_for(record, self.function.name)
        if role is None or not role.is_class or depth != 2 or is_const or each.type.kind is not CKind.POINTER:
            return 0
        to = pointee(each.type)
        if to is not None and to.is_const:
            return 0
        self.building.write(self._name(each, at), role.name)
        self._say_owner()
        self.building.may_write_null(self.function.doc, each.name)
        return 1

    def _text_and_length(self, at: int, each: CParameter, after: CParameter | None) -> int:
        to = pointee(each.type)
        if to is None or after is None or not to.is_const or not (to.kind is CKind.VOID or is_chars(to)):
            return 0
        key = pair_of(self.function, each, after)
        said = self.decisions.lengths.get(key, OPEN)
        is_said = said != OPEN and after.type.kind is CKind.INTEGER
        if not is_said and not is_length_of(each, after):
            return 0
        kind = "bytes" if to.kind is CKind.VOID or is_binary(each.name, to) else "text"
        is_asked = to.canonical == "const char" and not (after.name and tells(each.name, after.name))
        if is_asked or (is_said and kind == "bytes" and said != "text"):
            kind = said
            if kind == OPEN:
                what = f"whether {after.name or 'the integer'} is the length of {each.name or 'the text before it'}"
                raise Asked(what, f"lengths/{', '.join(filter(None, key))}")
            if kind == "apart":
                return 0
        else:
            self.building.guesses.append(
                f"{after.name or 'the integer after it'} is the length of {each.name or 'the address'}"
                + ", or bytes?" * (kind == "text")
            )
        self._refuse_items(at + 2)
        name = self._name(each, at)
        self.building.add(name, kind)
        self.building.give(f"{name}.size()")
        return 2

    def _buffer(self, at: int, each: CParameter, after: CParameter | None) -> int:
        """Memory that C fills: an address with its capacity, a number or a pointer to one."""
        to = pointee(each.type)
        is_memory = to is not None and not to.is_const and (to.kind is CKind.VOID or is_chars(to))
        if not is_memory or to is None:
            return 0
        said = self.decisions.buffers.get(self.function.key)
        if said is not None and is_chars(to) and not self.building.is_buffer:
            return self._buffer_said(each, after, to, said)
        if after is None:
            return 0
        counts = pointee(after.type)
        is_counted = counts is not None and counts.kind is CKind.INTEGER and not counts.is_const and counts.size > 1
        if not is_length(after) and not (is_counted and is_length(CParameter(after.name, counts or after.type))):
            return 0
        if self.building.is_buffer:
            raise Asked("two buffers that the call fills")
        if is_counted and not says_capacity(self.function.doc, after.name):
            raise Asked(f"how large {each.name or 'the memory'} is: C may only write {after.name}", "buffers/?")
        self._refuse_items(at + 2)
        capacity = self._name(after, at + 1)
        number = counts if is_counted and counts else after.type
        self.building.parameters.append((capacity, self.types.scalar(number), ""))
        self.building.give("out", "&capacity" if is_counted else "capacity")
        self.building.is_buffer = True
        self.building.keys["capacity"] = capacity
        is_text = to.canonical == "char" and not is_binary(each.name, to)
        self.building.outs.append(("out", "text" if is_text else "bytes"))
        self.building.guesses.append("a buffer that the call fills")
        returns_number = self.function.result.kind is CKind.INTEGER and self.function.result.size > 1
        if not is_counted and returns_number and (self.status is None or "isError" in str(self.status.said.get("ok"))):
            self.building.keys["length"] = "value"
        return 2

    def _buffer_said(self, each: CParameter, after: CParameter | None, to: Type, said: Mapping[str, str]) -> int:
        """A buffer of which an answer says how large it is: by an expression, or the name of C's own parameter."""
        self.building.is_buffer = True
        self.building.keys |= said
        number = pointee(after.type) if after is not None else None
        if after is not None and number is not None and said.get("capacity") == after.name:
            capacity = self._name(after, len(self.building.parameters) + 1)
            self.building.parameters.append((capacity, self.types.scalar(number), ""))
            self.building.keys["capacity"] = capacity
        self.building.give("out")
        is_text = to.canonical == "char" and not is_binary(each.name, to)
        self.building.outs.append(("out", "text" if is_text else "bytes"))
        counts = pointee(after.type) if after is not None else None
        is_counted = counts is not None and counts.kind is CKind.INTEGER and not counts.is_const and counts.size > 1
        if is_counted:
            self.building.give("&capacity")
        return 1 + is_counted

    def _refuse_items(self, at: int) -> None:
        """The size of an item and their number are no length."""
        after = self.function.parameters[at] if at < len(self.function.parameters) else None
        if (
            after is not None
            and after.type.kind is CKind.INTEGER
            and re.fullmatch(r"n?(items|memb|elems?)", after.name)
        ):
            raise Asked(f"how many bytes there are: {self.function.parameters[at - 1].name} or as many {after.name}")

    def _memory_written(self, at: int, each: CParameter, after: CParameter | None) -> int:
        """A pointer to text or bytes that the call writes."""
        to = pointee(each.type)
        inner = pointee(to) if to is not None else None
        if to is None or to.is_const or inner is None or not (is_chars(inner) or inner.kind is CKind.VOID):
            return 0
        name = self._name(each, at)
        if inner.is_const and inner.kind is not CKind.VOID:
            counted = pointee(after.type) if after is not None else None
            if after is not None and counted is not None and may_be_length(CParameter(after.name, counted)):
                raise Asked(f"whether the integer after {each.name or 'a text'} is its length: no NUL may end it")
            self.building.write(name, "text?")
            self.building.guesses.append(f"C writes {name}")
            return 1
        if inner.is_const:
            return 0
        release = self.decisions.released_by.get(self.function.key, OPEN)
        if release == OPEN:
            raise Asked(f"what frees {each.name}", f"memory/{each.type.canonical.removesuffix('*')}")
        self._release(release)
        self.building.write(name, "text?" if inner.canonical == "char" else "bytes?")
        number = pointee(after.type) if after is not None else None
        if (
            number is not None
            and number.kind is CKind.INTEGER
            and after is not None
            and is_length(CParameter(after.name, number))
        ):
            self.building.give("&length")
            return 2
        if inner.canonical != "char":
            raise Asked(f"how many bytes {each.name} has")
        return 1

    def _release(self, release: str) -> None:
        self.building.keys["release"] = release or "nothing"

    def _several(self, at: int, each: CParameter, after: CParameter | None) -> int:
        """An address beside a number of values is no single one: structs, texts that C writes, and numbers."""
        to = pointee(each.type) or (each.type.target if each.type.kind is CKind.ARRAY else None)
        if to is None or self.building.is_buffer:
            return 0
        role = self.decisions.role(record_of(each.type).record)
        is_struct = to.kind is CKind.RECORD and role is not None and role.kind == of.STRUCT
        is_number = to.kind in (CKind.INTEGER, CKind.FLOAT) and to.size > 1
        is_list = to.is_const and (is_length(after) or counts(after))  # of numbers, which is written
        is_text = is_chars(pointee(to)) and not to.is_const
        if not is_struct and not is_text and (not is_number or is_list):
            return 0
        number = may_count(self.function, at, is_any=is_number and not self._takes_macro(after))
        if number:
            raise Asked(f"whether {each.name or 'an address'} is one or several: {number} may say how many")
        return 0

    def _takes_macro(self, parameter: CParameter | None) -> bool:
        """Whether a parameter is a value of a group of macros, and no number."""
        key = (self.function.key, parameter.name if parameter is not None else "")
        return key in self.types.groups or key in self.types.groups_asked

    def _struct_by_pointer(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        record, depth, is_const = record_of(each.type)
        role = self.decisions.role(record)
        if role is None or depth != 1 or is_const or each.type.kind is not CKind.POINTER:
            return 0
        if role.kind == of.TYPE:
            if "release" not in role.said:
                raise Asked(f"whether C reads {each.name}, or what it refers to, as well as writing it")
            self.building.write(self._name(each, at), role.name)
            self.building.guesses.append(f"C writes {each.name}")
            return 1
        if role.kind != of.STRUCT or record in self.types.unwritten:
            return 0
        said = role.said
        direction = next((key for key in ("out", "in", "inout") if is_listed(self.function.name, said.get(key))), "")
        direction = direction or str(said.get("pointer", ""))
        name = self._name(each, at)
        if direction == "in":
            self.building.add(name, role.name)
        elif direction == "out":
            self.building.write(name, role.name)
        elif direction == "inout":
            self.building.change(name, role.name)
        else:
            raise Asked(f"whether C reads or writes {each.name}", f"records/{record}")
        self.building.guesses.append(f"what C does with {name}")
        return 1

    def _number_written(self, at: int, each: CParameter, after: CParameter | None) -> int:
        to = pointee(each.type)
        if (
            to is None
            or to.is_const
            or to.kind not in (CKind.BOOL, CKind.INTEGER, CKind.FLOAT, CKind.ENUM)
            or to.size == 1
        ):
            return 0
        if is_length(after):
            return 0
        word = written_word(self.decisions, self.function, each)
        write = self.building.change if word == "inout" else self.building.write
        write(self._name(each, at), self.types.scalar(to))
        self.building.guesses += [] if word else [f"C writes {each.name or 'a number'}"]
        return 1

    def _array_and_length(self, at: int, each: CParameter, after: CParameter | None) -> int:
        to = pointee(each.type)
        is_sized = is_length(after) or counts(after)
        if to is None or not to.is_const or to.kind not in (CKind.INTEGER, CKind.FLOAT) or not is_sized:
            return 0
        if to.canonical == "const char":
            return 0
        name = self._name(each, at)
        self.building.add(name, f"&[{self.types.scalar(to)}]")
        self.building.give(f"{name}.size()")
        self.building.guesses.append(f"{after.name if after else ''} is the length of {each.name}")
        return 2

    def _objects_and_length(self, at: int, each: CParameter, after: CParameter | None) -> int:
        record, depth, is_const = record_of(each.type)
        role = self.decisions.role(record)
        to = pointee(each.type)
        is_read = each.type.kind is CKind.ARRAY or is_const or (to is not None and to.is_const)
        if role is None or role.kind != of.HANDLE or depth != 2 or not is_read or not is_length(after):
            return 0
        name = self._name(each, at)
        self.building.add(name, f"[{role.name}]")
        self.building.give(f"{name}.size()")
        self.building.guesses.append(f"{after.name if after else ''} is the length of {each.name}")
        return 2

    def _options(self, at: int, each: CParameter, _after: CParameter | None) -> int:
        record, depth, _ = record_of(each.type)
        role = self.decisions.role(record)
        if role is None or role.kind != of.OPTIONS or depth > 1:
            return 0
        self.types.of(each.type, [])
        self.building.set_options(self._name(each, at), role.name)
        return 1

    # --- the result ---

    def _result(self) -> None:
        result = self.function.result
        if self.status is not None:
            if self.status.said.get("ok") == OPEN:
                raise Asked("which of its values means success", f"statuses/{result.spelling}")
            if result.kind is not CKind.ENUM:
                self.building.keys["raises"] = self.status.name
            ok = self.status.said["ok"]
            others = [str(each) for each in ok[1:]] if isinstance(ok, list) else []
            text = self.function.doc.text
            if not self.building.items and any(re.search(rf"\b{re.escape(each)}\b", text) for each in others):
                self.building.result = self.types.scalar(result)
                self.building.keys["raises"] = self.status.name
                self.building.guesses.append("several values mean success: which one is the result")
            return
        if result.kind is CKind.VOID or self.building.keys.get("length") == "value":
            return
        record, depth, is_const = record_of(result)
        role = self.decisions.role_for(record, self.function.name)
        if role is not None and role.kind in (of.HANDLE, of.IN_PLACE) and depth == 1:
            self._object_returned(role, record, is_const=is_const)
            return
        self._refuse_step(record)
        to = pointee(result)
        if to is not None and is_chars(to) and not to.is_const:
            release = self.decisions.released_by.get(self.function.key, OPEN)
            if release == OPEN:
                raise Asked("what frees the memory that it returns", f"memory/{result.canonical}")
            self._release(release)
            self.building.result = "text?"
            return
        self._refuse_unended(to)
        self.building.result = self.types.of(result, self.building.guesses, is_result=True)
        may_be_status = result.kind is CKind.INTEGER and result.canonical in self.decisions.statuses
        if may_be_status and not says_value(self.function):
            self.building.guesses.append("a value, and no status")
        wrong = untested(self.function) if result.kind is CKind.INTEGER else ""
        self.building.guesses += [wrong] if wrong else []

    def _refuse_unended(self, to: Type | None) -> None:
        """A text whose length the call writes may have no NUL at its end."""
        for each in self.function.parameters if is_chars(to) else ():
            number = pointee(each.type)
            is_written = number is not None and number.kind is CKind.INTEGER and not number.is_const
            if is_written and re.search(r"(len|length|size|bytes)$", each.name, re.IGNORECASE):
                raise Asked(f"whether {each.name} is the length of what it returns: no NUL may end it")

    def _refuse_step(self, record: str) -> None:
        """What returns the address of a struct, and is given one, goes from one to the next: not from a copy."""
        given = [each for each in self.function.parameters if record_of(each.type)[:2] == (record, 1)]
        role = self.decisions.role(record)
        if pointee(self.function.result) is None or role is None or role.kind != of.STRUCT:
            return
        if given:
            raise Asked(f"whether the address of {given[0].name} means something: the call returns another one")
        if re.search(r"(^|_)(list|array|table|all)$", snake(self.function.name)):
            raise Asked(f"whether it returns one {role.name} or several, and how many")

    def _object_returned(self, role: RecordRole, record: str, *, is_const: bool) -> None:
        self.building.result = role.name
        if is_const:
            self.building.keys["result"] = f"const_cast<{self._c_name(record)} *>(value)"
        self._say_owner()

    def _say_owner(self) -> None:
        """What the object that is given belongs to, and whether it is released."""
        names = [*(type_ for _, type_ in self.building.outs), self.building.result]
        record, role = next((self.all.classes[name] for name in names if name in self.all.classes), ("", None))
        if role is None or role.said.get("release") == "nothing":
            if self.function.result.kind is CKind.POINTER:
                self.building.may_be_null(self.function.doc, snake(self.function.name))
            if role is not None and not role.said.get("belongs_to"):
                self.building.keys["belongs_to"] = "self" if self.owner else "nothing"
            elif role is not None and role.is_proposed:
                self.building.guesses.append(f"it lives as long as the {role.said['belongs_to']}, which releases it")
            return
        key = self.function.key
        if self.decisions.owner_of(record) == record and key in (self.decisions.borrowed | self.decisions.owned):
            self._say_root(record, is_owned=key in self.decisions.owned)
        elif key in self.decisions.borrowed:
            self.building.keys["release"] = "nothing"
            self.building.result = f"{self.building.result}?" if self.building.result else ""
            if not role.said.get("belongs_to"):
                self.building.keys["belongs_to"] = "self" if self.owner and not self.initialises else "nothing"
            self.building.guesses.append("not ours to release, by the answer")
        elif key not in self.decisions.owned:
            raise Asked(f"who releases the {role.name} that it gives", f"results/{record}")
        else:
            if self.function.result.kind is CKind.POINTER:
                self.building.may_be_absent(self.function.doc)
            if self.owner is not None and not role.said.get("belongs_to"):
                self.building.keys["holds"] = {"result": "self"}
            elif self.owner is not None and self.owner[1].name == role.name:  # its owner is not all that it needs
                self.building.keys["holds"] = {"result": "self"}
                self.building.guesses.append("the result needs the object")

    def _say_root(self, record: str, *, is_owned: bool) -> None:
        """What a node of a tree belongs to, whose root alone is released: a copy to nothing, another one to a root."""
        has_node = any(record_of(each.type)[:2] == (record, 1) for each in self.function.parameters)
        if is_owned:
            self.building.may_be_absent(self.function.doc)
            self.building.keys |= {"belongs_to": "nothing"} if has_node else {}
            return
        self.building.result = f"{self.building.result}?" if self.building.result else ""
        if has_node:
            self.building.guesses.append("of the same tree, whose root releases it")
        else:
            self.building.guesses.append("not ours to release, by the answer")
            self.building.keys["release"] = "nothing"
            self.building.keys |= {"holds": {"result": "self"}} if self.owner else {}

    def _say_which_owner(self) -> None:
        """Where another argument could own the result as well as the object: both stay alive."""
        for _, type_ in self.building.items:
            _, role = self.all.classes.get(type_.rstrip("?"), ("", None))
            if role is None or not role.said.get("belongs_to") or self.owner is None:
                continue
            if "belongs_to" in self.building.keys:
                continue  # a copy
            others = [name for name, given, _ in self.building.parameters if given.rstrip("?") == self.owner[1].name]
            if others:
                self.building.keys["belongs_to"] = ["self", *others]
                self.building.guesses.append("it keeps all of these alive")

    def _c_name(self, record: str) -> str:
        found = self.decisions.headers.records.get(record)
        plain = [each for each in found.typedefs if not each.endswith("*")] if found else []
        return plain[0] if plain else record

    # --- the entry ---

    def _entry(self) -> Made:
        function, building = self.function, self.building
        if building.is_buffer and len(building.items) > 1:
            raise Asked("a buffer beside other results")
        if len(function.parameters) > 1 and any(_is_hidden(each.type) for each in function.parameters):
            building.is_written = True  # a void * could stand anywhere
        if _has_alike(function):
            building.is_written = True  # C takes either first (WG295)
        is_freed = building.keys.get("release") not in (None, "nothing")
        if is_freed and len(building.items) > 1:
            raise Asked("memory that is released beside other results")
        owner, is_constructor = self._constructs()
        prefix = self.all.prefixes.get((owner[0], owner[1].name), "") if owner else self.decisions.options.prefix
        name = owner[1].name if is_constructor and owner else self._entry_name(prefix)
        data: dict[str, object] = {}
        own = self.function.name
        is_ending = releases(own) and "scope" not in building.keys  # `set_end_handler`
        before = len(building.guesses)
        self._keep(is_constructor=is_constructor)
        is_left = self.owner is not None and "self" not in building.taken
        if is_left and is_ending and not _is_clearing(own) and not tells_of(own):
            guess = "it leaves the object as it is, though its name says that it ends something"
            building.guesses.insert(before, guess)
        if is_constructor:
            building.outs.clear()
            building.result = ""
        elif building.is_plain() and prefix + name == function.name:
            data["def"] = building.signature(name)
        if "def" not in data:
            data["def"] = building.signature(name)
            data["cpp"] = function.name if building.is_plain() and not is_constructor else building.call(function.name)
        data |= building.keys
        data |= building.documented(function.doc)
        return Made(data, tuple(building.guesses), (owner[0], owner[1].name) if owner else None)

    def _keep(self, *, is_constructor: bool) -> None:
        """Say what the call keeps, takes and ends."""
        key, decisions = self.function.key, self.decisions
        words = {
            name: decisions.keeps[key, record]
            for name, (record, _) in self.all.classes.items()
            if (key, record) in decisions.keeps
        }
        result_holds = self.building.keys.get("holds") == {"result": "self"}
        self.building.keep(words, self.all.class_names, is_constructor=is_constructor, result_holds=result_holds)
        if self.owner is not None and not is_constructor:
            self.building.hold_by_result(self.all.class_names)
        if key in decisions.owned and not is_constructor and _is_made_of(self.function.name):
            self.building.keep_memory("bytes")
        if self.anew or (self.initialises and not is_constructor):
            self.building.keep_memory("bytes", "text")
        memory = decisions.kept_memory.get(key, {})
        has_object = self.owner is not None and not self.initialises
        self.building.keep_given(memory, self.all.class_names, has_object=has_object, is_constructor=is_constructor)
        self._take_freed(is_constructor=is_constructor)
        if self.owner is not None and not is_constructor and "self" not in self.building.taken:
            self.building.end(decisions.ends.get(key), all_="self" if self._is_owned_owner() else "all")

    def _take_freed(self, *, is_constructor: bool) -> None:
        """Say that the call takes what it frees, as its comment says.

        Raises:
            Asked: the result belongs to that.
        """
        at = freed_argument(self.function, self.decisions.headers)
        if at is None or is_constructor or self.initialises or self.copies_to:
            return
        is_object = at == self.object and self.owner is not None and self.owner[1].kind == of.HANDLE
        name = "self" if is_object else self.building.named.get(self.function.parameters[at].name, "")
        role = self.decisions.role(record_of(self.function.parameters[at].type).record)
        if not is_object and (at == self.object or role is None or role.kind != of.HANDLE):
            return
        what = "its object" if is_object else name
        if self.building.keys.get("belongs_to") == "self" and is_object:
            raise Asked(f"whether it frees {what}, as its comment says, or its result belongs to that")
        word = self.decisions.keeps.get((self.function.key, record_of(self.function.parameters[at].type).record))
        if is_object or word is None or not word.is_decided:
            self.building.take_freed(name, what)

    def _is_owned_owner(self) -> bool:
        """Whether objects of the class own others, and belong to one themselves."""
        record = self.owner[0] if self.owner is not None else ""
        if not record or self.decisions.owner_of(record) in ("", record):
            return False
        return any(self.decisions.owner_of(each) == record for each in self.decisions.roles)

    def _constructs(self) -> tuple[tuple[str, RecordRole] | None, bool]:
        """The class of the entry, and whether it is its constructor."""
        building = self.building
        if self.initialises and self.owner is not None:
            if self.owner[1].name not in self.all.constructed and not building.items:
                self.all.constructed.add(self.owner[1].name)
                return self.owner, True
            building.outs.append(("out_", self.owner[1].name))
            building.arguments = ["&out_" if each == "&self" else each for each in building.arguments]
            return None, False
        if self.owner is not None or len(building.items) != 1 or not makes(self.function.name):
            return self.owner, False
        wanted = building.items[0][1]
        record, role = self.all.classes.get(wanted, ("", None))
        if role is not None and role.kind == of.HANDLE and self.function.key in self.decisions.owned:
            is_root = not role.said.get("belongs_to") or self.decisions.owner_of(record) == record
            is_best = self.all.constructors.get(record, self.function.name) == self.function.name
            if is_best and role.name not in self.all.constructed and is_root:
                self.all.constructed.add(role.name)
                building.arguments = ["&self" if each.startswith("&") else each for each in building.arguments]
                return (record, role), True
        return None, False

    def _entry_name(self, prefix: str) -> str:
        fixed = self.all.macros.get(self.function.name)
        name, own = fixed.macro if fixed else self.function.name, self.decisions.options.prefix
        for each in (prefix, own):
            if each and name.startswith(each) and len(name) > len(each):
                name = name[len(each) :]
                break
        return usable(name if name == name.lower() else snake(name).lstrip("_"))

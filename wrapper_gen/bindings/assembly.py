"""Puts a spec together: every definition in its section, or with the reason why it is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wrapper_gen.bindings import adapting, arrays, containers, modules
from wrapper_gen.bindings.callables import CallableForm, callable_of
from wrapper_gen.bindings.classes import Class, Held, found_classes, held
from wrapper_gen.bindings.code import EXCEPTIONS, OWN_EXCEPTIONS
from wrapper_gen.bindings.context import BindingContext
from wrapper_gen.bindings.cursors import bound, is_local
from wrapper_gen.bindings.definitions import CONTAINERS, BoundDefinition, Finder
from wrapper_gen.bindings.entries import made_of
from wrapper_gen.bindings.enums import found_enums
from wrapper_gen.bindings.extras import class_doc, extras_of
from wrapper_gen.bindings.members import constructor, field, is_constructor, operator
from wrapper_gen.bindings.outcomes import ConversionReport, DefinitionOutcome, Left
from wrapper_gen.bindings.overriding import overridden, unbound
from wrapper_gen.bindings.spelled_types import KnownNames, Spelling
from wrapper_gen.bindings.uses import use_of
from wrapper_gen.drafts.spec_text import ClassDraft, Entry, SpecDraft
from wrapper_gen.headers.declarations import Type

_UNWRITTEN = {
    "__getstate__": "pickling: the language pickles structs, and no classes",
    "__setstate__": "pickling: the language pickles structs, and no classes",
    "__reduce__": "pickling: the language pickles structs, and no classes",
    "__dir__": "a method of Python's that the language does not make",
    "__getattr__": "a method of Python's that the language does not make",
    "__setattr__": "a method of Python's that the language does not make",
    "__array__": "an object that is memory has __buffer__",
    "__array_interface__": "an object that is memory has __buffer__",
    "__class_getitem__": "a method of Python's that the language does not make",
    "__new__": "a constructor has the name of its class",
}
_PROTOCOL = re.compile(r"__\w+__")
_FIELDS = ("def_read", "def_property", "def_prop", "def_rw", "def_ro")


class Assembly:
    """The spec in the making."""

    def __init__(
        self,
        lib: str,
        files: Sequence[str],
        definitions: Sequence[BoundDefinition],
        finder: Finder,
        is_dropped: Callable[[Any], bool],
        type: Callable[[Any], Type],
    ) -> None:
        self._lib, self._files, self._definitions, self._finder = lib, files, definitions, finder
        every = found_classes(definitions)
        classes = {
            name: each
            for name, each in every.items()
            if not (is_dropped(each.declaration) or is_local(each.declaration))
        }
        self._unwritten = {name: each.name for name, each in every.items() if name not in classes}
        self.classes = held(classes, use_of(definitions, classes, type))
        self._enums = found_enums(definitions, {each.name for each in classes.values()})
        known = KnownNames(
            {name: each.name for name, each in self.classes.items()},
            {name: each.name for name, each in self._enums.items() if each.values},
        )
        values = {usr: python for each in self._enums.values() for usr, python in each.python_names.items()}
        self.context = BindingContext(self.classes, Spelling(known), type, files, values, is_dropped)
        self._outcomes: list[DefinitionOutcome] = []
        self._members: dict[str, list[Entry]] = {name: [] for name in self.classes}
        self._fields: dict[str, dict[str, object]] = {name: {} for name in self.classes}
        self._functions: list[Entry] = []
        self._errors: list[Entry] = []
        self._constants: dict[str, object] = {}
        self._notes: list[str] = []
        self._doc = ""

    def run(self) -> None:
        """Write, or leave, every definition."""
        for each in self._definitions:
            try:
                self._one(each)
            except Left as why:
                self._leave(each, str(why))
            except (IndexError, StopIteration, ValueError):  # of what stands where the code is looked at as text
                self._leave(each, "code in a form that is not read")
            else:
                self._outcomes.append(DefinitionOutcome(each.what, self._shown(each), each.place))
        for template in self._finder.templates:
            for what, where in modules.within_template(template):
                reason = f"within the template {template.spelling}, of which no call is here"
                self._outcomes.append(DefinitionOutcome(what, template.spelling, where, reason))
                self._notes.append(f"TODO {where}: {what}: {reason}")
        for each_class in self.classes.values():
            self._members[each_class.canonical] += unbound(self.context, each_class, self._definitions)

    def report(self) -> ConversionReport:
        return ConversionReport(self._outcomes, self.context.notes)

    # --- one definition ---

    def _shown(self, definition: BoundDefinition) -> str:
        name = definition.name or definition.method
        owner = self.classes.get(definition.of)
        return f"{owner.name}.{name}" if owner is not None and definition.what != "class" else name

    def _leave(self, definition: BoundDefinition, why: str) -> None:
        outcome = DefinitionOutcome(definition.what, self._shown(definition), definition.place, why)
        self._outcomes.append(outcome)
        comment = Entry({}, (f"TODO {outcome.place}: {outcome.name}: {why}",), is_off=True)
        if definition.of in self._members and definition.what != "class":
            self._members[definition.of].append(comment)
        elif definition.what in ("function", "submodule"):
            self._functions.append(comment)
        else:
            self._notes.append(comment.notes[0])

    def _one(self, definition: BoundDefinition) -> None:
        if definition.of in self._unwritten:
            name = self._unwritten[definition.of]
            raise Left(f"the class {name} has Python objects in its code, or is declared within a function")
        match definition.what:
            case "class":
                self._class(definition)
            case "function":
                self._function(definition)
            case "member":
                self._member(definition)
            case "exception":
                self._errors.append(Entry(modules.error(definition)))
            case "translator":
                self._errors += [Entry(each) for each in modules.translated(definition)]
            case "attribute":
                self._attribute(definition)
            case "documentation":
                self._documentation(definition)
            case "conversion":
                raise Left(
                    "an implicit conversion: declare the parameters that take both types as a union, or overloads"
                )
            case "container":
                raise Left(f"{definition.method}: a class that is a container of C++ and a list or dict of Python's")
            case "export":
                self._export(definition)
            case "value" | "enum":
                self._enum_of(definition)

    def _class(self, definition: BoundDefinition) -> None:
        one = self.classes[definition.of]
        if definition.method in CONTAINERS:
            self._members[one.canonical] += [Entry(each) for each in containers.entries(self.context, one)]
            return
        others = [each for each in one.bases if each in self.classes]
        if len(others) > 1:
            raise Left("several bases: a class of the spec extends one")
        for base in one.bases:
            if base not in self.classes:
                self._note(definition, f"the base {base} of {one.name} is not bound in these files")
        if any(bound(each.type)[0] == "dynamic_attr" for each in definition.arguments[2:]):
            self._note(definition, f"{one.name} takes no further attributes: derive a class from it in Python")
        if one.held is Held.OVERRIDDEN:
            self._note(
                definition, f"a {one.name} that C++ returns is a new object in Python, also where Python has made it"
            )
        if one.name != definition.name:
            why = "another class has its name" if definition.name else "the code computes its name"
            self._note(definition, f"{definition.name or one.canonical} is called {one.name}, since {why}")
        if bound(definition.arguments[0].type)[0] in ("class_", "enum_"):
            self._note(definition, f"{one.name} stands beside the class that it was in")

    def _note(self, definition: BoundDefinition, what: str) -> None:
        self.context.notes.append((definition.place, what))

    def _enum_of(self, definition: BoundDefinition) -> None:
        if definition.what == "enum" and not self._enums[definition.of].values:
            raise Left("an enum without values")
        if definition.of not in self._enums:
            raise Left("a value of an enum that is not bound in these files")
        if definition.what == "enum" and bound(definition.arguments[0].type)[0] == "class_":
            self._note(definition, f"{self._enums[definition.of].name} stands beside the class that it was in")

    def _function(self, definition: BoundDefinition) -> None:
        _check_name(definition)
        what = callable_of(definition.arguments[1])
        made = made_of(self.context, definition.name, what, extras_of(definition.arguments[2:]), None)
        data = made.data()
        if definition.module:
            data["module"] = definition.module
        self._functions.append(Entry(data))

    def _member(self, definition: BoundDefinition) -> None:
        if definition.of in self._enums:
            raise Left("a method of an enum: a function that takes the value stands for it")
        owner = self.classes.get(definition.of)
        if owner is None:
            raise Left("a member of a class that is not bound in these files")
        if definition.name in _UNWRITTEN:
            raise Left(_UNWRITTEN[definition.name])
        if definition.method.startswith(_FIELDS):
            _check_name(definition)
            name, said = field(self.context, definition, owner)
            self._fields[owner.canonical][name] = said
            return
        self._members[owner.canonical].append(Entry(self._method(definition, owner)))

    def _method(self, definition: BoundDefinition, owner: Class) -> dict[str, object]:
        if definition.method == "def_buffer":
            return modules.buffer(self.context, definition, owner)
        if definition.method not in ("def", "def_static"):
            raise Left(f"{definition.method} has no equivalent")
        if any(bound(each.type)[0] == "pickle_factory" for each in definition.arguments[:2]):
            raise Left(_UNWRITTEN["__getstate__"])
        if is_constructor(definition):
            return constructor(self.context, definition, owner).data()
        if (made := operator(self.context, definition, owner)) is not None:
            return made.data()
        _check_name(definition)
        what = callable_of(definition.arguments[1])
        extras = extras_of(definition.arguments[2:])
        is_static = definition.method == "def_static"
        made = made_of(self.context, definition.name, what, extras, owner, is_static=is_static)
        if what.form is CallableForm.MEMBER and not is_static:
            made.word = overridden(owner, what)
        return made.data()

    # --- what modules have ---

    def _attribute(self, definition: BoundDefinition) -> None:
        if definition.of or definition.module:
            raise Left("an attribute of a class or a submodule: the language has constants of the module")
        name, data = modules.constant(self.context, definition)
        if name.startswith("_"):
            way = ": say `version` of the library" if name == "__version__" else ""
            raise Left(f"the name {name}: those of the language begin with a letter{way}")
        self._constants[name] = data

    def _documentation(self, definition: BoundDefinition) -> None:
        doc = modules.documentation(definition)
        if definition.module or definition.of:
            self._note(definition, f"the documentation of {definition.module or definition.of} has no place")
        elif doc:
            self._doc = doc

    def _export(self, definition: BoundDefinition) -> None:
        enum = self._enums.get(definition.of)
        if enum is None:
            raise Left("the values of an enum that is not bound in these files")
        if bound(enum.definition.arguments[0].type)[0] == "class_":
            self._note(definition, f"the values of {enum.name} are no attributes of the class that it was in")
            return
        for python, cpp in enum.values:
            self._constants[python] = {"type": enum.name, "cpp": cpp}

    # --- the whole ---

    def draft(
        self, prelude: str, includes: Sequence[str], folders: Sequence[str], options: Sequence[str], standard: str
    ) -> SpecDraft:
        """The spec; `prelude` is the code of the files that is no binding code."""
        library: dict[str, object] = {"name": self._lib}
        if includes:
            library["cpp_include"] = list(includes) if len(includes) > 1 else includes[0]
        if folders:
            library["requires"] = [{"dirs": list(folders)}]
        if options:
            library["compile_args"] = list(options)
        if standard:
            library["std"] = int(standard[-2:]) if standard[-2:].isdigit() else standard
        if self._doc:
            library["doc"] = self._doc
        more, own = self._helpers()
        if more:
            library["cpp_include"] = list(dict.fromkeys([*includes, *more]))
        prefix = "".join(part.capitalize() for part in self._lib.split("_"))
        raised = [
            Entry(modules.exception(f"{prefix}{OWN_EXCEPTIONS[each]}", f"::{EXCEPTIONS[each]}", OWN_EXCEPTIONS[each]))
            for each in sorted(self.context.exceptions)
        ]
        return SpecDraft(
            library,
            "\n".join([*own, prelude]).strip("\n"),
            errors=[*self._errors, *raised],
            enums=[Entry(each.data()) for each in self._enums.values() if each.values],
            constants=[Entry({name: said}) for name, said in self._constants.items()],
            classes=[self._class_draft(each) for each in _in_order(self.classes)],
            functions=self._functions,
            notes=tuple(self._notes),
        )

    def _helpers(self) -> tuple[list[str], list[str]]:
        """What the entries' code needs besides that of the files: headers, and declarations."""
        more: list[str] = []
        own: list[str] = []
        for is_used, headers, text in (
            (self.context.has_arrays, arrays.INCLUDES, arrays.PRELUDE),
            (self.context.has_fixed_arrays, adapting.INCLUDES, adapting.PRELUDE),
        ):
            if is_used:
                more += headers
                own.append(text)
        for each in sorted(self.context.exceptions):
            name = EXCEPTIONS[each]
            more.append("stdexcept")
            own.append(f"struct {name} : std::runtime_error {{ using std::runtime_error::runtime_error; }};")
        return more, own

    def _class_draft(self, one: Class) -> ClassDraft:
        base = next((self.classes[each].name for each in one.bases if each in self.classes), None)
        forms = {
            Held.VALUE: one.cpp,
            Held.POINTER: f"{one.cpp} *",
            Held.SHARED: f"std::shared_ptr<{one.cpp}>",
            Held.OVERRIDDEN: one.cpp,
        }
        data = {
            "name": one.name,
            "cpp_type": forms[one.held],
            "extends": base,
            "release": ("nothing" if one.is_unowned else "delete value")
            if one.held is Held.POINTER and base is None
            else None,
            "identity": True if one.has_identity else None,
            "module": one.module or None,
            "doc": class_doc(one.definition.arguments[2:]) or None,
            "fields": self._fields[one.canonical] or None,
        }
        return ClassDraft(
            {key: value for key, value in data.items() if value is not None}, self._members[one.canonical]
        )


def _check_name(definition: BoundDefinition) -> None:
    if not definition.name:
        raise Left("a name that the code computes")
    if not definition.name.isidentifier() or (definition.name[0] == "_" and not _PROTOCOL.fullmatch(definition.name)):
        raise Left(f"the name {definition.name}: those of the language begin with a letter")


def _in_order(classes: Mapping[str, Class]) -> list[Class]:
    """The classes, bases first."""
    out: list[Class] = []
    left = list(classes.values())
    while left:
        done = {each.canonical for each in out}
        ready = [each for each in left if all(b in done or b not in classes for b in each.bases)] or left
        out += ready
        left = [each for each in left if each not in ready]
    return out

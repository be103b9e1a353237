"""What a package declares in Python, as its files repeat it: exceptions, enums, and the names that it exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wrapper_gen import names
from wrapper_gen.attributes import Attributed, attributed
from wrapper_gen.exception_bases import bases_of_both
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import EnumType, ExceptionCase, HandleType, Module
from wrapper_gen.queries import enum_array, exception_names, named_tuples, once
from wrapper_gen.quoting import c_string, python_string
from wrapper_gen.types.hints import Import, Way, hint
from wrapper_gen.types.tuples import named_tuple
from wrapper_gen.views.deprecations import marked
from wrapper_gen.views.documentation import attributes_doc, case_doc, docstring, enum_doc, exception_doc, owner_doc
from wrapper_gen.views.formatting import tuple_of

ABSTRACT = Import("abc", "abstractmethod", "_abstractmethod")
CLASS_VAR = Import("typing", "ClassVar", "_ClassVar")
DATACLASS = Import("dataclasses", "dataclass", "_dataclass")
FINAL = Import("typing", "final", "_final")
CONSTANT = Import("typing", "Final", "_Final")
NAMED_TUPLE = Import("collections", "namedtuple", "_namedtuple")
NAMED_TUPLE_HINT = Import("typing", "NamedTuple", "_NamedTuple")
SELF = Import("typing", "Self", "_Self")
NEVER = Import("typing", "Never", "_Never")
OVERLOAD = Import("typing", "overload", "")
"""By its own name: some editors look for that, and show one form only otherwise."""
RENAMED_OVERLOAD = Import("typing", "overload", "_overload")
"""Where the package has something of that name."""
_INT_ENUM = Import("enum", "IntEnum", "_IntEnum")
_INT_FLAG = Import("enum", "IntFlag", "_IntFlag")


@frozen
class DeclaredEnumView:
    """One enum; its members' values come from the extension."""

    name: str
    base: str
    metaclass: str
    """What warns where a member is named, of one that is deprecated."""
    marked: str
    """The decorator in the type stub of one that is deprecated."""
    deprecated: str
    """What to use in its place; empty where it is not deprecated."""
    docstring: str
    array: str
    members: tuple[tuple[str, int], ...]


@frozen
class ExceptionView:
    """One exception class of the spec."""

    name: str
    derives_from: tuple[str, ...]
    docstring: str
    is_documented: bool
    """Whether the spec says what it is."""
    attributes: tuple[str, ...]
    """As a type checker reads them."""
    attribute_names: tuple[str, ...] = ()
    is_apart: bool = False
    """Whether a line is free before it in the type stub: it has a body, or the one before has."""

    @property
    def bases(self) -> str:
        return ", ".join(self.derives_from)

    @property
    def has_body(self) -> bool:
        """Whether the type stub says more than its name."""
        return self.is_documented or bool(self.attributes)


@frozen
class OwnerView:
    """The property of a lent handle that is its owner."""

    name: str
    type: str
    docstring: str


def owner_view(handle: HandleType) -> OwnerView | None:
    """The one of a handle type, if it is lent."""
    if not handle.lent_by:
        return None
    return OwnerView(handle.owner, handle.lent_by, docstring([owner_doc(handle)]))


@frozen
class TupleView:
    """The class of a result whose items have names."""

    name: str
    tag: str
    shown: str
    docstring: str
    fields: str
    """The names, a tuple of Python."""
    declared: tuple[str, ...]
    """The items, as a type checker reads them."""


@once
def tuples(module: Module) -> tuple[TupleView, ...]:
    """The classes of results whose items have names."""
    found = []
    for function in module.callables:
        if each := named_tuple(function.returns):
            hints = [hint(item, Way.RESULT).code for item in each.items]
            of = f"{function.handle}.{names.of_function(function)}" if function.handle else names.of_function(function)
            found.append(
                TupleView(
                    name=each.label,
                    tag=names.tuple_tag(each.label),
                    shown=c_string(each.label),
                    docstring=docstring([f"What `{of}` gives."]),
                    fields=tuple_of([python_string(name) for name in each.names]),
                    declared=tuple(f"{name}: {code}" for name, code in zip(each.names, hints, strict=True)),
                )
            )
    return tuple(found)


def enums(module: Module) -> tuple[DeclaredEnumView, ...]:
    """The enums of the spec."""
    return tuple(
        DeclaredEnumView(
            name=enum.name,
            base=_base(enum).alias,
            metaclass=", metaclass=_DeprecatedEnum" if enum.deprecated else "",
            marked=marked(enum),
            deprecated=python_string(enum.deprecated) if enum.deprecated else "",
            docstring=docstring([enum_doc(enum)]),
            array=enum_array(enum, module),
            members=tuple((names.python_enum_member(m.name), i) for i, m in enumerate(enum.members)),
        )
        for enum in module.enums
    )


def enum_bases(module: Module) -> set[Import]:
    """What the enums derive from."""
    return {_base(enum) for enum in module.enums}


def _base(enum: EnumType) -> Import:
    return _INT_FLAG if enum.flags else _INT_ENUM


def exceptions(module: Module) -> tuple[ExceptionView, ...]:
    """The exception classes of the spec, and those of some statuses, each after its bases."""
    error = names.library_error(module.name)
    own = own_exceptions(module)
    cases = {case.name: case for e in module.errors for case in e.cases}
    views = [_class(n, error, module) for n in own if n not in cases]
    made: set[str] = set()
    for name in own:
        views += [_case(each, module) for each in _bases_first(name, cases) if each.name not in made]
        made |= {each.name for each in _bases_first(name, cases)}
    return tuple(_apart(views))


def _apart(views: list[ExceptionView]) -> Iterator[ExceptionView]:
    had_body = False
    for view in views:
        yield replace(view, is_apart=view.has_body or had_body)
        had_body = view.has_body


def _class(name: str, error: str, module: Module) -> ExceptionView:
    found = _attributed(name, module)
    doc = [exception_doc(name, module), *attributes_doc(found)]
    is_documented = any(e.exception == name and e.doc for e in module.errors)
    return ExceptionView(name, (error,), docstring(doc), is_documented, *_declared(found))


def _bases_first(name: str, cases: Mapping[str, ExceptionCase]) -> list[ExceptionCase]:
    """A class of some statuses, after those that it derives from; nothing of another one."""
    found: list[ExceptionCase] = []
    while name in cases and cases[name] not in found:
        found.append(cases[name])
        name = cases[name].base
    return found[::-1]


def _case(case: ExceptionCase, module: Module) -> ExceptionView:
    bases = bases_of_both(case.base, case.also) if case.also else (case.base,)
    found = _attributed(case.name, module)
    return ExceptionView(case.name, tuple(bases), docstring(case_doc(case, found)), bool(case.doc), *_declared(found))


def _attributed(name: str, module: Module) -> Attributed:
    return _by_exception(module).get(name) or Attributed(name, ())


@once
def _by_exception(module: Module) -> dict[str, Attributed]:
    return {each.exception: each for each in attributed(module)}


def _declared(found: Attributed) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes that a class has of its own: as a type checker reads them, and their names."""
    declared = tuple(f"{each.field.name}: {hint(each.in_python, Way.RESULT).code}" for each in found.own)
    return declared, tuple(each.field.name for each in found.own)


def exception_imports(module: Module) -> set[Import]:
    """What the hints of their attributes need."""
    types = (own.in_python for each in attributed(module) for own in each.own)
    return {each for type_ in types for each in hint(type_, Way.RESULT).imports}


def own_exceptions(module: Module) -> tuple[str, ...]:
    """The exceptions of the spec that are neither Python's nor the library's own error."""
    known = {*names.PYTHON_EXCEPTIONS, names.library_error(module.name)}
    return tuple(n for n in exception_names(module) if n not in known)


def shared_names(module: Module) -> list[str]:
    """What the package defines itself: errors and enums."""
    error = names.library_error(module.name)
    return ["ENGINE", "STUB", "ClosedHandleError", error, "LibraryUnavailable", *declared_names(module)]


def declared_names(module: Module) -> list[str]:
    """The same less what every package has."""
    results = [each.label for each in named_tuples(module)]
    results += [each.name for each in module.representations if each.is_recursive]
    return [*own_exceptions(module), *(e.name for e in module.enums), *results]


def engine_names(module: Module) -> list[str]:
    """What the engines define: classes and functions."""
    classes = [*(h.name for h in module.handles), *(s.name for s in module.structs)]
    return classes + list(dict.fromkeys(names.of_function(f) for f in module.functions))

"""Names that come together: one Python name, one C symbol, for each thing."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span, a
from wrapper_gen.model import EnumType, ErrorType, Function, HandleType, Parameter, PythonSource, StructType
from wrapper_gen.resolve.overloads import distinct
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.resolve.waiting import awaited_once
from wrapper_gen.types.queries import handle_of
from wrapper_gen.types.tuples import named_tuple

_HINT_OF_RESULTS = "rename one; of __next__ and the like, leave the names of the items out: -> (text, i64)"
"""A result with named items has a class of its own, which is called as its entry."""


class Register:
    """Who has which name so far; the second to ask for one is reported, with the first."""

    def __init__(self, scope: Scope, code: str, hint: str) -> None:
        self._scope, self._code, self._hint = scope, code, hint
        self._owners: dict[str, tuple[Span | None, str]] = {}

    def copy(self, hint: str = "") -> Register:
        """Another one, in which the same names are taken; with a hint of its own."""
        other = Register(self._scope, self._code, hint or self._hint)
        other._owners.update(self._owners)
        return other

    def claim(self, name: str, what: str, span: Span | None) -> None:
        """`span` is None for a name of ours, which no spec defines."""
        mine = (span, what)
        owner = self._owners.setdefault(name, mine)
        if owner is mine or span is None:
            return
        first, whose = owner
        if owner == mine and span not in self._scope.findings.repeated:
            return
        if first == span and span in self._scope.findings.repeated:
            variable, *others = self._scope.findings.repeated[span]
            hint = f"put the variable into the name, such as {name}_${variable}"
            if others:  # lists of several variables are combined with each other
                row = ", ".join(f"{each}: …" for each in (variable, *others))
                hint += f"; values that belong together stand in one row: for: [{{{row}}}, {{{row}}}]"
            self._scope.error(self._code, f"{what} is there for several rows of its `for`", span, hint)
            return
        related = ((first, f"{whose}, first here"),) if first else ()
        message = f"{what} is there twice" if what == whose else f"{what} and {whose} are both {name!r}"
        self._scope.error(self._code, message, span, self._hint, *related)


def check_clashes(
    scope: Scope,
    sources: tuple[PythonSource, ...],
    handles: tuple[HandleType, ...],
    enums: tuple[EnumType, ...],
    structs: tuple[StructType, ...],
    errors: tuple[ErrorType, ...],
    functions: tuple[Function, ...],
    of_classes: tuple[Function, ...],
    methods: tuple[Function, ...],
) -> None:
    """Report every two things that come to the same name, in Python or in C; `of_classes`: static and constructors."""
    thrown = Register(scope, "WG022", "one entry describes a class: make one of them")
    hint = "make one of them, and say `ok` on the entries that differ; or give one a `label`, which `raises` names"
    statuses = Register(scope, "WG022", hint)
    for error in errors:
        register = statuses if error.ok else thrown
        register.claim(error.type, f"the error {error.type}", error.span)
    statics = tuple(f for f in of_classes if f.static)
    _check_python(scope, sources, handles, enums, structs, errors, functions, (*statics, *methods))
    _check_constructors(scope, [f for f in of_classes if f.constructs])
    _check_c(scope, handles, enums, (*functions, *of_classes), methods)
    _check_callables(scope, structs, (*functions, *of_classes, *methods))


def _check_python(
    scope: Scope,
    sources: tuple[PythonSource, ...],
    handles: tuple[HandleType, ...],
    enums: tuple[EnumType, ...],
    structs: tuple[StructType, ...],
    errors: tuple[ErrorType, ...],
    functions: tuple[Function, ...],
    methods: tuple[Function, ...],
) -> None:
    module = Register(scope, "WG022", "rename one, and say the C++ name: cpp")
    for ours in sorted(names.PACKAGE_MEMBERS | {names.library_error(scope.names.lib)}):
        module.claim(ours, f"the package's own {ours}", None)
    for handle in handles:
        module.claim(handle.name, f"the handle {handle.name}", handle.span)
    for enum in enums:
        module.claim(enum.name, f"the enum {enum.name}", enum.span)
    for struct in structs:
        module.claim(struct.name, f"the struct {struct.name}", struct.span)
    declared = {e.exception: e.span for e in errors if e.exception not in names.PYTHON_EXCEPTIONS}
    said = {scope.text(each, "name"): scope.span(each, "name") for each in scope.entries("errors")}
    for exception, span in declared.items():
        if exception != names.library_error(scope.names.lib):
            module.claim(exception, f"the exception {exception}", said.get(exception, span))
    _claim_cases(errors, module)
    modules = _modules(module, (*handles, *enums, *structs, *errors, *functions))
    for function in distinct(functions, scope):
        modules[function.module].claim(names.of_function(function), _what(function), function.span)
    for function in awaited_once(functions):
        awaited = names.awaited(names.of_function(function))
        modules[function.module].claim(awaited, _what_is_awaited(function), function.span)
    for source in sources:
        module.claim(source.name, f"the module {source.path}", source.span)
        for export in source.exports:
            module.claim(export.name, f"{export.name} of {source.path}", export.span)
    results = module.copy(_HINT_OF_RESULTS)
    for function in (*functions, *methods):
        if named := named_tuple(function.returns):
            results.claim(named.label, f"the result of {_what(function)}", function.span)
    _check_factories(scope, handles, functions, methods)
    members: dict[str | None, Register] = {}
    for handle in handles:
        if handle.lent_by:
            hint = f"rename one, or the property: belongs_to: {{document: {handle.lent_by}}}"
            own = members.setdefault(handle.name, Register(scope, "WG022", hint))
            own.claim(handle.owner, f"the owner of {a(handle.name)}", handle.span)
    for method in distinct(methods, scope):
        if method.sets and method.is_read:  # the other half of a property
            continue
        owner = method.handle or method.static
        own = members.setdefault(owner, Register(scope, "WG022", "rename one, and say the C++ name: cpp"))
        own.claim(names.of_function(method), _what(method), method.span)
    for method in awaited_once(methods):
        own = members.setdefault(method.handle, Register(scope, "WG022", "rename one, and say the C++ name: cpp"))
        own.claim(names.awaited(names.of_function(method)), _what_is_awaited(method), method.span)


def _claim_cases(errors: Sequence[ErrorType], module: Register) -> None:
    """The classes of some statuses. Several errors of one exception may have one, if they say the same of it."""
    shared: set[tuple[str, str, str]] = set()
    for error in errors:
        own = {(case.name, case.base, case.also) for case in error.cases if not case.fields}
        for case in error.cases:
            is_there = (case.name, case.base, case.also) in shared and not case.fields
            if not is_there and case.name not in names.PYTHON_EXCEPTIONS:
                module.claim(case.name, f"the exception {case.name} of some statuses", case.span)
        shared |= own


def _modules(
    package: Register, entries: Sequence[HandleType | EnumType | StructType | ErrorType | Function]
) -> dict[str, Register]:
    """Who has which name in each module: a class has its name in all of them, where type hints may speak of it."""
    named = {each.module: each.span for each in reversed(entries) if each.module}
    found = {name: package.copy() for name in named}
    for name, span in sorted(named.items()):
        package.claim(name, f"the submodule {name}", span)
    return {"": package, **found}


def _check_constructors(scope: Scope, constructors: Sequence[Function]) -> None:
    first: dict[str, Function] = {}
    for each in distinct(constructors, scope):
        made = each.constructs
        if (before := first.setdefault(made, each)) is not each:
            hint = f"drop one, or make it a function of another name that returns {a(made)}"
            message = f"{made} has two constructors that take the same"
            scope.error("WG133", message, each.span, hint, (before.span, "the first one"))


def _check_factories(
    scope: Scope, handles: tuple[HandleType, ...], functions: tuple[Function, ...], methods: tuple[Function, ...]
) -> None:
    """A function is a class method of what it makes in its own module, unless a method has that name."""
    modules = {h.name: h.module for h in handles}
    factories = {
        (made, names.of_function(f)): f
        for f in functions
        if (made := handle_of(f.returns)) and modules.get(made) == f.module
    }
    for method in methods:
        name = names.of_function(method)
        handle = method.handle or method.static
        factory = factories.get((handle, name))
        if factory:
            message = f"{handle}.{name} is this method, and not the function {factory.name} (line {factory.span.line})"
            hint = "call the function by the module's name for it; or give one of the two another name"
            scope.warn("WG028", message, method.span, hint)


def _check_c(
    scope: Scope,
    handles: tuple[HandleType, ...],
    enums: tuple[EnumType, ...],
    functions: tuple[Function, ...],
    methods: tuple[Function, ...],
) -> None:
    symbols = Register(scope, "WG023", "rename one, or give it a `label`: C has one name for both")
    own = {handle.name: handle for handle in handles}.values()  # the others were reported as Python names already
    for handle in own:
        name = names.c_handle(scope.names.lib, handle.name)
        symbols.claim(name, f"the type of the handle {handle.name}", handle.span)
    for handle in own:
        symbols.claim(handle.drop_symbol, f"the drop function of {handle.name}", handle.span)
    seen: set[tuple[str | None, str, str, str]] = set()
    for function in (*functions, *methods):
        taken = ", ".join(map(_taken, function.parameters)) if function.is_form else ""
        same = (function.handle, function.base, names.of_function(function), taken)
        if same not in seen:  # else reported as a Python name already
            symbols.claim(names.c_symbol(scope.names.lib, function), _what(function), function.span)
        seen.add(same)
    for enum in enums:
        symbols.claim(names.support(scope.names.lib, enum.name), f"the values of {enum.name}", enum.span)


def _check_callables(scope: Scope, structs: tuple[StructType, ...], functions: Sequence[Function]) -> None:
    """Each callable has a type of its own in C++."""
    types = Register(scope, "WG023", "rename one, or give the function a `label`: C++ has one name for both")
    for struct in {each.name: each for each in structs}.values():
        for field in struct.fields:
            if field.callback:
                types.claim(field.callback.type.label, f"the callable {field.callback.parameter}", field.span)
    seen: set[tuple[str | None, str]] = set()
    for function in functions:
        name = function.name if function.virtual else names.c_symbol(scope.names.lib, function)
        if (function.handle, name) in seen:  # reported already
            continue
        seen.add((function.handle, name))
        if function.virtual:
            types.claim(function.virtual.callback.type.label, _what(function), function.span)
        own = [(p, each) for p in function.parameters for each in p.callbacks if each.span == p.span]
        for p, callback in own:  # the others are those of fields
            types.claim(callback.type.label, f"the callable {p.name!r} of {_what(function)}", p.span)


def _taken(parameter: Parameter) -> str:
    """What tells forms apart: the type, and the name of what is given by name only."""
    return f"{parameter.name}: {parameter.type}" if parameter.is_keyword else str(parameter.type)


def _what_is_awaited(function: Function) -> str:
    return f"what `async` makes of {_what(function)}"


def _what(function: Function) -> str:
    if function.constructs:
        return f"the constructor of {function.constructs}"
    if function.is_constant:
        return f"the constant {function.name}"
    if function.static:
        return f"the static method {function.name} of {function.static}"
    return f"the method {function.name} of {function.handle}" if function.handle else f"the function {function.name}"

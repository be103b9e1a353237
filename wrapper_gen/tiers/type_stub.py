"""Tier 3, the type stub of the package: decides every line of `__init__.pyi`, and of those of
the modules below it, which type checkers and editors read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, HandleType, Module, PythonSource, Submodule
from wrapper_gen.queries import Members, members, named_tuples, positional_only
from wrapper_gen.submodules import elsewhere, part
from wrapper_gen.types.hints import ITERATOR, Import, Way, hint
from wrapper_gen.views import aliases, records
from wrapper_gen.views.aliases import TYPE_ALIAS, AliasView
from wrapper_gen.views.awaitables import coroutines
from wrapper_gen.views.declarations import (
    ABSTRACT,
    CLASS_VAR,
    CONSTANT,
    DATACLASS,
    FINAL,
    NAMED_TUPLE_HINT,
    NEVER,
    OVERLOAD,
    RENAMED_OVERLOAD,
    SELF,
    DeclaredEnumView,
    ExceptionView,
    OwnerView,
    TupleView,
    declared_names,
    engine_names,
    enum_bases,
    enums,
    exception_imports,
    exceptions,
    owner_view,
    shared_names,
    tuples,
)
from wrapper_gen.views.deprecations import DECORATOR, any_deprecated, decorator, marked
from wrapper_gen.views.documentation import docstring, factory_doc, function_docstring, handle_doc, submodule_doc
from wrapper_gen.views.formatting import exploded, import_of_several, imports, package_imports, remarked
from wrapper_gen.views.formatting import names as listed
from wrapper_gen.views.imported import imports_of_lenders
from wrapper_gen.views.overloads import in_place_remarks, in_stub, overrides, remark
from wrapper_gen.views.protocols import declared_for_numpy, for_numpy, has_reflected, is_its_own_iterator, iterated_by
from wrapper_gen.views.records import RecordView
from wrapper_gen.views.signatures import declaration, factory_signature, returned, signature, unread
from wrapper_gen.views.signatures import imports as imports_of

NUMBER = 3
TEMPLATES = (("python/__init__.pyi.jinja", "__init__.pyi"), ("python/submodule.pyi.jinja", "{submodule}.pyi"))
STATIC: tuple[tuple[str, str], ...] = ()

_SUPPORT = (
    Import(names.runtime_module("_support"), "ClosedHandleError", "ClosedHandleError"),
    Import(names.runtime_module("_support"), "LibraryError", "_LibraryError"),
    Import(names.runtime_module("_support"), "LibraryUnavailable", "LibraryUnavailable"),
)


@frozen
class StubFunctionView:
    """One function, method or class method."""

    name: str
    signature: str
    docstring: str
    is_static: bool
    is_property: bool
    sets: str
    """The property that it sets."""
    unread: str
    """The head of the getter of that, where Python cannot read it."""
    former: str
    """Its former name, if it has one."""
    former_signature: str
    is_overload: bool
    remark: str
    """What the first line of a form says to type checkers."""
    marked: str
    """The decorator of one that is deprecated."""
    deprecated: str
    """The signature that calls by former names of parameters have; empty when there are none."""


@frozen
class ConstantView:
    """One constant, as a type checker reads it."""

    declared: str
    docstring: str


@frozen
class StubClassView:
    """One handle type."""

    name: str
    base: str
    """With parentheses; empty where it extends none."""
    marked: str
    """The decorator of one that is deprecated."""
    is_root: bool
    docstring: str
    owner: OwnerView | None
    factories: tuple[StubFunctionView, ...]
    methods: tuple[StubFunctionView, ...]
    context: tuple[str, ...]
    """How `with` enters and leaves it, where that is as for every class; that it is its own iterator."""
    numpy: str
    """The attribute by which NumPy leaves operators to it, if it has one."""


@frozen
class StubView:
    """Everything that the template places."""

    docstring: str
    type_imports: tuple[str, ...]
    type_support: tuple[str, ...]
    """What it imports from the package."""
    error: str
    exceptions: tuple[ExceptionView, ...]
    enums: tuple[DeclaredEnumView, ...]
    aliases: tuple[AliasView, ...]
    tuples: tuple[TupleView, ...]
    records: tuple[RecordView, ...]
    classes: tuple[StubClassView, ...]
    constants: tuple[ConstantView, ...]
    functions: tuple[StubFunctionView, ...]
    public: str
    """All names that the package exports."""
    overload: str
    """The decorator of forms of one function."""
    name: str
    """Of a module below the package."""
    submodules: tuple[StubView, ...]


def view(whole: Module) -> StubView:
    """The type stub of one package."""
    doc = docstring([whole.doc or f"Bindings of {whole.name}."])
    return _view(whole, "", doc, tuple(_submodule(each, whole) for each in whole.submodules))


def _submodule(submodule: Submodule, whole: Module) -> StubView:
    return _view(whole, submodule.name, docstring([submodule_doc(submodule, whole)]), ())


def _view(whole: Module, name: str, doc: str, submodules: tuple[StubView, ...]) -> StubView:
    """The type stub of one module of a package."""
    module, found = part(whole, name), members(whole)
    standard, support = _imports(whole, name)
    return StubView(
        docstring=doc,
        type_imports=standard,
        type_support=support,
        error=names.library_error(module.name),
        exceptions=exceptions(module),
        enums=enums(module),
        aliases=aliases.aliases(module),
        tuples=tuples(module),
        records=records.views(module),
        classes=tuple(_class(h, found[h.name], whole) for h in module.handles),
        constants=tuple(_constant(f) for f in module.functions if f.is_constant),
        functions=(*_functions(_called(module), whole), *_coroutines(module.functions, whole)),
        public=listed(
            [
                *(declared_names(module) if name else shared_names(module)),
                *engine_names(module),
                *_named_coroutines(module),
                *(each.name for source in _sources(whole, name) for each in source.exports),
            ]
        ),
        overload=f"@{_overload(module).alias or OVERLOAD.name}",
        name=name,
        submodules=submodules,
    )


def _called(module: Module) -> tuple[Function, ...]:
    return tuple(f for f in module.functions if not f.is_constant)


def _constant(function: Function) -> ConstantView:
    declared = f"{function.name}: {CONSTANT.alias}[{returned(function).code}]"
    return ConstantView(declared, docstring([function.doc]) if function.doc else "")


def _overload(module: Module) -> Import:
    taken = {*shared_names(module), *engine_names(module), *map(names.of_function, module.callables)}
    return RENAMED_OVERLOAD if OVERLOAD.name in taken else OVERLOAD


def _sources(whole: Module, name: str) -> tuple[PythonSource, ...]:
    """The author's own modules, whose names the package has."""
    return () if name else whole.library.python_sources


def _imports(whole: Module, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What it imports of the standard library, and of the package."""
    module = part(whole, name)
    of_hints = (
        imports_of((*module.callables, *coroutines(module.callables)))
        | records.imports(module, Way.RESULT)
        | exception_imports(module)
    )
    of_hints |= aliases.imports(module)
    of_hints = of_hints.union(*(hint(item, Way.RESULT).imports for each in named_tuples(module) for item in each.items))
    own = {each for each in of_hints if each.is_own}
    installed = {each for each in of_hints if each.is_installed} | imports_of_lenders(module)
    standard = (of_hints - own - installed) | enum_bases(module)
    renames_parameters = any(names.former_parameters(f) for f in module.callables)
    renames = renames_parameters or any(names.former_function(f) for f in module.functions)
    standard |= {ABSTRACT} if any(m.virtual and m.virtual.is_abstract for m in module.methods) else set()
    standard |= {DATACLASS, FINAL} if module.structs else set()
    standard |= {NAMED_TUPLE_HINT} if named_tuples(module) else set()
    standard |= {CONSTANT} if any(f.is_constant for f in module.functions) else set()
    standard |= {SELF} if module.handles else set()
    found = members(whole)
    standard |= {ITERATOR} if any(iterated_by(h.name, found[h.name].methods, whole) for h in module.handles) else set()
    standard |= {CLASS_VAR} if any(map(records.is_holding, module.structs)) else set()
    standard |= {CLASS_VAR} if has_reflected((*module.methods, *module.record_methods)) else set()
    standard |= {TYPE_ALIAS} if aliases.aliases(module) else set()
    standard |= set() if all(f.is_read for f in module.methods) else {NEVER}
    standard |= {_overload(module)} if renames_parameters or any(f.is_form for f in module.callables) else set()
    deprecated = [DECORATOR] if renames or any_deprecated(module) else []
    below = [f"from . import {each.name} as {each.name}" for each in whole.submodules] if not name else []
    error, spoken = names.library_error(whole.name), dict(elsewhere(whole, name))
    if name and any(error in each.derives_from for each in exceptions(module)):
        spoken[""] = [*spoken.get("", ()), error]
    package = [import_of_several(".", spoken.pop(""))] if "" in spoken else []
    others = [import_of_several(f".{home}", classes) for home, classes in spoken.items()]
    own = own | {Import(f".{s.name}", each.name, each.name) for s in _sources(whole, name) for each in s.exports}
    shared = [] if name else _SUPPORT
    before = (*below, *package)
    return imports(standard), package_imports(
        {*shared, *own}, module.runtime, installed=[*imports(installed), *deprecated], before=before, after=others
    )


_CONTEXT = {
    "__enter__": "def __enter__(self) -> _Self: ...",
    "__exit__": "def __exit__(self, *exc: object) -> None: ...",
}


def _context(handle: str, own: Members, module: Module) -> tuple[str, ...]:
    iterator = ["def __iter__(self) -> _Self: ..."] * is_its_own_iterator(own.methods)
    if getter := iterated_by(handle, own.methods, module):
        iterator = [f"def __iter__(self) -> _Iterator[{returned(getter).code}]: ..."]
    declared = {m.name for m in own.methods}
    return (*iterator, *(line for name, line in _CONTEXT.items() if name not in declared))


def _class(handle: HandleType, own: Members, module: Module) -> StubClassView:
    return StubClassView(
        name=handle.name,
        base=f"({handle.extends})" if handle.extends else "",
        marked=marked(handle),
        is_root=not handle.extends,
        docstring=docstring([handle_doc(handle)]),
        owner=owner_view(handle),
        factories=_factories(own.makers, module),
        methods=(
            *_functions((*own.constructors, *own.statics, *own.methods), module, in_place_remarks(handle.name, module)),
            *_coroutines(own.methods, module),
        ),
        context=_context(handle.name, own, module),
        numpy=declared_for_numpy(for_numpy(handle.name, own.methods, module)),
    )


def _functions(
    functions: Sequence[Function], module: Module, remarks: Mapping[Function, str] = MappingProxyType({})
) -> tuple[StubFunctionView, ...]:
    made = ((f, _with_forms(_function(f, module), f, later)) for f, later in in_stub(functions))
    return tuple(_with_remark(view, remarks.get(function, "")) for function, view in made)


def _with_remark(view: StubFunctionView, said: str) -> StubFunctionView:
    """The view of a function of which type checkers report something, at the first of its lines."""
    if view.is_overload or not said:
        return replace(view, remark=f"  # {said}" if said else "")
    return replace(view, signature=remarked(view.signature, said))


def _named_coroutines(module: Module) -> Sequence[str]:
    return list(dict.fromkeys(names.of_function(f) for f in coroutines(module.functions)))


def _coroutines(functions: Sequence[Function], module: Module) -> tuple[StubFunctionView, ...]:
    """What a task awaits: called by present names only."""
    views = _functions(coroutines(functions), module)
    return tuple(replace(each, signature=f"async {each.signature}", former="", deprecated="") for each in views)


def _factories(functions: Sequence[Function], module: Module) -> tuple[StubFunctionView, ...]:
    return tuple(_with_forms(_factory(f, module), f, later) for f, later in in_stub(functions))


def _with_forms(view: StubFunctionView, function: Function, later: Sequence[Function] | None) -> StubFunctionView:
    """The view of a function, maybe one of several forms, with what keeps type checkers from reporting it."""
    several = later is not None
    said = overrides(function) if later is None else remark(function, later)
    signature = remarked(view.signature, said) if said else view.signature
    return replace(view, signature=signature, is_overload=several or bool(view.deprecated))


def _function(function: Function, module: Module) -> StubFunctionView:
    former = names.former_function(function)
    is_abstract = function.virtual is not None and function.virtual.is_abstract
    return StubFunctionView(
        name=names.of_function(function),
        signature="@_abstractmethod\n" * is_abstract + signature(function, end=": ..." if function.sets else ":"),
        docstring="" if function.sets and function.is_read else function_docstring(function, module),
        is_static=bool(function.static),
        is_property=function.property,
        sets=names.of_function(function) if function.sets else "",
        unread="" if function.is_read else unread(function),
        former=former,
        former_signature=signature(function, name=former, end=": ..."),
        is_overload=False,
        remark="",
        marked=decorator(function),
        deprecated=_deprecated(function, ["self"] * bool(function.handle), returned(function).code),
    )


def _factory(function: Function, module: Module) -> StubFunctionView:
    former = names.former_function(function)
    return StubFunctionView(
        name=names.of_function(function),
        signature=factory_signature(function),
        docstring=docstring([factory_doc(function, module)]),
        is_static=False,
        is_property=False,
        sets="",
        unread="",
        former=former,
        former_signature=factory_signature(function, name=former, end=": ..."),
        is_overload=False,
        remark="",
        marked=decorator(function),
        deprecated=_deprecated(function, ["cls"], "_Self"),
    )


def _deprecated(function: Function, first: list[str], returns: str) -> str:
    """The signature of calls with former names of parameters: keywords, from the first that was renamed on."""
    former = names.former_parameters(function)
    if not former:
        return ""
    declared, is_keyword = list(first), False
    for p in function.parameters:
        now = names.python(p.name)
        if now in former and not is_keyword:
            is_keyword = True
            declared.append("*")
        code = hint(p.type, Way.ARGUMENT).code
        if p.is_keyword and not is_keyword:
            is_keyword = True
            declared.append("*")
        declared.append(f"{former[now]}: {code}" if now in former else declaration(p))
    unnamed = positional_only(function)
    declared[len(first) + unnamed : len(first) + unnamed] = ["/"] * bool(unnamed)
    return exploded(f"def {names.of_function(function)}", declared, f" -> {returns}: ...")

"""Tier 3, the cffi engine, Python over the bridge: decides every line of `_cffi_engine.py`; places none."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.attributes import attributed
from wrapper_gen.frozen import frozen
from wrapper_gen.interfaces import closed_to_python, interface_types, is_open_again
from wrapper_gen.iterators import iterator_types
from wrapper_gen.lifetimes.ended import perishable
from wrapper_gen.lifetimes.kept import memory_is_kept
from wrapper_gen.model import Function, HandleType, Mode, Module
from wrapper_gen.queries import (
    Members,
    callbacks,
    compound_types,
    crossing_enums,
    exception_names,
    families,
    keeps_objects,
    makes_own,
    members,
    named_tuples,
)
from wrapper_gen.quoting import python_string
from wrapper_gen.submodules import part
from wrapper_gen.types.hints import CALLABLE, Import, Way
from wrapper_gen.types.model import Type
from wrapper_gen.types.results import result
from wrapper_gen.types.spelling import codec, speaks_of_wire
from wrapper_gen.views import records
from wrapper_gen.views.byte_offsets import imports_of_indices
from wrapper_gen.views.callables import brings_callables_within, types_alone
from wrapper_gen.views.cffi_arguments import again, operand, parts, prepare, rows_of
from wrapper_gen.views.cffi_classes import FactoryView, factory_view, tracking_of
from wrapper_gen.views.cffi_results import checked, done, in_stub_mode, kept_attributes, made
from wrapper_gen.views.declarations import (
    NEVER,
    SELF,
    OwnerView,
    engine_names,
    own_exceptions,
    owner_view,
)
from wrapper_gen.views.deprecations import WARN, any_warns, in_cffi
from wrapper_gen.views.documentation import makers
from wrapper_gen.views.exports import imports_of_arrays, is_used
from wrapper_gen.views.formatting import (
    WIDTH,
    expression,
    imports,
    laid_out,
    names_of_exceptions,
    package_imports,
)
from wrapper_gen.views.formatting import names as listed
from wrapper_gen.views.held_objects import imports_of_held, tracked_classes
from wrapper_gen.views.imported import imports_of_used, used_types
from wrapper_gen.views.inheritance import class_base, numbered_classes
from wrapper_gen.views.interfaces import (
    closes_at_exit,
    constructs_interface,
    interface_of,
    keep_given,
    with_kept,
)
from wrapper_gen.views.overloads import forms, forms_of_class, in_python
from wrapper_gen.views.protocols import (
    class_statements,
    hint_imports,
    is_lookup,
    may_refuse_operand,
    raised,
    runtime_imports,
    special_returned,
    spread_key,
    typed_result,
)
from wrapper_gen.views.record_members import attached, is_made_of_forms
from wrapper_gen.views.records import RecordView
from wrapper_gen.views.recursive_codecs import recursive_codecs
from wrapper_gen.views.signatures import engine_name, parts_of_signature, renamed, unread
from wrapper_gen.views.signatures import imports as imports_of
from wrapper_gen.views.submodules import imports_of_classes, of_engine

NUMBER = 3
TEMPLATES = (("python/_cffi_engine.py.jinja", "_cffi_engine.py"),)
STATIC: tuple[tuple[str, str], ...] = ()


@frozen
class EngineFunctionView:
    """One function or method, in the order in which its lines run."""

    symbol: str
    signature: str
    deprecated: str
    """The statement that warns of its use."""
    stub: str
    """The statement that returns in stub mode; empty when it raises there."""
    prepare: tuple[str, ...]
    call: str
    """Empty where `ending` makes the call, which returns a status."""
    again: str
    """What calls again with converted arguments, or says what is wrong with them; empty when the call refuses none."""
    lent: str
    """The locals that hold lent memory or handles, as arguments."""
    release_locals: str
    """What empties the locals that hold lent memory or handles; empty when there are none.

    Locals of a call that raised live on with its traceback: a handle that is closed would not be released, and CPython
    crashes when it collects a memoryview that is still lent.
    """
    ending: tuple[str, ...]
    """What raises where the call failed, and what makes the result."""
    is_static: bool
    is_property: bool
    sets: str
    """The property that it sets."""
    unread: str
    """The head of the getter of that, where Python cannot read it."""
    renamed: str


@frozen
class EngineClassView:
    """One handle type."""

    name: str
    base: str
    owner: OwnerView | None
    methods: tuple[EngineFunctionView, ...]
    hidden: tuple[str, ...]
    """Statements that keep Python from going over its items by position, and NumPy from operators with its objects."""
    factories: tuple[FactoryView, ...]
    overloads: tuple[str, ...]
    """The statements that make one function of several."""
    drop: str
    drop_symbol: str
    makers: str
    interface: tuple[str, ...]
    """The lines of the statement that lets Python classes override its methods; none where it is no interface."""
    tracked: str
    """The statement that lets its objects be found, or find their owners; empty where there is no need."""


@frozen
class SymbolView:
    """One function of the extension: its name, and the statement that gives it to the engine, with its type."""

    name: str
    has_type: bool
    statement: str


@frozen
class EngineView:
    """Everything that the templates place."""

    name: str
    imports: tuple[str, ...]
    """Import statements of the standard library, finished and sorted."""
    engine_imports: tuple[str, ...]
    """What it imports from the package."""
    extension: str
    """Its name, in quotes."""
    error_kind: str
    """The function of the extension that says whether there is a failure."""
    error: str
    exception_names: str
    classes: tuple[EngineClassView, ...]
    families: tuple[str, ...]
    """Lines of a dict: by number, the classes of handle types that extend others or are extended."""
    functions: tuple[EngineFunctionView, ...]
    overloads: tuple[str, ...]
    records: tuple[RecordView, ...]
    parts: tuple[str, ...]
    """Statements that make what some values cross by."""
    recursive_in_records: tuple[str, ...]
    recursive: tuple[str, ...]
    """Statements that make the codecs of types that are a part of themselves."""
    codecs: tuple[str, ...]
    """Lines of a dict: what encodes and decodes the values of each compound type."""
    attributes: tuple[str, ...]
    """Statements that tell the bridge the attributes of exceptions."""
    defined: str
    """The names of its classes and functions."""
    submodules: str
    """Those of submodules, a dict of dicts; empty where there are none."""
    symbols: bool
    """Whether there are functions or methods."""
    of_extension: tuple[str, ...]
    """Statements that give the engine what it uses of the extension."""


def view(module: Module) -> EngineView:
    """The cffi engine of one module."""
    makers_of_classes = filter(makes_own, module.statics)
    functions = tuple(_function(f, module) for f in (*module.functions, *makers_of_classes, *module.record_methods))
    found = members(module)
    classes = tuple(_class(h, found[h.name], module) for h in module.handles)
    written = (*functions, *(m for c in classes for m in c.methods))
    symbols = {each.name: each for each in (_symbol(f, module) for f in module.callables)}
    of_hints = imports_of(module.callables) | records.imports(module, Way.ARGUMENT)
    own = {each for each in of_hints if each.is_own}
    installed = {each for each in of_hints if each.is_installed} | imports_of_used(module)
    standard = (of_hints - own - installed) | ({SELF} if any(c.factories for c in classes) else set())
    standard |= hint_imports(module)
    standard |= {CALLABLE} if any(each.has_type for each in symbols.values()) else set()
    standard |= set() if all(f.is_read for f in module.methods) else {NEVER}
    masks = [f"{names.python_enum_mask(n)} = _bridge.enum_mask({python_string(n)})" for n in crossing_enums(module)]
    drops = [f"{each.drop} = _lib.{each.drop_symbol}" for each in classes]
    return EngineView(
        name=python_string(module.name),
        imports=imports(standard),
        engine_imports=_engine_imports(module, own, written, imports(installed)),
        extension=python_string(names.extension(module.package)),
        error_kind=names.support(module.name, "error_kind"),
        error=names.library_error(module.name),
        exception_names=names_of_exceptions(exception_names(module)),
        classes=classes,
        families=numbered_classes(module),
        functions=functions,
        overloads=tuple(in_python(group) for group in forms(module.functions)) + attached(module),
        records=records.views(module),
        parts=(*parts(module), *used_types(module)),
        recursive_in_records=recursive_codecs(module, after_records=False),
        recursive=recursive_codecs(module, after_records=True),
        codecs=tuple(expression(codec(type_), f"{python_string(str(type_))}: ", ",") for type_ in _coded_types(module)),
        attributes=tuple(map(kept_attributes, attributed(module))),
        defined=listed(engine_names(part(module, ""))),
        submodules=of_engine(module),
        symbols=bool(written),
        of_extension=(*masks, *drops, *(symbols[f.symbol].statement for f in written)),
    )


def _coded_types(module: Module) -> list[Type]:
    """The types that have a codec: callables are told apart by what they are called with alone."""
    return [*compound_types(module), *iterator_types(module), *types_alone(module)]


def _engine_imports(
    module: Module, of_hints: set[Import], written: Sequence[EngineFunctionView], installed: Sequence[str]
) -> tuple[str, ...]:
    labels = (each.label for each in named_tuples(module))
    aliases = (each.name for each in module.representations if each.is_recursive)
    own_enums = {e.name for e in module.enums}.intersection(crossing_enums(module))
    shared = {names.library_error(module.name), *own_exceptions(module), *own_enums, *labels, *aliases}
    own = ["from . import STUB as _STUB"] if any(f.stub for f in written) else []
    of_package, *of_submodules = imports_of_classes(shared, module)
    own.append(of_package)
    has_own = any(each.is_recursive for each in module.representations)
    wired = any(map(speaks_of_wire, _coded_types(module)))
    ended, found = perishable(module), tracked_classes(module)
    wanted = [
        (Import(_RUNTIME, "_overloads", "_fits"), any(f.is_form for f in module.callables)),
        (Import(_RUNTIME, "_slices", ""), "slices" in families(module)),
        (Import(_RUNTIME, "_wire", ""), bool(wired or module.structs or has_own)),
        (_support("Bridge"), True),
        (_support("compiled"), True),
        (Import(names.runtime_module("_callables"), "Callables", "_Callables"), bool(callbacks(module))),
        (Import(names.runtime_module("_any_objects"), "AnyObject", "_AnyObject"), keeps_objects(module)),
        (
            Import(names.runtime_module("_device_streams"), "DeviceStream", "_DeviceStream"),
            "device_streams" in families(module),
        ),
        (Import(names.runtime_module("_callables_within"), "Function", "_Function"), brings_callables_within(module)),
        (_support("LEFT_OUT"), any(p.default is ... for f in module.callables for p in f.parameters)),
        (_HANDLE, any(class_base(h, members(module)[h.name], module) == "_Handle" for h in module.handles)),
        (Import(names.runtime_module("_iterators"), "Iterators", "_Iterators"), bool(iterator_types(module))),
        (Import(names.runtime_module("_kept_memory"), "KeptMemory", "_KeptMemory"), memory_is_kept(module)),
        (Import(names.runtime_module("_lifetimes"), "Tracked", "_Tracked"), bool(found - ended)),
        (Import(names.runtime_module("_lifetimes"), "Perishable", "_Perishable"), bool(ended)),
        (Import(names.runtime_module("_inheritance"), "inherit", "_inherit"), bool(module.extends)),
        (Import(names.runtime_module("_overrides"), "Overridable", "_Overridable"), bool(interface_types(module))),
        (
            Import(names.runtime_module("_overrides"), "refuse_subclasses", "_refuse_subclasses"),
            bool(closed_to_python(module)),
        ),
        (
            Import(names.runtime_module("_overrides"), "allow_subclasses", "_allow_subclasses"),
            any(is_open_again(h.name, module) for h in module.handles),
        ),
        (
            Import(names.runtime_module("_overrides"), "close_at_exit", "_close_at_exit"),
            any(closes_at_exit(f, module) for f in module.callables),
        ),
        (
            Import(names.runtime_module("_overloads"), "overloaded", "_overloaded"),
            any(map(is_made_of_forms, module.callables)),
        ),
        (WARN, any_warns(module)),
        (Import(names.runtime_module("_used_types"), "UsedType", "_UsedType"), any(u.handles for u in module.uses)),
        (Import(names.runtime_module("_used_types"), "used_codec", "_used_codec"), any(u.structs for u in module.uses)),
        (_support("renamed"), any(f.renamed for f in written)),
    ]
    held = (*records.runtime_imports(module), *imports_of_held(module), *imports_of_indices(module))
    wanted += [(each, True) for each in (*runtime_imports(module), *held)]
    rows = (row.python_imports for f in module.callables for row in rows_of(f, module))
    used = {each for each, is_used in wanted if is_used}.union(of_hints, imports_of_arrays(module), *rows)
    return package_imports(used, module.runtime, installed=installed, before=own, after=of_submodules)


_RUNTIME = f".{names.RUNTIME}"
_OVERLOADED = Import(names.runtime_module("_overloads"), "overloaded", "_overloaded")
_HANDLE = Import(names.runtime_module("_cffi_handles"), "Handle", "_Handle")


def _support(name: str) -> Import:
    return Import(names.runtime_module("_cffi_support"), name, f"_{name}")


# --- functions and classes -------------------------------------------------------------------------------------------


def _function(function: Function, module: Module) -> EngineFunctionView:
    rows = rows_of(function, module)
    out = result(function.returns, module.name)
    both = list(zip(function.parameters, rows, strict=True))
    symbol = names.c_symbol(module.name, function)
    me, is_operator = bool(function.handle), may_refuse_operand(function)
    arguments = ["self._h"] * me + [a for row in rows for a in row.python_arguments]
    takes = ["self"] * bool(function.lifetime.takes_own)
    takes += [names.python(p.name) for p in function.parameters if p.mode is Mode.TAKE]
    lent = [names.python_local(p.name) for p, row in both if row.is_lent]
    others = () if is_operator else again(both)
    in_class = bool(function.handle or function.constructs or (function.static and not makes_own(function)))
    inside = 4 + 4 * in_class + 4 * bool(lent or others)
    called_again = [f"_{symbol}", *["self"] * me, *others]
    call, own = laid_out(f"_result = _{symbol}", arguments, "", inside), 4 + 4 * in_class
    status = f"_{symbol}({', '.join(arguments)})"
    is_asked_at_once = out.python_failed == "_result" and not (lent or others) and own + len(status) + 4 <= WIDTH
    head = parts_of_signature(function, name=engine_name(function), left_out=names.LEFT_OUT)
    converted = (operand if is_operator else prepare)(both, 4 + 4 * in_class + 4 * bool(lent))
    return EngineFunctionView(
        symbol=symbol,
        signature=laid_out(*head, 4 * in_class, is_definition=True),
        deprecated="" if is_operator else in_cffi(function),
        stub=in_stub_mode(function, out),
        prepare=(
            *spread_key(function),
            *converted,
            *[in_cffi(function)] * (is_operator and bool(in_cffi(function))),
            *["self._check_overrides()"] * constructs_interface(function, module),
        ),
        call="" if is_asked_at_once else call,
        again=laid_out("_result = _bridge.again", called_again, "", inside) if others else "",
        lent=", ".join(lent),
        release_locals=" = ".join(lent),
        ending=_ending(function, takes, status if is_asked_at_once else out.python_failed, own, module),
        is_static=bool(function.static) and not makes_own(function),
        is_property=function.property,
        sets=names.of_function(function) if function.sets else "",
        unread="" if function.is_read else unread(function),
        renamed=renamed(function),
    )


def _ending(function: Function, takes: Sequence[str], failed: str, indent: int, module: Module) -> tuple[str, ...]:
    """The statements after the call, whose result is `_result`: first what raises where it has `failed`."""
    out = result(function.returns, module.name)
    value = with_kept(function, checked(function, out, module), module)
    after = (
        *made(function, out, module),
        *(f"{name}.close()" for name in takes),
        *done(out, module),
        *([f"self._become({checked(function, out, module)})"] if function.constructs else []),
        *keep_given(function, module),
        *typed_result(function, value),
    )
    returned, failure = special_returned(function, value), raised(function, takes, module)
    line = f"return _raise({failure}) if {failed} else {returned}"
    if returned and not after and indent + len(line) <= WIDTH:
        return (line,)
    if out.is_checked_in_python and not takes and not is_lookup(function, module):  # it raises the same
        return *after, *([f"return {returned}"] if returned else [])
    return f"if {failed}:", f"    raise {failure}", *after, *([f"return {returned}"] if returned else [])


def _class(handle: HandleType, own: Members, module: Module) -> EngineClassView:
    return EngineClassView(
        name=handle.name,
        base=class_base(handle, own, module),
        owner=owner_view(handle),
        methods=tuple(_function(m, module) for m in (*own.constructors, *own.statics, *own.methods)),
        hidden=(*class_statements(handle.name, own.methods, module), *is_used(handle, module)),
        factories=tuple(factory_view(f) for f in own.makers),
        overloads=forms_of_class(handle.name, own),
        drop=names.python_drop(handle.name),
        drop_symbol=handle.drop_symbol,
        makers=python_string(makers(handle.name, own)),
        interface=(
            *(interface_of(handle, own.methods, module) if handle.is_interface else ()),
            *_subclassing(handle, module),
        ),
        tracked=tracking_of(handle, module),
    )


def _subclassing(handle: HandleType, module: Module) -> tuple[str, ...]:
    """The statement that says whether Python may derive from a class, in a family of which it overrides methods."""
    if handle.name in closed_to_python(module):
        return (f"_refuse_subclasses({handle.name})",)
    return (f"_allow_subclasses({handle.name})",) if is_open_again(handle.name, module) else ()


def _symbol(function: Function, module: Module) -> SymbolView:
    """The extension's own function: those that give numbers have types, pointers may be anything."""
    name, gives = names.c_symbol(module.name, function), result(function.returns, module.name).python_c
    has_type = gives != "Any"
    start, value = f"_{name}: _Callable[..., {gives}] = " if has_type else f"_{name} = ", f"_lib.{name}"
    is_long = len(start) + len(value) > WIDTH
    return SymbolView(name, has_type, f"{start}(\n    {value}\n)" if is_long else f"{start}{value}")

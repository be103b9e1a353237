"""The cpython engine: CPython types and functions over the bridge. Decides every line of `cpython.cpp`; places none."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.diagnostics import a
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    NO_DEFAULT,
    EnumType,
    Function,
    HandleType,
    Mode,
    Module,
    Parameter,
)
from wrapper_gen.queries import Members, caught, derives, enum_array, exception_names, keeping, members, owners
from wrapper_gen.quoting import c_string
from wrapper_gen.types.parameters import ParameterRow, parameter
from wrapper_gen.types.results import ResultRow, result
from wrapper_gen.values import EnumValue, MapValue, Value
from wrapper_gen.views import records
from wrapper_gen.views.documentation import factory_doc, function_doc, handle_doc, makers, not_implemented
from wrapper_gen.views.literals import literal
from wrapper_gen.views.records import RecordView
from wrapper_gen.views.units import groups

NUMBER = 3
TEMPLATES = (("cpython/cpython.cpp.jinja", "cpython.cpp"),)
STATIC = tuple(
    (f"cpython/{name}", names.runtime(name))
    for name in (
        "wg_cpython_python.hpp",
        "wg_cpython.hpp",
        "wg_cpython_conversion.hpp",
        "wg_cpython_leaves.hpp",
        "wg_cpython_arguments.hpp",
        "wg_cpython_lists.hpp",
        "wg_cpython_objects.hpp",
        "wg_cpython_handles.hpp",
        "wg_cpython_classes.hpp",
        "wg_cpython_results.hpp",
        "wg_cpython_containers.hpp",
        "wg_cpython_unions.hpp",
        "wg_cpython_records.hpp",
    )
)

_WITH_KEYWORDS = "METH_FASTCALL | METH_KEYWORDS"
_END_OF_SIGNATURE = "\n--\n\n"
"""Where CPython looks for the signature in a docstring."""


@frozen
class SignatureView:
    """The parameters of one function under one name, as Python's own messages have it."""

    variable: str
    name: str
    implied: int
    """1 when Python counts an instance or a class too."""


@frozen
class EntryView:
    """A function that CPython calls: it passes on what it is given to the one that several share."""

    head: str
    lines: tuple[str, ...]


@frozen
class FunctionView:
    """One function or method, in the order in which its lines run."""

    where: str
    c_name: str
    head: str
    declared: tuple[str, ...]
    """What the tables refer to."""
    count: int
    required: int
    parameters: tuple[str, ...]
    defaults: str
    former: tuple[str, ...]
    """For each parameter the keyword that it had formerly, or nullptr; none where no parameter had another."""
    signatures: tuple[SignatureView, ...]
    """One for each name that it has in Python; none without parameters."""
    is_guarded: bool
    """Whether it catches what is thrown; else its caller does."""
    complete: str
    """The statement that binds the arguments where they are no complete row; empty when the caller did."""
    lines: tuple[str, ...]
    wrappers: tuple[EntryView, ...]


@frozen
class GroupView:
    """Functions that are compiled in the same unit."""

    number: int
    functions: tuple[FunctionView, ...]


@frozen
class TypeView:
    """One handle type."""

    name: str
    qualified: str
    shown: str
    wanted: str
    makers: str
    doc: str
    keeps: str
    methods: tuple[str, ...]
    properties: tuple[str, ...]
    """Lines of the tables that CPython reads."""


@frozen
class EnumView:
    """One enum: the tag by which arguments and results find its class."""

    tag: str
    shown: str
    wanted: str
    array: str
    size: int


@frozen
class View:
    """Everything that the template places."""

    lib: str
    guard: str
    namespace: str
    package: str
    init: str
    module: str
    refusal: str
    error: str
    exceptions: tuple[str, ...]
    caught: bool
    """Whether the spec declares exception classes."""
    derives: str
    """The array of what derives from what among them, if there is one, and its size."""
    derives_size: int
    enums: tuple[EnumView, ...]
    types: tuple[TypeView, ...]
    records: tuple[RecordView, ...]
    functions: tuple[FunctionView, ...]
    groups: tuple[GroupView, ...]
    table: tuple[str, ...]
    """The same for functions."""


def view(module: Module) -> View:
    """The cpython engine of one module."""
    found = members(module)
    classes = {f.base: h for h, own in found.items() for f in own.makers}
    keeps = keeping(module)
    extension = names.extension(module.package)
    functions = (
        *(_function(f, module, classes.get(f.base)) for f in module.functions),
        *(_function(m, module, None) for m in module.methods),
    )
    return View(
        lib=module.name,
        guard=module.guard,
        namespace=names.namespace(module.name),
        package=c_string(module.package),
        init=f"PyInit_{extension}_cpython",
        module=c_string(f"{module.package}.{extension}_cpython"),
        refusal=c_string(f"the cpython engine of {module.package} works in the main interpreter only"),
        error=c_string(names.library_error(module.name)),
        exceptions=tuple(c_string(n) for n in exception_names(module)),
        caught=bool(caught(module)),
        derives=derives(module),
        derives_size=len(caught(module)) ** 2,
        enums=tuple(_enum(e, module) for e in module.enums),
        types=tuple(_type(h, found[h.name], h.name in keeps, module) for h in module.handles),
        records=records.views(module),
        functions=functions,
        groups=tuple(GroupView(i, group) for i, group in enumerate(groups(module, functions))),
        table=tuple(_entry(f, module, _c_name(f)) for f in module.functions),
    )


# --- functions -------------------------------------------------------------------------------------------------------


def _c_name(function: Function) -> str:
    return names.python_code(function.base, function.handle)


_ROW = "PyObject *const *wg_arguments, Py_ssize_t wg_given, PyObject *wg_keywords"
_GIVEN = "wg_arguments, wg_given, wg_keywords"


def _function(function: Function, module: Module, factory_of: str | None) -> FunctionView:
    """A function with arguments that C++ has to own is in two: the taking of them is one for all with the same ones."""
    c_name = _c_name(function)
    is_shared = _shares_its_arguments(function, module)
    signatures = _signatures(function, factory_of)
    own = _own_head(function, c_name, module, is_shared, bool(factory_of))
    wrappers = _wrappers(function, c_name, is_shared, factory_of)
    taken = () if is_shared else _taken(function, module)
    variable = signatures[0].variable if signatures else ""
    return FunctionView(
        where=f"{function.name}: {module.spec}:{function.span.line}",
        c_name=c_name,
        head=own,
        declared=tuple(w.head for w in wrappers) or (own,),
        count=len(function.parameters),
        required=sum(p.default is NO_DEFAULT for p in function.parameters),
        parameters=tuple(c_string(names.python(p.name)) for p in function.parameters),
        defaults=_defaults(function),
        former=_former(function),
        signatures=signatures,
        is_guarded=not is_shared,
        complete=_complete(variable, c_name, len(function.parameters)) if signatures and not wrappers else "",
        lines=(*_own(function), *taken, *_opened(function, module), *_statements(function, module, factory_of)),
        wrappers=wrappers,
    )


def _signatures(function: Function, factory_of: str | None) -> tuple[SignatureView, ...]:
    if not function.parameters:
        return ()
    c_name, name = _c_name(function), names.of_function(function)
    own_name = f"{function.handle}.{name}" if function.handle else name
    own = SignatureView(f"{c_name}_signature", c_string(own_name), 1 if function.handle else 0)
    if not factory_of:
        return (own,)
    return (own, SignatureView(f"{c_name}_of_class", c_string(f"{factory_of}.{name}"), 1))


def _defaults(function: Function) -> str:
    values = "".join(f"{literal(p.default)}, " for p in function.parameters if p.default is not NO_DEFAULT)
    return c_string(f"({values})") if values else "nullptr"


def _former(function: Function) -> tuple[str, ...]:
    former = {now: old for old, now in names.former_parameters(function).items()}
    if not former:
        return ()
    own = [former.get(names.python(p.name)) for p in function.parameters]
    return tuple(c_string(old) if old else "nullptr" for old in own)


def _shares_its_arguments(function: Function, module: Module) -> bool:
    """Whether to take the arguments in code that all functions with such ones share.

    Numbers and handles are taken in place: a call of another function would be felt there, and there is nothing to
    destroy. What is taken by more code than that is slow enough, and costs the compiler most.
    """
    return not all(_row(p, module).cpython_is_light for p in function.parameters)


def _row(p: Parameter, module: Module) -> ParameterRow:
    return parameter(p.type, p.name, module.name, is_taken=p.mode is Mode.TAKE)


def _argument(p: Parameter) -> str:
    return names.extra(p.name, "argument")


def _own_head(function: Function, c_name: str, module: Module, is_shared: bool, is_factory: bool) -> str:
    """What the function with the statements is declared as: by CPython's conventions, or for its wrappers."""
    if is_shared:
        arguments = "".join(
            f", [[maybe_unused]] {_row(p, module).cpython} &{_argument(p)}" for p in function.parameters
        )
        return f"static PyObject *{c_name}_body([[maybe_unused]] PyObject *wg_self{arguments})"
    if is_factory:
        arguments = ", PyObject *const *wg_arguments" if function.parameters else ""
        return f"static PyObject *{c_name}_body(PyObject *wg_self{arguments})"
    if function.property:
        return f"PyObject *{c_name}(PyObject *wg_self, void *)"
    return _head(c_name, function)


def _head(c_name: str, function: Function) -> str:
    own = "PyObject *wg_self" if function.handle or function.parameters else "PyObject *"
    return f"PyObject *{c_name}({own}, {_ROW if function.parameters else 'PyObject *'})"


def _complete(signature: str, c_name: str, count: int) -> str:
    by_position = f"wg_keywords == nullptr && wg_given == {count}"
    condition = f"!({by_position}) && !{signature}.knows(wg_given, wg_keywords)"
    return f"if ({condition}) return {signature}.call({c_name}, wg_self, {_GIVEN});"


def _wrappers(function: Function, c_name: str, is_shared: bool, factory_of: str | None) -> tuple[EntryView, ...]:
    """The functions that CPython calls, where it does not call the one with the statements."""
    if not is_shared and not factory_of:
        return ()
    exact = f"reinterpret_cast<PyObject *>(wg::cpython::Traits<{factory_of}>::type)"
    wanted = [(c_name, f"{c_name}_signature", exact if factory_of else "wg_self")]
    wanted += [(f"{c_name}_in_class", f"{c_name}_of_class", "wg_self")] * bool(factory_of)
    entries = []
    for name, signature, own in wanted:
        head = _head(name, function)
        if is_shared:
            lines = [f"return wg::cpython::call({c_name}_body, {signature}, {own}, {_GIVEN});"]
            lines = ["static_cast<void>(wg_self);"] * (own == exact) + lines
        elif function.parameters:
            lines = [
                _complete(signature, name, len(function.parameters)),
                f"return {c_name}_body({own}, wg_arguments);",
            ]
        else:
            lines = [f"return {c_name}_body({own});"]
            head = head if own == exact else head.replace("PyObject *,", "PyObject *wg_self,")
        entries.append(EntryView(head, tuple(lines)))
    return tuple(entries)


def _own(function: Function) -> tuple[str, ...]:
    return (f"wg::cpython::Handle<{function.handle}> wg_own(wg_self);",) if function.handle else ()


def _taken(function: Function, module: Module) -> tuple[str, ...]:
    if not function.parameters:
        return ()
    refused = " || ".join(
        f"!{_argument(p)}.take(wg_arguments[{i}], {c_string(names.python(p.name))})"
        for i, p in enumerate(function.parameters)
    )
    declared = [f"{_row(p, module).cpython} {_argument(p)};" for p in function.parameters]
    handles = [p for p in function.parameters[:-1] if _row(p, module).cpython_is_handle]
    blamed = " || ".join(f"{_argument(p)}.blame({c_string(names.python(p.name))})" for p in handles)
    returned = f"wg::cpython::refused({blamed})" if handles else "nullptr"
    return (*declared, f"if ({refused}) return {returned};")


def _opened(function: Function, module: Module) -> tuple[str, ...]:
    """The instance comes after the other handles: those are arguments, which Python's own messages would name first.

    What is taken is claimed last, and nothing else of the call may be it: hence the pins.
    """
    handles = [p for p in function.parameters if _row(p, module).cpython_is_handle]
    takes = [p for p in handles if p.mode is Mode.TAKE]
    opened = [f"{_argument(p)}.open({c_string(names.python(p.name))})" for p in handles]
    opened += ["wg_own.open_own()"] * bool(function.handle)
    if takes or function.blocking:
        pinned = [_argument(p) for p in handles if p not in takes]
        opened += [f"{a}.pin()" for a in (*pinned, *(["wg_own"] if function.handle else []))]
    opened += [f"{_argument(p)}.claim({c_string(names.python(p.name))})" for p in takes]
    refused = " || ".join(f"!{each}" for each in opened)
    return (f"if ({refused}) return nullptr;",) if refused else ()


def _statements(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    """The call, and its result as a Python object."""
    missing = not_implemented(function, module)
    if missing:
        return (f"throw wg::NotImplemented({c_string(missing)});",)
    arguments = ["wg_own.value()"] if function.handle else []
    arguments += [f"{_argument(p)}.value()" for p in function.parameters]
    row = result(function.returns, module.name)
    if row.cpp_use:
        arguments.append(row.cpp_use if function.blocking else _use(function, row))
    call = f"wg_api::{names.cpp_function(module.name, function.base, function.handle)}({', '.join(arguments)})"
    if row.cpp_use and not function.blocking:
        return (f"return {call};",)
    if function.blocking:
        call = f"wg::cpython::blocking([&]() -> decltype(auto) {{ return {call}; }})"
    if not row.cpython:
        return (f"{call};", "Py_RETURN_NONE;")
    return (f"return {_result(function, call, module, factory_of)};",)


def _result(function: Function, call: str, module: Module, factory_of: str | None) -> str:
    row = result(function.returns, module.name)
    kept = _owners(function)
    if row.cpp_use:
        return row.cpython.replace("$", f"{call}, {kept}" if kept else call)
    made = (row.cpython_of_class if factory_of else row.cpython).replace("$", call)
    return f"wg::cpython::keep_alive({made}, {kept})" if kept else made


def _use(function: Function, row: ResultRow) -> str:
    """What makes a Python object of the call's own result, without a copy of it."""
    value, kept = "std::forward<decltype(wg_value)>(wg_value)", _owners(function)
    made = row.cpython.replace("$", f"{value}, {kept}" if kept else value)
    return f"[&](auto &&wg_value) {{ return {made}; }}"


def _owners(function: Function) -> str:
    """What the result keeps alive; empty when it is nothing."""
    kept = ["wg_own" if function.handle and n == "h" else names.extra(n, "argument") for n in owners(function)]
    return f"wg::cpython::owners({', '.join(kept)})" if kept else ""


# --- tables ----------------------------------------------------------------------------------------------------------


def _entry(function: Function, module: Module, c_name: str, first: str = "", doc: str = "") -> str:
    """A line of a PyMethodDef table."""
    flags = _WITH_KEYWORDS if function.parameters else "METH_NOARGS"
    flags = f"{flags} | METH_CLASS" if first == "$type" else flags
    package = module.package if first else ""
    declared = [first] * bool(first) + [_shown(p, package) for p in function.parameters]
    name = names.of_function(function)
    text = doc or "\n".join(function_doc(function, module))
    signature = f"{name}({', '.join(declared)})"
    return f"{{{c_string(name)}, WG_ANY({c_name}), {flags}, {c_string(f'{signature}{_END_OF_SIGNATURE}{text}')}}},"


def _shown(p: Parameter, package: str) -> str:
    """A parameter in a signature; `package` where `inspect` does not know in which module names have their meaning."""
    default = "" if p.default is NO_DEFAULT else f"={_shown_value(p.default)}"
    if package and isinstance(p.default, EnumValue):
        default = "=" + "|".join(f"{package}.{each}" for each in literal(p.default).split(" | "))
    return f"{names.python(p.name)}{default}"


def _shown_value(value: Value) -> str:
    """A default in a signature: `inspect` reads it if it is ASCII and has no calls."""
    match value:
        case (only,):  # `inspect` drops a comma before a parenthesis, and would read a tuple of one as its element
            return f"[{_shown_value(only)}]"
        case tuple():
            return f"({', '.join(_shown_value(v) for v in value)})"
        case float() if value != value:
            return "1e999 - 1e999"
        case float() if value in (float("inf"), float("-inf")):
            return "1e999" if value > 0 else "-1e999"
        case str():
            return ascii(value)
        case MapValue(items):
            return f"{{{', '.join(f'{_shown_value(k)}: {_shown_value(v)}' for k, v in items)}}}"
        case _:
            return literal(value)


def _type(handle: HandleType, own: Members, keeps: bool, module: Module) -> TypeView:
    made = [_entry(f, module, f"{_c_name(f)}_in_class", "$type", factory_doc(f)) for f in own.makers]
    methods = [_entry(m, module, _c_name(m), "$self") for m in own.methods if not m.property]
    properties = tuple(_property(m, module) for m in own.methods if m.property)
    return TypeView(
        name=handle.name,
        qualified=f"{names.namespace(module.name)}::{handle.name}",
        shown=c_string(handle.name),
        wanted=c_string(a(handle.name)),
        makers=c_string(makers(handle.name, own.makers)),
        doc=c_string(handle_doc(handle).strip()),
        keeps=str(keeps).lower(),
        methods=(*made, *methods),
        properties=properties,
    )


def _property(method: Function, module: Module) -> str:
    """A line of a PyGetSetDef table."""
    doc = c_string("\n".join(function_doc(method, module)))
    return f"{{{c_string(names.of_function(method))}, {_c_name(method)}, nullptr, {doc}, nullptr}},"


def _enum(enum: EnumType, module: Module) -> EnumView:
    return EnumView(
        tag=names.enum_tag(enum.name),
        shown=c_string(enum.name),
        wanted=c_string(a(enum.name)),
        array=enum_array(enum, module),
        size=len(enum.members),
    )

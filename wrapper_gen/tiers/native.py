"""The native engine: CPython types and functions over the bridge. Decides every line of `native.cpp`; places none."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.conversions import parameter, result
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    NO_DEFAULT,
    EnumType,
    Function,
    Handle,
    HandleType,
    List,
    Mode,
    Module,
    Optional,
    Parameter,
    Value,
    Void,
)
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers import bridge, cffi_build, python_api
from wrapper_gen.tiers.documentation import factory_doc, function_doc, handle_doc

NUMBER = 3
TEMPLATES = (("native/native.cpp.jinja", "native.cpp"),)
STATIC = tuple(
    (f"native/{name}", name)
    for name in (
        "wg_native.hpp",
        "wg_native_arguments.hpp",
        "wg_native_lists.hpp",
        "wg_native_handles.hpp",
        "wg_native_results.hpp",
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
class WrapperView:
    """A function that CPython calls with what it has, for one that several share."""

    head: str
    arguments: str


@frozen
class FunctionView:
    """One function or method, in the order in which its lines run."""

    where: str
    c_name: str
    linkage: str
    """`static ` for what only the wrappers call."""
    head: str
    entries: tuple[str, ...]
    """What the tables refer to, declared."""
    count: int
    required: int
    parameters: tuple[str, ...]
    defaults: str
    signatures: tuple[SignatureView, ...]
    signature: str
    """The signature that it binds its arguments with; empty when it has none."""
    declared: tuple[str, ...]
    """The objects that take the arguments."""
    taken: str
    """Condition: all arguments are what they have to be; empty when there are none."""
    opened: str
    """Condition: all handles are usable, asked once nothing can run Python code any more."""
    statements: tuple[str, ...]
    not_implemented: str
    wrappers: tuple[WrapperView, ...]


@frozen
class PartView:
    """Functions that are compiled together."""

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
    enums: tuple[EnumView, ...]
    types: tuple[TypeView, ...]
    functions: tuple[FunctionView, ...]
    parts: tuple[PartView, ...]
    table: tuple[str, ...]
    """The same for functions."""


def view(module: Module) -> View:
    """The native engine of one module."""
    members = python_api.members(module)
    classes = {f.base: h for h, own in members.items() for f in own.makers}
    keeping = _keeping(module)
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
        init=f"PyInit_{extension}_native",
        module=c_string(f"{module.package}.{extension}_native"),
        refusal=c_string(f"{module.package} does not support sub-interpreters"),
        error=c_string(names.library_error(module.name)),
        exceptions=tuple(c_string(n) for n in bridge.exception_names(module)),
        caught=any(not e.ok for e in module.errors),
        enums=tuple(_enum(e, module) for e in module.enums),
        types=tuple(_type(h, members[h.name], h.name in keeping, module) for h in module.handles),
        functions=functions,
        parts=_parts(functions, cffi_build.parts(module)),
        table=tuple(_entry(f, module, _c_name(f)) for f in module.functions),
    )


def _parts(functions: tuple[FunctionView, ...], count: int) -> tuple[PartView, ...]:
    """The functions in this many parts of about one size."""
    size = -(-len(functions) // count) or 1
    return tuple(PartView(i, functions[i * size : (i + 1) * size]) for i in range(count))


# --- functions -------------------------------------------------------------------------------------------------------


def _c_name(function: Function) -> str:
    return names.python_code(function.base, function.handle)


def _function(function: Function, module: Module, factory_of: str | None) -> FunctionView:
    c_name = _c_name(function)
    required = sum(p.default is NO_DEFAULT for p in function.parameters)
    defaults = "".join(f"{python_api.literal(p.default)}, " for p in function.parameters if p.default is not NO_DEFAULT)
    name = names.of_function(function)
    own_name = f"{function.handle}.{name}" if function.handle else name
    variable = f"{c_name}_signature"
    signatures = [SignatureView(variable, c_string(own_name), 1 if function.handle else 0)]
    if factory_of:
        signatures.append(SignatureView(f"{c_name}_of_class", c_string(f"{factory_of}.{name}"), 1))
    has_parameters = bool(function.parameters)
    head = _head(function, c_name, factory_of)
    wrappers = _wrappers(function, c_name, factory_of)
    return FunctionView(
        where=f"{function.name}: {module.spec}:{function.span.line}",
        c_name=c_name,
        linkage="static " if factory_of else "",
        head=head,
        entries=tuple(w.head for w in wrappers) or (head,),
        count=len(function.parameters),
        required=required,
        parameters=tuple(c_string(names.python(p.name)) for p in function.parameters),
        defaults=c_string(f"({defaults})") if defaults else "nullptr",
        signatures=tuple(signatures) if has_parameters else (),
        signature=("wg_signature" if factory_of else variable) if has_parameters else "",
        declared=_declared(function, module),
        taken=" || ".join(
            f"!{_argument(p)}.take({_at(i)}, {c_string(names.python(p.name))})"
            for i, p in enumerate(function.parameters)
        ),
        opened=_opened(function),
        statements=_statements(function, module, factory_of),
        not_implemented=bridge.not_implemented(function, module),
        wrappers=wrappers,
    )


def _argument(p: Parameter) -> str:
    return names.extra(p.name, "argument")


def _at(index: int) -> str:
    return f"wg_arguments[{index}]"


def _head(function: Function, c_name: str, factory_of: str | None) -> str:
    """What the C function is declared as: CPython's conventions, or (shared by a function and a factory) our own."""
    row = "PyObject *const *wg_arguments, Py_ssize_t wg_given, PyObject *wg_keywords"
    if factory_of:
        shared = "PyTypeObject *wg_type"
        return (
            f"{c_name}_as({shared}, wg::native::Signature &wg_signature, {row})"
            if function.parameters
            else f"{c_name}_as({shared})"
        )
    own = "PyObject *wg_self" if function.handle else "PyObject *"
    if function.property:
        return f"{c_name}({own}, void *)"
    return f"{c_name}({own}, {row})" if function.parameters else f"{c_name}({own}, PyObject *)"


def _wrappers(function: Function, c_name: str, factory_of: str | None) -> tuple[WrapperView, ...]:
    if not factory_of:
        return ()
    row = "PyObject *const *wg_arguments, Py_ssize_t wg_given, PyObject *wg_keywords"
    passed = "wg_arguments, wg_given, wg_keywords"
    exact, of_class = f"wg::native::Traits<{factory_of}>::type", "reinterpret_cast<PyTypeObject *>(wg_class)"
    if not function.parameters:
        return (
            WrapperView(f"{c_name}(PyObject *, PyObject *)", exact),
            WrapperView(f"{c_name}_in_class(PyObject *wg_class, PyObject *)", of_class),
        )
    return (
        WrapperView(f"{c_name}(PyObject *, {row})", f"{exact}, {c_name}_signature, {passed}"),
        WrapperView(f"{c_name}_in_class(PyObject *wg_class, {row})", f"{of_class}, {c_name}_of_class, {passed}"),
    )


def _declared(function: Function, module: Module) -> tuple[str, ...]:
    own = [f"wg::native::Handle<{function.handle}> wg_own(wg_self);"] if function.handle else []
    return (*own, *(f"{_class(p, module)} {_argument(p)};" for p in function.parameters))


def _class(p: Parameter, module: Module) -> str:
    native = parameter(p.type, p.name, module.name).native
    return native.replace("wg::native::Handle<", "wg::native::TakenHandle<") if p.mode is Mode.TAKE else native


def _has_handle(p: Parameter) -> bool:
    return isinstance(p.type, Handle) or (isinstance(p.type, List | Optional) and isinstance(_inside(p.type), Handle))


def _inside(type_: List | Optional) -> object:
    return type_.element if isinstance(type_, List) else type_.of


def _opened(function: Function) -> str:
    """The instance comes after the other handles: those are arguments, which Python's own messages would name first.

    What is taken comes last, and nothing else of the call may be it: hence the pins.
    """
    takes = [p for p in function.parameters if p.mode is Mode.TAKE]
    borrows = [p for p in function.parameters if _has_handle(p) and p not in takes]
    opened = [f"{_argument(p)}.open({c_string(names.python(p.name))})" for p in borrows]
    opened += ["wg_own.open_own()"] * bool(function.handle)
    if takes or function.blocking:
        opened += [f"{a}.pin()" for a in (*map(_argument, borrows), *(["wg_own"] if function.handle else []))]
    opened += [f"{_argument(p)}.open({c_string(names.python(p.name))})" for p in takes]
    return " || ".join(f"!{each}" for each in opened)


def _statements(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    """What runs inside `try`: the call, and its result as a Python object."""
    arguments = ["wg_own.value()"] if function.handle else []
    arguments += [f"{_argument(p)}.value()" for p in function.parameters]
    call = f"wg_api::{names.cpp_function(module.name, function.base, function.handle)}({', '.join(arguments)})"
    if function.blocking:
        call = f"wg::native::blocking([&]() -> decltype(auto) {{ return {call}; }})"
    if isinstance(function.returns, Void):
        return (f"{call};", "Py_RETURN_NONE;")
    return (f"return {_result(function, call, module, factory_of)};",)


def _result(function: Function, call: str, module: Module, factory_of: str | None) -> str:
    row = result(function.returns, module.name)
    if not isinstance(function.returns, Handle):
        made = row.native.replace("$", call)
    else:
        name = function.returns.name
        type_ = "wg_type" if factory_of else f"wg::native::Traits<{name}>::type"
        made = f"wg::native::give<{name}>({type_}, [&]() -> decltype(auto) {{ return {call}; }})"
    if function.keep_alive:
        own = {"h": "wg_own"} if function.handle else {}
        kept = ", ".join(f"{own.get(n) or names.extra(n, 'argument')}.kept()" for n in function.keep_alive)
        made = f"wg::native::keep_alive({made}, {{{kept}}})"
    if bridge.is_handle(function.returns):
        for p in function.parameters:
            made = f"{_argument(p)}.pass_on({made})" if p.mode is Mode.TAKE else made
    return made


# --- tables ----------------------------------------------------------------------------------------------------------


def _entry(function: Function, module: Module, c_name: str, first: str = "", doc: str = "") -> str:
    """A line of a PyMethodDef table."""
    flags = _WITH_KEYWORDS if function.parameters else "METH_NOARGS"
    flags = f"{flags} | METH_CLASS" if first == "$type" else flags
    declared = [first] * bool(first) + [_shown(p) for p in function.parameters]
    name = names.of_function(function)
    text = doc or "\n".join(function_doc(function, module))
    signature = f"{name}({', '.join(declared)})"
    return f"{{{c_string(name)}, wg_any({c_name}), {flags}, {c_string(f'{signature}{_END_OF_SIGNATURE}{text}')}}},"


def _shown(p: Parameter) -> str:
    default = "" if p.default is NO_DEFAULT else f"={_shown_value(p.default)}"
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
        case _:
            return python_api.literal(value)


def _type(handle: HandleType, own: python_api.Members, keeps: bool, module: Module) -> TypeView:
    makers = [_entry(f, module, f"{_c_name(f)}_in_class", "$type", factory_doc(f, module)) for f in own.makers]
    methods = [_entry(m, module, _c_name(m), "$self") for m in own.methods if not m.property]
    properties = tuple(_property(m, module) for m in own.methods if m.property)
    return TypeView(
        name=handle.name,
        qualified=f"{names.namespace(module.name)}::{handle.name}",
        shown=c_string(handle.name),
        wanted=c_string(f"a {handle.name}"),
        makers=c_string(python_api.makers(handle.name, own.makers)),
        doc=c_string(handle_doc(handle).strip()),
        keeps=str(keeps).lower(),
        methods=(*makers, *methods),
        properties=properties,
    )


def _keeping(module: Module) -> set[str]:
    """The handle types that can keep others alive, and so be part of a cycle."""
    returned = (
        f.returns.of if isinstance(f.returns, Optional) else f.returns
        for f in (*module.functions, *module.methods)
        if f.keep_alive or any(p.mode is Mode.TAKE for p in f.parameters)
    )
    return {type_.name for type_ in returned if isinstance(type_, Handle)}


def _property(method: Function, module: Module) -> str:
    """A line of a PyGetSetDef table."""
    doc = c_string("\n".join(function_doc(method, module)))
    return f"{{{c_string(names.of_function(method))}, {_c_name(method)}, nullptr, {doc}, nullptr}},"


def _enum(enum: EnumType, module: Module) -> EnumView:
    return EnumView(
        tag=names.enum_tag(enum.name),
        shown=c_string(enum.name),
        wanted=c_string(f"a {enum.name}"),
        array=names.support(module.name, enum.name),
        size=len(enum.members),
    )

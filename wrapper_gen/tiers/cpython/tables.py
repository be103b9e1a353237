"""The tables that CPython reads: handle types and enums, methods, properties and functions with their signatures."""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign

from wrapper_gen import names
from wrapper_gen.attributes import Attributed
from wrapper_gen.diagnostics import a
from wrapper_gen.frozen import frozen
from wrapper_gen.lifetimes.ended import drops_with_owner
from wrapper_gen.model import (
    NO_DEFAULT,
    EnumType,
    Function,
    HandleType,
    Module,
    Parameter,
    Thread,
)
from wrapper_gen.queries import Members, enum_array, exception_names, is_fixed
from wrapper_gen.quoting import c_bool, c_string
from wrapper_gen.submodules import homes, namespace_of, path, qualified
from wrapper_gen.tiers.cpython.calls import slot_code
from wrapper_gen.tiers.cpython.slots import IN_TABLE, slots
from wrapper_gen.types.hints import Way
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.values import EnumValue, MapValue, Value
from wrapper_gen.views.documentation import factory_doc, function_doc, handle_doc, makers, owner_doc
from wrapper_gen.views.literals import literal
from wrapper_gen.views.overloads import forms, shown
from wrapper_gen.views.protocols import PRIORITY, for_numpy, inherited
from wrapper_gen.views.signatures import with_mark

WITH_KEYWORDS = "METH_FASTCALL | METH_KEYWORDS"
END_OF_SIGNATURE = "\n--\n\n"
"""Where CPython looks for the signature in a docstring."""


@frozen
class TypeView:
    """One handle type."""

    name: str
    qualified: str
    home: str
    """The module that has it, as Python imports it."""
    into: str
    """The dict that the class is put into."""
    shown: str
    wanted: str
    makers: str
    doc: str
    keeps: str
    is_exclusive: str
    drop_owner: str
    """The further parameter of its drop function, and the argument for it, where that needs the owner."""
    drop_given: str
    methods: tuple[str, ...]
    properties: tuple[str, ...]
    slots: tuple[str, ...]
    """Lines of the tables that CPython reads; no slots where all are those that every class has."""
    standard: tuple[str, ...]
    """Lines of methods that every class has, where this one has none of its own."""
    more: str
    """Further arguments of what makes the class: its slots, and what CPython calls for the class itself."""
    has_memory: str
    """Whether its objects are arrays to NumPy, which leaves operators to them; empty where it has no reflected ones."""


@frozen
class EnumView:
    """One enum: the tag by which arguments and results find its class."""

    tag: str
    shown: str
    wanted: str
    array: str
    size: int


@frozen
class AttributesView:
    """The attributes of one exception."""

    index: int
    descriptor: str
    names: str
    """An initializer."""


def attributes_view(found: Attributed, module: Module) -> AttributesView:
    listed = ", ".join(c_string(each.field.name) for each in found.attributes)
    index = exception_names(module).index(found.exception)
    return AttributesView(index, descriptor(found.type, Way.RESULT, module.name), f"{{{listed}}}")


def entry(function: Function, module: Module, c_name: str, first: str = "", doc: str = "") -> str:
    """A line of a PyMethodDef table."""
    flags = WITH_KEYWORDS if function.parameters else "METH_NOARGS"
    flags += _of_class(function, in_class=first == "$type")
    from_here = None if first or function.static else function.module
    declared = [first] * bool(first) + with_mark(
        function, [shown_parameter(p, module, from_here) for p in function.parameters]
    )
    name = names.of_function(function)
    text = doc or "\n".join(function_doc(function, module))
    signature = f"{name}({', '.join(declared)})"
    return f"{{{c_string(name)}, WG_ANY({c_name}), {flags}, {c_string(f'{signature}{END_OF_SIGNATURE}{text}')}}},"


def _of_class(function: Function, *, in_class: bool) -> str:
    """The flag of what is called on a class."""
    return " | METH_CLASS" if in_class else " | METH_STATIC" if function.static else ""


def forms_entry(group: Sequence[Function], module: Module, owner: str, *, in_class: bool = False) -> str:
    """The same for functions of one name."""
    name = names.of_function(group[0])
    flags = WITH_KEYWORDS + _of_class(group[0], in_class=in_class)
    doc = "\n\n".join(f"{shown(f)}\n\n" + "\n".join(function_doc(f, module)) for f in group)
    return (
        f"{{{c_string(name)}, WG_ANY({names.python_forms(name, owner or group[0].module)}), {flags}, {c_string(doc)}}},"
    )


def shown_parameter(p: Parameter, module: Module, from_here: str | None) -> str:
    """A parameter in a signature; `inspect` reads names in the module `from_here`, if it knows in which."""
    if p.default is NO_DEFAULT:
        return names.python(p.name)
    if isinstance(p.default, EnumValue) and not p.default.members:
        return f"{names.python(p.name)}=0"
    if isinstance(p.default, EnumValue) and homes(module)[p.default.enum] != from_here:
        enum = qualified(p.default.enum, module)
        members = (f"{enum}.{names.python_enum_member(each)}" for each in p.default.members)
        return f"{names.python(p.name)}={'|'.join(members)}"
    return f"{names.python(p.name)}={_shown_value(p.default)}"


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
        case complex():
            return _shown_complex(value)
        case str():
            return ascii(value)
        case MapValue(items):
            return f"{{{', '.join(f'{_shown_value(k)}: {_shown_value(v)}' for k, v in items)}}}"
        case _:
            return literal(value)


def _shown_complex(value: complex) -> str:
    """A sum: `inspect` adds constants, of which none has a sign."""
    real, imag = (_shown_value(abs(part)) for part in (value.real, value.imag))
    first = f"0.0 - {real}" if copysign(1, value.real) < 0 else real
    return f"{first} {'-' if copysign(1, value.imag) < 0 else '+'} {imag}j"


def type_view(handle: HandleType, own: Members, keeps: bool, module: Module) -> TypeView:
    made = [
        entry(f, module, f"{names.python_code(f)}_in_class", "$type", factory_doc(f, module))
        for f in own.makers
        if not f.is_form
    ]
    made += [forms_entry(group, module, handle.name, in_class=True) for group in forms(own.makers)]
    methods = [entry(f, module, names.python_code(f)) for f in own.statics if not f.is_form]
    methods += [forms_entry(group, module, handle.name) for group in forms(own.statics)]
    methods += [_method(m, module) for m in own.methods if _is_listed(m)]
    methods += [forms_entry(group, module, handle.name) for group in forms(own.methods) if not group[0].protocol]
    numpy = for_numpy(handle.name, own.methods, module)
    setters = {m.sets: m for m in own.methods if m.sets}
    properties = [_property(m, setters.get(m.name), module) for m in own.methods if m.property]
    properties += [_unread_property(m, module) for m in setters.values() if not m.is_read]
    return TypeView(
        name=handle.name,
        qualified=f"{names.namespace(module.name)}::{handle.name}",
        home=c_string(path(module, handle.module)),
        into=namespace_of(handle.module),
        shown=c_string(handle.name),
        wanted=c_string(a(handle.name)),
        makers=c_string(makers(handle.name, own)),
        doc=c_string(_class_doc(handle, own, module)),
        keeps=c_bool(keeps),
        is_exclusive=c_bool(handle.thread is Thread.EXCLUSIVE),
        drop_owner=f", {names.namespace(module.name)}::{handle.lent_by} &owner" if drops_with_owner(handle) else "",
        drop_given=", owner" if drops_with_owner(handle) else "",
        methods=(*made, *methods),
        properties=(*properties, *_owner_property(handle)),
        slots=slots(handle.name, own, module),
        standard=_standard(handle, own, module),
        more=_more(handle, own, module),
        has_memory=c_bool(numpy == PRIORITY) if numpy else "",
    )


def _is_listed(method: Function) -> bool:
    """Whether it is in the table of methods: it is no property, and has no slot."""
    return not (method.property or method.sets or method.is_form or (method.protocol and method.name not in IN_TABLE))


def _more(handle: HandleType, own: Members, module: Module) -> str:
    found = [f"{names.namespace(module.name)}::wg_slots_{handle.name}"] * bool(slots(handle.name, own, module))
    found += [f"&{names.namespace(module.name)}::{slot_code(c)}" for c in own.constructors[:1]]
    return "".join(f", {each}" for each in found)


def _method(method: Function, module: Module) -> str:
    c_name = names.python_code(method)
    if not method.protocol:
        return entry(method, module, c_name, "$self")
    return f"{{{c_string(method.name)}, WG_ANY({c_name}), {IN_TABLE[method.name]}, nullptr}},"


_STANDARD = {
    "__enter__": "wg::cpython::method_enter<{}>, METH_NOARGS",
    "__exit__": "wg::cpython::method_exit<{}>, METH_VARARGS",
    "__reduce__": "wg::cpython::refuse_pickle, METH_NOARGS",
    "__copy__": "wg::cpython::refuse_copy, METH_NOARGS",
    "__deepcopy__": "wg::cpython::refuse_copy, METH_O",
}
"""The methods that every class has."""


def _standard(handle: HandleType, own: Members, module: Module) -> tuple[str, ...]:
    declared = {m.name for m in own.methods if m.protocol} | inherited(handle.name, module).keys()
    standard = _STANDARD | ({"__deepcopy__": "wg::cpython::refuse_deep_copy, METH_O"} if "__copy__" in declared else {})
    wanted = ((name, code.format(handle.name)) for name, code in standard.items() if name not in declared)
    return tuple(f"{{{c_string(name)}, {code}, nullptr}}," for name, code in wanted)


def _class_doc(handle: HandleType, own: Members, module: Module) -> str:
    """What a class says of itself: first, how it is called. Its `__init__` is a slot, which has no words of its own."""
    doc = handle_doc(handle).strip()
    if len(own.constructors) > 1:
        return "\n\n".join([doc, *("\n\n".join([shown(f), *_said(f, module)]) for f in own.constructors)])
    for constructor in own.constructors:
        doc = "\n\n".join([doc, *_said(constructor, module)])
        declared = with_mark(constructor, [shown_parameter(p, module, None) for p in constructor.parameters])
        doc = f"{handle.name}({', '.join(declared)}){END_OF_SIGNATURE}{doc}"
    return doc


def _said(constructor: Function, module: Module) -> list[str]:
    """What the spec says of a constructor, beyond that it makes an object."""
    lines = function_doc(constructor, module)
    text = "\n".join(lines if constructor.doc else lines[1:]).strip()
    return [text] if text else []


def _owner_property(handle: HandleType) -> tuple[str, ...]:
    """The line of the property that is what lends a handle."""
    if not handle.lent_by:
        return ()
    doc = c_string(owner_doc(handle))
    return (f"{{{c_string(handle.owner)}, wg::cpython::get_owner<{handle.name}>, nullptr, {doc}, nullptr}},",)


def _property(method: Function, setter: Function | None, module: Module) -> str:
    """A line of a PyGetSetDef table."""
    doc = c_string("\n".join(function_doc(method, module)))
    name, code = c_string(names.of_function(method)), names.python_code(method)
    code = f"wg::cpython::get_fixed<{code}>" if is_fixed(method) else code
    sets = names.python_code(setter) if setter else "nullptr"
    return f"{{{name}, {code}, {sets}, {doc}, nullptr}},"


def _unread_property(setter: Function, module: Module) -> str:
    """The same of a property that is only set."""
    doc = c_string("\n".join(function_doc(setter, module)))
    name, code = c_string(names.of_function(setter)), names.python_code(setter)
    return f"{{{name}, wg::cpython::not_read, {code}, {doc}, const_cast<char *>({name})}},"


def enum_view(enum: EnumType, module: Module) -> EnumView:
    return EnumView(
        tag=names.enum_tag(enum.name),
        shown=c_string(enum.name),
        wanted=c_string(a(enum.name)),
        array=enum_array(enum, module),
        size=len(enum.members),
    )

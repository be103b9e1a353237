"""The tables that CPython reads: handle types and enums, methods, properties and functions with their signatures."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.attributes import Attributed
from wrapper_gen.diagnostics import a
from wrapper_gen.frozen import frozen
from wrapper_gen.interfaces import closed_to_python, is_open_again
from wrapper_gen.lifetimes.ended import drops_with_owner
from wrapper_gen.model import (
    EnumType,
    Function,
    HandleType,
    Module,
    Thread,
)
from wrapper_gen.queries import Members, enum_array, exception_names, is_fixed
from wrapper_gen.quoting import c_bool, c_string
from wrapper_gen.submodules import namespace_of, path
from wrapper_gen.tiers.cpython.calls import row, slot_code
from wrapper_gen.tiers.cpython.slots import IN_TABLE, slots
from wrapper_gen.types.hints import Way
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.views.docs import constructors_doc
from wrapper_gen.views.documentation import makers
from wrapper_gen.views.overloads import forms
from wrapper_gen.views.protocols import PRIORITY, for_numpy, inherited

WITH_KEYWORDS = "METH_FASTCALL | METH_KEYWORDS"


@frozen
class TypeView:
    """One handle type."""

    name: str
    qualified: str
    row: tuple[str, ...]
    """What messages call one, and how one is released."""
    home: str
    """The module that has it, as Python imports it."""
    into: str
    """The dict that the class is put into."""
    shown: str
    doc: str
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
class EnumRowView:
    """One enum: the tag by which arguments and results find its class."""

    tag: str
    shown: str
    wanted: str
    array: str
    size: int


@frozen
class AttributesRowView:
    """The attributes of one exception."""

    index: int
    descriptor: str
    names: str
    """An initializer."""


def attributes_view(found: Attributed, module: Module) -> AttributesRowView:
    listed = ", ".join(c_string(each.field.name) for each in found.attributes)
    index = exception_names(module).index(found.exception)
    return AttributesRowView(index, descriptor(found.type, Way.RESULT, module.name), f"{{{listed}}}")


def entry(function: Function, c_name: str, doc: str, *, in_class: bool = False) -> str:
    """A line of a PyMethodDef table."""
    flags = WITH_KEYWORDS if function.parameters else "METH_NOARGS"
    flags += _of_class(function, in_class=in_class)
    return f"{{{c_string(names.of_function(function))}, WG_ANY({c_name}), {flags}, {doc}}},"


def _of_class(function: Function, *, in_class: bool) -> str:
    """The flag of what is called on a class."""
    return " | METH_CLASS" if in_class else " | METH_STATIC" if function.static else ""


def forms_entry(group: Sequence[Function], owner: str, *, in_class: bool = False) -> str:
    """The same for functions of one name."""
    name, owner = names.of_function(group[0]), owner or group[0].module
    flags = WITH_KEYWORDS + _of_class(group[0], in_class=in_class)
    code, doc = names.python_forms(name, owner), names.forms_doc(name, owner)
    return f"{{{c_string(name)}, WG_ANY({code}), {flags}, {doc}}},"


def type_view(handle: HandleType, own: Members, keeps: bool, module: Module) -> TypeView:
    made = [
        entry(f, f"{names.python_code(f)}_in_class", names.doc_in_class(f), in_class=True)
        for f in own.makers
        if not f.is_form
    ]
    made += [forms_entry(group, handle.name, in_class=True) for group in forms(own.makers)]
    methods = [entry(f, names.python_code(f), names.doc(f)) for f in own.statics if not f.is_form]
    methods += [forms_entry(group, handle.name) for group in forms(own.statics)]
    methods += [_method(m) for m in own.methods if _is_listed(m)]
    methods += [forms_entry(group, handle.name) for group in forms(own.methods) if not group[0].protocol]
    numpy = for_numpy(handle.name, own.methods, module)
    setters = {m.sets: m for m in own.methods if m.sets}
    properties = [_property(m, setters.get(m.name)) for m in own.methods if m.property]
    properties += [_unread_property(m) for m in setters.values() if not m.is_read]
    return TypeView(
        name=handle.name,
        qualified=f"{names.namespace(module.name)}::{handle.name}",
        row=_row(handle, own, keeps, module),
        home=c_string(path(module, handle.module)),
        into=namespace_of(handle.module),
        shown=c_string(handle.name),
        doc=_class_doc(handle, own, module),
        methods=(*made, *methods, *_subclassing(handle, module)),
        properties=(*properties, *_owner_property(handle)),
        slots=slots(handle.name, own, module),
        standard=_standard(handle, own, module),
        more=_more(handle, own, module),
        has_memory=c_bool(numpy == PRIORITY) if numpy else "",
    )


def _subclassing(handle: HandleType, module: Module) -> tuple[str, ...]:
    """The line that says whether Python may derive from a class, in a family of which it overrides methods."""
    if handle.name in closed_to_python(module):
        code = "refuse_subclass"
    elif is_open_again(handle.name, module):
        code = "allow_subclass"
    else:
        return ()
    code = f"wg::cpython::{code}<{handle.name}>"
    return (f'{{"__init_subclass__", WG_ANY({code}), METH_VARARGS | METH_KEYWORDS | METH_CLASS, nullptr}},',)


def _row(handle: HandleType, own: Members, keeps: bool, module: Module) -> tuple[str, ...]:
    """The row of its traits. What needs the object that lends it is released with that."""
    space = names.namespace(module.name)
    owner, given = (f", {space}::{handle.lent_by} &owner", ", owner") if drops_with_owner(handle) else ("", "")
    drops = f"({space}::{handle.name} &h{owner}) {{ {space}::wg_drop_{handle.name}(h{given}); }}"
    said = c_string(a(handle.name)), c_string(makers(handle.name, own))
    flags = c_bool(keeps), c_bool(handle.thread is Thread.EXCLUSIVE)
    return row("WG_HANDLE_TYPE", (space, handle.name, *said, *flags, drops))


def _is_listed(method: Function) -> bool:
    """Whether it is in the table of methods: it is no property, and has no slot."""
    return not (method.property or method.sets or method.is_form or (method.protocol and method.name not in IN_TABLE))


def _more(handle: HandleType, own: Members, module: Module) -> str:
    found = [f"{names.namespace(module.name)}::wg_slots_{handle.name}"] * bool(slots(handle.name, own, module))
    found += [f"&{names.namespace(module.name)}::{slot_code(c)}" for c in own.constructors[:1]]
    return "".join(f", {each}" for each in found)


def _method(method: Function) -> str:
    c_name = names.python_code(method)
    if not method.protocol:
        return entry(method, c_name, names.doc(method))
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
    if not declared & _STANDARD.keys():
        return (f"WG_METHODS_OF_PROTOCOLS({handle.name})",)
    standard = _STANDARD | ({"__deepcopy__": "wg::cpython::refuse_deep_copy, METH_O"} if "__copy__" in declared else {})
    wanted = ((name, code.format(handle.name)) for name, code in standard.items() if name not in declared)
    return tuple(f"{{{c_string(name)}, {code}, nullptr}}," for name, code in wanted)


def _class_doc(handle: HandleType, own: Members, module: Module) -> str:
    """What a class says of itself; of its `__init__` too, which is a slot and has no words of its own."""
    place, doc = names.namespace(module.name), names.class_doc(handle.name)
    if not constructors_doc(own, module):
        return f"{place}::{doc}"
    return f'(std::string({place}::{doc}) + "\\n\\n" + {place}::{names.constructors_doc(handle.name)}).c_str()'


def _owner_property(handle: HandleType) -> tuple[str, ...]:
    """The line of the property that is what lends a handle."""
    if not handle.lent_by:
        return ()
    doc = names.owner_doc(handle.name)
    return (f"{{{c_string(handle.owner)}, wg::cpython::get_owner<{handle.name}>, nullptr, {doc}, nullptr}},",)


def _property(method: Function, setter: Function | None) -> str:
    """A line of a PyGetSetDef table."""
    name, code = c_string(names.of_function(method)), names.python_code(method)
    code = f"wg::cpython::get_fixed<{code}>" if is_fixed(method) else code
    sets = names.python_code(setter) if setter else "nullptr"
    return f"{{{name}, {code}, {sets}, {names.doc(method)}, nullptr}},"


def _unread_property(setter: Function) -> str:
    """The same of a property that is only set."""
    name, code = c_string(names.of_function(setter)), names.python_code(setter)
    return f"{{{name}, wg::cpython::not_read, {code}, {names.doc(setter)}, const_cast<char *>({name})}},"


def enum_view(enum: EnumType, module: Module) -> EnumRowView:
    return EnumRowView(
        tag=names.enum_tag(enum.name),
        shown=c_string(enum.name),
        wanted=c_string(a(enum.name)),
        array=enum_array(enum, module),
        size=len(enum.members),
    )

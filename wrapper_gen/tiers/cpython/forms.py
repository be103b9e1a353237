"""Functions of several forms in the cpython engine: what says how well a call fits a form, and what calls the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, Module, RecordMember, StructType
from wrapper_gen.model.protocols import Protocol, Shape
from wrapper_gen.queries import Members, positional
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.cpython.calls import GIVEN, ROW, slot_code
from wrapper_gen.tiers.cpython.slots import INIT, VECTORCALL, has_signature, slot_of
from wrapper_gen.types.fitting import fitting_cpp
from wrapper_gen.views.overloads import forms, shown
from wrapper_gen.views.protocols import has_key, keys
from wrapper_gen.views.record_members import Kind, constructors, groups, kind_of_all


@frozen
class EntryView:
    """A function that calls one of the forms."""

    head: str
    line: str


@frozen
class FormsView:
    """The forms of one function."""

    kind: str
    """The C++ type of a form."""
    c_name: str
    levels: tuple[EntryView, ...]
    """Of forms that are no functions of the bridge: what says how well a call fits them."""
    forms: tuple[str, ...]
    """Initializers."""
    entries: tuple[EntryView, ...]


def level_entry(function: Function, c_name: str, module: Module) -> tuple[str, tuple[str, ...]]:
    """The function that says how well the arguments of a call fit a form: its head and its lines."""
    asked = ", ".join(fitting_cpp(p.type, module.name) for p in function.parameters)
    if function.protocol and not has_signature(function):
        count = len(keys(function)) if has_key(function) else 1
        line = f"return wg::cpython::level_of_operands<{count}, {asked}>(wg_row);"
        return f"int {c_name}_level(PyObject *const *wg_row)", (line,)
    head = f"int {c_name}_level({ROW})"
    if not function.parameters:
        lines = ("static_cast<void>(wg_arguments);", "return wg::cpython::level_of_none(wg_given, wg_keywords);")
        return head, lines
    return head, (f"return wg::cpython::level<{asked}>({c_name}_signature, {positional(function)}, {GIVEN});",)


def forms_view(group: Sequence[Function], owner: str, *, in_class: bool = False) -> FormsView:
    """Functions of one name; `in_class`: class methods, of functions that make one."""
    first, suffix = group[0], "_in_class" if in_class else ""
    name = names.of_function(first)
    if first.protocol or first.constructs:
        c_name, said = slot_code(first), c_string(f"{owner}.{name}" if first.protocol else name)
    else:
        c_name, said = names.python_forms(name, owner or first.module), c_string(f"{owner}.{name}" if owner else name)
    return FormsView(
        kind=_kind(first),
        c_name=c_name,
        levels=(),
        forms=tuple(_form(f, suffix) for f in group),
        entries=tuple(_entries(first, c_name, f"{said}, {c_name}_listed")),
    )


def forms_of_records(module: Module) -> Iterator[FormsView]:
    """The constructors and methods of records that have several forms."""
    for struct in module.structs:
        for group in groups(struct.name, module):
            if group[0][0].is_form:
                yield _forms_of_record(struct, group, module)


def _forms_of_record(struct: StructType, group: Sequence[tuple[Function, RecordMember]], module: Module) -> FormsView:
    record, member = struct.name, group[0][1]
    c_name, is_constructor = names.python_forms(member.name, record), member.is_constructor
    said = c_string(record if is_constructor else f"{record}.{member.name}")
    forms, levels = [f for f, _ in group], tuple[EntryView, ...]()
    initializers = [_form(f, "", 0 if member.is_static else 1) for f in forms]
    if is_constructor:
        fields, tag = constructors(struct, module)[0], names.struct_tag(record)
        levels = (_level_of_fields(fields, c_name, tag, module),)
        made = names.deprecated_maker(record) if struct.deprecated else f"wg::cpython::Record<{tag}>::make_of_fields"
        initializers.insert(0, f"{{{c_name}_level, {made}, nullptr, {c_string(shown(fields))}}},")
    best = "operate_best_of" if kind_of_all(group, module) is Kind.OPERATOR else "call_best"
    implied = "" if member.is_static or best == "operate_best_of" else ", 1"
    line = f"return wg::cpython::{best}({said}, {c_name}_listed, wg_self, {GIVEN}{implied});"
    if best == "operate_best_of":
        line = f"return wg::cpython::{best}({c_name}_listed, wg_self, {GIVEN});"
    entry = EntryView(f"PyObject *{c_name}(PyObject *wg_self, {ROW})", line)
    return FormsView("Form", c_name, levels, tuple(initializers), (entry,))


def _level_of_fields(function: Function, c_name: str, tag: str, module: Module) -> EntryView:
    asked = ", ".join(fitting_cpp(p.type, module.name) for p in function.parameters)
    line = f"return wg::cpython::level<{asked}>({tag}_signature, {len(function.parameters)}, {GIVEN});"
    return EntryView(f"int {c_name}_level({ROW})", line)


def _kind(function: Function) -> str:
    if function.protocol is None or has_signature(function):
        return "Form"
    slot = slot_of(function.protocol)
    return f"SlotForm<{', '.join([slot.result.strip(), *['PyObject *'] * slot.operands])}>"


def _entries(first: Function, c_name: str, forms_: str) -> Iterator[EntryView]:
    if first.constructs:
        given = "wg_type, wg_arguments, wg::cpython::count_given(wg_given), wg_keywords"
        yield EntryView(f"PyObject *{c_name}({VECTORCALL})", f"return wg::cpython::call_best({forms_}, {given});")
        given = "wg_self, wg_arguments, wg_keywords"
        yield EntryView(f"int {c_name}_init({INIT})", f"return wg::cpython::initialize_best({forms_}, {given});")
    elif first.protocol:
        slot = slot_of(first.protocol)
        given = ", ".join(each.rpartition("*")[2] for each in slot.parameters.split(", "))
        line = f"return wg::cpython::{_best(first.protocol)}({forms_}, {given});"
        yield EntryView(f"{slot.result}{c_name}({slot.parameters})", line)
    else:
        head = f"PyObject *{c_name}(PyObject *wg_self, {ROW})"
        yield EntryView(head, f"return wg::cpython::call_best({forms_}, wg_self, {GIVEN});")


def _best(protocol: Protocol) -> str:
    if protocol.shape is Shape.CALL:
        return "call_best_with"
    return "operate_best" if protocol.is_operator else "slot_best"


def forms_of_class(handle: str, own: Members) -> Iterator[FormsView]:
    """The constructors and methods of a class that have several forms."""
    found = (*forms(own.constructors), *forms(own.statics), *forms(own.methods))
    return (forms_view(group, handle) for group in found)


def has_slot_forms(module: Module) -> bool:
    """Whether there are several forms of what CPython calls by a slot."""
    return any(f.is_form and (f.protocol or f.constructs) for f in module.callables)


def _form(function: Function, suffix: str, implied: int = 0) -> str:
    c_name = names.python_code(function)
    said = c_string(shown(replace(function, parameters=function.parameters[implied:])))
    if function.protocol and not has_signature(function):
        return f"{{{c_name}_level, {c_name}, {said}}},"
    called = f"{c_name}{suffix}, nullptr" if function.parameters else f"nullptr, {c_name}{suffix}"
    return f"{{{c_name}_level, {called}, {said}}},"

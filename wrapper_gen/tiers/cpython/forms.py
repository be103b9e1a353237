"""Functions of several forms in the cpython engine: what says how well a call fits a form, and what calls the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, Module, RecordMember, StructType
from wrapper_gen.model.protocols import Protocol, Shape
from wrapper_gen.queries import Members, positional
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.cpython.calls import ROW, row, slot_code
from wrapper_gen.tiers.cpython.slots import has_signature, slot_of
from wrapper_gen.types.fitting import fitting_cpp
from wrapper_gen.views.overloads import forms, shown
from wrapper_gen.views.protocols import has_key, keys
from wrapper_gen.views.record_members import MemberKind, constructors, groups, kind_of_all


@frozen
class FormsView:
    """The forms of one function."""

    kind: str
    """The C++ type of a form."""
    c_name: str
    levels: tuple[str, ...]
    """The rows of forms that are no functions of the bridge: of what says how well a call fits them."""
    forms: tuple[str, ...]
    """Initializers."""
    row: tuple[str, ...]
    """That of what calls one of them."""


def level_head(function: Function, c_name: str) -> str:
    """What declares the function that says how well the arguments of a call fit a form."""
    if function.protocol and not has_signature(function):
        return f"int {c_name}_level(PyObject *const *)"
    return f"int {c_name}_level({ROW})"


def level_row(function: Function, c_name: str, module: Module) -> tuple[str, ...]:
    """Its row."""
    asked = [fitting_cpp(p.type, module.name) for p in function.parameters]
    if function.protocol and not has_signature(function):
        count = len(keys(function)) if has_key(function) else 1
        return row("WG_LEVEL_OF_OPERANDS", (c_name, str(count), *asked))
    if not asked:
        return row("WG_LEVEL_0", (c_name,))
    return row("WG_LEVEL", (c_name, str(positional(function)), *asked))


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
        row=_row(first, c_name, said),
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
    forms, levels = [f for f, _ in group], tuple[str, ...]()
    initializers = [_form(f, "", 0 if member.is_static else 1) for f in forms]
    if is_constructor:
        fields, tag = constructors(struct, module)[0], names.struct_tag(record)
        levels = _level_of_fields(fields, c_name, tag, module)
        made = names.deprecated_maker(record) if struct.deprecated else f"wg::cpython::Record<{tag}>::make_of_fields"
        initializers.insert(0, f"{{{c_name}_level, {made}, nullptr, {c_string(shown(fields))}}},")
    if kind_of_all(group, module) is MemberKind.OPERATOR:
        called = row("WG_FORMS_OPERATOR", (c_name,))
    else:
        called = row("WG_FORMS_FUNCTION" if member.is_static else "WG_FORMS_MEMBER", (c_name, said))
    return FormsView("Form", c_name, levels, tuple(initializers), called)


def _level_of_fields(function: Function, c_name: str, tag: str, module: Module) -> tuple[str, ...]:
    asked = [fitting_cpp(p.type, module.name) for p in function.parameters]
    return row("WG_LEVEL_OF", (c_name, f"{tag}_signature", str(len(function.parameters)), *asked))


def _kind(function: Function) -> str:
    if function.protocol is None or has_signature(function):
        return "Form"
    slot = slot_of(function.protocol)
    return f"SlotForm<{', '.join([slot.result.strip(), *slot.parameters])}>"


def _row(first: Function, c_name: str, said: str) -> tuple[str, ...]:
    if first.constructs:
        return row("WG_FORMS_CONSTRUCTOR", (c_name, said))
    if first.protocol:
        slot = slot_of(first.protocol)
        return row(f"WG_FORMS_SLOT_{len(slot.parameters)}", (slot.result.strip(), c_name, _best(first.protocol), said))
    return row("WG_FORMS_FUNCTION", (c_name, said))


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

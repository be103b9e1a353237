"""What `docs.hpp` has: of each thing its signature and documentation, once for both engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, HandleType, Module, RecordMember, StructType
from wrapper_gen.queries import Members, members
from wrapper_gen.quoting import c_string, c_text
from wrapper_gen.views.documentation import (
    factory_doc,
    function_doc,
    function_text,
    handle_doc,
    owner_doc,
    plain,
    struct_doc,
    summary,
)
from wrapper_gen.views.overloads import forms, shown
from wrapper_gen.views.record_members import MemberKind, constructors, groups, kind_of_all
from wrapper_gen.views.shown_signatures import has_own_signature, shown_signature
from wrapper_gen.views.signatures import defined_name

END_OF_SIGNATURE = "\n--\n\n"
"""Where CPython looks for the signature in a docstring."""


@frozen
class DocView:
    """The documentation of one thing."""

    variable: str
    signature: str
    """Finished literals; no signature where Python shows none for it; else with a space before it."""
    text: str
    place: str
    """A literal: what the cffi engine calls what it is of, its class before a dot."""


@frozen
class SignatureView:
    """A signature without documentation."""

    variable: str
    text: str


def docs(module: Module) -> Iterator[DocView]:
    """All that there is to say."""
    yield from _functions([f for f in module.functions if not f.is_form], module)
    for group in forms(module.functions):
        yield _forms(group, group[0].module, defined_name(group[0]), module)
    for handle in module.handles:
        yield from _of_class(handle, members(module)[handle.name], module)
    for struct in module.structs:
        yield from _of_record(struct, module)


def signatures(module: Module) -> Iterator[SignatureView]:
    """Those that stand alone, since Python shows no function that has them."""
    for f in module.callables:
        if has_own_signature(f):
            first = "$self" if f.handle or (f.member and not f.member.is_static) else ""
            text = shown_signature(f, module, _name_of(f), first)
            yield SignatureView(names.signature(f), c_string(text))


def _doc(variable: str, text: str, place: str, signature: str = "") -> DocView:
    head = f" {c_string(signature + END_OF_SIGNATURE)}" if signature else ""
    return DocView(variable, head, c_text(text), c_string(place))


def _functions(functions: Sequence[Function], module: Module) -> Iterator[DocView]:
    for f in functions:
        signature = shown_signature(f, module, names.of_function(f))
        yield _doc(names.doc(f), function_text(f, module), defined_name(f), signature)


def _forms(group: Sequence[Function], owner: str, place: str, module: Module, implied: int = 0) -> DocView:
    """Of functions of one name: each as it is called, and what it says."""
    said = [
        each
        for f in group
        for each in (shown(replace(f, parameters=f.parameters[implied:])), "", *function_doc(f, module), "")
    ]
    return _doc(names.forms_doc(_name_of(group[0]), owner), plain(said), place)


def _name_of(function: Function) -> str:
    return function.member.name if function.member else names.of_function(function)


# --- classes ---------------------------------------------------------------------------------------------------------


def _of_class(handle: HandleType, own: Members, module: Module) -> Iterator[DocView]:
    yield _class_doc(handle, own, module)
    yield from _constructors(handle, own, module)
    for f in own.makers:
        if not f.is_form:
            name = names.of_function(f)
            signature = shown_signature(f, module, name, "$type")
            yield _doc(names.doc_in_class(f), plain([factory_doc(f, module)]), f"{handle.name}.{name}", signature)
    for f in (*own.statics, *own.methods):
        if not f.is_form and not (f.sets and f.is_read):  # what gets a property says what it is
            yield _member(f, handle, module)
    for group in (*forms(own.makers), *forms(own.statics), *forms(own.methods)):
        yield _forms(group, handle.name, f"{handle.name}.{names.of_function(group[0])}", module)
    if handle.lent_by:
        yield _doc(names.owner_doc(handle.name), plain([owner_doc(handle)]), f"{handle.name}.{handle.owner}")


def _member(function: Function, handle: HandleType, module: Module) -> DocView:
    name = function.name if function.protocol else names.of_function(function)
    signature = ""
    if not (function.protocol or function.property or function.sets):
        signature = shown_signature(function, module, name, "" if function.static else "$self")
    return _doc(names.doc(function), function_text(function, module), f"{handle.name}.{name}", signature)


def _class_doc(handle: HandleType, own: Members, module: Module) -> DocView:
    """What a class says of itself: first, how it is called."""
    signature = ""
    if len(own.constructors) == 1:
        signature = shown_signature(own.constructors[0], module, handle.name)
    return _doc(names.class_doc(handle.name), plain([handle_doc(handle)]), handle.name, signature)


def _constructors(handle: HandleType, own: Members, module: Module) -> Iterator[DocView]:
    """What is said of how objects are made: in the cpython engine by the class, since `__init__` is a slot there."""
    place = f"{handle.name}.__init__"
    if len(own.constructors) == 1 and not own.constructors[0].doc:
        yield _doc(names.summary_doc(handle.name), plain([summary(own.constructors[0])]), place)
    if said := constructors_doc(own, module):
        yield _doc(names.constructors_doc(handle.name), plain(said), place)


def constructors_doc(own: Members, module: Module) -> list[str]:
    """What a class says of its constructors, beyond that they make objects."""
    if len(own.constructors) == 1:
        return _said(own.constructors[0], module)
    return [each for f in own.constructors for each in (shown(f), "", *_said(f, module), "")]


def _said(constructor: Function, module: Module) -> list[str]:
    lines = function_doc(constructor, module)
    own = lines if constructor.doc else lines[1:]
    return own if any(map(str.strip, own)) else []


# --- records ---------------------------------------------------------------------------------------------------------


def _of_record(struct: StructType, module: Module) -> Iterator[DocView]:
    made = constructors(struct, module)
    about = struct_doc(struct, [(shown(f), summary(f)) for f in made])
    yield _doc(names.class_doc(struct.name), plain(about), struct.name)
    if made:
        fields, *others = made
        said = [shown(fields), "", f"Make one of its fields, as {struct.name} has them.", ""]
        said += [each for f in others for each in (shown(f), "", *function_doc(f, module), "")]
        yield _doc(names.constructors_doc(struct.name), plain(said), f"{struct.name}.__init__")
    for group in groups(struct.name, module):
        if not group[0][1].is_constructor:
            yield _record_member(group, struct.name, module)


def _record_member(group: Sequence[tuple[Function, RecordMember]], record: str, module: Module) -> DocView:
    function, member = group[0]
    place, kind = f"{record}.{member.name}", kind_of_all(group, module)
    if function.is_form:
        return _forms([f for f, _ in group], record, place, module, 0 if member.is_static else 1)
    signature = ""
    if kind is not MemberKind.PROPERTY:
        signature = shown_signature(function, module, member.name, "" if kind is MemberKind.STATIC else "$self")
    return _doc(names.doc(function), function_text(function, module), place, signature)

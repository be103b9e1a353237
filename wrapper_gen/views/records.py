"""The records of a module's structs, as every tier places them; decides, and places nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from wrapper_gen import names
from wrapper_gen.expressions import called
from wrapper_gen.frozen import frozen
from wrapper_gen.model import NO_DEFAULT, Code, FieldFunctions, Module, StructField, StructType
from wrapper_gen.quoting import c_string, python_string
from wrapper_gen.submodules import namespace_of, path
from wrapper_gen.types.callables import calling_structs_in
from wrapper_gen.types.hints import Import, Way, hint
from wrapper_gen.types.queries import handles_in
from wrapper_gen.types.spelling import codec, part_codec, part_descriptor
from wrapper_gen.views.deprecations import making_in_cffi, making_in_cpython, marked
from wrapper_gen.views.documentation import docstring, struct_doc, summary
from wrapper_gen.views.formatting import WIDTH, block, bracketed, expression
from wrapper_gen.views.literals import default_of, literal
from wrapper_gen.views.overloads import shown
from wrapper_gen.views.placement import placed, placed_lines
from wrapper_gen.views.protocols import NO_UFUNC, declared_for_numpy
from wrapper_gen.views.record_members import MemberView, constructors, declared, imports_of_members, own_protocols


@frozen
class FieldView:
    """One field: how C++ describes and reaches it, and its line in Python."""

    tag: str
    descriptor: str
    result: str
    """How C++ describes it in a result, where that is another type: of handles."""
    shown: str
    access: str
    length: str
    """How C++ reaches what says how many elements it has; empty without."""
    functions: FunctionsView | None
    """What reads and writes it where it is no member."""
    user_data: str
    """How C++ reaches what has the user data of a callable; empty without."""
    sharing: int
    """How many callables have theirs there."""


@frozen
class FunctionsView:
    """The functions that read and write a field."""

    get: str
    put: str
    """Empty where there are setters."""
    field: str
    setters: str
    mutables: str


@frozen
class RecordView:
    """One struct."""

    name: str
    home: str
    """The module that has it, as Python imports it."""
    into: str
    """The dict that the cpython engine puts it into."""
    shown: str
    constructor: str
    alias: str
    cpp_type: str
    is_first: bool
    """Whether no struct before it has the same C++ type."""
    tag: str
    is_holding: bool
    """Whether there are handles in its fields."""
    make_symbol: str
    """The C function that makes the C++ struct of a new record, and reads its fields again; empty where none does."""
    made_tags: str
    """The fields of which it makes that, where callables are left out; empty where there are none."""
    is_extended: bool
    """Whether another struct extends it."""
    is_final: bool
    """Whether none does."""
    base: str
    """What it extends, in parentheses; empty where it extends none."""
    cffi_base: str
    base_tag: str
    """The tag of what it extends; empty where it extends none."""
    derives: str
    """Where C++ asks whether it derives from that."""
    declared_fields: tuple[str, ...]
    """Its own ones, as a type checker reads them."""
    fields: tuple[FieldView, ...]
    shown_fields: str
    """Their names, as an initializer."""
    field_tags: str
    doc: str
    docstring: str
    count: int
    required: int
    defaults: str
    """A tuple of Python for C++ to evaluate; `nullptr` without."""
    names: str
    """A tuple of Python: the fields."""
    members: tuple[MemberView, ...]
    """Its methods, as the type stub declares them."""
    marks: str
    """What the type stub says of the class as a dataclass."""
    numpy: str
    """The attribute by which NumPy leaves operators to it, in the type stub; empty without."""
    completed: str
    """The call that gives the class what is said of it in Python."""
    marked: str
    """The decorator in the type stub of one that is deprecated."""
    warns: str
    """What warns where the cffi engine makes it of its fields; empty where it is not deprecated."""
    warns_in_c: str
    maker_of_fields: str
    """What makes one of its fields in the cpython engine, by its qualified name."""
    maker: str
    """What the cpython engine makes records with where there are several constructors, after a comma."""
    make: str
    """What makes a struct of its fields; empty where they are set one by one."""
    given_fields: str
    codec: str
    codec_line: str
    signature: str
    given: str
    """The parameters of the cffi engine's constructor, and how it passes them on."""


def views(module: Module) -> tuple[RecordView, ...]:
    """All structs of a module, in the spec's order."""
    seen: set[str] = set()
    found = []
    for struct in module.structs:
        spelling = struct.cpp_type.text.strip()
        found.append(_view(struct, spelling not in seen, module))
        seen.add(spelling)
    return tuple(found)


def imports(module: Module, way: Way) -> set[Import]:
    """What the hints of the fields need: as the constructors have them, or as the records do."""
    return {each for s in module.structs for f in s.fields for each in hint(f.type, way).imports}


def is_holding(struct: StructType) -> bool:
    """Whether there are handles in its fields."""
    return any(handles_in(f.type) for f in struct.fields)


def make_symbols(module: Module) -> tuple[str, ...]:
    """The C functions that make C++ structs of the fields of new records."""
    return tuple(_make_symbol(struct, module) for struct in module.structs if is_made(struct))


def is_made(struct: StructType) -> bool:
    """Whether C++ makes it by functions, which may refuse a value, or change it: a member takes what fits its type."""
    has_functions = struct.make is not None or any(f.functions for f in struct.fields)
    return has_functions and not any(handles_in(f.type) or calling_structs_in(f.type) for f in struct.fields)


def _make_symbol(struct: StructType, module: Module) -> str:
    return names.support(module.name, f"make_{struct.name}")


def runtime_imports(module: Module) -> Iterator[Import]:
    """What the cffi engine needs of the runtime for them."""
    if module.structs:
        yield Import(names.runtime_module("_records"), "Record", "_Record")
        yield Import(names.runtime_module("_records"), "fields", "_fields")
    yield from imports_of_members(module)
    if any(map(is_holding, module.structs)):
        yield Import(names.runtime_module("_wire_holding"), "HoldingStruct", "_HoldingStruct")
    if any(map(is_made, module.structs)):
        yield Import(names.runtime_module("_wire_made"), "MadeStruct", "_MadeStruct")


def _view(struct: StructType, is_first: bool, module: Module) -> RecordView:
    defaults = {f.name: f.default for f in struct.fields if f.default is not NO_DEFAULT}
    own = own_protocols(struct.name, module)
    holds, made = is_holding(struct), constructors(struct, module)
    doc = struct_doc(struct, [(shown(f), summary(f)) for f in made])
    evaluated = "".join(f"{literal(value)}, " for value in defaults.values())
    parts = "".join(_part(f) for f in struct.fields)
    return RecordView(
        name=struct.name,
        home=c_string(path(module, struct.module)),
        into=namespace_of(struct.module),
        shown=c_string(struct.name),
        constructor=c_string(f"{struct.name}.__init__"),
        alias=names.struct_alias(struct.name),
        cpp_type=placed(struct.cpp_type, module),
        is_first=is_first,
        tag=names.struct_tag(struct.name),
        is_holding=holds,
        make_symbol=_make_symbol(struct, module) if is_made(struct) else "",
        made_tags=_made_tags(struct),
        is_extended=struct.is_extended,
        is_final=not struct.is_extended,
        base=f"({struct.extends})" if struct.extends else "",
        cffi_base=struct.extends or "_Record",
        base_tag=names.struct_tag(struct.extends) if struct.extends else "",
        derives=_derives(struct, module),
        declared_fields=tuple(map(_declared, struct.own_fields)),
        fields=tuple(_fields(struct, module, is_holding=holds)),
        shown_fields=f"{{{', '.join(c_string(f.name) for f in struct.fields)}}}",
        field_tags=", ".join(f"wg_field_{f.name}" for f in struct.fields),
        doc=f"{names.namespace(module.name)}::{names.class_doc(struct.name)}",
        docstring=docstring(doc),
        count=len(struct.fields),
        required=len(struct.fields) - len(defaults),
        defaults=c_string(f"({evaluated})") if defaults else "nullptr",
        names=bracketed("(", [python_string(f.name) for f in struct.fields], ")", len(f"_fields({struct.name}, )")),
        completed=_completed(struct, own) + (_held(struct, own) if holds else ""),
        members=declared(struct, module),
        marks=", ".join(["frozen=True", *["eq=False"] * holds, *["init=False"] * bool(made)]),
        numpy=declared_for_numpy(NO_UFUNC if NO_UFUNC in own else ""),
        marked=marked(struct),
        warns=making_in_cffi(struct),
        warns_in_c=making_in_cpython(struct),
        maker_of_fields=names.deprecated_maker(struct.name),
        maker=_maker(struct, module) if made or struct.deprecated else "",
        make=_statement(called(struct.make.text, *(f.name for f in struct.fields)), struct.make, module)
        if struct.make
        else "",
        given_fields=", ".join(_given(f, module) for f in struct.fields),
        codec=names.python_struct_codec(struct.name),
        codec_line=f"{_codec_class(struct, module)}\n    {struct.name},\n{parts})",
        signature=_signature(struct),
        given="self, " + ", ".join(f.name for f in struct.fields),
    )


def _made_tags(struct: StructType) -> str:
    """No callable is called to make a record: what calls it is told by the call that is passed the record."""
    made = [f"wg_field_{f.name}" for f in struct.fields if f.callback is None]
    return ", ".join(made) if len(made) < len(struct.fields) else ""


def _codec_class(struct: StructType, module: Module) -> str:
    """The start of the call that makes its codec."""
    if is_holding(struct):
        return "_HoldingStruct("
    if is_made(struct):
        return f"_MadeStruct(\n    _bridge,\n    _lib.{_make_symbol(struct, module)},"
    return "_wire.Struct("


def _declared(f: StructField) -> str:
    return f"{f.name}: {hint(f.type, Way.RESULT).code}{'' if f.default is NO_DEFAULT else ' = ...'}"


def _derives(struct: StructType, module: Module) -> str:
    """The line that checks whether C++ takes it for what it extends."""
    if not struct.extends:
        return ""
    of, base = names.struct_alias(struct.name), names.struct_alias(struct.extends)
    said = f"wrapper-gen: the C++ type of {struct.name} does not derive publicly from that of {struct.extends}"
    said += ": drop `extends`, and list all fields"
    line = f"    static_assert(std::is_convertible_v<{of} *, {base} *>, {c_string(said)});"
    return placed_lines([(struct.cpp_type.span, line)], module)


def _maker(struct: StructType, module: Module) -> str:
    has_forms = bool(constructors(struct, module))
    maker = names.python_forms(struct.name, struct.name) if has_forms else names.deprecated_maker(struct.name)
    return f", &{names.namespace(module.name)}::{maker}"


def _part(f: StructField) -> str:
    """A field's name and codec."""
    if f.callback is None:
        return f"    ({python_string(f.name)}, {codec(f.type)}),\n"
    made = part_codec(f.type, f.callback.parameter)
    line = f"    ({python_string(f.name)}, {made}),\n"
    if len(line) <= WIDTH:
        return line
    lines = expression(made, room=WIDTH - 12).replace("\n", "\n        ")
    return f"    (\n        {python_string(f.name)},\n        {lines},\n    ),\n"


def can_be_set(f: StructField, struct: str) -> str:
    """What is an error at the field's own line where C++ has a constant there; `struct` is its type in C++."""
    message = (
        f"wrapper-gen: the member {f.member} of the C++ struct is const, and cannot be set; drop the field {f.name}"
    )
    return f"static_assert(wg::can_be_set<decltype((std::declval<{struct} &>().{f.member}))>, {c_string(message)});"


def _fields(struct: StructType, module: Module, *, is_holding: bool) -> Iterator[FieldView]:
    sharing = Counter(f.user_data for f in struct.fields)
    for f in struct.fields:
        yield _field(f, struct, module, sharing[f.user_data], is_holding=is_holding)


def _field(f: StructField, struct: StructType, module: Module, sharing: int, *, is_holding: bool) -> FieldView:
    access = f"return (wg_value.{f.member});"
    if not struct.make:
        access = f"{can_be_set(f, 'Value')} {access}"
    return FieldView(
        tag=f"wg_field_{f.name}",
        descriptor=part_descriptor(f.type, Way.ARGUMENT, module.name),
        result=part_descriptor(f.type, Way.RESULT, module.name) if is_holding else "",
        shown=c_string(f.name),
        access=placed_lines([(f.span, f"        {access}")], module),
        length=placed_lines([(f.span, f"        return (wg_value.{f.length});")], module) if f.length else "",
        functions=_functions(f, f.functions, module) if f.functions else None,
        user_data=placed_lines([(f.span, f"        return (wg_value.{f.user_data});")], module) if f.user_data else "",
        sharing=sharing,
    )


def _given(f: StructField, module: Module) -> str:
    return f"[[maybe_unused]] wg::Value<{part_descriptor(f.type, Way.ARGUMENT, module.name)}> &{f.name}"


def _functions(f: StructField, functions: FieldFunctions, module: Module) -> FunctionsView:
    changed = ""
    if functions.changed:
        changed = f"[](auto &value) -> decltype(auto) {{ return wg::changed({functions.changed.text.strip()}); }}"
    get = functions.get and _statement(functions.get.text, functions.get, module)
    return FunctionsView(
        get=get or f"        return {_ways('WG_READ_BY', functions.getters)}(value);",
        put=placed_lines([(f.span, f"        {_put(f.name, functions.put.text)};")], module) if functions.put else "",
        field=_given(f, module),
        setters=_ways("WG_SET_BY", functions.setters),
        mutables=changed or _ways("WG_CHANGED_BY", functions.mutables),
    )


def _put(field: str, text: str) -> str:
    """What sets a field: an assignment to a member is checked, since a number may not fit the member, or its bits."""
    code = text.strip().rstrip(";")
    assigned = re.fullmatch(rf"(value(?:(?:\.|->)\w+|\[\w+\])+)\s*=\s*{field}", code)
    return f"WG_PUT({assigned[1]}, {field}, {c_string(field)})" if assigned else code


def _ways(macro: str, found: tuple[str, ...]) -> str:
    return f"wg::first_way_of({', '.join(f'{macro}({name})' for name in found)})"


def _statement(text: str, code: Code, module: Module) -> str:
    return placed_lines([(code.span, f"        return {text.strip().rstrip(';')};")], module)


def _signature(struct: StructType) -> str:
    declared = (f"{f.name}: {hint(f.type, Way.ARGUMENT).code}{default_of(f.default)}" for f in struct.fields)
    return block("(", ["self", *declared], ") -> None:")


def _completed(struct: StructType, own: tuple[str, ...]) -> str:
    defaults = [(f.name, f.default) for f in struct.fields if f.default is not NO_DEFAULT]
    parts = [
        ("(", [python_string(f.name) for f in struct.fields], ")"),
        ("(", [python_string(hint(f.type, Way.RESULT).code) for f in struct.fields], ")"),
        ("{", [f"{python_string(name)}: {literal(value)}" for name, value in defaults], "}"),
    ]
    if own:
        parts.append(("(", [python_string(name) for name in own], ")"))
    record = f"globals()[{python_string(struct.name)}]"
    line = f"_complete({', '.join([record, *(bracketed(*part, -WIDTH) for part in parts)])})"
    if len(line) <= WIDTH:
        return line
    return block("_complete(", [record, *(bracketed(*part, len("    ,")) for part in parts)], ")")


def _held(struct: StructType, own: tuple[str, ...]) -> str:
    """The statement that follows for a struct with handles."""
    fields = bracketed("(", [python_string(f.name) for f in struct.fields], ")", 0)
    listed = [f"globals()[{python_string(struct.name)}]", fields, bracketed("(", list(map(python_string, own)), ")", 0)]
    return "\n" + bracketed("_hold(", listed, ")", 0)

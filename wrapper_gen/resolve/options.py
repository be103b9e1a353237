"""Parameters that a call may leave out because C++ knows better: options of a struct, and defaults that are C++."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.model import NO_DEFAULT, Function, Implementation, Named, Options, Parameter, StructType
from wrapper_gen.resolve.callable_fields import is_called
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.queries import (
    called_with,
    has_holding,
    is_optional_handle,
    or_default,
    struct_of,
    structs_in,
)


def check_options(p: Parameter, scope: Scope) -> Parameter:
    """The parameter, which is no options where it cannot be."""
    if not p.options:
        return p
    struct = scope.findings.records.get(struct_of(p.type) or "")
    if struct is None:
        hint = "name a struct under `structs`"
        scope.error("WG079", f"{p.name!r} is {p.type}, which has no fields to give by name", p.span, hint)
    elif p.default is not NO_DEFAULT:
        hint = "drop its `default`; `make` of the struct says what it starts as"
        scope.error("WG079", f"{p.name!r} is options, which Python gives field by field", p.span, hint)
    elif is_called(struct.fields):
        hint = "take it as a record: a parameter of this type"
        scope.error("WG079", f"{struct.name} cannot be options: it has callables", p.span, hint)
    elif struct.make or any(f.functions for f in struct.fields):
        hint = "take it as a record; or let `cpp` of its fields name members"
        scope.error("WG079", f"{struct.name} cannot be options: functions make or set its fields", p.span, hint)
    else:
        return p
    return replace(p, options=False)


def with_options(
    parameters: Sequence[Parameter], implementation: Implementation, scope: Scope
) -> tuple[tuple[Parameter, ...], Implementation]:
    """The parameters that Python has, the fields of options last; and how these are made of them."""
    found = [(i, p) for i, p in enumerate(parameters) if p.options]
    _check_implementation(parameters, implementation, scope)
    if not found:
        return tuple(parameters), implementation
    place, own = found[0]
    rest = tuple(p for p in parameters if not p.options)
    struct = scope.findings.records[struct_of(own.type) or ""]
    fields = tuple(_fields(struct, own, rest, scope))
    if isinstance(implementation, Named):
        options = Options(own.name, struct.name, place, tuple(each.name for each in fields))
        implementation = replace(implementation, options=options)
    return (*rest, *fields), implementation


def _check_implementation(parameters: Sequence[Parameter], implementation: Implementation, scope: Scope) -> None:
    if isinstance(implementation, Named):
        return
    for p in parameters:
        if p.options:
            hint = "name a function or a member: cpp: lib_diff"
            scope.error("WG079", "options are for functions by name", p.span, hint)


def _fields(struct: StructType, own: Parameter, rest: Sequence[Parameter], scope: Scope) -> Iterator[Parameter]:
    """A parameter for each field."""
    taken = {names.python(p.name): p for p in rest}
    for each in struct.fields:
        clash = taken.get(names.python(each.name))
        if clash is not None:
            message = f"{clash.name!r} is a parameter and an option of {struct.name}"
            scope.error("WG022", message, clash.span, "rename one", (each.span, "the option is here"))
        elif each.name == own.name:
            hint = f"call the options otherwise: **opts: {struct.name}"
            message = f"{own.name!r} are the options, and one of them"
            scope.error("WG022", message, own.span, hint, (each.span, "the option is here"))
        elif each.length:
            hint = "take the struct as a parameter of its own, a record"
            scope.error(
                "WG120", f"{each.name!r} is an option, which has no `length`", own.span, hint, (each.span, "here")
            )
        else:
            is_handle = is_optional_handle(each.type)
            type_, default = (each.type, None) if is_handle else (or_default(each.type), ...)
            yield Parameter(each.name, type_, own.span, each.doc, default, is_keyword=True, is_option=True)


def records_and_options(
    structs: Sequence[StructType], functions: Sequence[Function], scope: Scope
) -> tuple[tuple[StructType, ...], tuple[StructType, ...]]:
    """The structs that Python has records of, and those that calls take as options; some are both.

    `make` of one that no call takes as options speaks of its fields.
    """
    used = {
        f.implementation.options.struct
        for f in functions
        if isinstance(f.implementation, Named) and f.implementation.options
    }
    for struct in structs:
        if struct.start and struct.name not in used:
            listed = ", ".join(f.name for f in struct.fields)
            hint = f"speak of the fields, make_it({listed}); or take it as options, **options: {struct.name} in a `def`"
            message = f"no call takes {struct.name} as options, which alone start as something that names no field"
            scope.error("WG079", message, struct.start.span, hint)
    fields = (f.type for struct in structs if struct.name not in used for f in struct.fields)
    callables = (each for f in functions for p in f.parameters for each in called_with(p.type))
    crossing = [*(t for f in functions for t in (f.returns, *(p.type for p in f.parameters))), *fields, *callables]
    written = frozenset[str]().union(*map(structs_in, [*crossing, *scope.findings.named_types.values()]))
    kept = {each.name for each in structs if each.name not in used or each.name in written}
    kept |= {each.extends for each in reversed(structs) if each.name in kept}
    records = tuple(each for each in structs if each.name in kept)
    for function in functions:
        called = [each for p in function.parameters for each in called_with(p.type)]
        called += [function.returns, *(p.type for p in function.parameters)] if function.virtual else []
        held = next((each for each in called if has_holding(each)), None)
        if held is not None:
            hint = "a callable gets the handles themselves, as arguments of their own"
            message = f"{function.name!r} calls Python with {held}, which has handles in fields"
            scope.error("WG073", message, function.span, hint)
    return records, tuple(each for each in structs if each.name in used)

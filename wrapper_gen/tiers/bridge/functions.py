"""The functions of the bridge: the typed C++ function around the user's code, and the C function that calls it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.iterators import iterates, kept_by_iterator
from wrapper_gen.lifetimes.identity import may_be_there
from wrapper_gen.lifetimes.kept import keeps, owners
from wrapper_gen.lifetimes.running import locked
from wrapper_gen.model import (
    WITHIN,
    Allocated,
    Body,
    Function,
    Lambda,
    Mode,
    Module,
    Named,
    Returned,
    Written,
)
from wrapper_gen.queries import fills_room, streaming_of
from wrapper_gen.quoting import c_bool, c_comment, c_string
from wrapper_gen.tiers.bridge.arrays import made_array
from wrapper_gen.tiers.bridge.dangling import no_dangling_views
from wrapper_gen.tiers.bridge.deduced import deduced, either, known_name
from wrapper_gen.tiers.bridge.dimensions import checks
from wrapper_gen.tiers.bridge.ending import ends_code
from wrapper_gen.tiers.bridge.explained import call_explained, signature_explained
from wrapper_gen.tiers.bridge.handed_over import handed_over
from wrapper_gen.tiers.bridge.iteration import each_code, over_each
from wrapper_gen.tiers.bridge.made_handles import made_handle
from wrapper_gen.tiers.bridge.plain import plain_call
from wrapper_gen.tiers.bridge.positions import KEY, extents, with_key
from wrapper_gen.tiers.bridge.reports import (
    before_call,
    check_of_written,
    converted,
    expressions,
    filled,
    read_memory,
    written_result,
)
from wrapper_gen.tiers.bridge.represented import memory_for, rows_of
from wrapper_gen.tiers.bridge.streams import streamed
from wrapper_gen.tiers.bridge.user_code import call_of, implementation, parameter_names, spaced
from wrapper_gen.tiers.bridge.ways import (
    buffer_of,
    fills_items,
    has_plain_form,
    is_deduced,
    may_be_written,
    takes_alternatives,
)
from wrapper_gen.types.around import Around
from wrapper_gen.types.queries import handle_of, without_optional
from wrapper_gen.types.results import result
from wrapper_gen.types.rows import Care, ParameterRow, ResultRow
from wrapper_gen.views.callables import kept_callables, recorded_call
from wrapper_gen.views.documentation import not_implemented
from wrapper_gen.views.ending import Cpp, ending_after
from wrapper_gen.views.interfaces import raises_of
from wrapper_gen.views.layout import packed
from wrapper_gen.views.lifetimes import borrowed, borrowed_until, effects
from wrapper_gen.views.placement import BACK_TO_BRIDGE, placed_statements, said_at
from wrapper_gen.views.protocols import counted_key

_STATUS = "wg::failure().kind"
"""What a C function without a result returns where it fails."""
_OWN = "wg::held(wg_h)"
"""The object of a method."""
_TAKEN = "wg_taken"
"""The same in the typed function, where the call takes it."""


@frozen
class FunctionView:
    """One function: the user's code, the typed C++ function that calls it, the C function that calls that."""

    where: str
    comment: str
    symbol: str
    c_result: str
    c_parameters: str
    c_function: str
    code: str
    cpp_name: str
    typed: str
    has_ways: bool
    """Whether the compiler takes one of several ways to call that the typed function has."""
    not_implemented: str
    explained: str
    """What asks the compiler about the function that is called, where that is to be explained; empty elsewhere."""


def function_view(function: Function, module: Module) -> FunctionView:
    lib = module.name
    rows = rows_of(function, module)
    made = made_handle(function, result(function.returns, lib), module)
    out = over_each(function, handed_over(function, made, module), module)
    if out.is_array and fills_items(function):  # the call's own value is no array
        out = replace(out, cpp_returned=Around("return ", ";"))
    code = implementation(function, rows, out, module)
    handle = names.c_handle(lib, function.handle) if function.handle else ""
    c_parameters = [f"{handle} *wg_h"] if handle else []
    c_parameters += [declaration for row in rows for declaration in row.c]
    c_declared = ", ".join(c_parameters) or "void"
    symbol = names.c_symbol(lib, function)
    missing = not_implemented(function, module)
    of_calls = [expressions(each, module) for each in function.cases or (function,)]
    before = [*of_calls, ends_code(function, module), each_code(function, module)]
    before.append(extents(function, module))
    plain = plain_call(function, parameter_names(function), rows, out, module) if not function.cases else ""
    return FunctionView(
        where=f"{function.name}: {module.place(function.span)}",
        comment=c_comment(function.doc),
        symbol=symbol,
        c_result=out.c,
        c_parameters=c_declared,
        c_function=_c_function(symbol, c_parameters, _c_body(function, rows, out, module), out),
        code="\n\n".join(filter(None, [*before, code])),
        cpp_name=names.cpp_function(function),
        typed=_typed(function, rows, out, plain, module),
        has_ways=_has_ways(function, is_plain=bool(plain)),
        not_implemented=c_string(missing) if missing else "",
        explained=signature_explained(function, module),
    )


def _code_span(function: Function) -> Span:
    """Where the user's code stands: a result that cannot be converted is its matter."""
    match function.implementation:
        case Named(code) | Lambda(code) | Body(code):
            return code.span
        case _:
            return function.span


def _typed(function: Function, rows: list[ParameterRow], out: ResultRow, plain: str, module: Module) -> str:
    """The typed function. Names of the library stand in it, which it cannot hide.

    `plain` is its call where that is a single statement.
    """
    statements = _cpp_statements(function, rows, out, plain, module)
    statements = with_key(statements, function, parameter_names(function), module)
    head = _cpp_head(function, rows, out, is_plain=bool(plain))
    known = [line for each in (function, *function.then, *function.cases) for line in known_name(each, module)]
    whole = [*known, f"{head} {{", statements, "}"]
    return placed_statements(whole, _code_span(function), module)


def _cpp_head(function: Function, rows: list[ParameterRow], out: ResultRow, *, is_plain: bool) -> str:
    """The typed function's declaration: a template where there is a choice, so that the other way need not compile."""
    uncounted = counted_key(function)
    has_plain = has_plain_form(function) or not is_deduced(function)
    has_choice = has_plain and not is_plain and bool(call_of(function, rows).is_whole)
    own = f"wg::Taken<{function.handle}> &{_TAKEN}" if function.lifetime.takes_own else f"{function.handle} &wg_h"
    parameters = [f"[[maybe_unused]] {own}"] if function.handle else []
    for p, row, own in zip(function.parameters, rows, parameter_names(function), strict=True):
        cpp = "const wg_Bytes &" if has_choice and row.care is Care.BYTES else row.cpp
        parameters.append(f"wg::operators::Key {KEY}" if p == uncounted else f"{spaced(cpp)}{own}")
    types = ["class wg_Bytes"] * has_choice
    if out.cpp_use:
        types.append("class wg_Use")
        parameters.append("wg_Use &&wg_use")
    if fills_room(function):
        types.append("class wg_Engine")
        parameters.append("wg_Engine &&wg_engine")
    types += ["class... wg_T"] * _has_ways(function, is_plain=is_plain)
    template = f"template <{', '.join(types)}> " if types else ""
    made = "auto " if out.cpp_use or fills_room(function) else spaced(out.cpp)
    return f"{template}inline {made}{names.cpp_function(function)}({', '.join(parameters)})"


def _has_ways(function: Function, *, is_plain: bool) -> bool:
    return may_be_written(function) or (has_plain_form(function) and not is_plain)


def _cpp_statements(function: Function, rows: list[ParameterRow], out: ResultRow, plain: str, module: Module) -> str:
    """What the typed function does: dimensions are compared, arguments checked and taken, the user's code called.

    `plain` is that call where it is a single statement.
    """
    own = parameter_names(function)
    before = [
        *memory_for(function),
        *no_dangling_views(function, module),
        *checks(function, own),
        *(() if fills_items(function) else made_array(function, own, module)),
    ]
    if function.cases:
        statements = _by_type(function, out, module)
    else:
        statements = plain or _call_statements(function, rows, out, module)
    if function.then:
        statements = _in_order(statements, function, out, module)
    taken = function.lifetime.takes_own
    left = [name for name, p in zip(own, function.parameters, strict=True) if p.owned_on_failure]
    left = [_TAKEN] * bool(taken and taken.owned_on_failure) + left
    if taken:
        before.insert(0, f"[[maybe_unused]] {function.handle} &wg_h = {_TAKEN}.value();")
        statements = f"{_TAKEN}.consume();\n{statements}"
    if left:
        statements = f"try {{\n{statements}\n}} catch (...) {{\nwg::give_back({', '.join(left)});\n}}"
    return "\n".join([*before, statements])


def _in_order(first: str, function: Function, out: ResultRow, module: Module) -> str:
    """The statements that make several calls, of which `first` makes the first."""
    made = handle_of(without_optional(function.returns))
    further = "\n".join(_further(each, function, module) for each in function.then)
    if made is None:
        return f"{{\n{first}\n}}\n{further}"
    own = "wg_h" if function.constructs else parameter_names(function.then[0])[-1]
    kind = f"{c_bool(function.lifetime.result.is_owned)}, {out.cpp}"
    then = f"[&]([[maybe_unused]] {made} &{own}) {{\n{further}\n}}"
    return f"return wg::made_in_steps<{kind}>([&]() -> {out.cpp} {{\n{first}\n}}, {then});"


def _further(call: Function, function: Function, module: Module) -> str:
    """The statements that make one call after the first, at its own place in the spec."""
    statements = _alone(call, function, result(call.returns, module.name), module)
    placed = placed_statements(["{", *statements, "}"], _code_span(call), module)
    return f"{placed}\n{BACK_TO_BRIDGE}"


def _by_type(function: Function, out: ResultRow, module: Module) -> str:
    """The statement that makes the call for the type that an argument is of."""
    at = next(i for i, p in enumerate(function.parameters) if p.name == function.by_type)
    own, cases = parameter_names(function)[at], list[str]()
    made = "" if out.cpp_use else f" -> {out.cpp}"
    for case in function.cases:
        given = next((i for i, p in enumerate(case.parameters) if p.name == function.by_type), None)
        head = "[&]()"
        if given is not None:
            declared = f"{spaced(rows_of(case, module)[given].cpp)}{parameter_names(case)[given]}"
            head = f"[&]([[maybe_unused]] {declared})"
        statements = _alone(case, function, out, module)
        placed = placed_statements([f"{head}{made} {{", *statements, "}"], _code_span(case), module)
        cases.append(f"{placed}\n{BACK_TO_BRIDGE}")
    if len(function.cases[-1].parameters) < len(function.parameters):  # of None
        cases = [cases[-1], *cases[:-1]]
        word = "by_type_or_none"
    else:
        word = "by_type"
    returned = "return " * (out.cpp != "void")
    given_to = "\n,\n".join(cases)
    return f"{returned}wg::{word}({own},\n{given_to}\n);"


def _alone(call: Function, function: Function, out: ResultRow, module: Module) -> list[str]:
    """The statements that make one of several calls, over what the typed function of all calls the parameters."""
    rows, own = rows_of(call, module), parameter_names(call)
    known = {p.name: each for p, each in zip(function.parameters, parameter_names(function), strict=True)}
    renamed = [
        f"[[maybe_unused]] auto &&{here} = {known[p.name]};"
        for p, here in zip(call.parameters, own, strict=True)
        if p.name in known and here != known[p.name] and p.name != function.by_type
    ]
    return [*renamed, plain_call(call, own, rows, out, module) or _call_statements(call, rows, out, module)]


def _call_statements(function: Function, rows: list[ParameterRow], out: ResultRow, module: Module) -> str:
    """The call of the user's code, with the arguments as it wants them."""
    if not is_deduced(function):
        return _plain_statements(function, rows, out, module)
    if may_be_written(function):
        return _either_statements(function, rows, out, module)
    found = deduced(function, parameter_names(function), rows, module)
    if streaming := streaming_of(function):
        return "\n".join([*found.asked, *streamed(found, streaming, function, out, module)])
    buffer = buffer_of(function)
    if isinstance(buffer, Returned):
        return "\n".join([*found.asked, *read_memory(found.call, found.length, function, out, module)])
    if buffer:
        return "\n".join([*found.asked, *filled(found.call, found.length, buffer, function, out, module)])
    plain, other = _plain_statements(function, rows, out, module), converted(found.call, function, out, module)
    check = check_of_written(function, module)
    written = other
    if found.writes and check:
        made = written_result(f"{found.call.removesuffix('()')}({check})", out)
        written = "\n".join([*before_call(function, module), made])
    ways = [(found.is_plain, plain), (found.writes, written), (found.reads, other)]
    if written == other and found.reads:
        del ways[1]
    ways = [(condition, way) for condition, way in ways if condition]
    asked = found.asked if len(ways) > 1 else found.asked_alone or found.asked
    return "\n".join([*asked, *_one_of(ways)])


def _either_statements(function: Function, rows: list[ParameterRow], out: ResultRow, module: Module) -> str:
    """A call that returns the address of memory, or writes it."""
    found = either(function, parameter_names(function), rows, module)
    returned, written = found.returned, found.written
    memory = Allocated("", Written.ALL)
    assert isinstance(function.implementation, Named)
    writing = replace(function, implementation=replace(function.implementation, buffer=memory))
    ways = [
        (found.returns, "\n".join([*returned.asked, *read_memory(returned.call, "", function, out, module)])),
        ("", "\n".join([*written.asked, *filled(written.call, "", memory, writing, out, module)])),
    ]
    return "\n".join([*found.asked, *_one_of(ways)])


def _one_of(ways: list[tuple[str, str]]) -> Iterator[str]:
    """Statements of which one group is compiled: the first whose condition holds, or the last."""
    *others, (_, last) = ways
    for i, (condition, statements) in enumerate(others):
        yield f"{'} else ' * (i > 0)}if constexpr ({condition}) {{"
        yield statements
    yield from ["} else {", last, "}"] if others else [last]


def _plain_statements(function: Function, rows: list[ParameterRow], out: ResultRow, module: Module) -> str:
    call = call_of(function, rows)
    call = replace(call, asked=(*_has_own_place(function, module), *call.asked))
    whole = (*call.statements, *call_explained(call, module), converted(call.expression, function, out, module))
    if not call.in_pairs:
        return "\n".join([*call.asked, *whole])
    other = call.in_pairs
    explained = call_explained(other, module)
    pairs = (*other.asked, *other.statements, *explained, converted(other.expression, function, out, module))
    return "\n".join([*call.asked, f"if constexpr ({call.is_whole}) {{", *whole, "} else {", *pairs, "}"])


def _has_own_place(function: Function, module: Module) -> tuple[str, ...]:
    """The assertion that the object of a call for several types of arguments can only stand first, where it is put."""
    if not (function.handle and takes_alternatives(function)) or _calls_member(function):
        return ()
    way = "a handle that is a number or a void * could stand anywhere; write a lambda, which says where"
    what = said_at(function.span, module, f"{function.handle}.{function.name}: {way}")
    asked = "!wg::is_untyped<decltype(wg_h.inner)> && !wg::is_number_like<decltype(wg_h.inner)>"
    return (f"static_assert({asked}, {what});",)


def _calls_member(function: Function) -> bool:
    return isinstance(function.implementation, Named) and function.implementation.is_member


def _c_function(symbol: str, parameters: Sequence[str], body: Sequence[str], out: ResultRow) -> str:
    """The C function of an entry, as `wg/entries/c_functions.hpp` writes it."""
    if out.failed == _STATUS:
        head = f"WG_C_STATUS({symbol}, "
    elif out.failed == "nullptr":
        head = f"WG_C_POINTER({out.c.strip()}, {symbol}, "
    else:
        head = f"WG_C_VALUE({out.c.strip()}, {out.failed}, {symbol}, "
    *others, last = parameters or ("void",)
    declared = [f"{each}," for each in others] + [f"{last}),"]
    return packed([f"{head}({declared[0]}", *declared[1:], *body[:-1], f"{body[-1]})"])


def _c_body(function: Function, rows: list[ParameterRow], out: ResultRow, module: Module) -> tuple[str, ...]:
    """What a C function does: handles are pinned and locked, the typed function called, its result handed over."""
    if missing := not_implemented(function, module):
        return (f"throw wg::NotImplemented({c_string(missing)});",)
    prepared = (*_prepare(function, rows), *_locked(function, rows, module))
    return (*prepared, *_c_statements(function, rows, out, module))


def _prepare(function: Function, rows: list[ParameterRow]) -> tuple[str, ...]:
    """Handles are pinned, the instance after the others; what is taken comes last: nothing else of the call may be it.

    The cpython engine has the same order, which decides what handle a message names.
    """
    is_taken = [p.mode is Mode.TAKE for p in function.parameters]
    both = [(row.cpp_prepare, taken) for row, taken in zip(rows, is_taken, strict=True) if row.cpp_prepare]
    kind = "Take" if function.lifetime.takes_own else "Pin"
    own = [f'wg::{kind} wg_pin(wg_h, "{function.handle}");'] if function.handle else []
    return (*(line for line, taken in both if not taken), *own, *(line for line, taken in both if taken))


def _locked(function: Function, rows: list[ParameterRow], module: Module) -> tuple[str, ...]:
    """What keeps other calls off, once the handles cannot go."""
    wanted = locked(function, module)
    if not wanted:
        return ()
    known = _owners_by_name(function, rows)
    return (f"const wg::OwnerLocks wg_alone({', '.join(known[name] for name in wanted)});",)


def _within(name: str) -> str:
    """The callables in a parameter."""
    return f"{names.extra(name, 'value')}.passed()"


def _owners_by_name(function: Function, rows: list[ParameterRow]) -> dict[str, str]:
    """C++ that makes a `wg::Owners` of each parameter, and of `h`."""
    own = {"h": "wg_pin.kept()" if function.lifetime.takes_own else _OWN} if function.handle else {}
    return {p.name: row.cpp_owners for p, row in zip(function.parameters, rows, strict=True)} | own


def _c_statements(function: Function, rows: list[ParameterRow], out: ResultRow, module: Module) -> tuple[str, ...]:
    """What the C function does once its arguments are there: call the typed function, hand over the result."""
    pinned = "wg_pin" if function.lifetime.takes_own else "*wg_pin"
    arguments = ([pinned] if function.handle else []) + [row.cpp_argument for row in rows]
    arguments += [out.cpp_use] * bool(out.cpp_use) + ["wg::OnHeap()"] * fills_room(function)
    function_name = names.cpp_function(function)
    namespace = names.namespace(module.name)
    call = f"wg_api::{function_name}({', '.join(arguments)})"
    known = _owners_by_name(function, rows)
    values = {p.name: row.cpp_argument for p, row in zip(function.parameters, rows, strict=True)} | {"h": "*wg_pin"}

    def kept(several: Sequence[str]) -> str:
        return f"wg::Owners(){''.join(f'.add({known[each]})' for each in several)}"

    cpp = Cpp(_OWN, kept, "wg::InOwnedCells", values.__getitem__, f"{namespace}::")
    call = ending_after(call, function, module, cpp)
    before = (
        *effects(function, module, cpp),
        *kept_callables(function, module, _OWN, values.__getitem__, _within),
        *recorded_call(function, module, _OWN, kept, values.__getitem__, _within),
        *raises_of(function, module, _OWN, kept),
    )
    if not out.c_value:
        return (*before, f"{call};")
    if iterates(function):
        more = borrowed_until(function, module, _OWN)
        call = f"{call}, wg_kept"
        before = (*before, f"const wg::Owners wg_kept = {kept(kept_by_iterator(function))}{more};")
    made = (out.c_constructed if function.constructs and may_be_there(function, module) else None) or out.c_value
    if not keeps(function):
        if may_be_there(function, module) and not out.c_kept:
            made = made.within("wg::keep_alive(", ", wg::no_owners)")
        return (*before, f"return {made.of(call)};")
    lent = "".join(".lend_within()" if n == WITHIN else f".lend({known[n]})" for n in function.lifetime.result.lenders)
    borrow = borrowed(function, module, _OWN)
    given = (out.c_kept or made.within("wg::keep_alive(", ", wg_owners)")).of(call)
    return (*before, f"const wg::Owners wg_owners = {kept(owners(function))}{lent}{borrow};", f"return {given};")

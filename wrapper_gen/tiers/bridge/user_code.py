"""The user's code in the bridge: where it stands, and how it is called with each handle as it wants it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import remembered, replace
from wrapper_gen.model import Body, Code, Function, Lambda, Mode, Module, Named, NotImplementedYet, Parameter, Passing
from wrapper_gen.tiers.bridge.arguments import Call, Slot, checked_call
from wrapper_gen.tiers.bridge.dimensions import dimension_names, in_a_body
from wrapper_gen.tiers.bridge.statuses import body_result
from wrapper_gen.tiers.bridge.ways import has_plain_form, member, takes_alternatives
from wrapper_gen.types.around import INNER, ITSELF, Around, Instead, in_call
from wrapper_gen.types.queries import has_alternatives, is_characters
from wrapper_gen.types.rows import HELD_OR_NULL, INNERS, Care, Form, ParameterRow, ResultRow
from wrapper_gen.views.placement import placed_in

Rows = Sequence[ParameterRow]
"""How each parameter of a function crosses, in order."""


def _returned(before: str, code: Code, module: Module) -> str:
    """A function that returns a callable: inside it default captures are fine, at namespace scope they are not."""
    shown = Code(code.text.strip().rstrip(";").rstrip(), code.span, code.literal)
    return placed_in(f"{before} {{ return", shown, module, "; }")


def implementation(function: Function, rows: Rows, out: ResultRow, module: Module) -> str:
    """The C++ text that holds one function's code; empty for a name, which stands where it is called."""
    name = names.user_code(function)
    match function.implementation:
        case Lambda(code):
            return _returned(f"inline auto {name}()", code, module)
        case Body(code, is_expression=True):
            return _expression(code, function, rows, out, module)
        case Body(code):
            parameters = [f"[[maybe_unused]] {function.handle} &h"] if function.handle else []
            own = [names.body(p.name) for p in function.parameters]
            dimensions = [names.body(each) for each in dimension_names(function)]
            first = "".join(f" {each}" for each in in_a_body(function))
            types = [spaced(row.cpp_body or row.cpp) for row in rows]
            parameters += [f"[[maybe_unused]] {type_}{each}" for type_, each in zip(types, own, strict=True)]
            head = f"inline {body_result(function, out, module)} {name}({', '.join(parameters)})"
            before, after = _without_macros([*own, *dimensions])
            end = "}"
            if function.handle and mentions(code.text, "self"):  # in a block of its own, where a body may hide it
                first, end = f"{first} [[maybe_unused]] auto &&self = h.inner; {{", "}}"
            return f"{before}{placed_in(f'{head} {{{first}', code, module, end)}{after}"
        case Named() | NotImplementedYet():
            return ""


def _expression(code: Code, function: Function, rows: Rows, out: ResultRow, module: Module) -> str:
    """The function whose value is that of an expression: its parameters are `self` and what handles hold.

    It may be one of them, as in `a > b ? a : b`: nothing that the value refers to is the function's own. Text is copied
    before what the expression makes has ended, as `self.name().c_str()` does.
    """
    parameters = [f"[[maybe_unused]] {function.handle} &wg_h"] if function.handle else []
    before = ["[[maybe_unused]] auto &&self = wg_h.inner;"] if function.handle else []
    own = [names.body(p.name) for p in function.parameters]
    for p, row, name in zip(function.parameters, rows, own, strict=True):
        held, type_ = row.form.held, spaced(row.cpp_body if row.is_represented else row.cpp)
        if held == ITSELF:
            parameters.append(f"[[maybe_unused]] {_referred(type_)}{name}")
            continue
        given = names.extra(p.name, "given")
        parameters.append(f"[[maybe_unused]] {type_}{given}")
        if _makes_held(row):
            parameters.append(f"[[maybe_unused]] decltype({held.of(given)}) &{name}")
            continue
        before.append(f"[[maybe_unused]] auto &&{name} = {held.of(given)};")
    before += in_a_body(function)
    head = f"inline decltype(auto) {names.user_code(function)}({', '.join(parameters)})"
    pushed, popped = _without_macros([*own, *map(names.body, dimension_names(function))])
    first = "".join(f" {each}" for each in before)
    is_plain = function.raises is None and function.reported.is_value_free and not function.reported.each
    copied = is_plain and is_characters(function.returns)
    start, end = (f"return wg::lasting_text<{out.cpp}>(", "); }") if copied else ("return", "; }")
    return f"{pushed}{placed_in(f'{head} {{{first} {start}', code, module, end)}{popped}"


def _referred(type_: str) -> str:
    """The type of a parameter that is the argument itself."""
    return type_ if type_.endswith("&") else f"{type_.rstrip()} &"


def _makes_held(row: ParameterRow) -> bool:
    """Whether what an expression has of a handle is made of it, rather than in it."""
    return row.form.held in (INNERS, HELD_OR_NULL)


def _without_macros(parameters: Sequence[str]) -> tuple[str, str]:
    """What stands around a body so that its parameters are theirs, whatever macros the library's headers define."""
    if not parameters:
        return "", ""
    pushed, popped = (" ".join(f'_Pragma("{what}_macro(\\"{p}\\")")' for p in parameters) for what in ("push", "pop"))
    undefined = "\n".join(f"#undef {each}" for each in parameters)
    return f"{pushed}\n{undefined}\n", f"\n{popped}"


def spaced(cpp: str) -> str:
    return cpp if cpp.endswith(("&", "*")) else cpp + " "


# --- calls ---


def call_of(function: Function, rows: Rows) -> Call:
    """The call of the user's code, with each argument as the code wants it."""
    name = names.user_code(function)
    match function.implementation:
        case Named(code, is_member):
            return _named(function, rows, code.text.strip(), is_member=is_member)
        case Body(is_expression=is_expression):
            arguments, made = ["wg_h"] if function.handle else [], []
            for p, row in zip(function.parameters, rows, strict=True):
                form = ITSELF if is_expression else row.cpp_body_argument
                own = names.cpp(p.name)
                if row.is_represented:
                    own = names.extra(p.name, "made")
                    made.append(_made(p, row))
                arguments.append(own if row.is_represented else form.of(own))
                if is_expression and _makes_held(row):
                    arguments.append(names.extra(p.name, "held"))
                    made.append(f"auto &&{arguments[-1]} = {row.form.held.of(own)};")
            return Call(f"{name}({', '.join(arguments)})", statements=tuple(made))
        case Lambda(_, passing, takes_handle, in_pairs, bound, is_implied):
            rest = list(passing)
            slots, made = [], []
            if takes_handle:
                how = rest.pop(0)
                slots.append(
                    _bound("wg_h") if "h" in bound else Slot("wg_h", ITSELF if how is Passing.STRUCT else INNER)
                )
            for p, row, how in zip(function.parameters, rows, rest, strict=True):
                if p.name in bound:
                    slots.append(_bound(names.cpp(p.name), names.python(p.name)))
                    continue
                slot = Slot(names.cpp(p.name), _form(row.form, how), row.care, names.python(p.name))
                if is_implied and row.is_represented:  # which takes whatever it is given
                    slots.append(Slot(names.extra(p.name, "made")))
                    made.append(_made(p, row))
                else:
                    slots.append(replace(slot, is_represented=row.is_represented))
            call = checked_call(Instead(f"{name}()"), slots, in_pairs=in_pairs)
            return replace(call, asked=(*made, *call.asked))
        case NotImplementedYet():
            return Call("")


def _made(p: Parameter, row: ParameterRow) -> str:
    """The statement that makes what code has of a parameter: a reference to it may be the result."""
    return f"auto &&{names.extra(p.name, 'made')} = {row.cpp_body_argument.of(names.cpp(p.name))};"


def _named(function: Function, rows: Rows, name: str, *, is_member: bool) -> Call:
    """A call of a function or member by its name, which may be a macro's or stand for several functions."""
    assert isinstance(function.implementation, Named)
    bound = function.implementation.bound
    slots, taken = [], []
    if function.handle and not is_member:
        slots.append(_bound("wg_h") if "h" in bound else Slot("wg_h", INNER))
    for own, p, row in zip(parameter_names(function), function.parameters, rows, strict=True):
        if p.name in bound:
            slots.append(_bound(own, names.python(p.name)))
            continue
        form, asked = row.form.inner, None
        if p.mode is Mode.TAKE:  # once, also where the name is a macro's
            asked = form
            taken.append(f"auto &&{own}_taken = {form.of(own)};")
            form = Instead(f"static_cast<decltype({own}_taken)>({own}_taken)")
        one_of = has_alternatives(p.type) and takes_alternatives(function)
        slots.append(Slot(own, form, row.care, names.python(p.name), asked, has_alternatives=one_of))
    callee = INNER.within("wg::object(", f").{member(name)}") if is_member else Instead(name)
    if has_plain_form(function):
        slots = _late(slots)
        callee = callee if slots else Instead("wg_call")
    whole = checked_call(callee, slots, taken, names_class=function.implementation.names_class)
    if not whole.is_whole:
        return whole
    if has_plain_form(function):  # bytes in two parts are no plain call
        return replace(whole, is_whole="")
    return replace(whole, in_pairs=checked_call(callee, slots, taken, in_pairs=True))


def _bound(own: str, shown: str = "") -> Slot:
    """A handle that holds a plain pointer, where C++ may want what it points to."""
    return Slot(f"{own}.inner", care=Care.HANDLE, shown=shown)


def _late(slots: list[Slot]) -> list[Slot]:
    """The same, so that the call is looked at only where it is made."""
    return [replace(s, form=s.form.around(in_call("wg::late<wg_T...>"))) if s.care is Care.NONE else s for s in slots]


@remembered
def parameter_names(function: Function) -> Sequence[str]:
    """What the typed function calls its parameters: nothing that could hide the function which it calls by name."""
    if isinstance(function.implementation, Named):
        own = [names.typed(p.name) for p in function.parameters]
        if any(mentions(function.implementation.name.text, each) for each in own):
            return [f"wg_{i}" for i, _ in enumerate(function.parameters, 1)]
        return own
    return [names.cpp(p.name) for p in function.parameters]


def _form(form: Form, passing: Passing) -> Around:
    match passing:
        case Passing.INNER:
            return form.inner
        case Passing.STRUCT:
            return form.struct
        case Passing.POINTER:
            return form.pointer
        case _:
            assert_never(passing)

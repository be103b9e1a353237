"""The user's code in the bridge: where it stands, and how it is called with each handle as it wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wrapper_gen import names
from wrapper_gen.conversions import parameter, result
from wrapper_gen.model import Body, Code, Function, Lambda, Mode, Module, Named, NotImplementedYet, Parameter, Passing
from wrapper_gen.tiers.arguments import Call, Slot, checked_call, kind_of
from wrapper_gen.types.model import Handle, List, Optional, Void
from wrapper_gen.types.queries import is_compound
from wrapper_gen.views.placement import placed


def _returned(before: str, code: Code, module: Module) -> str:
    """A function that returns a callable: inside it default captures are fine, at namespace scope they are not."""
    shown = Code(code.text.strip().rstrip(";").rstrip(), code.span, code.literal)
    return f"{before} {{\n    return\n{placed(shown, module)}\n    ;\n}}"


def implementation(function: Function, module: Module) -> str:
    """The C++ text that holds one function's code; empty for a name, which stands where it is called."""
    name = names.user_code(function.base, function.handle)
    match function.implementation:
        case Lambda(code):
            return _returned(f"inline auto {name}()", code, module)
        case Body(code):
            parameters = [f"[[maybe_unused]] {function.handle} &h"] if function.handle else []
            own = [names.body(p.name) for p in function.parameters]
            types = [_body_type(p, module) for p in function.parameters]
            parameters += [f"[[maybe_unused]] {type_}{each}" for type_, each in zip(types, own, strict=True)]
            head = f"inline {_body_result(function, module)} {name}({', '.join(parameters)})"
            before, after = _without_macros(own)
            return f"{before}{head} {{\n{placed(code, module, '}')}{after}"
        case Named() | NotImplementedYet():
            return ""


def _without_macros(parameters: Sequence[str]) -> tuple[str, str]:
    """What stands around a body so that its parameters are theirs, whatever macros the library's headers define."""
    before = "".join(f'#pragma push_macro("{each}")\n#undef {each}\n' for each in parameters)
    after = "".join(f'\n#pragma pop_macro("{each}")' for each in parameters)
    return before, after


def spaced(cpp: str) -> str:
    return cpp if cpp.endswith(("&", "*")) else cpp + " "


def _body_type(p: Parameter, module: Module) -> str:
    if isinstance(p.type, List) and isinstance(p.type.element, Handle):
        return f"const std::vector<{p.type.element.name}> &"
    return spaced(parameter(p.type, p.name, module.name).cpp)


def _body_result(function: Function, module: Module) -> str:
    if function.raises:
        return function.raises
    cpp = result(function.returns, module.name).cpp
    return cpp if isinstance(function.returns, Void) else f"wg::Result<{cpp}>"


# --- calls ---


def call_of(function: Function) -> Call:
    """The call of the user's code, with each argument as the code wants it."""
    name = names.user_code(function.base, function.handle)
    match function.implementation:
        case Named(code):
            return _named(function, code.text.strip())
        case Body():
            arguments = ["wg_h"] if function.handle else []
            arguments += [_as_body_argument(p) for p in function.parameters]
            return Call(f"{name}({', '.join(arguments)})")
        case Lambda(_, passing, takes_handle, in_pairs):
            rest = list(passing)
            slots = []
            if takes_handle:
                slots.append(Slot("wg_h", "$" if rest.pop(0) is Passing.STRUCT else "$.inner"))
            for p, how in zip(function.parameters, rest, strict=True):
                slots.append(Slot(names.cpp(p.name), _as_argument("$", p, how), kind_of(p), names.python(p.name)))
            return checked_call(f"{name}()", slots, in_pairs=in_pairs)
        case NotImplementedYet():
            return Call("")


def _named(function: Function, name: str) -> Call:
    """A call of a function or member by its name, which may be a macro's or stand for several functions."""
    if function.handle and "<" in name and not name.startswith("template"):
        name = f"template {name}"  # a member of a type that C++ knows only when it asks
    slots, taken = [], []
    for own, p in zip(parameter_names(function), function.parameters, strict=True):
        form, asked = _as_argument("$", p, Passing.INNER), ""
        if p.mode is Mode.TAKE:  # once, also where the name is a macro's
            asked = form
            taken.append(f"auto &&{own}_taken = {form.replace('$', own)};")
            form = f"static_cast<decltype({own}_taken)>({own}_taken)"
        slots.append(Slot(own, form, kind_of(p), names.python(p.name), asked))
    callee = f"wg::object($.inner).{name}" if function.handle else name
    whole = checked_call(callee, slots, taken)
    if not whole.is_whole:
        return whole
    return replace(whole, in_pairs=checked_call(callee, slots, taken, in_pairs=True))


def parameter_names(function: Function) -> list[str]:
    """What the typed function calls its parameters: nothing that could hide the function which it calls by name."""
    if isinstance(function.implementation, Named):
        return [f"wg_{i}" for i, _ in enumerate(function.parameters, 1)]
    return [names.cpp(p.name) for p in function.parameters]


def _as_body_argument(p: Parameter) -> str:
    if isinstance(p.type, List) and isinstance(p.type.element, Handle):
        return f"{names.cpp(p.name)}.structs()"
    return f"{names.cpp(p.name)}.consume()" if p.mode is Mode.TAKE else names.cpp(p.name)


def _as_argument(name: str, p: Parameter, passing: Passing) -> str:
    match p.type:
        case Handle():
            inner = "" if passing is Passing.STRUCT else ".inner"
            return f"std::move({name}.consume(){inner})" if p.mode is Mode.TAKE else f"{name}{inner}"
        case Optional(Handle()):
            return {Passing.STRUCT: f"wg::maybe_struct({name})", Passing.INNER: f"wg::maybe_inner({name})"}.get(
                passing, name
            )
        case List(Handle()):
            return f"{name}.structs()" if passing is Passing.STRUCT else f"{name}.inners()"
        case _ if is_compound(p.type):
            return f"std::move({name})"  # it is the call's own: nobody else needs it
        case _:
            return name

"""What C++ has to know of the callables that it is passed."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Callback, Lasting, Module, UserData
from wrapper_gen.queries import callbacks
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.bridge.listed_callbacks import ListedView, listed_view
from wrapper_gen.types.hints import Way
from wrapper_gen.types.queries import is_void
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.views.layout import packed
from wrapper_gen.views.placement import placed_lines


@frozen
class CallbackView:
    """One callable: the C++ type that says what it is called with, and what the spec says of it."""

    tag: str
    types: str
    members: tuple[str, ...]
    """Lines that say what the spec says of it."""
    fallback: str
    """The function that gives what C++ gets where there is no result; empty where the spec says nothing."""
    listed: ListedView | None
    """Of one whose arguments in C the spec lists."""
    base: str


def callback_views(module: Module) -> tuple[CallbackView, ...]:
    return tuple(_view(each, module) for each in callbacks(module))


def _view(callback: Callback, module: Module) -> CallbackView:
    fn = callback.type
    returns = "void" if is_void(fn.returns) else descriptor(fn.returns, Way.ARGUMENT, module.name)
    fallback = ""
    if callback.on_exception and not fn.is_told:
        line = f"    WG_FALLBACK {{ return static_cast<wg_T>({callback.on_exception.text}); }}"
        fallback = placed_lines([(callback.on_exception.span, line)], module)
    listed = listed_view(callback, callback.listed, module) if callback.listed else None
    return CallbackView(
        tag=names.callback(fn.label),
        types=", ".join([returns, *(descriptor(each, Way.LENT, module.name) for each in fn.parameters)]),
        members=tuple(_members(callback, listed)),
        fallback=fallback,
        listed=listed,
        base="ListedCallback" if listed else "Callback",
    )


def _members(callback: Callback, listed: ListedView | None) -> Iterator[str]:
    yield f"WG_CALLBACK({names.callback(callback.type.label)}, {c_string(callback.parameter)}, {callback.scope})"
    others = list[str]()
    if callback.is_optional:
        others.append("static constexpr bool is_optional = true;")
    if callback.user_data is not UserData.DEDUCED:
        others.append(f"static constexpr wg::UserData user_data = wg::UserData::{callback.user_data};")
    if callback.data_place:  # among the fields of a struct that share their user data
        others.append(f"static constexpr std::size_t place = {callback.data_place};")
    if callback.type.is_spread and not listed:
        others.append("static constexpr bool is_spread = true;")
    others += listed.members if listed else ()
    if others:
        yield packed(others, indent="    ")


def way_out_of(callback: Callback, *, among: bool = False) -> str:
    """What a callable may lack so that C can call it; `among` others of the same call."""
    name = callback.parameter
    if callback.scope in (Lasting.UNSAID, Lasting.HELD):
        return f"if C takes a function pointer, say how long it has that: scope: {{{name}: call}}"
    way = "; or, of several void *, list them in an entry of `types`: cpp: (user_data, ...)"
    way *= callback.user_data is UserData.DEDUCED
    several = ", or user_data, which several share" * among
    listed = f'cpp: "g(..., {name}, {name}.user_data, ...)"'
    return f"list all that C takes, and which of it is the user data: {listed}{several}{way}"

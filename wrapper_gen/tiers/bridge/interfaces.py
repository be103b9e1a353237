"""The classes that the bridge derives from those of interfaces: what overrides each virtual function."""

from __future__ import annotations

from collections.abc import Iterable

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Function, HandleType, Module, Virtual
from wrapper_gen.queries import members
from wrapper_gen.quoting import c_string
from wrapper_gen.views.interfaces import overriding_symbol, virtual_methods
from wrapper_gen.views.placement import placed, placed_lines


@frozen
class VirtualView:
    """One virtual function."""

    tag: str
    """The class template that overrides it."""
    overriding: str
    """The macro that defines that."""
    type: str
    """Its C++ type."""
    call: str
    """The function by which Python calls what C++ has."""
    elsewhere: str
    """What that does for an object that C++ made."""


@frozen
class InterfaceView:
    """One interface."""

    cpp_class: str
    cpp_code: str
    access: str
    """A class in which all members are public."""
    members: str
    virtual: tuple[VirtualView, ...]
    abstract_name: str
    abstract: str
    """The generated class that overrides what has to be overridden."""
    implemented: str
    """What does not compile where there is more of that."""
    all_name: str
    all: str
    own: str
    handle: str
    symbol: str


def interface_views(module: Module) -> tuple[InterfaceView, ...]:
    found = members(module)
    return tuple(_view(h, virtual_methods(found[h.name].methods), module) for h in module.handles if h.is_interface)


def _view(handle: HandleType, virtual: list[tuple[Function, Virtual]], module: Module) -> InterfaceView:
    cpp_class, access = names.extra(handle.name, "class"), names.extra(handle.name, "access")
    views = [_virtual(f, each, i, handle.name, module) for i, (f, each) in enumerate(virtual)]
    both = list(zip(views, (each for _, each in virtual), strict=True))
    abstract = _chain((v for v, each in both if each.is_abstract), f"wg::OverridesNothing<{cpp_class}>")
    accessed = {e.member.text.strip(): e.member.span for _, e in virtual if e.cpp_type is None}
    implemented = f"!std::is_abstract_v<{names.extra(handle.name, 'abstract')}>"
    where = f"{module.place(handle.span)}: {handle.name}"
    message = f"wrapper-gen: {where} has further abstract methods: list them under `methods`, with abstract: true"
    return InterfaceView(
        cpp_class=cpp_class,
        cpp_code=placed(handle.cpp_type, module),
        access=access,
        members=placed_lines([(span, f"    using {cpp_class}::{each};") for each, span in accessed.items()], module)
        if accessed
        else "",
        virtual=tuple(views),
        abstract_name=names.extra(handle.name, "abstract"),
        abstract=abstract,
        implemented=_asserted(implemented, message, handle.span, module),
        all_name=names.extra(handle.name, "all"),
        all=_chain((v for v, each in both if not each.is_abstract), names.extra(handle.name, "abstract")),
        own=names.extra(handle.name, "overriding"),
        handle=handle.name,
        symbol=overriding_symbol(handle, module),
    )


def _virtual(function: Function, virtual: Virtual, at: int, handle: str, module: Module) -> VirtualView:
    tag = names.extra(f"{handle}_{function.base}", "virtual")
    member, span = virtual.member.text.strip(), virtual.member.span
    macro = "WG_OVERRIDE_ABSTRACT" if virtual.is_abstract else "WG_OVERRIDE"
    callback = names.callback(virtual.callback.type.label)
    named = c_string(names.of_function(function))
    type_ = f"wg::FunctionOf<decltype(&{names.extra(handle, 'access')}::{member})>::type"
    elsewhere = f"return wg_object->{member}(std::forward<wg_A>(wg_a)...);"
    if virtual.is_protected:
        elsewhere = f"wg::fail_protected({callback}::name);"
    return VirtualView(
        tag=tag,
        overriding=placed_lines([(span, f"{macro}({tag}, {member}, {at}, {named}, {callback})")], module),
        type=placed(virtual.cpp_type, module) if virtual.cpp_type else placed_lines([(span, type_)], module),
        call=names.extra(f"{handle}_{function.name}", "call"),
        elsewhere=elsewhere,
    )


def _chain(views: Iterable[VirtualView], base: str) -> str:
    """Classes each of which derives from the next."""
    for view in views:
        base = f"{view.tag}<{base}, {view.tag}_type>"
    return base


def _asserted(condition: str, message: str, span: Span, module: Module) -> str:
    return placed_lines([(span, f"static_assert({condition}, {c_string(message)});")], module)

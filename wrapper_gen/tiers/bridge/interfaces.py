"""The classes that the bridge derives from those of interfaces: what overrides each virtual function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Function, HandleType, Module, Named, Virtual
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
    said: str
    """Its C++ type, where the spec says that."""
    found: str
    """What tells its type, where C++ has it; empty where only the spec can say it."""
    is_found: str
    """What does not compile where it has not."""
    call: str
    """The function by which Python calls what C++ has."""
    refused: str
    """What it does where Python cannot: C++'s arguments are others than those of the method. Else empty."""
    elsewhere: str
    """What that does for an object that C++ made."""


@frozen
class ProtectedView:
    """One member that only derived classes can call, with all its overloads."""

    call: str
    """The function by which Python calls it."""
    member: str
    """What does it in the generated class."""
    type: str
    """What the call of the member is, from which C++ tells what it returns."""
    called: str
    elsewhere: str
    """What Python gets for an object that C++ made."""


@frozen
class InterfaceView:
    """One interface."""

    cpp_class: str
    cpp_code: str
    virtual: tuple[VirtualView, ...]
    protected: tuple[ProtectedView, ...]
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
    return tuple(_view(h, found[h.name].methods, module) for h in module.handles if h.is_interface)


def _view(handle: HandleType, methods: Sequence[Function], module: Module) -> InterfaceView:
    virtual = virtual_methods(methods)
    cpp_class = names.extra(handle.name, "class")
    views = [_virtual(f, each, i, handle.name, module) for i, (f, each) in enumerate(virtual)]
    both = list(zip(views, (each for _, each in virtual), strict=True))
    abstract = _chain(
        (v for v, each in both if each.is_abstract or each.is_optional), f"wg::OverridesNothing<{cpp_class}>"
    )
    implemented = f"!std::is_abstract_v<{names.extra(handle.name, 'abstract')}>"
    if views:  # of one that is not found there is an error already
        missing = " || ".join(f"wg::is_missing<{v.tag}_type>" for v in views)
        implemented = f"{missing} || {implemented}"
    where = f"{module.place(handle.span)}: {handle.name}"
    message = f"wrapper-gen: {where} has further abstract methods: list them under `methods`, as abstract or optional"
    return InterfaceView(
        cpp_class=cpp_class,
        cpp_code=placed(handle.cpp_type, module),
        virtual=tuple(views),
        protected=tuple(_protected(methods, handle.name, module)),
        abstract_name=names.extra(handle.name, "abstract"),
        abstract=abstract,
        implemented=_asserted(implemented, message, handle.span, module),
        all_name=names.extra(handle.name, "all"),
        all=_chain(
            (v for v, each in both if not (each.is_abstract or each.is_optional)), names.extra(handle.name, "abstract")
        ),
        own=names.extra(handle.name, "overriding"),
        handle=handle.name,
        symbol=overriding_symbol(handle, module),
    )


def _virtual(function: Function, virtual: Virtual, at: int, handle: str, module: Module) -> VirtualView:
    tag = names.extra(f"{handle}_{function.base}", "virtual")
    member, span = virtual.member.text, virtual.member.span
    macro = "WG_OVERRIDE_OPTIONAL" if virtual.is_optional else "WG_OVERRIDE"
    if virtual.is_abstract:
        macro = "WG_OVERRIDE_ABSTRACT"
    callback = names.callback(virtual.callback.type.label)
    named = c_string(names.of_function(function))
    said = placed(virtual.cpp_type, module) if virtual.cpp_type else ""
    pointer, before = f"&wg_T::{member}", ""
    called = f"wg::late<wg_A...>(wg_object)->{member}"
    if said:  # one of several
        pointer = f"static_cast<{tag}_said wg_T::*>({pointer})"
        before = "using wg_T = std::decay_t<decltype(*wg::late<wg_A...>(wg_object))>; "
        called = f"((*wg_object).*{pointer})"
    called = f"{{ {before}return {called}(std::forward<wg_A>(wg_a)...); }}"
    elsewhere = f"if constexpr (!wg::is_missing<{tag}_type>) {called} else return wg::UnknownResult();"
    is_asked = not (said and virtual.is_protected)  # it may be private, which nothing but an override can name
    if virtual.is_protected:
        elsewhere = f"wg::fail_protected({callback}::name);"
    where = f"{module.place(function.span)}: {handle}.{function.name}"
    which = f"no {member} of this cpp_type" if said else f"no {member}, or several"
    hint = "say another name with cpp_method, and of several the type with cpp_type"
    message = f"wrapper-gen: {where}: the C++ class has {which}: {hint}"
    return VirtualView(
        tag=tag,
        overriding=placed_lines([(span, f"{macro}({tag}, {member}, {at}, {named}, {callback})")], module),
        said=said,
        found=placed_lines([(span, f"    static wg::FunctionOf<decltype({pointer})> wg_type_of(int);")], module)
        if is_asked
        else "",
        is_found=_asserted(f"!wg::is_missing<{tag}_type>", message, span, module),
        call=names.extra(f"{handle}_{function.name}", "call"),
        refused=f"wg::fail_mirrored({callback}::name);" if virtual.callback.listed else "",
        elsewhere=elsewhere,
    )


def _protected(methods: Iterable[Function], handle: str, module: Module) -> Iterator[ProtectedView]:
    seen = set()
    for function in methods:
        match function.implementation:
            case Named(name, protected=member) if member and member not in seen:
                seen.add(member)
                called = f"this->{member}(std::forward<wg_A>(wg_a)...)"
                yield ProtectedView(
                    call=names.extra(f"{handle}_{member}", "protected"),
                    member=names.extra(f"{handle}_{member}", "own"),
                    type=placed_lines([(name.span, f"        -> decltype({called})")], module),
                    called=called,
                    elsewhere=f"wg::fail_protected({c_string(f'{handle}.{names.python_method(function.name)}')});",
                )


def _chain(views: Iterable[VirtualView], base: str) -> str:
    """Classes each of which derives from the next."""
    for view in views:
        base = f"{view.tag}<{base}, {view.tag}_type>"
    return base


def _asserted(condition: str, message: str, span: Span, module: Module) -> str:
    return placed_lines([(span, f"static_assert({condition}, {c_string(message)});")], module)

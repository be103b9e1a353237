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
from wrapper_gen.views.placement import placed, placed_in, placed_lines, said_at


@frozen
class VirtualView:
    """One virtual function."""

    tag: str
    """The class template that overrides it."""
    overriding: str
    """What tells its type, does not compile where C++ has no such function, and defines that class template."""
    call: str
    """The function by which Python calls what C++ has."""


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
    """What defines that name."""
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
    message = f"{handle.name} has further abstract methods: list them under `methods`, as abstract or optional"
    return InterfaceView(
        cpp_class=cpp_class,
        cpp_code=f"using {cpp_class} =\n{placed(handle.cpp_type, module, ';')}",
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
    tag, cpp_class = names.extra(f"{handle}_{function.base}", "virtual"), names.extra(handle, "class")
    member, span = virtual.member.text, virtual.member.span
    macro = "WG_OVERRIDE_OPTIONAL" if virtual.is_optional else "WG_OVERRIDE"
    if virtual.is_abstract:
        macro = "WG_OVERRIDE_ABSTRACT"
    callback = names.callback(virtual.callback.type.label)
    named = c_string(names.of_function(function))
    has_none = virtual.is_abstract or virtual.is_optional
    said, pointer, which = "", f"&wg_T::{member}", f"no {member}, or several"
    if virtual.cpp_type:  # one of several
        said = placed_in(f"using {tag}_said =", virtual.cpp_type, module, ";") + "\n"
        pointer = f"static_cast<{tag}_said wg_T::*>({pointer})"
        which = f"no {member} of this cpp_type"
    is_asked = not (said and has_none)  # it may be private, which nothing but an override can name
    hint = "say another name with cpp, and of several the type with cpp_type"
    message = said_at(function.span, module, f"{handle}.{function.name}: the C++ class has {which}: {hint}")
    statements = (
        *((f"WG_VIRTUAL_POINTER({tag}, {pointer})",) * bool(said)),
        f"WG_VIRTUAL({tag}, {cpp_class}, {pointer})" if is_asked else f"WG_VIRTUAL_SAID({tag})",
        *((f"static_assert(!wg::is_missing<{tag}_type>, {message});",) * is_asked),
        f"{macro}({tag}, {member}, {at}, {named}, {callback})",
    )
    call = ", ".join([names.extra(f"{handle}_{function.name}", "call"), cpp_class])
    own = f"{names.extra(handle, 'overriding')}, {tag}, {callback}"
    if virtual.is_mirrored:
        call = f"WG_CALLED_BY_CPP_ALONE({call}, {callback})"
    elif said:
        call = f"WG_CALL_VIRTUAL_SAID({call}, {own})"
    else:
        call = f"WG_CALL_{'ABSTRACT' if has_none else 'VIRTUAL'}({call}, {own}, {member})"
    return VirtualView(tag, said + placed_lines([(span, each) for each in statements], module), call)


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
    return placed_lines([(span, f"static_assert({condition}, {said_at(span, module, message)});")], module)

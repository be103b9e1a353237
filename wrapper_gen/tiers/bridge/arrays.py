"""Arrays as results in the typed function: what makes one of the call's own value, and the dimensions that it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.expressions import MEMBER, mentions
from wrapper_gen.lifetimes.kept import keeps
from wrapper_gen.model import Function, Module
from wrapper_gen.quoting import c_bool
from wrapper_gen.tiers.bridge.dimensions import OBJECT, dimension_names, local
from wrapper_gen.types.memory import array_of, leaves_order
from wrapper_gen.types.spelling import element_type
from wrapper_gen.views.placement import shown_place


def made_array(function: Function, own: Sequence[str], module: Module) -> Iterator[str]:
    """The statement that defines `wg_array`, which makes the result of the value of the call."""
    array = array_of(function.returns)
    if array is None:
        return
    known = {p.name: each for p, each in zip(function.parameters, own, strict=True)}
    known |= {name: local(name) for name in dimension_names(function)}
    texts = (*array.dimensions, *function.strides, *filter(None, [array.number]))
    given = {name: each for name, each in known.items() if mentions(" , ".join(texts), name)}
    yield "const auto wg_array = [&](auto &&value) -> wg::Array {"
    if function.handle:
        yield "    [[maybe_unused]] auto &h = wg_h;"
        if mentions(" , ".join(texts), OBJECT):
            yield f"    auto &{OBJECT} = wg_h.inner;"
    yield from (f"    [[maybe_unused]] auto &{names.body(name)} = {each};" for name, each in given.items())
    handle = "wg::object(wg_h.inner)" if function.handle else "wg::nothing"
    count, place = len(array.dimensions), shown_place(function.span, module)
    extents = (_extent(text, f"wg::Known<{i}, {count}>()", handle, known) for i, text in enumerate(array.dimensions))
    yield f"    const wg::i64 wg_extents[] = {{{', '.join(extents)}}};"
    strides = "nullptr"
    if function.strides:
        strides = "wg_strides"
        listed = (_extent(text, "wg::nothing", handle, known) for text in function.strides)
        yield f"    const wg::i64 wg_strides[] = {{{', '.join(listed)}}};"
    keeping = c_bool(keeps(function))
    kind = f"{element_type(array.element)}, {count}, wg::Order::{array.order}, {keeping}"
    ordered = f", {handle}" if function.handle and count >= 2 and leaves_order(array) and not function.strides else ""
    made = f"wg::made_array<{kind}>(std::forward<decltype(value)>(value), wg_extents, {strides}{ordered})"
    if array.device:
        device = (
            _extent(array.number, "wg::nothing", handle, known) if array.number else f"{known[array.beside]}.device()"
        )
        made = f"wg::on_device<wg::Cuda>({device}, {known[array.stream]}).of({made})"
    yield f"    static_cast<void>({place});"
    yield f"    return {made};"
    yield "};"


def _extent(text: str, known_by_type: str, handle: str, known: dict[str, str]) -> str:
    """One dimension: a bare name, or a call without arguments, is a member of the value or of the handle's object."""
    bare = MEMBER.fullmatch(text)
    if bare is None or bare[1] in known or bare[1] in ("value", "h", OBJECT):
        return f"wg::extent({text})"
    member = f"[](auto &of) -> decltype(of.{text}) {{ return of.{text}; }}"
    if text == bare[1]:  # a data member or a function
        member = f"wg::Either{{{member}, [](auto &of) -> decltype(of.{text}()) {{ return of.{text}(); }}}}"
    return f"wg::extent(wg::member({member}, value, {handle}, {known_by_type}))"

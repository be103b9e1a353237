"""Memory whose address a call returns: what releases it, how much of it there is, how it is read."""

from __future__ import annotations

from wrapper_gen.expressions import mentions
from wrapper_gen.model import Function, Returned
from wrapper_gen.quoting import c_bool
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import is_characters, is_optional

WRITTEN_LENGTH = 'wg::WrittenIn{wg_length, "length"}'
"""The argument by which the call writes how much there is."""


def returned_room(memory: Returned, function: Function) -> tuple[str, ...]:
    """The statements before the call."""
    release = "wg::LeftAlone()"
    if memory.free:
        objects = {"h": "wg_h", "self": "wg_h.inner"} if function.handle else {}
        used = {name: given for name, given in objects.items() if mentions(memory.free, name)}
        own = "".join(f"[[maybe_unused]] auto &{name} = {given}; " for name, given in used.items())
        release = f"[&](auto *value) {{ {own}static_cast<void>({memory.free}); }}"
    return f"[[maybe_unused]] const auto wg_free = {release};", *(["wg::WrittenLength wg_length;"] * memory.is_written)


def memory_read(length: str, returns: Type) -> str:
    """The expression for what is there."""
    if not length:
        return "wg_memory.text()"
    kind = ", ".join(map(c_bool, (is_characters(returns), is_optional(returns))))
    return f"wg::run_in<{kind}>(wg_memory, {length})"

"""How the call of a C function is put together: what the spec says of it, and what it has to say."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.model import Code, Parameter
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import handles_in


def check_place_of_handle(scope: Scope, handle: str, parameters: Sequence[Parameter], code: Code) -> None:
    """C++ finds the place of a method's handle by its type, which nothing else of the call may have."""
    cpp_types = {name: _spelled(each) for name, each in scope.named("handle_types", "name")}
    own = cpp_types.get(handle, "")
    order = ", ".join(["h", *(p.name for p in parameters)])
    hint = f"say C's order: cpp_params: [{order}]"
    if parameters and own in ("void*", "constvoid*"):
        message = f"{handle} is a void * to C++, which could stand anywhere in the call"
        scope.error("WG080", message, code.span, hint)
    for p in parameters:
        alike = [each for each in sorted(handles_in(p.type)) if each != handle and cpp_types.get(each) == own]
        if own and alike:
            message = f"{handle} and {alike[0]} are one type to C++: {p.name!r} and the handle could change places"
            scope.error("WG080", message, code.span, hint, (p.span, f"{p.name!r} is here"))


def _spelled(handle_type: Map) -> str:
    """The C++ type of a handle type, without what does not matter in it."""
    cpp_type = handle_type.get("cpp_type")
    return "".join(cpp_type.split()).removeprefix("struct") if isinstance(cpp_type, str) else ""

"""`position`, `position[…]` and `key` where types of parameters and results are read: what they count in."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import replace
from wrapper_gen.model import Code, Counted, Parameter
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.parse import CountedPart
from wrapper_gen.types.queries import if_given, is_integer, is_optional

_NAME = re.compile(r"[A-Za-z_]\w*")
_BY_CPP = "..."


def read_counted(part: CountedPart, place: Callable[[int, int], Span], scope: Scope) -> Counted:
    """What a position or a key says; `place` knows where each part of its type stands."""
    span = place(part.start, part.end)
    if part.extent is None:
        return Counted(span, is_key=part.word == "key")
    text, extent = part.extent.text, place(part.extent.start, part.extent.end)
    if text == _BY_CPP:
        return Counted(span, is_by_cpp=True)
    if _NAME.fullmatch(text):
        return Counted(span, text=text)
    scope.check_code(text, extent, "\t")
    return Counted(span, extent=Code(text, extent))


def with_counted(p: Parameter, counted: Sequence[Counted], scope: Scope) -> Parameter:
    """The parameter with the position or the key that its type is."""
    if not counted:
        return p
    own = counted[0]
    if not is_integer(if_given(p.type)) or (is_optional(p.type) and not own.text):
        hint = "write it alone: `index: position`; an offset into a text may be missing: `start: position[subject]?`"
        scope.error("WG129", "a position or a key is a whole parameter", own.span, hint)
        return p
    return replace(p, counted=own)

"""Results that are handles: what is asked of the value that a call gives before a handle is made of it."""

from __future__ import annotations

from wrapper_gen.frozen import replace
from wrapper_gen.model import Body, Function, Lambda
from wrapper_gen.types.queries import handle_of
from wrapper_gen.types.results import handle_made
from wrapper_gen.types.rows import ResultRow


def made_handle(function: Function, out: ResultRow) -> ResultRow:
    """The row of such a result; any other row as it is. A `cpp_body` converts what it returns by itself."""
    name = handle_of(function.returns)
    if name is None or isinstance(function.implementation, Body):
        return out
    checks = ["no_expression"] * isinstance(function.implementation, Lambda)
    checks += ["no_copy"] * ("h" in function.keep_alive and not function.keeps_by_type)
    return replace(out, cpp_returned=handle_made(name, *checks)) if checks else out

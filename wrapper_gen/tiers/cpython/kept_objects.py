"""What results of the cpython engine keep alive, as C++ says it."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.iterators import kept_by_iterator
from wrapper_gen.lifetimes.kept import keeps, owners
from wrapper_gen.model import WITHIN, Function, Module
from wrapper_gen.views.lifetimes import borrowed, borrowed_until


def kept_by_result(function: Function, module: Module) -> str:
    """What the result keeps alive; empty when it is nothing."""
    if not keeps(function):
        return ""
    borrow = borrowed(function, module, "self.held()")
    within = ".lend_within()" * (WITHIN in function.lifetime.result.lenders)
    lenders = [n for n in function.lifetime.result.lenders if n != WITHIN]
    lent = f".lend({held(lenders, function)})" if lenders else ""
    return f"{held(owners(function), function)}{lent}{within}{borrow}"


def is_only_lent(function: Function, module: Module) -> bool:
    """Whether a result keeps nothing alive but what lends it: the call's object, or what owns that."""
    return not owners(function) and function.lifetime.result.lenders == ("h",) and not borrowed(function, module, "")


def of_iterator(function: Function, module: Module) -> str:
    """What an iterator keeps alive itself, beside what each of its elements does."""
    return f"{held(kept_by_iterator(function), function)}{borrowed_until(function, module, 'self.held()')}"


def held(several: Sequence[str], function: Function) -> str:
    """The handles among these parameters, and `h`."""
    return f"wg::cpython::owners({', '.join(of_argument(n, function) for n in several)})"


def of_argument(name: str, function: Function) -> str:
    """A parameter, or `h`, as what took it from Python."""
    return "self" if function.handle and name == "h" else names.argument(name)

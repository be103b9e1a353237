"""Copies of handle types that extend others: `__copy__` of a base, where the spec says no more, holds for these too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen.frozen import replace
from wrapper_gen.model import Function
from wrapper_gen.model.inheritance import bases, subtypes
from wrapper_gen.model.protocols import Protocol, Shape
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.protocols import implied_by
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.model import Handle
from wrapper_gen.types.queries import handle_of


def implied_copies(methods: Sequence[Function], scope: Scope) -> Iterator[Function]:
    """The copy constructor of a base copies a part of the object only: each type that extends it has its own."""
    declared = {(m.handle, m.name) for m in methods}
    for method in methods:
        protocol, handle = method.protocol, method.handle
        if not handle or protocol is None or not _is_implied(method, protocol, scope):
            continue
        for below in subtypes(handle, scope.names.extends):
            nearest = next(each for each in bases(below, scope.names.extends) if (each, method.name) in declared)
            if (below, method.name) in declared or nearest != handle or below in scope.names.interfaces:
                continue
            own = replace(protocol, cpp="wg::operators::copy_if_possible(wg_own)")
            implementation = implied_by(own, scope, _signature(method, below))
            yield replace(method, handle=below, returns=Handle(below), implementation=implementation)


def _is_implied(method: Function, protocol: Protocol, scope: Scope) -> bool:
    if protocol.shape is not Shape.COPY or handle_of(method.returns) != method.handle:
        return False
    return method.implementation == implied_by(protocol, scope, _signature(method, method.handle or ""))


def _signature(method: Function, handle: str) -> Signature:
    return Signature(method.name, method.span, handle, (), Handle(handle), method.span, is_property=False)

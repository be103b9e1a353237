"""What the C++ that puts the arguments of a call in order is told of its result: the items that the call may write."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Argument, Function, Module, Place
from wrapper_gen.queries import streaming_of
from wrapper_gen.quoting import c_bool
from wrapper_gen.tiers.bridge.ways import (
    buffer_of,
    gives_value,
    has_optional_items,
    takes_status,
    tells_none,
    untold,
)
from wrapper_gen.types.hints import Way
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import handle_in_forms, is_iterator, is_optional_value, is_void
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.types.tuples import items_of, written_items


@frozen
class WrittenItem:
    """What of a result a call may write, as C++ names it."""

    gives: str
    """The result, with its items; or what the call itself returns where it fills a buffer or a stream."""
    gives_items: str
    """The same of a tuple that may be missing, with its items; empty elsewhere."""
    items: tuple[str, ...] = ()
    """What describes each item of the result."""

    def kind(self, handles: int) -> str:
        """The function that finds the order of the arguments."""
        if self.gives_items:
            return f"wg::deduced_items<{handles}, {self.gives}, {self.gives_items}>"
        return f"wg::deduced<{handles}, {self.gives}>"


def may_write(function: Function) -> bool:
    """Whether there is something that the call could write."""
    return not (is_void(function.returns) or is_iterator(function.returns))


def written(function: Function, module: Module) -> WrittenItem:
    """What of the result the call may write."""
    buffer, own = buffer_of(function), untold(function, module)
    status = f"wg::untold<{own}>" if own else c_bool(takes_status(function))
    if streaming_of(function) or gives_value(buffer):
        return WrittenItem("wg::Gives<false, wg::types::Number<wg::i64>>", "")
    if buffer:
        return WrittenItem(f"wg::Gives<{status}>", "")
    whole = items_of(function.returns) if may_write(function) else ()
    items = written_items(function.returns) if has_optional_items(function, module) else ()
    return WrittenItem(
        _gives(status, whole, function, module),
        _gives(status, items, function, module) if items else "",
        tuple(_item(each, function, module) for each in whole),
    )


def stated_items(
    listed: Sequence[Argument], found: WrittenItem, function: Function, module: Module
) -> tuple[str, list[str]]:
    """The result of a call whose order the spec says, and the out-parameters among the arguments with items.

    A single one that has no name is a whole result, also where that is a tuple that may be missing.
    """
    has_items = bool(found.gives_items) and not (len(listed) == 1 and listed[0].name in ("out", "result"))
    items = (written_items if has_items else items_of)(function.returns)
    types = [_item(items[each.item], function, module, each.cast) for each in listed if each.place is Place.OUT]
    return found.gives_items if has_items else found.gives, types


def _gives(status: str, items: Sequence[Type], function: Function, module: Module) -> str:
    return f"wg::Gives<{', '.join([status, *(_item(each, function, module) for each in items)])}>"


def _item(item: Type, function: Function, module: Module, cast: str = "") -> str:
    """What describes an item of the result that the call may write."""
    described = descriptor(item, Way.RESULT, module.name)
    if handle_in_forms(item) and not (
        function.lifetime.result.is_owned_on_failure and function.lifetime.result.is_owned
    ):
        described = f"wg::OwnedOnSuccess<{described}>"
    if is_optional_value(item) and not tells_none(function, module):
        described = f"wg::NeverNone<{described}, struct {names.said_of('items', function)}>"
    return f"wg::Exactly<{described}, {cast}>" if cast else described

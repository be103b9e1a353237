"""Questions about tuples: what a result with several items consists of, and what the items are called."""

from __future__ import annotations

from wrapper_gen.frozen import remembered
from wrapper_gen.types.model import Optional, Tuple, Type, Void
from wrapper_gen.types.queries import if_given, parts, walk


def items_of(type_: Type) -> tuple[Type, ...]:
    """What a result consists of: the items of a tuple, else itself; nothing, for void."""
    match type_:
        case Void():
            return ()
        case Tuple(items=items):
            return items
        case _:
            return (type_,)


def written_items(type_: Type) -> tuple[Type, ...]:
    """What a call may write of a result: the items of a tuple, also of one that may be missing, else itself."""
    return items_of(optional_tuple(type_) or type_)


def item_names(type_: Type) -> tuple[str, ...]:
    """What a spec calls the items of a result."""
    named = named_tuple(type_)
    return named.names if named else ("out",) * len(written_items(type_))


def optional_tuple(type_: Type) -> Tuple | None:
    """The tuple of a value that is one or None."""
    return type_.of if isinstance(type_, Optional) and isinstance(type_.of, Tuple) else None


def named_tuple(type_: Type) -> Tuple | None:
    """The tuple with names that the type is, or that it is unless it is None."""
    of = if_given(type_)
    return of if isinstance(of, Tuple) and of.names else None


def with_tuple(type_: Type, of: Type) -> Type:
    """The type with this tuple, or other type, in place of the tuple that it is, or that it is unless it is None."""
    return Optional(of) if isinstance(type_, Optional) else of


@remembered
def has_names_within(type_: Type) -> bool:
    """Whether there is a tuple with names within it, which is not the value itself."""
    return any(isinstance(each, Tuple) and each.names for part in parts(if_given(type_)) for each in walk(part))

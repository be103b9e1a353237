"""What an entry or a struct says of its callables: a word for all of them, or one for each by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen.diagnostics import Nearest, Span, did_you_mean
from wrapper_gen.model import Code
from wrapper_gen.resolve.scope import Map, Scope


def place_of(about: Map, key: str, name: str) -> tuple[Map, str] | None:
    """The mapping and the key that say it of one callable; None where nothing does."""
    said = about.get(key)
    if isinstance(said, Mapping):
        return (said, name) if said.get(name) is not None else None
    return (about, key) if said is not None else None


def span_of(about: Map, key: str, name: str, scope: Scope) -> Span | None:
    """Where it is said of one callable."""
    place = place_of(about, key, name)
    return scope.span(*place) if place else None


def word_of(about: Map, key: str, name: str, known: Sequence[str], scope: Scope) -> str:
    """The word that is said of one callable; empty without one, and where it is none of those known."""
    place = place_of(about, key, name)
    if place is None:
        return ""
    word = place[0][place[1]]
    if word not in known:
        shown = f"{key} {word!r}" if isinstance(word, str) else f"such a {key}"
        message = f"{shown} is not supported"
        scope.error("WG013", message, scope.span(*place), did_you_mean(str(word), known))
        return ""
    return str(word)


def code_of(about: Map, key: str, name: str, scope: Scope) -> Code | None:
    """The C++ that is said of one callable."""
    place = place_of(about, key, name)
    if place is None:
        return None
    if isinstance(place[0][place[1]], list | dict):
        scope.error(
            "WG011", f"{key!r} of a callable is an expression", scope.span(*place), "write it as text, in quotes"
        )
        return None
    return Code(scope.expression(*place), scope.span(*place))


def check_said(about: Map, key: str, callables: Sequence[str], others: Sequence[str], what: str, scope: Scope) -> None:
    """What is said by names is said of callables, and something is there of which it is said.

    Args:
        about: the entry or the struct.
        key: the key.
        callables: the names of its callables.
        others: other names that the key may have.
        what: what it is, in words.
        scope: where it is read.
    """
    said = about.get(key)
    if isinstance(said, Mapping):
        for name in said:
            if name not in callables and name not in others:
                way: str | Nearest = did_you_mean(name, callables) if callables else "drop it"
                where = scope.document.key_span(said, name)
                scope.error("WG093", f"{key!r} is for callables, which {name!r} is not", where, way)
    elif said is not None and not callables:
        where = scope.document.key_span(about, key)
        scope.error("WG093", f"{key!r} is for callables, of which {what} has none", where, f"drop {key!r}")

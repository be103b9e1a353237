"""How the keys about lifetimes name things: one name, a list, or a word in place of names."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.resolve.scope import Map, Scope

SELF = "self"
"""The object of a method."""
OBJECT = "h"
"""What the model calls that."""
NOTHING = "nothing"
"""In place of names: that there is none."""


@frozen
class LifetimeWord:
    """A name that a key lists."""

    text: str
    span: Span


def words(container: Map, key: str, scope: Scope) -> tuple[LifetimeWord, ...]:
    """What a key lists, or the one name that it has; none where it says `nothing`."""
    listed = container.get(key)
    if isinstance(listed, list):
        texts = scope.texts(container, key)
        return tuple(LifetimeWord(text, scope.document.span(listed, i)) for i, text in enumerate(texts))
    if listed is None or says_nothing(container, key):
        return ()
    return (LifetimeWord(scope.text(container, key), scope.span(container, key)),)


def says_nothing(container: Map, key: str) -> bool:
    """Whether a key says that there is nothing."""
    return container.get(key) == NOTHING


def in_model(word: str, *, has_object: bool) -> str:
    """What the model calls something that a key names."""
    return OBJECT if has_object and word == SELF else word


def in_spec(name: str) -> str:
    """What keys call something that the model names."""
    return SELF if name == OBJECT else name


def listed(names: Sequence[str]) -> str:
    """The value of a key that names these."""
    shown = [in_spec(each) for each in names]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"


def class_owner(entry: Map) -> tuple[str, str]:
    """The class that `belongs_to` of a class names, and the property that its owner is; nothing where it names none."""
    said = entry.get("belongs_to")
    if isinstance(said, str):
        return said, said.rpartition(".")[2].lower()
    if isinstance(said, dict) and len(said) == 1:
        ((owner, name),) = said.items()
        return (name, owner) if isinstance(name, str) and isinstance(owner, str) else ("", "")
    return "", ""

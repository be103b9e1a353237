"""How long C++ keeps callables, which parameters said of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wrapper_gen.spec.former.walk import At


def scope(at: At) -> None:
    """`params: {visit: {scope: call}}` → `scope: call`; of one callable of several, `scope: {visit: call}`."""
    entry, rewriter = at.container, at.rewriter
    said = [(name, about) for name, about in _parameters(at.value) if isinstance(about.get("scope"), str)]
    if not said or "scope" in entry:
        return
    if len(said) == 1 and _callables(at) == 1:
        rewriter.move(said[0][1], "scope", entry, "scope", after=at.key)
    else:
        rewriter.insert(entry, "scope", {name: about["scope"] for name, about in said}, because=at.key)
        for _, about in said:
            rewriter.remove(about, "scope")
    if isinstance(at.value, dict):
        for name, about in said:
            if not about:
                rewriter.remove(at.value, name)
        if not at.value:
            at.remove()


def _parameters(listed: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is said of each parameter, in either form."""
    if isinstance(listed, dict):
        yield from ((name, each) for name, each in listed.items() if isinstance(each, dict))
    elif isinstance(listed, list):
        yield from (
            (each["name"], each) for each in listed if isinstance(each, dict) and isinstance(each.get("name"), str)
        )


def _callables(at: At) -> int:
    """How many callables the entry takes, at most."""
    callbacks = at.spec.get("callbacks")
    named = [each.get("name") for each in callbacks if isinstance(each, dict)] if isinstance(callbacks, list) else []
    if named:
        return 2
    listed = at.value if isinstance(at.value, list) else []
    types = [each.get("type") for each in listed if isinstance(each, dict)]
    return sum(str(each).count("fn(") for each in (at.container.get("def"), *types))

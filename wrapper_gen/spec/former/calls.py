"""What C++ does: `cpp_fn` and `cpp_method` with a name, and C's order of the arguments, are `cpp` now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen.expressions import is_qualified
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.todo import OPEN
from wrapper_gen.written_calls import is_cpp_name

_OWNER = re.compile(r"\s*(?:static\s+|protected\s+|abstract\s+|virtual\s+|optional\s+)?([\w${}]+)\s*\.\s*[\w$]")
_NAME = re.compile(r"\s*(?:static\s+|protected\s+|abstract\s+|virtual\s+|optional\s+)?(?:[\w${}]+\s*\.\s*)?(\w+)")
_PARAMETER = re.compile(r"[(,]\s*\**(\w+)\s*(?=[:,)=])")
_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\})")
_CLASSES = ("handle_types", "interfaces")
"""The sections that have classes."""


def function(at: At) -> None:
    """`cpp_fn: f` → `cpp: f`, or `cpp: ::f` where a bare name is a member; `cpp_fn: [](…) {…}` → `cpp`."""
    name = _name(at)
    if name and not is_qualified(name) and not is_virtual(at) and (takes_members(at) or name in _taken(at)):
        at.replace(f"::{name}", ("::", (0, len(str(at.value)))))
    _renamed(at)


def member(at: At) -> None:
    """`cpp_method: f` → `cpp: f`, or `cpp: .f` where a bare name is a function; `cpp_method: [](…) {…}` → `cpp`."""
    name = _name(at)
    is_bare = name and not is_qualified(name) and class_of(at) is not None
    if is_bare and (not takes_members(at) or is_virtual(at) or name in _taken(at)):
        at.replace(f".{name}", (".", (0, len(str(at.value)))))
    _renamed(at)


def accessor_function(at: At) -> None:
    """`cpp_fn: f` of a field → `cpp: ::f`, or `cpp: ns::f`; a lambda → `cpp`."""
    name = _name(at)
    if name and not is_qualified(name):
        at.replace(f"::{name}", ("::", (0, len(str(at.value)))))
    _renamed(at)


def accessor_member(at: At) -> None:
    """`cpp_method: f` of a field → `cpp: .f`; a lambda → `cpp`."""
    name = _name(at)
    if name and not is_qualified(name):
        at.replace(f".{name}", (".", (0, len(str(at.value)))))
    _renamed(at)


def _renamed(at: At) -> None:
    if at.value is None or ("cpp" in at.container and at.value == ""):  # as absent; of a field `cpp: null` is not
        at.remove()
    elif "cpp" in at.container:
        at.rewriter.error(at.container, at.key, "WG040", f"both {_as_written(at, 'cpp')} and {at.key}", "keep one")
        at.remove()
    else:
        at.rename("cpp")


def _as_written(at: At, key: str) -> str:
    """A key as the document has it, which may be a former spelling."""
    document = at.rewriter.document
    span = document.key_span(at.container, key)
    return document.source.line(span.line)[span.column - 1 : span.end_column - 1]


def _name(at: At) -> str:
    """The name that the key has; empty where it has a lambda, or nothing that C++ could call."""
    text = at.value.strip() if isinstance(at.value, str) else ""
    return text if text != OPEN and is_cpp_name(_VARIABLE.sub("x", text)) else ""


def takes_members(at: At) -> bool:
    """Whether a bare name of this entry is a member: in a class without a prefix for functions."""
    if at.library.get("lang") == "c":
        return False
    owner = class_of(at)
    if owner is None or defined_name(at.container) == owner.get("name"):  # a function, or a constructor
        return False
    prefix = next((each[key] for each in (owner, at.library) for key in ("prefix", "cpp_prefix") if key in each), None)
    return not isinstance(prefix, str) or not prefix or prefix.endswith("::")


def class_of(at: At) -> Any:
    """The class or struct of a method; None of a function."""
    if at.around:
        return at.around[0]
    named, text = at.container.get("handle"), at.container.get("def")
    if not isinstance(named, str) and isinstance(text, str) and (found := _OWNER.match(text)):
        named = found[1]
    if named is None:
        return None
    return _by_name(at).get(named, {}) if isinstance(named, str) else {}


def _by_name(at: At) -> Mapping[str, Any]:
    """The classes of the file; of one that stands again, the first."""
    listed = (at.spec.get(section) for section in _CLASSES)
    count = sum(len(each) for each in listed if isinstance(each, list))
    known = at.rewriter.classes
    if known is None or known[0] != count:
        found: dict[str, Any] = {}
        for each in classes_of(at):
            if isinstance(name := each.get("name"), str):
                found.setdefault(name, each)
        known = at.rewriter.classes = count, found
    return known[1]


def classes_of(at: At) -> Iterator[dict[str, Any]]:
    for section in _CLASSES:
        listed = at.spec.get(section)
        yield from (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()


def defined_name(entry: dict[str, Any]) -> str:
    """The name of an entry."""
    text = entry.get("def")
    found = _NAME.match(text) if isinstance(text, str) else None
    return found[1] if found else str(entry.get("name") or "")


def _taken(at: At) -> set[str]:
    """The names that are no function's in `cpp`: those of the parameters."""
    text, listed = at.container.get("def"), at.container.get("params")
    found = {"self", *(_PARAMETER.findall(text) if isinstance(text, str) else ())}
    items = listed if isinstance(listed, list) else ()
    return found | {str(each.get("name")) for each in items if isinstance(each, dict)}


def is_virtual(at: At) -> bool:
    """Whether Python overrides it: what `cpp` names is a member then."""
    text = at.container.get("def", at.container.get("name"))
    return isinstance(text, str) and re.match(r"\s*(?:abstract|virtual|optional)\s", text) is not None

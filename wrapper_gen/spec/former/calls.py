"""What C++ does: `cpp_fn` and `cpp_method` with a name, and C's order of the arguments, are `cpp` now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wrapper_gen.spec.former.walk import At
from wrapper_gen.written_calls import is_cpp_name

_OWNER = re.compile(r"\s*(?:static\s+|abstract\s+|virtual\s+|optional\s+)?([\w${}]+)\s*\.\s*[\w$]")
_NAME = re.compile(r"\s*(?:static\s+|abstract\s+|virtual\s+|optional\s+)?(?:[\w${}]+\s*\.\s*)?(\w+)")
_PARAMETER = re.compile(r"[(,]\s*\**(\w+)\s*(?=[:,)=])")
_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\})")
_LONE = re.compile(r"::\w+")
"""A name in no namespace, in which alone C++ has looked for it: `cpp` does not say that."""
_UNDECIDED = "TODO"
_OTHERS = ("cpp", "cpp_fn", "cpp_method", "cpp_body")


def function(at: At) -> None:
    """`cpp_fn: f` → `cpp: f`, or `cpp: ::f` where a bare name is a member."""
    name = _name(at)
    if not name or is_virtual(at) or _LONE.fullmatch(name):
        return
    if "::" not in name and (takes_members(at) or name in _taken(at)):
        if name.startswith(
            "operator"
        ):  # C++ finds it by the types of what it is given, and `::` would keep it from that
            return
        at.replace(f"::{name}", ("::", (0, len(str(at.value)))))
    at.rename("cpp")


def member(at: At) -> None:
    """`cpp_method: f` → `cpp: f`, or `cpp: .f` where a bare name is a function."""
    name = _name(at)
    if not name or "::" in name or class_of(at) is None:
        return
    if not takes_members(at) or is_virtual(at) or name in _taken(at):
        at.replace(f".{name}", (".", (0, len(str(at.value)))))
    at.rename("cpp")


def _name(at: At) -> str:
    """What the key names; empty where that is no name, or stands beside another key that says what C++ does."""
    text = at.value.strip() if isinstance(at.value, str) else ""
    if text == _UNDECIDED:
        return ""
    is_alone = sum(at.container.get(key) is not None for key in _OTHERS) == 1
    return text if is_alone and is_cpp_name(_VARIABLE.sub("x", text)) else ""


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
    return next((each for each in classes_of(at) if each.get("name") == named), {})


def classes_of(at: At) -> Iterator[dict[str, Any]]:
    for section in ("handle_types", "interfaces"):
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

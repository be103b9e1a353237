"""Keys that have another name now, and no other meaning."""

from __future__ import annotations

from typing import Any

from wrapper_gen import names
from wrapper_gen.spec.former.calls import class_of
from wrapper_gen.spec.former.entries import place_of_name
from wrapper_gen.spec.former.orders import implied_name
from wrapper_gen.spec.former.walk import At

RENAMED = {
    "cpp_case": "case",
    "cpp_drop": "release",
    "cpp_prefix": "prefix",
    "free": "release",
    "is": "type",
    "cpp_std": "std",
    "python_package": "package",
}
"""The present name of each."""


def renamed(at: At) -> None:
    """`cpp_prefix: lib_` → `prefix: lib_`, and so on: the value is what it was."""
    at.rename(RENAMED[at.key])


def in_python(at: At) -> None:
    """`def: "next()", py_name: following` → `def: "following()"`, `cpp: next`; where others name it, these, too."""
    entry, text = at.container, at.container.get("def")
    start, end = place_of_name(text) if isinstance(text, str) else (0, 0)
    name = text[start:end] if isinstance(text, str) else ""
    if at.value is None or at.value == name:
        at.remove()
        return
    is_said = entry.get("cpp") is not None or entry.get("cpp_body") is not None
    if not isinstance(at.value, str) or not isinstance(text, str) or not name or ("$" in name and not is_said):
        return
    owner = class_of(at)
    if _refuse(at, is_method=owner is not None):
        return
    if name.startswith("__") or any(each.get("name") == name for each in [owner] * bool(owner)):
        return  # Python calls it so
    library = str(at.library.get("name"))
    new = at.value if owner is not None or names.base(library, at.value) == at.value else f"{library}_{at.value}"
    if not is_said:
        if "cpp" in entry:
            at.rewriter.remove(entry, "cpp")
        at.insert("cpp", implied_name(at), after="def")
    at.rewriter.replace(entry, "def", text[:start] + new + text[end:], ((0, start), new, (end, len(text))))
    _rename_in(owner if owner is not None else at.spec.get("functions"), name, new, at)
    at.remove()


def _refuse(at: At, *, is_method: bool) -> bool:
    """Report a name that nothing can have in Python, and drop it."""
    if "$" in at.value:
        return False
    free = names.python_method(at.value) if is_method else names.python_function(at.value)
    span = at.rewriter.document.span(at.container, at.key)
    if not names.is_identifier(at.value):
        hint = "a name starts with a letter and has only letters, digits and underscores"
        at.rewriter.error_at(span, "WG020", f"{at.value!r} cannot be the name of a Python function", hint)
    elif free != at.value:
        at.rewriter.error_at(span, "WG021", f"{at.value!r} is taken in Python", f"{free} is free")
    else:
        return False
    at.remove()
    return True


def _rename_in(listed: Any, name: str, new: str, at: At) -> None:
    """Give the entries that name another one its new name: what a cancelled task calls, and whose results end."""
    entries = listed.get("methods") if isinstance(listed, dict) else listed
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and entry.get("cancel") == name:
            at.rewriter.replace(entry, "cancel", new)
        ends = entry.get("ends") if isinstance(entry, dict) else None
        for i, each in enumerate(ends) if isinstance(ends, list) else ():
            if each == name:
                at.rewriter.replace(ends, i, new)


def python_sources(at: At) -> None:
    """`python_sources: [extra.py]` → `sources: [extra.py]`, behind those that are there."""
    others = at.container.get("sources")
    if at.value is None:
        at.remove()
    elif others is None:
        if "sources" in at.container:
            at.rewriter.remove(at.container, "sources")
        at.rename("sources")
    elif isinstance(others, list) and isinstance(at.value, list):
        at.rewriter.append(at.container, at.key, others)

"""Keys that have another name now, and no other meaning."""

from __future__ import annotations

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

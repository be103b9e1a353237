"""Keys that only have another name now."""

from __future__ import annotations

from wrapper_gen.spec.former.walk import At

RENAMED = {
    "cpp_case": "case",
    "cpp_prefix": "prefix",
    "cpp_std": "std",
    "python_package": "package",
}
"""The present name of each."""


def renamed(at: At) -> None:
    """`cpp_prefix: lib_` → `prefix: lib_`, and so on: the value is what it was."""
    at.rename(RENAMED[at.key])

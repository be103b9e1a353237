"""What releases an object, who does not, and whether that lets other threads run."""

from __future__ import annotations

import re
from typing import Any

from wrapper_gen.spec.former.walk import At

_NOTHING = re.compile(r"(?:static_cast<\s*void\s*>\s*\([^()]*\)|\(\s*void\s*\)\s*[\w.]+)?\s*;?\s*\Z")
"""C++ that only says that there is nothing to do."""


def cpp_drop(at: At) -> None:
    """`cpp_drop: lib_close(value)` → `release: lib_close(value)`; `cpp_drop: static_cast<void>(h)` → `nothing`."""
    if isinstance(at.value, str) and _NOTHING.match(at.value.strip()):
        at.replace("nothing")
    at.rename("release")


def transfer(at: At) -> None:
    """`transfer: none` → `release: nothing`."""
    if at.value is None:
        at.remove()
    elif at.value == "none":
        at.replace("nothing")
        at.rename("release")


def blocking_drop(at: At) -> None:
    """`blocking_drop: true` → `blocking: release`; with `blocking: true`, `blocking: [true, release]`.

    `blocking_drop: false` of a class whose library or base may say `true` → a list without `release`.
    """
    said, about = at.value, at.container
    if said is not None and not isinstance(said, bool):
        return
    entries = about.get("blocking")
    if isinstance(entries, list):
        return
    both: Any = entries
    if said:
        both = "release" if entries in (None, False) else [entries, "release"]
    elif said is False and _is_said_above(at):
        both = [] if entries in (None, False) else [entries]
    if "blocking" in about:
        if both != entries:
            at.rewriter.replace(about, "blocking", both)
        at.remove()
    elif both is None:
        at.remove()
    else:
        at.replace(both)
        at.rename("blocking")


def _is_said_above(at: At) -> bool:
    """Whether anything but the class itself says that releasing may wait."""
    above = at.library.get("blocking")
    inherits = at.container.get("extends") is not None
    return inherits or "release" in (above if isinstance(above, list) else [above])

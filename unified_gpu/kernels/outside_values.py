"""Values outside of a kernel that were compiled in: whether they are the same at a later launch."""

from __future__ import annotations

from struct import pack
from typing import Any

from unified_gpu.errors import KernelSourceError

from .interactive import MISSING, is_interactive

Source = Any
"""A `Source` of the compiler, which knows this module and not the other way round."""


class OutsideValues:
    """What the names of the surroundings meant when a kernel was compiled."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], tuple[Source, str, Any]] = {}

    def add(self, source: Source, name: str, value: Any) -> None:
        """Look at a name of a function's surroundings again at each launch."""
        self._found[id(source), name] = source, name, value

    def are_outdated(self) -> bool:
        """Whether a name means something else now, so that the kernel is compiled anew.

        Raises:
            KernelSourceError: where that is so of a function in a file, which an interactive session does not change.
        """
        found = False
        for source, name, value in self._found.values():
            if source.globals.get(name) is value:
                continue
            now = source.lookup(name)
            if _is_same(now, value):
                continue
            if is_interactive(source.python):
                found = True
                continue
            shown = "not defined" if now is MISSING else repr(now)
            raise KernelSourceError(
                f"{source.file}:{source.first_line}: {name} was {value!r} when {source.tree.name} was compiled, "
                f"and is {shown} now\nhint: pass what changes as an argument, or define the kernel in a function anew"
            )
        return found


def _is_same(a: Any, b: Any) -> bool:
    """Whether two values make the same kernel: of one type, to the bit; -0.0 is not 0.0, nor (2.0, 3.0) (2, 3)."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_is_same, a, b))
    if isinstance(a, float):
        return pack("d", a) == pack("d", b)
    if hasattr(a, "tobytes"):  # NumPy's
        return bool(a.dtype == b.dtype and a.tobytes() == b.tobytes())
    return bool(a == b)

"""What entries are made with, and what making them has found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wrapper_gen.bindings.classes import Class
from wrapper_gen.bindings.spelled_types import Spelling
from wrapper_gen.diagnostics import Span
from wrapper_gen.headers.declarations import Type


@dataclass(slots=True)
class BindingContext:
    """What entries are made with; `exceptions` are the classes of exceptions that their code has thrown so far."""

    classes: Mapping[str, Class]
    spelling: Spelling
    type: Callable[[Any], Type]
    paths: Sequence[str]
    enum_values: Mapping[str, str]
    is_dropped: Callable[[Any], bool]
    """Whether a declaration of the binding code does not stand in the spec's prelude."""
    exceptions: set[str] = field(default_factory=set)
    has_fixed_arrays: bool = False
    """Whether some code is given a `std::array`."""
    has_arrays: bool = False
    """Whether some code makes arrays."""
    notes: list[tuple[Span, str]] = field(default_factory=list)
    inlined: set[str] = field(default_factory=set)
    """Functions (by their USR) whose code stands in an entry, so that the prelude does not need them."""

    def is_array(self, type: Type) -> bool:
        """Whether a type is the binder's array, which code is rewritten for."""
        inside = type.target if type.target is not None else type
        return inside.template in ("pybind11::array_t", "nanobind::ndarray")

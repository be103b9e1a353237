"""What the bridge calls the statuses and exceptions of a spec in C++."""

from __future__ import annotations

from wrapper_gen.model import ErrorType, Module


def alias(error: ErrorType, module: Module) -> str:
    """The C++ type of a status or an exception."""
    return f"wg_error_{module.errors.index(error)}"


def struct(error: ErrorType, module: Module) -> str:
    """What tells a status type from others of the same C++ type."""
    return f"wg_status_{module.errors.index(error)}"

"""Whether the checked mode was asked for: kernels for the CPU then find faults instead of ending the process."""

from __future__ import annotations

import os

VARIABLE = "DL_CHECK"
"""The environment variable that asks for it, by any value but 0."""


def is_checked() -> bool:
    return os.environ.get(VARIABLE, "") not in ("", "0")

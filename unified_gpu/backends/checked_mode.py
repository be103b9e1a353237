"""The checked mode (DL_CHECK=1): kernels for the CPU raise an exception for an invalid access."""

from __future__ import annotations

import os

VARIABLE = "DL_CHECK"
"""The environment variable that asks for it, by any value but 0."""
CHECKS_ITSELF = "--checks-itself"
"""The option of a source that looks at each index and each divisor before it uses it, so that no compiler has to."""


def is_checked() -> bool:
    return os.environ.get(VARIABLE, "") not in ("", "0")

"""Exceptions that nothing can raise: where no call of Python waits for what raised them.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
from traceback import print_exception
from types import SimpleNamespace
from typing import Any


def report_unraisable(error: BaseException, called: Any, message: str | None = None) -> None:
    """Report what `called` raised, as Python does; `message` is the first line where it is not the usual one."""
    if sys.unraisablehook is sys.__unraisablehook__:  # which takes only what CPython makes itself
        print(f"{message}:" if message else f"Exception ignored in: {called!r}", file=sys.stderr)
        print_exception(error)
        return
    about: Any = SimpleNamespace(
        exc_type=type(error), exc_value=error, exc_traceback=error.__traceback__, err_msg=message, object=called
    )
    sys.unraisablehook(about)

"""`wrapper-gen` and `python -m wrapper_gen`: starts the command; nothing else may import this."""

from __future__ import annotations

import atexit
import gc
import sys


def main() -> None:
    """Run the command without the garbage collector, at its end too: it lives too short to gain by it."""
    gc.disable()
    if hasattr(gc, "freeze"):  # PyPy has no such thing, and needs none
        atexit.register(gc.freeze)
    try:
        from wrapper_gen.cli import main

        main(prog_name="wrapper-gen")
    except KeyboardInterrupt:  # before the command listens, which most of a short run is
        sys.exit(130)


if __name__ == "__main__":
    main()

"""`wrapper-gen` and `python -m wrapper_gen`: starts the command; nothing else may import this."""

from __future__ import annotations

import atexit
import gc


def main() -> None:
    """Run the command without the garbage collector, at its end too: it lives too short to gain by it."""
    gc.disable()
    if hasattr(gc, "freeze"):  # PyPy has no such thing, and needs none
        atexit.register(gc.freeze)
    from wrapper_gen.cli import main

    main(prog_name="wrapper-gen")


if __name__ == "__main__":
    main()

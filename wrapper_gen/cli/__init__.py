"""The command `wrapper-gen`: the only folder that prints, reads the command line or chooses an exit code."""

from wrapper_gen.cli import projects  # adds its commands
from wrapper_gen.cli.commands import main

__all__ = ["main", "projects"]

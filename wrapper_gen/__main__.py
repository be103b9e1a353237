"""`python -m wrapper_gen` is the command."""

from wrapper_gen.cli import main

if __name__ == "__main__":
    main(prog_name="wrapper-gen")

"""What the packages that wrapper-gen generates stand on: headers of C++, and the Python of both engines."""

ABI = 9
"""What packages and their runtime have to agree on: raised with each change that one cannot do without the other."""


def get_include() -> str:
    """The folder to name to a compiler, for packages that do not carry the headers themselves."""
    from pathlib import Path

    return str(Path(__file__).resolve().parent)

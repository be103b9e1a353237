"""Private to the package: what starts with `_` exports nothing."""


def joined(names: list[str], separator: str) -> str:
    """All names in one."""
    return separator.join(names)

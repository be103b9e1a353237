"""Why bounds are not reached, for the page."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, Mapping[str, str]] = {}
"""By benchmark and by what is wanted, or how that begins."""


def reason(benchmark: str, what: str) -> str:
    """The reason that is named for a bound, empty where none is."""
    found = [why for begin, why in REASONS.get(benchmark, {}).items() if what.startswith(begin)]
    return found[0] if found else ""

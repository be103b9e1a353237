"""Where an entry says what implements it: a function, a method, or a property written as an entry."""

from __future__ import annotations

from wrapper_gen.resolve.scope import Map

IMPLEMENTATION_KEYS = ("cpp", "cpp_body")
"""The keys whose value is the C++ that implements an entry: what C++ does, or statements."""


def implementation_key(entry: Map) -> str:
    """The key by which an entry says what implements it, empty where it has none; blank is the same as absent."""
    return next((key for key in IMPLEMENTATION_KEYS if str(entry.get(key) or "").strip()), "")

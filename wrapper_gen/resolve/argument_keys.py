"""Which keys of an item of `cpp_params` go together: what another key leaves without a meaning is an error."""

from __future__ import annotations

from collections.abc import Mapping

from wrapper_gen.resolve.scope import Map, Scope

_KEYS = ("name", "value", "out", "role", "of", "free")
"""All that an item may say, beside `as`, and what parameters say in the list form of `params`."""
_OF_ROLES: Mapping[str, frozenset[str]] = {
    "length": frozenset({"of", "value"}),
    "joined": frozenset({"of"}),
    "lengths": frozenset({"of"}),
    "user_data": frozenset({"of"}),
    "destroy": frozenset({"of"}),
    "error": frozenset({"free"}),
    "capacity": frozenset(),
}
"""What each role goes together with."""


def check_keys(item: Map, scope: Scope) -> None:
    """Report what one item of `cpp_params` says in vain; a parameter of the list form has other keys, and checks."""
    if "type" in item:
        return
    role = scope.text(item, "role")
    kind = "role" if role else next((key for key in ("out", "value", "name") if key in item), "")
    fitting = _OF_ROLES.get(role, frozenset(_KEYS)) if role else {"name"} if kind == "value" else frozenset()
    for key in _KEYS:
        if kind and key in item and key != kind and key not in fitting:
            what = f"`role: {role}`" if role else f"`{kind}`"
            span = scope.document.key_span(item, key)
            scope.error("WG081", f"`{key}` says nothing of what has {what}", span, "drop one of the two")

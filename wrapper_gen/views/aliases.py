"""Names of types that are a part of themselves: a package has an alias for each."""

from __future__ import annotations

from wrapper_gen.frozen import frozen
from wrapper_gen.model import Module
from wrapper_gen.quoting import python_string
from wrapper_gen.types.hints import Import, Way, alternatives, hint

TYPE_ALIAS = Import("typing", "TypeAlias", "_TypeAlias")
UNION = Import("typing", "Union", "_Union")


@frozen
class AliasView:
    """One such type."""

    name: str
    hint: str
    """As a type stub has it."""
    runtime: str
    """What the name is while a program runs: parts by name, since the type is not complete where it is made."""


def aliases(module: Module) -> tuple[AliasView, ...]:
    """All aliases of a package, in the spec's order."""
    return tuple(
        AliasView(
            each.name, hint(each.of, Way.RESULT).code, _runtime([h.code for h in alternatives(each.of, Way.RESULT)])
        )
        for each in module.representations
        if each.is_recursive
    )


def imports(module: Module) -> set[Import]:
    """What the hints of the aliases need."""
    found = [hint(each.of, Way.RESULT).imports for each in module.representations if each.is_recursive]
    return {each for imported in found for each in imported}


def _runtime(parts: list[str]) -> str:
    return f"_Union[{', '.join(each if each == 'None' else python_string(each) for each in parts)}]"

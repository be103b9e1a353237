"""The enums that binding code has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wrapper_gen.bindings.cursors import below, bound, qualified
from wrapper_gen.bindings.definitions import BoundDefinition
from wrapper_gen.bindings.extras import class_doc
from wrapper_gen.frozen import frozen


@frozen
class BoundEnum:
    """An enum with its values, (Python's name, C++'s expression); `python_names` are by the USR of C++'s."""

    canonical: str
    name: str
    definition: BoundDefinition
    values: tuple[tuple[str, str], ...]
    python_names: Mapping[str, str]

    def data(self) -> dict[str, object]:
        """The entry of the spec: a list of names where C++ has the same ones after a prefix."""
        _, kinds = "", [bound(each.type)[0] for each in self.definition.arguments[2:]]
        data: dict[str, object] = {"name": self.name, "cpp_type": f"::{self.canonical}"}
        if "is_flag" in kinds:
            data["flags"] = True
        if self.definition.module:
            data["module"] = self.definition.module
        prefixes = {cpp.removesuffix(python) for python, cpp in self.values if cpp.endswith(python)}
        if len(prefixes) == 1 and all(cpp.endswith(python) for python, cpp in self.values):
            data["prefix"] = prefixes.pop()
            data["values"] = [python for python, _ in self.values]
        else:
            data["values"] = dict(self.values)
        if doc := class_doc(self.definition.arguments[2:]):
            data["doc"] = doc
        return data


def found_enums(definitions: Sequence[BoundDefinition], taken: set[str]) -> dict[str, BoundEnum]:
    """The enums by their canonical names."""
    made: dict[str, BoundEnum] = {}
    used = set(taken)
    for each in definitions:
        if each.what != "enum" or each.of in made:
            continue
        name = each.name
        if name in used:
            parts = each.of.split("::")
            name = "".join(parts[-2:]) if len(parts) > 1 else f"{name}Values"
        used.add(name)
        values, names = [], {}
        for value in definitions:
            if value.what == "value" and value.of == each.of and (constant := _constant(value)) is not None:
                values.append((value.name, f"::{qualified(constant)}"))
                names[constant.get_usr()] = value.name
        made[each.of] = BoundEnum(each.of, name, each, tuple(values), names)
    return made


def _constant(definition: BoundDefinition) -> Any:
    for each in below(definition.arguments[1]):
        to = each.referenced if each.kind.name == "DECL_REF_EXPR" else None
        if to is not None and to.kind.name == "ENUM_CONSTANT_DECL":
            return to
    own = definition.arguments[1].referenced
    return own if own is not None and own.kind.name == "ENUM_CONSTANT_DECL" else None

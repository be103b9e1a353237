"""Objects that an entry takes, while C++ only looks at them."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.headers import CKind
from wrapper_gen.model import Mode
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """The arguments that a call takes by a reference to const, of which C++ can take nothing."""
    taken = {each.name for each in subject.function.parameters if each.mode is Mode.TAKE}
    for argument, parameter in subject.places:
        to = parameter.type.target if parameter.type.kind is CKind.REFERENCE else None
        name = next(iter(argument.source.parameters), "")
        if name in taken and to is not None and to.is_const and not to.template.startswith("std::"):
            what = f"it takes `{name}`, and C++ has {parameter.type.spelling}, which leaves the object to its caller"
            yield subject.doubt(what, f"say `holds: {name}` where C++ keeps the reference, and nothing where it copies")

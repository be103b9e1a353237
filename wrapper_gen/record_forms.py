"""The constructor of a record that takes its fields: one of several forms where the spec declares others."""

from __future__ import annotations

from wrapper_gen.diagnostics import a
from wrapper_gen.model import Function, NotImplementedYet, Parameter, RecordMember, StructType
from wrapper_gen.types.model import Struct


def of_fields(struct: StructType) -> Function:
    """It as a function, which nothing generates: what it takes, and how messages show it."""
    return Function(
        name=struct.name,
        base=struct.name,
        parameters=tuple(Parameter(f.name, f.type, f.span, f.doc, f.default) for f in struct.fields),
        returns=Struct(struct.name),
        implementation=NotImplementedYet(struct.span),
        span=struct.span,
        doc=f"Make {a(struct.name)} of its fields.",
        py_name=struct.name,
        is_form=True,
        member=RecordMember(struct.name, struct.name, is_property=False, is_static=True, protocol=None),
    )

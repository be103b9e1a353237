"""Numbers and truth values in C and in Python: names, ranges, and the result that may stand for an error."""

from __future__ import annotations

from wrapper_gen.frozen import frozen
from wrapper_gen.names import CPP_WORDS
from wrapper_gen.types.model import Kind, Scalar


@frozen
class ScalarRow:
    """A scalar's names, and the value that says "look for an error" when a C function returns it."""

    c: str
    python: str
    sentinel: str
    """As C++ writes it."""
    python_sentinel: str
    """As Python compares it; empty for floats, whose sentinel is NaN."""


def _integer(c: str, sentinel: int, suffix: str = "") -> ScalarRow:
    return ScalarRow(c, "int", f"{sentinel}{suffix}", str(sentinel))


# Sentinels are values that are unlikely as results; one that does occur costs one look at the error, nothing else.
SCALARS: dict[Scalar, ScalarRow] = {
    Scalar.BOOL: ScalarRow("bool", "bool", "-1", "-1"),
    Scalar.I8: _integer("int8_t", -113),
    Scalar.I16: _integer("int16_t", -21113),
    Scalar.I32: _integer("int32_t", -20210113),
    Scalar.I64: _integer("int64_t", -20210113),
    Scalar.U8: _integer("uint8_t", 141),
    Scalar.U16: _integer("uint16_t", 44423),
    Scalar.U32: _integer("uint32_t", 4274757183, "u"),
    Scalar.U64: _integer("uint64_t", 18446744073689341503, "u"),
    Scalar.USIZE: _integer("size_t", 18446744073689341503, "u"),
    Scalar.F32: ScalarRow("float", "float", "NAN", ""),
    Scalar.F64: ScalarRow("double", "float", "NAN", ""),
}
CPP_NUMBERS = frozenset((*map(str, SCALARS), *(row.c for row in SCALARS.values()))) - CPP_WORDS
"""Types in generated C++, which a parameter or a class of the same name would hide."""


def limits(scalar: Scalar) -> tuple[int, int] | None:
    """The least and the largest integer; None where it is no integer."""
    match scalar.kind:
        case Kind.SIGNED:
            return -(1 << scalar.bits - 1), (1 << scalar.bits - 1) - 1
        case Kind.UNSIGNED:
            return 0, (1 << scalar.bits) - 1
        case Kind.BOOL | Kind.FLOAT:
            return None


INTEGERS = "|".join(str(each) for each in SCALARS if limits(each))
"""A regular expression for their names."""

"""What C and C++ headers declare, as plain data: read with libclang, which nothing else of the project loads."""

from wrapper_gen.headers.declarations import (
    Access,
    Base,
    Constant,
    Declaration,
    Doc,
    Enum,
    EnumValue,
    Field,
    Function,
    FunctionKind,
    Headers,
    Kind,
    Parameter,
    Place,
    Record,
    Type,
    Typedef,
)
from wrapper_gen.headers.read import Source, read

__all__ = [
    "Access",
    "Base",
    "Constant",
    "Declaration",
    "Doc",
    "Enum",
    "EnumValue",
    "Field",
    "Function",
    "FunctionKind",
    "Headers",
    "Kind",
    "Parameter",
    "Place",
    "Record",
    "Source",
    "Type",
    "Typedef",
    "read",
]

"""What C and C++ headers declare, as plain data: read with libclang, which nothing else of the project loads."""

from wrapper_gen.headers.declarations import (
    Access,
    Base,
    CFunction,
    CKind,
    Constant,
    CParameter,
    Declaration,
    Doc,
    Enum,
    Enumerator,
    Field,
    FunctionKind,
    HeaderPlace,
    Headers,
    Record,
    Type,
    Typedef,
)
from wrapper_gen.headers.read import HeaderSource, read

__all__ = [
    "Access",
    "Base",
    "CFunction",
    "CKind",
    "CParameter",
    "Constant",
    "Declaration",
    "Doc",
    "Enum",
    "Enumerator",
    "Field",
    "FunctionKind",
    "HeaderPlace",
    "HeaderSource",
    "Headers",
    "Record",
    "Type",
    "Typedef",
    "read",
]

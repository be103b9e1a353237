"""Structs of numbers: what kernels take as one argument, and what an array can have as its elements."""

from __future__ import annotations

import inspect
import struct
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeGuard, TypeVar

from .dtypes import DType, bf16
from .errors import with_article


class Struct:
    """Several numbers that a kernel takes as one argument; a subclass names them: `class Camera(Struct): zoom: f32`.

    Attributes:
        fields: the dtypes by name, in order.
        byte_offsets: where each begins: as C has them, and NumPy with `align=True`.
        byte_size: of all of them, to where the next struct of an array begins.
    """

    fields: ClassVar[dict[str, DType]] = {}
    byte_offsets: ClassVar[dict[str, int]] = {}
    byte_size: ClassVar[int] = 0
    _packer: ClassVar[struct.Struct]

    def __init_subclass__(cls) -> None:
        """Raises TypeError for a field that is no number."""
        around, found = sys._getframe(1), dict(cls.fields)
        for name, each in inspect.get_annotations(cls).items():
            dtype = eval(each, around.f_globals, around.f_locals) if isinstance(each, str) else each
            if not isinstance(dtype, DType) or dtype is bf16 or hasattr(Struct, name):
                raise TypeError(f"{name} of {cls.__name__} is one of the numbers that kernels have, as in {name}_: f32")
            found[name] = dtype
        if not found:
            raise TypeError(f"{cls.__name__} has no fields; name them, as in x: f32")
        codes, offsets = "=", {}
        for name, dtype in found.items():
            codes += "x" * (-struct.calcsize(codes) % dtype.size)
            offsets[name] = struct.calcsize(codes)
            codes += dtype.format
        codes += "x" * (-struct.calcsize(codes) % max(dtype.size for dtype in found.values()))
        cls.fields, cls.byte_offsets, cls._packer = found, offsets, struct.Struct(codes)
        cls.byte_size = cls._packer.size

    def __init__(self, *numbers: float, **named: float) -> None:
        """The numbers in order, or by name.

        Raises:
            TypeError: for other names, and for what is no number.
            OverflowError: for a number that its field cannot hold.
        """
        given = dict(zip(self.fields, numbers, strict=False))
        if sorted([*given, *named]) != sorted(self.fields) or len(numbers) > len(self.fields):
            raise TypeError(f"{type(self).__name__} takes {', '.join(self.fields)}")
        for name, value in (given | named).items():
            setattr(self, name, self.fields[name](value))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.fields)})"

    if TYPE_CHECKING:  # an array of structs in a kernel, which type checkers take for one of them: see `names.pyi`

        @property
        def shape(self) -> tuple[int, ...]: ...
        @property
        def ndim(self) -> int: ...
        def __len__(self) -> int: ...
        def __getitem__(self, key: int | tuple[int, ...], /) -> Self: ...
        def __setitem__(self, key: int | tuple[int, ...], value: Self, /) -> None: ...


S = TypeVar("S", bound=Struct)


def is_struct(value: object) -> TypeGuard[type[Struct]]:
    return isinstance(value, type) and issubclass(value, Struct)


def record_fields(value: Any) -> dict[str, Any]:
    """The fields of a record, or of an array of records, of NumPy's; none of anything else."""
    fields = getattr(getattr(value, "dtype", None), "fields", None)
    return {name: each[0] for name, each in (fields or {}).items()}


def numbers_of(of: type[Struct], where: str, value: Any) -> list[Any]:
    """The fields of a struct, or of a record of NumPy's that has the same, in whatever order and layout.

    Raises:
        TypeError: for anything else; `where` says which argument it is.
    """
    if isinstance(value, of):
        return [getattr(value, name) for name in of.fields]
    found = record_fields(value)
    if of.fields == found and value.shape == ():
        return [value[name].item() for name in of.fields]
    if (given_type := type(value)).__qualname__ == of.__qualname__ and given_type.__module__ == of.__module__:
        raise TypeError(
            f"{where} takes a {of.__name__} as its class is defined now; this one was made before that: make it anew"
        )
    given = f"a record of {value.dtype}" if found else with_article(given_type.__name__)
    wanted = f"pass {of.__name__}(…), or a record of NumPy's with {described_fields(of)}"
    raise TypeError(f"{where} is a {of.__name__}, and {given} was given; {wanted}")


def packed(of: type[Struct], values: Iterable[Struct]) -> bytes:
    """Structs one behind the other, as they lie in the memory of an array."""
    return b"".join(of._packer.pack(*(getattr(each, name) for name in of.fields)) for each in values)


def unpacked(of: type[S], data: Any) -> list[S]:
    """The structs that lie one behind the other."""
    return [of(*numbers) for numbers in of._packer.iter_unpack(data)]


def described_fields(of: type[Struct]) -> str:
    """Its fields, for messages."""
    return ", ".join(f"{name}: {dtype}" for name, dtype in of.fields.items())

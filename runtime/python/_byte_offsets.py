"""The cffi engine's offsets in bytes of texts, which Python counts in characters.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ._cffi_numbers import RANGES

_T = TypeVar("_T")


def offset(text: str, index: int, name: str, of: str, kind: str) -> int:
    """The offset of an index of `text`, which is the argument `of`; `index` is the argument `name`, of type `kind`."""
    length = str.__len__(text)
    if not 0 <= index <= length:
        raise IndexError(f"{name}: {index} is out of range: the length of {of} is {length}")
    at = index if str.isascii(text) else len(str.encode(str.__getitem__(text, slice(index))))
    if at > RANGES[kind][1]:
        raise OverflowError(f"{name}: {at} does not fit {kind}")
    return at


def indices(text: str, made: _T, of: str) -> _T:
    """A result with indices for the offsets in it, into the argument `of`."""
    if str.isascii(text):
        return made
    converted: _T = _Offsets(text, of).indices(made)
    return converted


class _Offsets:
    """Goes over a text from offset to offset, which are in order as a rule."""

    def __init__(self, text: str, name: str) -> None:
        self._data = str.encode(text)
        self._name = name
        self._offset = self._index = 0

    def indices(self, made: Any) -> Any:
        if type(made) is int:
            return self._of(made)
        if type(made) is list:
            return [self.indices(each) for each in made]
        if not isinstance(made, tuple):
            return made
        converted = tuple(self.indices(each) for each in made)
        return converted if type(made) is tuple else type(made)(*converted)

    def _of(self, offset: int) -> int:
        """A number that is no offset into the text stays what it is: -1, or npos."""
        data = self._data
        if not 0 <= offset <= len(data):
            return offset
        if offset < len(data) and data[offset] & 0xC0 == 0x80:
            message = f"the result has the offset {offset}, which is within a character of {self._name}"
            raise ValueError(message)
        if offset < self._offset:
            self._offset = self._index = 0
        self._index += len(data[self._offset : offset].decode())
        self._offset = offset
        return self._index

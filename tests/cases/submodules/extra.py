"""What no generator should guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Archive, Entry, Kind, io
from ._names import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

SEPARATOR = "/"


class Listing(list[Entry]):
    """All entries of an archive."""

    @property
    def folders(self) -> list[str]:
        """The names of the folders."""
        return [each.name for each in self if each.kind is Kind.FOLDER]


def entries_of(archive: Archive, mode: io.Mode = io.Mode.READ) -> Iterator[Entry]:
    """Go over the entries of an archive."""
    with io.Reader(archive, mode) as reader:
        while (entry := reader.next()) is not None:
            yield entry


def listing(archive: Archive) -> Listing:
    """All entries at once."""
    return Listing(entries_of(archive))


def summary(archive: Archive) -> str:
    """The names of the entries."""
    return joined([each.name for each in entries_of(archive)], SEPARATOR)

"""What a parameter of the type `index` takes, for type checkers.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from types import EllipsisType

Item = int | slice | EllipsisType | None
Items = tuple[Item, ...]
Index = Item | Items
"""One item, or several."""

"""Handle classes of the cffi engine.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from ._support import ClosedHandleError, another_made, with_article

if TYPE_CHECKING:
    from typing import Self

    from ._uses import Uses


class Handle:
    """An owned object of the wrapped library.

    Released exactly once: by `close()`, at the end of a `with` block, or when it is collected. Releasing waits for
    calls that are still running on another thread.
    """

    __slots__ = ("__weakref__", "_h")

    _h: Any
    _is_known: bool = False
    """Whether a call has returned it again: one of those of which one object stands for each pointer."""
    _null: ClassVar[Any]
    _unmade: ClassVar[Any]
    """Of an object that `__init__` was not called for: null too, and not the same one as that of a closed object."""
    _uses: ClassVar[Uses | None]
    _own: ClassVar[Callable[[Any], Any]]
    _address: ClassVar[Callable[[Any], int]]
    _own_address: ClassVar[Callable[[int], Any]]
    _cell_at: ClassVar[Callable[[int], Any]]
    _drop: ClassVar[Callable[[Any], None]]
    _makers: ClassVar[str] = ""
    _nearest: ClassVar[type[Handle] | None] = None
    """Where handle types extend others: the class of one of them that this is, or derives from."""

    def __new__(cls, *_args: object, **_kwargs: object) -> Self:
        made = f"; use {cls._makers}" if cls._makers else ""
        raise TypeError(f"{cls.__name__} cannot be made directly{made}")

    @classmethod
    def _adopt(cls, made: Handle) -> Self:
        """What a factory made, as this class: a subclass gets an instance of itself."""
        if isinstance(made, cls):
            return made
        if cls._nearest is not None and not isinstance(made, cls._nearest):
            made.close()
            raise another_made(cls, type(made))
        self = object.__new__(cls)
        self._start()
        self._take(made)
        return self

    def _start(self) -> None:
        """Of an object that has nothing yet."""
        self._h = self._null

    def _take(self, made: Handle) -> None:
        """Have what was made."""
        self._h, made._h = made._h, made._null

    @property
    def closed(self) -> bool:
        """Whether the handle was closed."""
        return not self._h

    def close(self) -> None:
        """Release the handle now; closing it again does nothing."""
        raw = self._h
        if not raw:
            return
        self._h = self._null
        uses = type(self)._uses
        if uses is not None:  # elsewhere it goes with the last reference, which a call that converts may have
            uses.close(raw)

    def __enter__(self) -> Any:
        if not self._h:
            raise ClosedHandleError(f"this {type(self).__name__} is closed")
        return self

    def __exit__(self, *_exc: object) -> Any:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{with_article(type(self))} cannot be pickled: it stands for an object of this process")

    def __copy__(self) -> Any:
        raise TypeError(f"{with_article(type(self))} cannot be copied: it is released exactly once")

    def __deepcopy__(self, _memo: object, /) -> Any:
        if type(self).__copy__ is not Handle.__copy__:
            raise TypeError(f"{type(self).__name__} has no __deepcopy__; copy.copy() copies it")
        raise TypeError(f"{with_article(type(self))} cannot be copied: it is released exactly once")

    def __repr__(self) -> str:
        state = "closed" if not self._h else f"at {str(self._h).rpartition(' ')[2].rstrip('>')}"
        return f"<{type(self).__name__} {state}>"

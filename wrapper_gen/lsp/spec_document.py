"""A spec as an editor has it, with what its parts are known to be; each is found when it is first asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from wrapper_gen.lsp.c_names import CNames
from wrapper_gen.lsp.library_headers import NamedHeaders, named_headers
from wrapper_gen.lsp.outline import Outline, OutlineNode
from wrapper_gen.lsp.positions import UTF_16, Lines
from wrapper_gen.lsp.signature_tokens import TokenRole, tokens
from wrapper_gen.lsp.spec_names import SpecNames

_WORD = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_LARGEST = 1 << 24


class SpecDocument:
    """One text of a spec; a changed one is another document."""

    def __init__(
        self, text: str, path: Path, encoding: str = UTF_16, is_open: Callable[[Path], str | None] = lambda path: None
    ) -> None:
        self.text = text
        self._is_open = is_open
        """The text of another file, where an editor has it."""
        self.path = path
        self.lines = Lines(text, encoding)

    @cached_property
    def outline(self) -> Outline:
        """Its keys and values."""
        return Outline(self.text)

    @cached_property
    def names(self) -> SpecNames:
        """The names that it declares."""
        return SpecNames(self.outline)

    @cached_property
    def c_names(self) -> CNames:
        """What its entries stand for in C or C++."""
        return CNames(self.names)

    @cached_property
    def headers(self) -> NamedHeaders:
        """The headers that it names."""
        return named_headers(self.outline, self.path)

    @cached_property
    def used(self) -> dict[str, SpecDocument]:
        """The specs that it uses, by the names that it has for them."""
        found = {}
        for name, node in self.names.uses().items():
            path = Path(os.path.normpath(self.path.parent / node.text))
            text = _saved(path) if (own := self._is_open(path)) is None else own
            if node.text and text is not None:
                found[name] = SpecDocument(text, path)
        return found

    def word(self, offset: int) -> tuple[int, int]:
        """Where the name starts and ends that stands here."""
        start = self.text.rfind("\n", 0, offset) + 1
        for each in _WORD.finditer(self.text, start):
            if each.start() <= offset <= each.end():
                return each.span()
            if each.start() > offset:
                break
        return offset, offset


def _saved(path: Path) -> str | None:
    """The text of a spec that is not open."""
    try:
        is_readable = path.is_file() and path.stat().st_size < _LARGEST
        return path.read_text(encoding="utf-8", errors="replace") if is_readable else None
    except (OSError, ValueError):
        return None


def parameters(entry: OutlineNode | None) -> list[str]:
    """The names of the parameters of an entry."""
    return _names(entry, TokenRole.PARAMETER)


def items(entry: OutlineNode | None) -> list[str]:
    """The names of the items of an entry's result."""
    return _names(entry, TokenRole.ITEM)


def _names(entry: OutlineNode | None, role: TokenRole) -> list[str]:
    said = entry.said("def") if entry is not None and entry.pairs is not None else ""
    return list(dict.fromkeys(each.text for each in tokens(said) if each.role is role))

"""What tests of callables share: the library that calls them, and what they raise."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "callables" / "callables.wrapper_spec"


def load(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def fails(error: type[BaseException], words: str, call: Callable[[], object]) -> None:
    with pytest.raises(error, match=f"^{re.escape(words)}$"):
        call()


class Once(Exception):
    pass


def raise_once(*_arguments: object) -> Any:
    raise Once("as it says")

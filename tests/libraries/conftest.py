"""Fixtures of the libraries' tests: they run over both engines."""

from __future__ import annotations

import pytest

from tests.behaviour.packages import ENGINES


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)

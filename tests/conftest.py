"""What the tests share: golden files, how hard hypothesis tries, and that Ctrl-C is heard."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

from tests.golden import Golden

settings.register_profile("default", deadline=None, max_examples=600)
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
settings.register_profile("long", parent=settings.get_profile("default"), max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite expected files instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is for people: in CI, expected files are compared")
    # What a shell starts with `&` ignores Ctrl-C, and so would the programs that tests start and interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(update=bool(request.config.getoption("--update-golden")))

"""What the tests share: golden files, how hard hypothesis tries, and that Ctrl-C is heard."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from tests.golden import Golden

settings.register_profile("default", deadline=None, max_examples=600)
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
settings.register_profile("long", parent=settings.get_profile("default"), max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))

# Where torch computes, OpenMP's threads wait by asking again and again, which takes the processor from all others.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

_NEEDS_TORCH = re.compile(r"could not import '(torch|jax|sklearn)\b")
"""What a test says that is skipped without one of these."""

LONGEST = (
    *("breaks_memory[rest", "no_objections[g++", "no_objections[clang++"),
    *("thread-standin]", "undefined-standin]", "thread-cpu]", "undefined-cpu]", "anything_behind[cffi-records]"),
    *("breaks_memory[cuda-", "breaks_memory[classes-", "breaks_memory[callables-", "anything_behind[cffi-iterators]"),
    *("anything_behind[cffi-interfaces]", "breaks_memory[type_trees-", "every_check_passes[address]"),
    *("breaks_memory[lifetimes_at_random-", "breaks_memory[abi3-", "breaks_memory[golden_packages-"),
)
"""Parts of the names of tests that take longest, half a minute and more, the longest first."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite expected files instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is for people: in CI, expected files are compared")
    # What a shell starts with `&` ignores Ctrl-C, and so would the programs that tests start and interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Before -m and -k choose, and after."""
    _leave_some_quick(items)
    yield
    _begin_with_the_longest(items)


def _leave_some_quick(items: list[pytest.Item]) -> None:
    """Of a test with the mark `quick`, so many are quick as that says, from all over its parameters, and so many slow.

    So many of those that need torch, too, and of those that do not: they run apart.
    """
    marked: dict[tuple[str, bool], list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("quick") and not any(item.get_closest_marker(each) for each in ("slow", "long")):
            needs_torch = item.get_closest_marker("torch") is not None
            marked.setdefault((item.nodeid.split("[")[0], needs_torch), []).append(item)
    for members in marked.values():
        mark = members[0].get_closest_marker("quick")
        assert mark is not None
        quick = _spread(members, mark.args[0])
        others = [each for each in members if each not in quick]
        slow = _spread(others, mark.kwargs.get("slow", len(others)))
        for each in others:
            each.add_marker(pytest.mark.slow if each in slow else pytest.mark.long)


def _spread(members: list[pytest.Item], count: int) -> list[pytest.Item]:
    """So many of them, from all over."""
    count = min(count, len(members))
    return [members[len(members) * i // count] for i in range(count)]


def _begin_with_the_longest(items: list[pytest.Item]) -> None:
    """Let each process begin with tests that take minutes: one at the end would leave the others nothing to do."""
    long = sorted((each for each in items if _place(each) < len(LONGEST)), key=_place)
    rest = [each for each in items if _place(each) == len(LONGEST)]
    processes, count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), len(items)
    items.clear()
    for i in range(processes):
        items += long[i::processes]
        left = count * (i + 1) // processes - len(items)
        items += rest[:left]
        del rest[:left]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What is skipped where torch is not installed has the mark, or no target would ever run it."""
    report = yield
    if report.skipped and not item.get_closest_marker("torch"):
        missing = _NEEDS_TORCH.search(str(report.longrepr))
        if missing:
            report.outcome = "failed"
            report.longrepr = f"a test that needs {missing[1]} has the mark `torch`, to run in `make test-torch`"
    return report


def _place(item: pytest.Item) -> int:
    return next((i for i, name in enumerate(LONGEST) if name in item.name), len(LONGEST))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(update=bool(request.config.getoption("--update-golden")))

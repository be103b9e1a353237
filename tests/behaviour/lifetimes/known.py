"""What machines of random calls have in common: the handles that there are, and calls of them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

CHOICE = st.integers(0, 40)
"""Which of the objects that there are."""
WHERE = st.booleans()
"""Whether another thread makes the call."""


@dataclass(eq=False)
class Known:
    """A handle, and what has to be true of it."""

    kind: str
    handle: Any
    value: Any = None
    of: Known | None = None
    lends: list[Known] = field(default_factory=list)
    is_open: bool = True


def on_another_thread(work: Callable[[], Any]) -> Any:
    said: list[Any] = []

    def call() -> None:
        try:
            said.append((True, work()))
        except Exception as error:
            said.append((False, error))

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    is_good, value = said.pop()
    if not is_good:
        raise value
    return value


class Calls(RuleBasedStateMachine):
    """All objects that there are."""

    closed: type[Exception]
    """`ClosedHandleError` of the package."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[Known] = []

    def pick(self, kind: str, choice: int) -> Known | None:
        found = [each for each in self.all if kind in ("", each.kind)]
        return found[choice % len(found)] if found else None

    def add(self, known: Known) -> None:
        self.all.append(known)
        if known.of is not None:
            known.of.lends.append(known)

    def call(self, there: bool, work: Callable[[], Any], *used: Known) -> tuple[bool, Any]:
        """Whether a call was made, and its result: it is refused where a handle of it is closed, and only there."""
        is_open = all(each.is_open for each in used)
        try:
            value = on_another_thread(work) if there else work()
        except self.closed:
            assert not is_open, "wrong: an open handle is called closed"
            return False, None
        except ValueError as error:
            refused = "in use, or kept alive" in str(error) or "that is still needed: " in str(error)
            assert refused, f"wrong: {error}"
            return False, None
        assert is_open, "wrong: a call with a closed handle"
        return True, value

    def end(self, known: Known) -> None:
        """What a call ended, with what that lends in turn."""
        for each in known.lends:
            self.end(each)
        known.is_open = False


def main(machine: type[Calls]) -> None:
    phases = (Phase.generate,) if "quick" in sys.argv else (Phase.generate, Phase.shrink)
    wanted = settings(
        max_examples=int(sys.argv[1]),
        stateful_step_count=60,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=wanted)

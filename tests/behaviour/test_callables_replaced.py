"""Callables that make C++ forget them while C++ calls them: what is called stays until it returns."""

from __future__ import annotations

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "callables" / "listeners.wrapper_spec"
PROGRAM = """
import sys
from listeners_ffi import Bell, Mast, Plan, Station, Switchboard, follow, run_hook, run_plan, set_hook

FIRST, SECOND = "first " * 30, "second " * 30


def replaced(set_it, ring, silence=None):
    def once(n):
        (silence or (lambda: set_it(lambda n: SECOND)))()
        return FIRST
    set_it(once)
    del once
    print(ring(1) == FIRST, ring(2) == SECOND if silence is None else True)


def raising(set_it, ring):
    def once(n):
        set_it(lambda n: SECOND)
        raise LookupError(FIRST)
    set_it(once)
    del once
    try:
        ring(1)
    except LookupError as error:
        print(error.args == (FIRST,), ring(2) == SECOND)


"""
CALLS = {
    "std::function": "b = Bell(); replaced(b.on_words, b.ring)",
    "std::function, cleared": "b = Bell(); replaced(b.on_words, b.ring, b.clear)",
    "std::function of an address": "b = Bell(); replaced(b.on_phrase, b.say)",
    "std::function, raising": "b = Bell(); raising(b.on_words, b.ring)",
    "std::function of an address, raising": "b = Bell(); raising(b.on_phrase, b.say)",
    "called once": "b = Bell(); replaced(b.on_words_once, b.ring)",
    "called once, an address": "b = Bell(); replaced(b.on_phrase_once, b.say)",
    "of an object": "b = Bell(); replaced(b.on_words_as_object, b.ring)",
    "of an object, none": "b = Bell(); replaced(b.on_words_as_object, b.ring, lambda: b.on_words_as_object(None))",
    "of a template": "b = Bell(); replaced(b.on_any, b.ring)",
    "in a list": "b = Bell(); replaced(lambda f: b.on_words_of([f]), b.ring)",
    "in a struct": "replaced(lambda f: follow(Plan(f)), run_plan)",
    "a function of C, once": "replaced(lambda f: set_hook(0, f), lambda n: run_hook(0, n))",
    "a function of C, of an object": "s = Switchboard(); replaced(s.set, s.run)",
    "a method": "show('heard', 'hear')",
    "a method, raising": "show('heard', 'hear', True)",
    "a method that takes no exception": "show('seen', 'see')",
    "a method that takes no exception, raising": "show('seen', 'see', True)",
}
METHODS = """
def show(heard, hear, fails=False):
    mast = Mast()

    def called(self, n):
        mast.set(None)
        if fails:
            raise LookupError(FIRST)
        return FIRST

    mast.set(type("Once", (Station,), {"heard": called, heard: called})())
    try:
        print(getattr(mast, hear)(1) == FIRST, mast.is_bare())
    except LookupError as error:
        print(error.args == (FIRST,), mast.is_bare())
"""


@pytest.mark.trial("callable-replaced-while-running")
@pytest.mark.trial("override-released-by-its-own-call")
def test_what_is_called_stays_until_it_returns(engine: str) -> None:
    lines = [f"print({name!r}, end=': '); {call}" for name, call in CALLS.items()]
    program = PROGRAM + METHODS + "\n".join(lines)
    done = packages.build(SPEC).python(program, engine=engine, MALLOC_PERTURB_="165")  # glibc writes over what is freed
    assert done.stdout.splitlines() == [f"{name}: True True" for name in CALLS]
    assert done.stderr == ""

"""What starts a library before its first call, and what stops it: `init` and `shutdown` of the spec."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wrapper_gen.drafts.answers import OPEN, SKIP, Questions
from wrapper_gen.headers import CFunction, Headers

LIBRARY = "library"
INIT, SHUTDOWN = "init", "shutdown"
_STARTS = re.compile(r"(^|_)(init|initiali[sz]e|startup)$", re.IGNORECASE)
_STOPS = re.compile(r"(^|_)(shutdown|cleanup|terminate|deinit|uninit|finali[sz]e)$", re.IGNORECASE)
_FIRST = re.compile(r"\b(must|has\s+to|needs\s+to|should)\s+be\s+called\s+(first|before)\b", re.IGNORECASE)
"""What the comment of a function says that has to be called before the others."""


def ask(headers: Headers, questions: Questions) -> dict[str, str]:
    """C++ that starts and stops the library, by its key in the spec.

    It is asked where a comment says that a function without arguments comes first; answers are taken in any case.
    """
    plain = [each for each in headers.all_functions() if not each.owner and not each.parameters]
    start = next((each for each in plain if _STARTS.search(each.name) and _comes_first(each)), None)
    stop = next((each for each in plain if start is not None and _STOPS.search(each.name)), None)
    found: dict[str, str] = {}
    for word, function in ((INIT, start), (SHUTDOWN, stop)):
        if function is None and word not in questions.said(LIBRARY):
            continue
        proposal = f"{function.name}()" if function is not None else None
        said = questions.ask(LIBRARY, word, proposal, _why(word, function), is_sure=word == SHUTDOWN)
        if said not in (OPEN, SKIP, False, None):
            found[word] = str(said)
    return found


def _comes_first(function: CFunction) -> bool:
    return not function.doc.of_group and _FIRST.search(function.doc.text) is not None


def _why(word: str, function: CFunction | None) -> str:
    if function is None:
        return "C++ of the answer"
    if word == SHUTDOWN:
        return "at the end of the process"
    returned = function.result
    is_said = "" if returned.canonical == "void" else f"; the {returned.spelling} is a status, or static_cast<void>(…)"
    return f"its comment says that it is called first{is_said}"


def left_out(headers: Headers, said: Mapping[str, str]) -> dict[str, str]:
    """Why the functions that start and stop the library are no entries, by their keys."""
    words = {INIT: "it starts the library", SHUTDOWN: "it stops the library"}
    return {
        each.key: words[word]
        for word, text in said.items()
        for each in headers.all_functions()
        if each.name in re.findall(r"\w+(?=\()", text)
    }

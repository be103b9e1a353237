"""What is left out before anything else is asked: deprecated functions, what no library exports, and what is named."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

from wrapper_gen.drafts.answers import Questions
from wrapper_gen.drafts.questions.context import listed
from wrapper_gen.headers import CFunction, FunctionKind, Headers

GROUP = "leave"
_DEPRECATED, _NOT_EXPORTED = "deprecated", "not exported by the library"


def ask(headers: Headers, questions: Questions, exported: Collection[str]) -> dict[str, str]:
    """Why functions are left out, by their keys."""
    functions = list(headers.all_functions())
    groups: defaultdict[str, list[CFunction]] = defaultdict(list)
    for each in functions:
        if each.is_deprecated or "deprecated" in each.place.header:
            groups[_DEPRECATED].append(each)
        elif exported and not _is_exported(each, exported):
            groups[_NOT_EXPORTED].append(each)
    left: dict[str, str] = {}
    for name, found in groups.items():
        names = listed([each.name for each in found])
        said = questions.ask(GROUP, name, True, f"{len(found)} functions: {names}", is_sure=True)
        if said is not False:
            left |= {each.key: name for each in found}
    for pattern, why in questions.said(GROUP).items():
        if pattern in groups or not why:
            continue
        matching = [each for each in functions if re.fullmatch(pattern, each.name)]
        if matching:
            questions.ask(GROUP, pattern, None, f"{len(matching)} functions")
        left |= {each.key: str(why) for each in matching}
    return left


def _is_exported(function: CFunction, exported: Collection[str]) -> bool:
    if function.is_inline or function.is_pure or function.is_defaulted or function.is_deleted or function.template:
        return True
    if function.kind is FunctionKind.CONSTRUCTOR:
        return function.symbol in exported or function.symbol.replace("C1E", "C2E") in exported
    return not function.symbol or function.symbol in exported

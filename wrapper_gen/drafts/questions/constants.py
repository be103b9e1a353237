"""Which macros, and values of nameless enums, make an enum together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from wrapper_gen.drafts.answers import SKIP
from wrapper_gen.drafts.decisions import MacroEnum, Status
from wrapper_gen.drafts.naming import shared_start
from wrapper_gen.drafts.questions import macro_parameters
from wrapper_gen.drafts.questions.context import Context, listed
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import Constant, Headers

GROUP = "constants"
_ALONE = re.compile(r"_(VERSION|INIT|VERSION_\w+|H_?|MAX|MIN)$")
_GUARD = re.compile(r"_(H|HH|HPP|HXX|INCLUDED)_*$", re.IGNORECASE)
_FEWEST = 3
_WHY = "move what takes one of them from `ask` to `takes`, and delete the others"


def ask(context: Context, statuses: Mapping[str, Status]) -> list[MacroEnum]:
    """The groups of macros with one prefix, and those that the header groups for doxygen."""
    own = _own(context)
    found = []
    for key, group in _groups(context).items():
        prefix, values = group.prefix, group.values
        is_of_all = key.rstrip("_").upper() in own and not context.options.is_c  # settings of a library of C++
        if (len(values) < _FEWEST or is_of_all) and key not in context.questions.said(GROUP):
            continue
        set_ = [each for each in values.values() if each]
        is_flags = len(set(set_)) > 2 and all(each > 0 and each & (each - 1) == 0 for each in set_)
        proposal: dict[str, object] = {"enum": group.title, **({"flags": True} if is_flags else {})}
        why = f"{len(values)}: {listed(list(values))}"
        taking = macro_parameters.candidates(context, key, values)
        if taking:
            proposal["ask"] = list(taking)
            why += f"; {_WHY}, as {_evidence(taking)}"
        said = context.questions.ask(GROUP, key, proposal, why, is_sure=True, frees=len(values))
        if isinstance(said, Mapping) and said.get("enum"):
            takes, asked = (frozenset(macro_parameters.named(context, _list(said.get(w)))) for w in ("takes", "ask"))
            is_set = bool(said.get("flags"))
            found.append(
                MacroEnum(str(said["enum"]), prefix, _aliases_last(context, values), is_set, takes, asked - takes)
            )
    return found


def is_guard(macro: Constant) -> bool:
    """Whether a macro only says that a header was included: `LIB_CONFIG_H 1`; a height has another value."""
    return _GUARD.search(macro.name) is not None and macro.value == 1


def aliases(headers: Headers) -> dict[str, str]:
    """Macros that are another name of a value of an enum, with that value: `#define NODE_LIST LIB_NODE_LIST`."""
    values = {value.name for each in headers.enums.values() if each.name or each.typedefs for value in each.values}
    found = {}
    for name, macro in headers.constants.items():
        value, seen = macro.text.strip(" ()"), {name}
        while value not in values and value in headers.constants and value not in seen:
            seen.add(value)
            value = headers.constants[value].text.strip(" ()")
        if value in values and name not in values:
            found[name] = value
    return found


def _is_alone(context: Context, name: str) -> bool:
    """Whether a name is of a version or a bound; not of a value that an enum declares among others.

    There `_MAX` and `_MIN` are bounds only where nothing lies beyond, or another value is the same.
    """
    found = _ALONE.search(name)
    if found is None or name in context.headers.constants:
        return found is not None
    enums = (each for each in context.headers.enums.values() if not each.name)
    others = next((each.values for each in enums if any(value.name == name for value in each.values)), ())
    own = next((each.value for each in others if each.name == name), 0)
    values = [each.value for each in others if each.name != name]
    if found[1] in ("MAX", "MIN"):
        return own in values or own >= max(values, default=own) or own <= min(values, default=own)
    return len(values) < _FEWEST


def _aliases_last(context: Context, values: Mapping[str, int]) -> list[str]:
    """The names of values; those last that macros define as another one: `#define LIB_FIRST LIB_TITLE`."""
    macros = context.headers.constants
    is_alias = {name: name in macros and macros[name].text.strip(" ()") in values for name in values}
    return sorted(values, key=lambda each: is_alias[each])


def _list(said: object) -> Sequence[object]:
    return said if isinstance(said, list) else ()


def _evidence(taking: Mapping[str, str]) -> str:
    """Why parameters may take a group."""
    by = {word: [name for name, why in taking.items() if why == word] for word in ("comment", "name")}
    words = {"comment": "comments say of", "name": "the name says of"}
    return ", and ".join(f"{words[word]} {listed(names)}" for word, names in by.items() if names)


def skipped(context: Context) -> dict[str, str]:
    """The constants of which the answers want none, by what their names begin with, or by their group of doxygen."""
    said = [key for key, said in context.questions.said(GROUP).items() if said == SKIP]
    macros = {name: each.group.name if each.group else "" for name, each in context.headers.constants.items()}
    values = {value.name: "" for each in context.headers.enums.values() if not each.name for value in each.values}
    found = {
        name: next((key for key in said if name.startswith(key) or key == group), "")
        for name, group in (values | macros).items()
    }
    return {name: key for name, key in found.items() if key}


def _own(context: Context) -> tuple[str, str]:
    """What names begin with that have the name of the library alone."""
    return context.options.prefix.rstrip("_").upper(), context.options.name.upper()


@frozen
class _ConstantGroup:
    """Macros that may make an enum together."""

    prefix: str
    """What all of their names begin with."""
    title: str
    """What the enum would be called."""
    values: Mapping[str, int]


def _groups(context: Context) -> dict[str, _ConstantGroup]:
    """The groups by what the answers call them: their prefix, or the name that doxygen has.

    One of doxygen's counts where prefixes tell less: where macros of its prefix stand outside of it, too.
    """
    own, names = _own(context), _values(context)
    by_prefix = _with_strays(_by_prefix(names, context), names, context.questions.said(GROUP))
    said = context.questions.said(GROUP)
    titles: dict[str, str] = {}
    of_doxygen: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for name in (name for prefix, values in by_prefix.items() if prefix not in said for name in values):
        group = context.headers.constants[name].group if name in context.headers.constants else None
        if group is not None:
            titles[group.name] = max(group.title, titles.get(group.name, ""), key=len)
            of_doxygen[group.name][name] = names[name]
    found: dict[str, _ConstantGroup] = {}
    for key, values in of_doxygen.items():
        crossing = [each for each in by_prefix.values() if each.keys() & values.keys() and each.keys() - values.keys()]
        prefix = shared_start([*values])
        if crossing and prefix and len(values) >= _FEWEST:
            words = re.findall(r"[A-Za-z0-9]+", titles[key])
            title = "".join(each[:1].upper() + each[1:] for each in words)
            in_order = {name: value for name, value in names.items() if name in values}
            found[key] = _ConstantGroup(prefix, title if title[:1].isalpha() else f"C{title}", in_order)
    taken = {name for group in found.values() for name in group.values}
    for prefix, values in by_prefix.items():
        words = prefix.rstrip("_").split("_")
        title = "".join(each.capitalize() for each in (words[1:] if words[0] in own and len(words) > 1 else words))
        left = {name: value for name, value in values.items() if name not in taken}
        if left:
            found[prefix] = _ConstantGroup(prefix, title or "Constant", left)
    return found


def _values(context: Context) -> dict[str, int]:
    """The integers among macros and among values of nameless enums."""
    names: dict[str, int] = {}
    for name, constant in context.headers.constants.items():
        if isinstance(constant.value, int) and not isinstance(constant.value, bool):
            names[name] = constant.value
    for enum in context.headers.enums.values():
        if not enum.name and not enum.owner and not enum.typedefs:
            names |= {each.name: each.value for each in enum.values}
    return names


def _by_prefix(names: Mapping[str, int], context: Context) -> dict[str, dict[str, int]]:
    """The same by the first words of their names, without those that stand for themselves."""
    functions = {each.name for each in context.headers.functions}
    same, own = aliases(context.headers), _own(context)
    groups: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for name, value in names.items():
        words = name.split("_")
        macro = context.headers.constants.get(name)
        is_other = macro is not None and (is_guard(macro) or bool(functions & set(macro.text.split())))
        if len(words) < 2 or _is_alone(context, name) or is_other or name in same:
            continue
        depth = 2 if words[0] in own and len(words) > 2 else 1
        groups["_".join(words[:depth]) + "_"][name] = value
    return groups


def _with_strays(
    groups: Mapping[str, Mapping[str, int]], names: Mapping[str, int], said: Collection[str]
) -> dict[str, dict[str, int]]:
    """The same, with those of groups that are too small in the group of their first word; in the header's order."""
    found: dict[str, set[str]] = {}
    for prefix, values in groups.items():
        first = prefix.partition("_")[0] + "_"
        is_stray = len(values) < _FEWEST and prefix not in said
        found.setdefault(first if is_stray else prefix, set()).update(values)
    return {prefix: {name: value for name, value in names.items() if name in own} for prefix, own in found.items()}

"""What calls take away, and what is left where they fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wrapper_gen.spec.former.entries import Mapped, Spelled, methods_of, said_by
from wrapper_gen.spec.former.rewriter import Rewriter
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.todo import OPEN


def failing(at: At) -> None:
    """`owned_on_failure` of parameters and of the result, and `on: success` of `invalidates` → `on_failure`."""
    rewrite_failing(at.rewriter, at.container, said_by(at))


def rewrite_failing(rewriter: Rewriter, entry: dict[str, Any], signature: Spelled) -> None:
    """The same of any entry, whose signature this is."""
    about = entry.get("invalidates")
    on_success = isinstance(about, dict) and about.get("on") == "success"
    said = dict.fromkeys(_named(entry, "owned_on_failure", True), "unchanged")
    said |= {"ends": "unchanged"} if on_success else {}
    said |= {"result": "garbage"} if entry.get("owned_on_failure") is False else {}
    value = _shortest(rewriter.document.data, entry, signature, said)
    if "owned_on_failure" in entry and isinstance(entry["owned_on_failure"], bool | None):
        if said and "on_failure" not in entry:
            rewriter.rename(entry, "owned_on_failure", "on_failure")
            rewriter.replace(entry, "on_failure", value)
        else:
            rewriter.remove(entry, "owned_on_failure")
    for _, parameter in list(_parameters(entry)):
        if isinstance(parameter.get("owned_on_failure", ""), bool | None):
            if parameter["owned_on_failure"] is True and "on_failure" not in entry:
                rewriter.move(parameter, "owned_on_failure", entry, "on_failure", after=next(reversed(entry)))
                rewriter.replace(entry, "on_failure", value)
            else:
                rewriter.remove(parameter, "owned_on_failure")
    if on_success and isinstance(about, dict):
        rewriter.remove(about, "on")
        if "on_failure" not in entry:
            rewriter.insert(entry, "on_failure", value, because="invalidates", after=next(reversed(entry)))


def _shortest(spec: Mapped, entry: Mapped, signature: Spelled, said: dict[str, str]) -> object:
    """The value of `on_failure`: words where these say the same."""
    taken = set(_named(entry, "mode", "take")) | set(_texts(entry.get("takes")))
    ends = entry.get("invalidates") is not None or entry.get("ends") not in (None, "nothing")
    unchanged = {name for name, word in said.items() if word == "unchanged"}
    all_of_it = taken | ({"ends"} if ends else set())
    if unchanged and (unchanged != all_of_it or _ends_results(spec, signature)):
        return dict(said)
    words = ["unchanged"] if unchanged else []
    words += ["garbage"] if "result" in said else []
    return words[0] if len(words) == 1 else words


def _ends_results(spec: Mapped, said: Spelled) -> bool:
    """Whether the call ends results of other entries, which it does whether it fails or not."""
    if not said.has_object or not said.name:
        return False
    for entry, _ in methods_of(spec, said.handle):
        borrow = entry.get("borrow")
        if isinstance(borrow, dict) and said.name in _texts(borrow.get("until")):
            return True
    return False


def taken(at: At) -> None:
    """`params: {job: {mode: take}}` → `takes: job`; `mode: share` and `borrow` → nothing."""
    entry, rewriter = at.container, at.rewriter
    for name, parameter in list(_parameters(entry)):
        mode = parameter.get("mode", "")
        if mode not in ("take", "share", "borrow", OPEN, None):
            continue
        if mode not in ("take", OPEN):
            rewriter.remove(parameter, "mode")
        elif "takes" in entry:
            rewriter.remove(parameter, "mode")
            rewriter.replace(entry, "takes", [*_texts(entry["takes"]), name])
        else:
            rewriter.move(parameter, "mode", entry, "takes", after=next(reversed(entry)))
            if mode == "take":
                rewriter.replace(entry, "takes", name)
    about = entry.get("params")
    if isinstance(about, dict):
        for name in [each for each, parameter in about.items() if parameter == {}]:
            rewriter.remove(about, name)
        if not about:
            rewriter.remove(entry, "params")


def _parameters(entry: Mapped) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parameters of an entry that are mappings, by name."""
    about = entry.get("params")
    if isinstance(about, dict):
        yield from ((name, each) for name, each in about.items() if isinstance(each, dict))
    elif isinstance(about, list):
        for each in about:
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                yield each["name"], each


def _named(entry: Mapped, key: str, value: object) -> list[str]:
    """The parameters of which a key says this."""
    return [name for name, parameter in _parameters(entry) if parameter.get(key) == value]


def _texts(value: object) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, str)]

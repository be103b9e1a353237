"""How a task waits for a call: a mapping, whose keys are those of the entry now."""

from __future__ import annotations

from wrapper_gen.spec.former.walk import At


def ended(at: At) -> None:
    """`async: {done: end, cancel: abort, result: made}` → `async: end`, `cancel: abort`, `result: made`."""
    said, entry, rewriter = at.value, at.container, at.rewriter
    if not isinstance(said, dict) or not said or not said.keys() <= {"done", "cancel", "result"}:
        return
    if any(not isinstance(each, str) for each in said.values()) or ("result" in said and "done" not in said):
        return
    taken = [key for key in ("cancel", "result") if key in said and entry.get(key) is not None]
    if taken:
        message = f"`{taken[0]}` stands beside an `async` that says it"
        rewriter.error(said, taken[0], "WG075", message, "keep one")
        return
    after = at.key
    for key in ("cancel", "result"):
        if key in said:
            at.insert(key, said[key], after=after)
            after = key
    at.replace(said.get("done", "thread"))

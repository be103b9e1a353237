"""Differences of two versions as text, as Markdown and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen.compare.changes import ApiChange, breaks_python, next_version
from wrapper_gen.compare.surface import Surface


def as_markdown(old: Surface, new: Surface, changes: Sequence[ApiChange]) -> str:
    """A section for a list of changes."""
    return "\n".join(_page(old, new, changes))


def _page(old: Surface, new: Surface, changes: Sequence[ApiChange]) -> Iterator[str]:
    yield f"## {new.name}{f' {new.version}' if new.version else ''}, after {old.version or 'the former one'}"
    yield ""
    if old.name != new.name:
        yield f"{old.name} and {new.name} are two packages: who imports one does not find the other.\n"
    if not changes:
        yield "Nothing that callers see has changed."
        return
    version = next_version(old.version, changes)
    breaking = sum(each.is_breaking and each.of == "Python" for each in changes)
    said = (
        f"{breaking} of {len(changes)} changes break callers in Python" if breaking else "Python callers are not broken"
    )
    yield said + (f": the next version is {version}." if version else f". {_no_version(old)}")
    for of in ("Python", "C"):
        for is_breaking, head in ((True, "breaking"), (False, "other changes")):
            chosen = [each for each in changes if each.of == of and each.is_breaking == is_breaking]
            if chosen:
                yield f"\n### {of}: {head}\n"
                yield from (f"- `{each.name}` {each.kind}: {each.what}" for each in chosen)


def _no_version(old: Surface) -> str:
    """Why no next version is said."""
    if old.version in ("", "0"):
        return "The spec says no `version` under `wrapper_lib`, so there is no next one."
    return f"The version {old.version} is no major, minor and patch number, so there is no next one."


def as_data(old: Surface, new: Surface, changes: Sequence[ApiChange]) -> dict[str, object]:
    """The same as data."""
    return {
        "package": new.name,
        "old": old.version,
        "new": new.version,
        "suggested": next_version(old.version, changes),
        "breaking": breaks_python(changes),
        "changes": [
            {"of": each.of, "name": each.name, "kind": each.kind, "breaking": each.is_breaking, "what": each.what}
            for each in changes
        ],
    }

"""A second run: a spec that a person has changed keeps every decision, comment and layout of theirs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.drafts.changes import CHANGED, GONE, NEW, Changed, changes, note_of, shortened
from wrapper_gen.drafts.importing import Imported
from wrapper_gen.drafts.spec_entries import EntryPlace, Section, SpecEntries, item_end, spec_entries
from wrapper_gen.drafts.spec_text import Line, class_lines
from wrapper_gen.drafts.undeclared import undeclared
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, Constant, Declaration
from wrapper_gen.headers import lock as locks
from wrapper_gen.spec import Document, check, modern, read_document


@frozen
class Merged:
    """The text of the spec, and what was done."""

    text: str
    changes: Sequence[Changed]


def entries_of(lines: Sequence[Line]) -> dict[str, str]:
    """The text of each entry without its indentation, by the key of its declaration."""
    found: dict[str, list[str]] = {}
    for line, key in lines:
        if key and not line.lstrip().startswith("#"):
            found.setdefault(key, []).append(line)
    return {key: _dedented(text) for key, text in found.items()}


def merge(document: Document, imported: Imported, entries: Mapping[str, str]) -> Merged:
    """A spec with what is new, changed and gone.

    Raises:
        SpecError: nothing can be added where it would have to be (WG307).
    """
    merged = _Merge(document, imported, entries).merged()
    _refuse_broken(document, merged.text)
    return merged


def marked(document: Document, imported: Imported, found: Sequence[Changed]) -> str:
    """A draft that replaces one which nobody has touched, with a comment where parameters have changed places.

    No message of a type checker or of Python tells callers of that.
    """
    merge_ = _Merge(document, imported, {})
    for each in found:
        if each.has_moved:
            merge_.mark(each)
    return merge_.text()


def _refuse_broken(document: Document, text: str) -> None:
    """Refuse a merged text that is no spec any more, where the spec was one."""
    try:
        made, _ = modern(read_document(document.path, document.shown, text))
        found = [] if check(modern(document)[0]).findings else check(made).findings
    except SpecError as error:
        found = error.diagnostics
    if found:
        first = found[0]
        what = f"with what is new, changed or gone in it, the spec could not be read: {first.message}"
        hint = "write each item on lines of its own, after `- `; or rename the spec, import again, and compare the two"
        raise SpecError([Diagnostic("WG307", what, Span(document.shown, 1, 1), hint)])


class _Merge:
    def __init__(self, document: Document, imported: Imported, entries: Mapping[str, str]) -> None:
        self.imported = imported
        self.entries = entries
        self.spec: SpecEntries = spec_entries(document)
        self.lines: list[str | None] = list(self.spec.lines)
        self.before: locks.Lock | None = imported.previous
        self.above: defaultdict[int, list[str]] = defaultdict(list)
        self.added: defaultdict[int, list[str]] = defaultdict(list)
        self.declared: Mapping[str, Declaration] = {each.key: each for each in imported.headers.declarations()}
        self.done: list[Changed] = []
        self.refused: dict[Span, str] = {}
        """What cannot be added to, and the first that would be."""

    def merged(self) -> Merged:
        if self.before is not None:
            found = changes(self.before, self.imported)
            for each in found:
                if each.what == GONE:
                    self._gone(each)
                elif each.what == CHANGED:
                    self._change(each)
            self._answered(self.before, {each.key for each in found})
            new = [each.key for each in found if each.what == NEW]
            written_now = [key for key in self.entries if key not in self.before.entries and key not in new]
            self._add([*new, *(key for key in written_now if key in self.before.declarations)])
        self._undeclared()
        if self.refused:
            raise SpecError([_in_braces(name, span) for span, name in self.refused.items()])
        return Merged(self.text(), self.done)

    def mark(self, each: Changed) -> None:
        """Put a comment above the entries of a declaration that has changed."""
        for place in self._places(each.key, each.name):
            self._note(place, note_of(each, self.declared[each.key]))

    # --- what was ---

    def _gone(self, each: Changed) -> None:
        places = self._places(each.key, each.name)
        for place in places:
            self._note(place, f"# GONE {each.name}: {each.done}; it was {each.was}")
        if places or self.spec.speaks_of(each.name.rpartition("::")[2]):
            done = f"{_entries(places)} marked" if places else "C++ of the spec has it"
            self.done.append(Changed(GONE, each.name, done))

    def _undeclared(self) -> None:
        """Mark entries of names that no header has, also where nothing says what the headers were."""
        for place, name in undeclared(self.spec, self.imported.headers):
            if any(each.startswith("# GONE ") for each in self.above[place.start]):
                continue  # the lock has told it
            if not self._is_gone(place):
                self._note(place, f"# GONE {name}: no header declares it")
            if not any(each.what == GONE and each.name == name for each in self.done):
                self.done.append(Changed(GONE, name, "1 entry is marked: no header declares it"))

    def _is_gone(self, place: EntryPlace) -> bool:
        """Whether an entry is marked as gone, now or since an earlier run."""
        at = place.start
        while at and self.spec.lines[at - 1].lstrip().startswith("#"):
            at -= 1
        marked = [*self.spec.lines[at : place.start], *self.above[place.start]]
        return any(each.lstrip().startswith("# GONE ") for each in marked)

    def _change(self, each: Changed) -> None:
        written = self.before.entries.get(each.key) if self.before else None
        now = self.entries.get(each.key)
        places = self._places(each.key, each.name)
        for place in places:
            told = note_of(each, self.declared[each.key])
            if written is not None and now is not None and self._is_written_so(place, written):
                self._replace(place, now)
            elif now is not None:
                told += f"; a draft says: {shortened(' '.join(now.split()))}"
            self._note(place, told)
        if places:
            self.done.append(Changed(CHANGED, each.name, f"{_entries(places)} marked: check what uses it"))

    def _answered(self, before: locks.Lock, told: set[str]) -> None:
        """Entries as they were written follow the answers; what a person has changed stays."""
        for key, written in before.entries.items():
            now = self.entries.get(key)
            declared = self.declared.get(key)
            if now == written or key in told or declared is None:
                continue
            for place in self._places(key, declared.qualified):
                if not self._is_written_so(place, written):
                    continue
                if now is not None:
                    self._replace(place, now)
                    self.done.append(Changed(CHANGED, declared.qualified, "it follows the answers"))
                else:
                    self._note(place, f"# CHECK {declared.qualified}: by the answers it is not written any more")

    # --- what is new ---

    def _add(self, keys: Iterable[str]) -> None:
        spec = self.imported.draft.spec
        wanted = set(keys)
        own = {id(each): [m.key for m in each.methods if m.key in wanted & set(self.entries)] for each in spec.classes}
        there = [each for each in spec.classes if str(each.data["name"]) in self.spec.classes]
        for each in there:  # before what follows the last of them
            for key in own[id(each)]:
                self._add_entry(key, str(each.data["name"]), "methods")
        for each in spec.classes:
            name = str(each.data["name"])
            if own[id(each)] and each not in there:
                self._add_lines("handle_types", [f"  # NEW {name}", *(line for line, _ in class_lines(each, "  "))])
                self.done.append(Changed(NEW, name, "a class"))
        for section, items in (("enums", spec.enums), ("structs", spec.structs), ("functions", spec.functions)):
            for item in items:
                if item.key in wanted and item.key in self.entries:
                    self._add_entry(item.key, "", section)
        for key in wanted - set(self.entries):
            declared = self.declared.get(key)
            if isinstance(declared, CFunction):
                self.done.append(Changed(NEW, declared.qualified, "not written"))
            elif isinstance(declared, Constant):
                self.done.append(Changed(NEW, declared.qualified, "a constant"))

    def _add_entry(self, key: str, owner: str, section: str) -> None:
        declared = self.declared[key]
        if self._places(key, declared.qualified):
            return  # whoever wrote the spec has it already
        place = self.spec.classes[owner] if owner else self.spec.sections.get(section)
        note = f"# NEW {declared.qualified} ({declared.place})"
        lines = [note, *self.entries[key].split("\n")]
        self.done.append(Changed(NEW, declared.qualified, "added"))
        if place is None:
            self._add_lines(section, [f"  {line}" for line in lines])
            return
        if not self._can_add(place, declared.qualified):
            return
        indent = " " * (place.indent if place.has_list else place.indent + 2)
        if not place.has_list and not any("methods:" in line for line in self.added[place.end]):
            self.added[place.end].append(f"{' ' * place.indent}methods:")
        self.added[place.end] += [f"{indent}{line}" for line in lines]

    def _add_lines(self, section: str, lines: Sequence[str]) -> None:
        """Lines at the end of a list of the spec, which may not be there."""
        place = self.spec.sections.get(section)
        if place is not None:
            if self._can_add(place, lines[0].strip(" #")):
                self.added[place.end] += [" " * place.indent + line[2:] for line in lines]
            return
        end = self.spec.text_end
        if f"{section}:" not in self.added[end]:
            self.added[end].append(f"{section}:")
        at = self.added[end].index(f"{section}:") + 1
        while at < len(self.added[end]) and self.added[end][at].startswith(" "):
            at += 1
        self.added[end][at:at] = list(lines)

    def _can_add(self, place: Section, name: str) -> bool:
        """Whether lines can be added there; the key of an empty list is made that of one with items."""
        if place.braces is not None:
            self.refused.setdefault(place.braces, name)
            return False
        if place.emptied is not None:
            at, line = place.emptied
            self.lines[at] = line
        return True

    # --- text ---

    def _places(self, key: str, qualified: str) -> list[EntryPlace]:
        declared = self.declared.get(key)
        name = qualified.rpartition("::")[2]
        owner = declared.owner if isinstance(declared, CFunction) else ""
        if declared is None and "(" in key and "::" in qualified:
            owner = qualified.rpartition("::")[0]
        owner = owner if owner in self.spec.records else ""
        return self.spec.of(name, owner)

    def _is_written_so(self, place: EntryPlace, written: str) -> bool:
        """Whether an entry is as the last run wrote it."""
        end = item_end(self.spec.lines, place.start)
        return not place.is_in_braces and _dedented(self.spec.lines[place.start : end]) == written

    def _replace(self, place: EntryPlace, text: str) -> None:
        indent = " " * place.indent
        end = item_end(self.spec.lines, place.start)
        self.lines[place.start : end] = [
            "\n".join(f"{indent}{line}" for line in text.split("\n")),
            *[None] * (end - place.start - 1),
        ]

    def _note(self, place: EntryPlace, note: str) -> None:
        shown = f"{' ' * place.indent}{note}"
        if shown not in self.above[place.start] and shown not in self.spec.lines:
            self.above[place.start].append(shown)

    def text(self) -> str:
        """The lines of the spec, with what was added."""
        found: list[str] = []
        lines = self.lines
        is_ended = bool(lines) and lines[-1] == ""
        for at, line in enumerate(lines[:-1] if is_ended else lines):
            found += self.added.get(at, [])
            found += self.above.get(at, [])
            if line is not None:
                found.append(line)
        last = len(lines) - is_ended
        for at in sorted(each for each in self.added if each >= last):
            found += self.added[at]
        return "\n".join(found) + ("\n" if is_ended else "")


def _entries(places: Sequence[EntryPlace]) -> str:
    return "1 entry is" if len(places) == 1 else f"{len(places)} entries are"


def _in_braces(name: str, span: Span) -> Diagnostic:
    what = f"{name.removeprefix('NEW ')} is new, and can be added to no list or class in brackets or braces"
    return Diagnostic("WG307", what, span, "write each item on lines of its own, after `- `, and import again")


def _dedented(lines: Iterable[str]) -> str:
    given = list(lines)
    depth = len(given[0]) - len(given[0].lstrip())
    return "\n".join(line[depth:] for line in given)

"""What is wrong, where, and what to do about it; data only, printed by `cli` alone."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from wrapper_gen.frozen import frozen, replace

RULES: dict[str, str] = {
    # the file as text
    "WG001": "the spec cannot be read",
    "WG002": "the spec is not UTF-8",
    "WG003": "the spec is too large",
    "WG004": "the spec is not valid YAML",
    "WG005": "the spec is empty",
    "WG006": "a key occurs twice",
    "WG007": "aliases expand to too much data",
    # its shape
    "WG010": "unknown key",
    "WG011": "wrong type of value",
    "WG012": "missing key",
    "WG013": "value not supported",
    "WG014": "a type nests too deeply",
    # names
    "WG020": "not an identifier",
    "WG021": "reserved name",
    "WG022": "two things come to the same name",
    "WG023": "two things have the same name in C or C++",
    "WG024": "a name was changed to avoid one of ours",
    "WG025": "a handle is named as what it holds",
    "WG248": "a handle type hides a name of the library",
    "WG026": "a package would hide another",
    "WG027": "a probe raises in stub mode",
    "WG028": "a method hides a function of its class",
    # types and values
    "WG030": "unknown type",
    "WG031": "unknown handle",
    "WG032": "type not possible here",
    "WG033": "direction of a pointer or reference not stated",
    "WG034": "value does not fit its type",
    "WG035": "unknown enum value",
    "WG036": "parameter without default after one with a default",
    "WG037": "a borrowed result that keeps nothing alive",
    # implementations
    "WG040": "more than one implementation",
    "WG041": "not implemented",
    "WG042": "a lambda's parameters do not fit",
    "WG043": "neither a lambda nor a function's name",
    "WG044": "releasing this handle would leak its resource",
    "WG045": "unknown error type",
    "WG046": "unknown exception",
    "WG047": "a property takes no parameters",
    "WG048": "unknown parameter to keep alive",
    "WG049": "only a handle can be taken",
    # types that nest
    "WG070": "type not well-formed",
    "WG071": "union with the same type twice",
    "WG072": "type cannot be a key",
    "WG073": "type not possible in a struct",
    # second ways to write entries
    "WG074": "signature not well-formed",
    "WG075": "said twice",
    "WG076": "`for` without usable rows",
    "WG077": "unknown variable of a `for`",
    "WG078": "unknown parameter",
    # calls of C functions
    "WG079": "options not possible here",
    "WG080": "place of a handle not decided",
    "WG081": "an argument of a C call unknown, missing or there twice",
    "WG082": "a buffer of C++ that fills it itself",
    "WG083": "a length of nothing",
    "WG084": "names of items not possible here",
    "WG085": "a buffer without capacity, or that cannot be the result",
    "WG086": "a parameter that the call cannot change",
    "WG088": "memory that the call returns not possible here",
    "WG110": "an argument that Python does not see, and a parameter",
    # constructors, and methods of Python's protocols
    "WG128": "no constructor, or no method of a protocol",
    "WG129": "a method that Python calls otherwise",
    "WG130": "a result that Python does not take",
    "WG131": "an operator that C++ does not have",
    "WG132": "a constructor that C does not have",
    "WG190": "a method that cannot be static",
    "WG133": "two constructors that take the same",
    # callables
    "WG093": "a callable not possible here",
    "WG094": "how long or where a callable is called not decided",
    "WG113": "an argument of a callback not decided",
    "WG114": "what C gets of a callback's result not decided",
    "WG115": "what C gets of an exception not decided",
    # waiting
    "WG170": "a call that Python cannot await",
    "WG171": "how a task waits not decided",
    # lifetimes
    "WG089": "owner of what is lent not decided",
    "WG090": "nothing to hold or to let go of",
    "WG091": "nothing that a call could end",
    "WG092": "nobody, or more than one, to release a value",
    "WG099": "two threads would wait for each other",
    "WG109": "owner of a pointer not decided",
    "WG220": "a result that a call may invalidate",
    "WG221": "two handles that release one pointer",
    "WG230": "no pointer to find an object by",
    "WG231": "an argument whose results a call may end",
    "WG232": "results that a call may end, and none says so",
    # the project
    "WG270": "the project's settings are wrong",
    "WG280": "a spec that cannot be used",
    "WG350": "the record of a project cannot be read",
    "WG351": "another version of wrapper-gen is wanted",
    "WG352": "a folder that a source archive does not have",
    "WG101": "a failing call leaves no handle",
    "WG100": "a release that does nothing cannot wait",
    # what is not decided
    "WG102": "not decided",
    "WG103": "written to, and read by nobody",
    # representations
    "WG104": "no C++ value can stand for it",
    "WG105": "one C++ type stands for two",
    "WG118": "a type that is a part of itself",
    # statuses and exceptions
    "WG095": "a class of exceptions has no object",
    "WG096": "no class can be both exceptions",
    "WG097": "a result of what returns nothing",
    "WG098": "no status can mean None here",
    "WG150": "an iterator where none can be",
    "WG151": "`each` not possible here",
    "WG152": "an iteration whose failures have no status type",
    "WG124": "a condition that says nothing of the status",
    "WG154": "dimensions that memory cannot have",
    "WG155": "the name of a dimension that cannot be one",
    "WG156": "an order, or strides, of what has none",
    "WG157": "offsets into no text",
    "WG165": "an array that is not a whole result",
    # streams, and what lies where it is made
    "WG106": "a stream not well-formed",
    "WG107": "a call that cannot be one of a stream",
    "WG108": "an object in its place not possible here",
    "WG140": "a type that cannot extend another",
    "WG141": "a type that does not go together with its base",
    "WG182": "a method that a record cannot have",
    "WG181": "a function that reaches no field",
    "WG180": "attributes of a class that has none of its own",
    "WG120": "a length not possible here",
    "WG121": "a length that is something else too",
    # members of classes
    "WG135": "a property neither read nor set",
    "WG136": "a callable as a property",
    "WG137": "a form of a function that no call reaches",
    "WG138": "keys that nothing is said to check",
    "WG200": "a key, or a word, of methods that Python overrides elsewhere",
    "WG201": "a method that Python cannot override",
    "WG210": "a submodule that cannot be",
    "WG211": "a Python file that cannot be a part of the package",
    "WG212": "a Python file that Python cannot read",
    # earlier versions
    "WG290": "a spelling of earlier versions",
    "WG291": "a spec that cannot be migrated",
    "WG292": "an exception that no status raises",
    "WG293": "a status that is not decided",
    "WG294": "a status that nothing tests",
    "WG295": "a call whose arguments are alike",
    "WG296": "arguments cannot be gathered here",
    "WG297": "a text that nothing releases",
    "WG298": "an example that is no test",
    # headers
    "WG300": "a tool of the compiler's cannot be used",
    "WG301": "a header that does not parse",
    "WG302": "libclang is missing",
    "WG303": "a lock that cannot be used",
    "WG304": "answers that cannot be used",
    "WG305": "an answer to what the headers do not ask",
    "WG306": "a header that only this machine has at this path",
    "WG307": "a spec that an import cannot be merged into",
    "WG308": "a library, a package or declarations that an import does not find",
    # binding code of other tools
    "WG310": "no bindings in binding code",
    "WG311": "a definition of binding code that a spec has no equivalent of",
    "WG312": "a spec that is there already",
    # a spec beside its headers
    "WG330": "a header that is not what it was",
    "WG331": "a function that the library does not export",
    "WG332": "an entry that the header contradicts",
    "WG333": "a spec without headers to compare it with",
    "WG334": "two versions that cannot be compared",
    "WG335": "a package that does not bear what any has to",
    "WG336": "pytest is missing",
    # editors
    "WG370": "the language server cannot start",
    # files and tools
    "WG050": "a source file cannot be read",
    "WG051": "the output cannot be written",
    "WG260": "a generated file is out of date",
    "WG353": "a package of another version of wrapper-gen",
    "WG060": "the tool chain is missing",
    "WG061": "the compiler failed",
    "WG062": "the library is missing",
    "WG063": "a function is called that no library has",
    "WG064": "the order of a call's arguments takes the compiler long",
}
"""Every diagnostic code, with its title: the catalogue that `docs/` and the tests go by."""
UNDECIDED = frozenset(
    "WG033 WG044 WG061 WG064 WG080 WG081 WG083 WG085 WG086 WG088 WG089 WG092 WG094 WG099 WG102 WG103 WG109 WG113 WG114"
    " WG115 WG120 WG171 WG220 WG221 WG231 WG232 WG292 WG293 WG294 WG295 WG297".split()
)
"""The codes of what only the library's documentation decides."""


class Severity(StrEnum):
    """How bad it is: an error stops generation, a warning does not (unless `--strict`)."""

    ERROR = "error"
    WARNING = "warning"


class Span(NamedTuple):
    """A place in a file; line and column count from 1, `end_column` is exclusive and on the same line.

    `Span(path, 1, 1)`, which ends nowhere, stands for the file as a whole.
    """

    path: str
    line: int
    column: int
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class SpanOfRow(Span):
    """A place of which its line does not tell the entry.

    Copies of an entry that a `for` repeats have equal places, each for a `row` of its own: `T: f32`. Of several entries
    on one line, it begins with the entry's columns: `columns 5 to 30`.
    """

    row: str = ""

    @classmethod
    def at(cls, span: Span, row: str) -> SpanOfRow:
        """This place, in the copy for this row."""
        made = cls(*span)
        made.row = row
        return made

    @staticmethod
    def row_of(span: Span) -> str:
        """For which row, and which columns, a place is; empty where its line tells."""
        return span.row if isinstance(span, SpanOfRow) else ""


@frozen
class Nearest:
    """A hint that is worded only when it is shown: to compare words costs more than to find the mistake."""

    word: str
    known: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.known)

    def __str__(self) -> str:
        near = nearest(self.word, self.known)
        if near:
            return f"did you mean {near!r}?"
        words = sorted(self.known)
        shown = ", ".join(words[:_MOST_LISTED])
        return f"known here: {shown}" + (f", and {len(words) - _MOST_LISTED} more" if len(words) > _MOST_LISTED else "")


@frozen
class Fix:
    """One way to mend it: `replacement` takes the place of the text that `span` covers; `what` says what that decides.

    Where `end_column` is `column`, nothing is replaced: it is put in there. A fix can be made as it stands, and the
    spec is then without this finding.
    """

    what: str
    span: Span
    replacement: str


@frozen
class KeyPlace:
    """Where a key can be put into a mapping of a spec: at its start, with `before` and `after` around the key.

    In a mapping in braces, `is_flow`, a comma follows the key; otherwise the next line has what stands there now. Where
    the mapping has the key, `replaces`, the place is that of its value.
    """

    span: Span
    is_flow: bool
    before: str = ""
    after: str = ""
    replaces: str = ""

    def fix(self, what: str, written: str) -> Fix:
        """A key, `written` with its value on one line; `what` says what it decides."""
        if self.replaces:
            return Fix(what, self.span, written.removeprefix(f"{self.replaces}: "))
        text = f"{self.before}{written}{self.after}"
        return Fix(what, self.span, f"{text}, " if self.is_flow else f"{text}\n{' ' * (self.span.column - 1)}")


@frozen
class Diagnostic:
    """One finding: a stable code, a short lower-case message, where, and what to do about it (`hint`)."""

    code: str
    message: str
    span: Span
    advice: str | Nearest = ""
    severity: Severity = Severity.ERROR
    related: tuple[tuple[Span, str], ...] = ()
    """Other places that matter, each with what it is: (span, "first defined here")."""
    fixes: tuple[Fix, ...] = ()
    """Ways to mend it, of which the user chooses one."""

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    @property
    def hint(self) -> str:
        """What to do about it; empty when the message says it."""
        return str(self.advice) if self.advice else ""

    def placed(self, where: Callable[[str], str]) -> Diagnostic:
        """The same with each path as `where` has it."""
        related = tuple((span._replace(path=where(span.path)), what) for span, what in self.related)
        fixes = tuple(replace(fix, span=fix.span._replace(path=where(fix.span.path))) for fix in self.fixes)
        return replace(self, span=self.span._replace(path=where(self.span.path)), related=related, fixes=fixes)


class SpecError(Exception):
    """A phase found errors; carries everything it found, in order of position."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: Sequence[Diagnostic] = in_order(diagnostics)
        shown, more = first_of(self.diagnostics)
        listed = [f"{d.span}: {d.code} {d.message}" for d in shown]
        super().__init__("; ".join(listed + [f"and {more} more"] * bool(more)))


class ToolchainError(Exception):
    """The compiler is missing or failed; `output` has its own words, and `more` its further errors."""

    def __init__(self, diagnostic: Diagnostic, output: str = "", more: Sequence[Diagnostic] = ()) -> None:
        self.diagnostic = diagnostic
        self.output = output
        self.more = more
        super().__init__(diagnostic.message)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sort by position and drop exact repeats."""
    ordered = sorted(diagnostics, key=_order)
    return [each for _, alike in groupby(ordered, _order) for each in dict.fromkeys(alike)]


def _order(diagnostic: Diagnostic) -> tuple[Span, str, str]:
    return diagnostic.span, diagnostic.code, diagnostic.message


def raise_errors(diagnostics: Sequence[Diagnostic]) -> None:
    """The barrier at the end of a phase: raise if any finding is an error."""
    if any(d.is_error for d in diagnostics):
        raise SpecError(diagnostics)


MOST_SHOWN = 100
"""How many findings one report shows; the next run, after these are mended, shows more."""


def first_of(diagnostics: Sequence[Diagnostic]) -> tuple[Sequence[Diagnostic], int]:
    """What a report shows of its findings, and how many more there are; where there are too many, errors come first."""
    if len(diagnostics) <= MOST_SHOWN:
        return diagnostics, 0
    errors_first = sorted(diagnostics, key=lambda d: not d.is_error)
    return in_order(errors_first[:MOST_SHOWN]), len(diagnostics) - MOST_SHOWN


# --- words that are near ---------------------------------------------------------------------------------------------

_MOST_LISTED = 40
_NEIGHBOURS = 30
"""Of many known words, those are compared that begin or end most like the word: this many to either side."""
_LONGEST_WORD = 200
"""What is longer is no misspelling of a name."""


def a(name: str) -> str:
    """A name with its article: an Oid, a Node."""
    return f"{'an' if name[:1] in tuple('AEIOaeio') else 'a'} {name}"


def did_you_mean(word: str, known: Iterable[str]) -> Nearest:
    """A hint naming the nearest known word, or listing the known ones when none is near; false when none is known."""
    return Nearest(word, known if isinstance(known, frozenset) else frozenset(known))


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known word that `word` is most likely a misspelling of; empty when none is as like it as `cutoff` says."""
    import difflib  # rarely needed: not worth its import on every start

    words = _neighbours(word, known if isinstance(known, frozenset) else frozenset(known))
    return next(iter(difflib.get_close_matches(word[:_LONGEST_WORD], words, n=1, cutoff=cutoff)), "")


def _neighbours(word: str, known: frozenset[str]) -> list[str]:
    """The known words, or of many the likely ones, in order."""
    forwards, backwards = _sorted(known)
    if len(forwards) <= 2 * _NEIGHBOURS:
        return forwards
    start = bisect(forwards, word)
    end = bisect(backwards, word[::-1])
    alike = forwards[max(0, start - _NEIGHBOURS) : start + _NEIGHBOURS]
    alike += [each[::-1] for each in backwards[max(0, end - _NEIGHBOURS) : end + _NEIGHBOURS]]
    return sorted(set(alike))


@lru_cache(maxsize=4)
def _sorted(known: frozenset[str]) -> tuple[list[str], list[str]]:
    """These words in order, and reversed ones in order."""
    return sorted(known), sorted(word[::-1] for word in known)

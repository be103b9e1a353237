"""Functions of several forms, as both engines and the type stub have them: one name, and what each form takes."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.model import NO_DEFAULT, Function, Module
from wrapper_gen.model.inheritance import bases
from wrapper_gen.model.protocols import Shape
from wrapper_gen.queries import Members, leading, methods_of, positional
from wrapper_gen.quoting import python_string
from wrapper_gen.types.fitting import alternatives_of, fitting_python, kinds, numeric_rank
from wrapper_gen.types.hints import Way, hint
from wrapper_gen.types.keys import says_positions
from wrapper_gen.types.queries import alternatives, handle_of, is_bool
from wrapper_gen.types.spelling import Expression
from wrapper_gen.views.formatting import WIDTH, block, expression
from wrapper_gen.views.literals import default_of
from wrapper_gen.views.protocols import has_key, is_positional, keys, may_refuse_operand, takes_anything
from wrapper_gen.views.signatures import defined_name, with_mark

_LONG = 80
"""Columns that a line of a form may have."""


def forms(functions: Sequence[Function]) -> list[list[Function]]:
    """The functions that have one name, where there are several; those of one stand side by side."""
    found: dict[tuple[str, str], list[Function]] = {}
    for function in functions:
        if function.is_form:
            found.setdefault((function.module, names.of_function(function)), []).append(function)
    return list(found.values())


def shown(function: Function, returns: str = "") -> str:
    """A form as a message shows it; `returns` is what it makes where that is not what it returns."""
    declared = [
        f"{names.python(p.name)}: {hint(p.type, Way.ARGUMENT).prose}{default_of(p.default)}"
        for p in function.parameters
    ]
    made = returns or hint(function.returns, Way.RESULT).prose
    return f"{names.of_function(function)}({', '.join(with_mark(function, declared))}) -> {made}"


# --- cffi engine -----------------------------------------------------------------------------------------------------


def in_python(group: Sequence[Function], owner: str = "", *, in_class: bool = False) -> str:
    """The statement that makes one function of several: of the module, of objects or, `in_class`, of the class."""
    name = names.of_function(group[0])
    listed = [_listed(f, names.python_form(f.base)) for f in group]
    taken = [_with_counts(f) for f in group]
    constructs = bool(group[0].constructs)
    items = [
        python_string(f"{owner}.{name}" if owner and not constructs else name),
        block("[", listed, "]"),
        "lambda: " + block("(", taken, ")"),
        *["implied=1"] * (bool(owner) and (in_class or not group[0].static)),
        *["in_class=True"] * in_class,
        *["is_static=True"] * (bool(group[0].static) and not in_class),
        *["is_operator=True"] * may_refuse_operand(group[0]),
    ]
    defined = "__init__" if constructs else name if owner else defined_name(group[0])
    return f"{defined} = {block('_overloaded(', items, ')')}"


def forms_of_class(name: str, own: Members) -> tuple[str, ...]:
    """The same for the constructors, class methods and methods of a class."""
    makers = (in_python(group, name, in_class=True) for group in forms(own.makers))
    found = (*forms(own.constructors), *forms(own.statics), *forms(own.methods))
    others = (in_python(group, name) for group in found)
    return (*makers, *others)


def listed_forms(functions: Sequence[Function], codes: Sequence[str]) -> tuple[str, str]:
    """How each form is shown, with the code that it is, and what each takes: two arguments of the runtime."""
    both = zip(functions, codes, strict=True)
    listed = [_listed(f, code) for f, code in both]
    taken = [_with_counts(f) for f in functions]
    return block("[", listed, "]"), "lambda: " + block("(", taken, ")")


_INDENT = len(" " * 12 + ",")
"""The most columns that a line has beside what says something of one form."""


def _listed(function: Function, code: str) -> str:
    """How a form is shown, and what it is."""
    line = f"({python_string(shown(function))}, {code})"
    return line if len(line) + _INDENT <= WIDTH else block("(", [_quoted(shown(function)), code], ")")


def _with_counts(function: Function) -> str:
    """What a form takes."""
    counts = _counts(function)
    line = f"([{', '.join(f'({name}, {fitting})' for name, fitting in _fittings(function))}], {', '.join(counts)})"
    return line if len(line) + _INDENT <= WIDTH else block("(", [_taken(function), *counts], ")")


def _quoted(text: str) -> str:
    """A literal, on several lines where one is too long for it."""
    if _INDENT + 4 + len(python_string(text)) <= WIDTH:
        return python_string(text)
    import textwrap  # rarely needed: not worth its import on every start

    lines = textwrap.wrap(text, _LONG, drop_whitespace=False, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(python_string, lines))


def _fittings(function: Function) -> list[tuple[str, Expression]]:
    """Of each parameter its name, empty where it is given without, and what says how well a value fits."""
    unnamed = is_positional(function)
    both = [
        (python_string("" if p.is_positional or unnamed else names.python(p.name)), fitting_python(p.type))
        for p in function.parameters
    ]
    if (count := len(keys(function))) > 1 and has_key(function):
        key = Expression("_fits.key_of", tuple(fitting for _, fitting in both[:count]), is_call=True)
        both[:count] = [(python_string(""), key)]
    return both


def _taken(function: Function) -> str:
    return block("[", [_of_parameter(name, fitting) for name, fitting in _fittings(function)], "]")


def _of_parameter(name: str, fitting: Expression) -> str:
    line = f"({name}, {fitting})"
    return line if len(line) <= _LONG else block("(", [name, expression(fitting, room=_LONG)], ")")


def _counts(function: Function) -> tuple[str, ...]:
    """How many a call has to give, how many it may give without a name, and which later ones it has to give too."""
    spread = len(keys(function)) - 1 if has_key(function) else 0
    required = leading(function)
    later = (str(i) for i, p in enumerate(function.parameters) if i > required and p.default is NO_DEFAULT)
    return str(required - spread), str(positional(function) - spread), *later


# --- type stub -------------------------------------------------------------------------------------------------------


def in_stub(functions: Sequence[Function]) -> list[tuple[Function, Sequence[Function] | None]]:
    """The functions in an order that type checkers take: to them a bool is an int, and that a float.

    Each that is one of several forms there comes with the forms after it.
    """
    ordered: list[tuple[Function, Sequence[Function] | None]] = []
    groups = {names.of_function(group[0]): group for group in forms(functions)}
    for function in functions:
        if not function.is_form:
            ordered.append((function, None))
        elif group := groups.pop(names.of_function(function), None):
            left = _told_apart(sorted(group, key=lambda f: [numeric_rank(p.type) for p in f.parameters]))
            ordered += [(each, left[i:] if len(left) > 1 else None) for i, each in enumerate(left, 1)]
    return ordered


def _told_apart(group: Sequence[Function]) -> list[Function]:
    """The same, where forms that have one signature to type checkers, such as those of two kinds of memory, are one."""
    found: dict[str, Function] = {}
    for function in group:
        key = ", ".join(f"{names.python(p.name)}: {hint(p.type, Way.ARGUMENT).code}" for p in function.parameters)
        key = "" if takes_anything(function) else key
        first = found.setdefault(key, function)
        if first.returns != function.returns:
            either = list(dict.fromkeys((*alternatives_of(first.returns), function.returns)))
            found[key] = replace(first, returns=alternatives(either, is_optional=False))
    return list(found.values())


def remark(function: Function, later: Sequence[Function]) -> str:
    """What keeps type checkers from reporting that a form overlaps with a later one: to them only, a bool is an int."""
    kinds_of_overlap = {_overlap(function, each) for each in later}
    if _AS_INT in kinds_of_overlap:
        return "type: ignore[overload-overlap]"
    return "pyright: ignore[reportOverlappingOverload]" if _AS_FLOAT in kinds_of_overlap else ""


def overrides(function: Function) -> str:
    """What keeps type checkers from reporting that a comparison gives no bool, as `object` has it."""
    return "type: ignore[override]" if takes_anything(function) and not is_bool(function.returns) else ""


def in_place_remarks(handle: str, module: Module) -> dict[Function, str]:
    """What keeps type checkers from reporting that an operator in place takes less than the plain one.

    Python asks that for the rest. The remark stands at the first form.
    """
    found: dict[Function, str] = {}
    own: dict[str, list[Function]] = {}
    for function, _ in in_stub(methods_of(handle, module)):
        own.setdefault(function.name, []).append(function)
    for name, given in own.items():
        if given[0].protocol is None or given[0].protocol.shape is not Shape.IN_PLACE:
            continue
        plain = f"__{name.removeprefix('__i')}"
        nearest = (_forms_of(each, plain, module) for each in (handle, *bases(handle, module.extends)))
        plain_forms = next(filter(None, nearest), [])
        if plain_forms and not _covers(given, plain_forms, module):
            found[given[0]] = f"type: ignore[misc]  # what it does not take, {plain} does"
    return found


def _forms_of(handle: str, name: str, module: Module) -> list[Function]:
    return [f for f, _ in in_stub([m for m in methods_of(handle, module) if m.name == name])]


def _covers(wide: Sequence[Function], narrow: Sequence[Function], module: Module) -> bool:
    """Whether type checkers find that an operator takes at least what another one does: of several forms, the same."""
    if len(wide) != len(narrow):
        return False
    pairs = [(a.parameters[0].type, b.parameters[0].type) for a, b in zip(wide, narrow, strict=True)]
    if all(hint(a, Way.ARGUMENT).code == hint(b, Way.ARGUMENT).code for a, b in pairs):
        return True
    (a, b), *others = pairs
    made, other = handle_of(a), handle_of(b)
    is_base = bool(made and other) and made in bases(other or "", module.extends)
    return not others and (is_base or 0 < numeric_rank(b) < numeric_rank(a) < _KEY)


_KEY = 5
"""The rank of what takes a whole key."""
_AS_INT, _AS_FLOAT = "a bool as an int", "an int as a float"


def _overlap(one: Function, other: Function) -> str:
    """As what values of the one are values of the other, too, where that returns something else."""
    pairs = [(a.type, b.type) for a, b in zip(one.parameters, other.parameters, strict=False)]
    ranks = [(numeric_rank(a), numeric_rank(b)) for a, b in pairs]
    as_keys = any(y == _KEY and x != _KEY for x, y in ranks)
    may_meet = all(
        kinds(a) == kinds(b) or (says_positions(a) or x == 1 if y == _KEY else 0 < x < y)
        for (a, b), (x, y) in zip(pairs, ranks, strict=True)
    )
    if hint(one.returns, Way.RESULT).code == hint(other.returns, Way.RESULT).code or not may_meet:
        return ""
    return _AS_INT if (1, 2) in ranks or as_keys else _AS_FLOAT if any(y == 3 and 0 < x < y for x, y in ranks) else ""

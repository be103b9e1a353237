"""Tests of what every class, borrow and callable of a package has to bear, made without knowing what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen.explain.entries import shown_name
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, Lasting, Mode, Module, NotImplementedYet
from wrapper_gen.resources import TEMPLATES
from wrapper_gen.verify.assumed import Assumption, assumed
from wrapper_gen.verify.samples import Samples, is_plain, made_handle

_TEMPLATE = "tests/conformance.txt"
_MOST_VALUES = 40


@frozen
class Conformance:
    """The tests of a package, and what they do not reach."""

    text: str
    """A file for pytest."""
    reached: tuple[str, ...]
    """Classes and entries that some test uses."""
    assumed: tuple[Assumption, ...]
    plain: tuple[str, ...] = ()
    """The entries that one test tries together, over both engines."""


def conformance_of(module: Module) -> Conformance:
    """The tests of a module."""
    samples = Samples(module)
    made = {kind: recipe.text for kind in samples.handles if (recipe := samples.recipe(kind))}
    uses = {kind: list(_uses(kind, module, samples)) for kind in made}
    lent = [(name, text) for name, text, _ in _lent(module, samples)]
    raising = list(_raising(module, samples))
    held = list(_held(module, samples))
    taken = list(_taken(module, samples))
    plain = list(_plain(module, samples))
    tables = [
        _table("MAKERS", {kind: f"lambda tmp: {text}" for kind, text in made.items()}),
        _table("USES", {kind: _list(uses[kind]) for kind in made}),
        _table("LENT", dict(lent)),
        _table("HELD", dict(held)),
        _table("TAKEN", dict(taken)),
        _table("RAISING", dict(raising)),
        _table("PLAIN", dict(plain)),
    ]
    static = (TEMPLATES / _TEMPLATE).read_text(encoding="utf-8")
    head, _, tests = static.partition("# --- tables ---\n")
    head = head.replace("PACKAGE", module.package)
    reached = {*made, *(name for rows in (lent, held, taken, raising, plain) for name, _ in rows)}
    return Conformance(
        text=head + "\n\n".join(tables) + "\n\n" + tests.lstrip("\n"),
        reached=tuple(sorted(reached)),
        assumed=tuple(assumed(module, reached)),
        plain=tuple(name for name, _ in plain),
    )


def _table(name: str, rows: dict[str, str]) -> str:
    lines = "".join(f"    {key!r}: {value},\n" for key, value in rows.items())
    return f"{name} = {{\n{lines}}}" if lines else f"{name} = {{}}"


def _list(items: Sequence[str]) -> str:
    return "[" + ", ".join(items) + "]"


def _uses(kind: str, module: Module, samples: Samples) -> Iterator[str]:
    """Calls of an object `o` that are made after it is closed."""
    for each in module.methods:
        if each.handle == kind and each.protocol is None and not each.sets and not _takes(each) and _works(each):
            called = samples.call(each, of="o")
            if called is not None:
                yield f"lambda o, tmp: {called}"


def _works(function: Function) -> bool:
    return not isinstance(function.implementation, NotImplementedYet) and function.virtual is None


def _takes(function: Function) -> bool:
    return bool(function.lifetime.takes_own) or any(each.mode is Mode.TAKE for each in function.parameters)


def _lent(module: Module, samples: Samples) -> Iterator[tuple[str, str, Function]]:
    """Results that belong to an object: how the object is made, and the result of it."""
    for each in module.methods:
        kind = made_handle(each)
        owner = samples.recipe(each.handle) if each.handle else None
        if kind and owner and each.protocol is None and each.lifetime.result.lenders and _works(each):
            called = samples.call(each, of="o")
            if called is not None:
                uses = _list(list(_uses(kind, module, samples)))
                text = f"(lambda tmp: {owner.text}, lambda o, tmp: {called}, {uses})"
                yield shown_name(each, module), text, each


def _held(module: Module, samples: Samples) -> Iterator[tuple[str, str]]:
    """Calls after which an object uses arguments: how it and they are made, the call, and the object's other calls."""
    for each in module.callables:
        names_ = [p.name for p in each.parameters if p.name in each.lifetime.held.holds]
        called = _called_with(each, names_, samples)
        kind = each.constructs or each.handle or ""
        if called is not None and kind in samples.handles:
            uses = _list(list(_uses(kind, module, samples)))
            yield shown_name(each, module), f"({called}, {uses})"


def _taken(module: Module, samples: Samples) -> Iterator[tuple[str, str]]:
    """Calls that take arguments away: how their object and they are made, and the call."""
    for each in module.callables:
        names_ = [p.name for p in each.parameters if p.mode is Mode.TAKE]
        called = _called_with(each, names_, samples)
        if called is not None:
            yield shown_name(each, module), f"({called})"


def _called_with(function: Function, wanted: Sequence[str], samples: Samples) -> str | None:
    """How the object of a call is made, `None` of none; its arguments of these names; and the call with them."""
    if not wanted or function.protocol is not None or not _works(function):
        return None
    needs = function.handle is not None and not function.constructs and not function.static
    owner = samples.recipe(function.handle) if needs and function.handle else None
    own = {each.name: samples.argument(replace(each, is_keyword=False)) for each in function.parameters}
    given = [own[name] for name in wanted]
    if (needs and owner is None) or None in given or "None" in given:
        return None
    called = samples.call(function, of="o", given={name: f"a[{at}]" for at, name in enumerate(wanted)})
    made = owner.text if owner else "None"
    listed = ", ".join(filter(None, given))
    return f"lambda tmp: {made}, lambda tmp: [{listed}], lambda o, a, tmp: {called}" if called else None


def _raising(module: Module, samples: Samples) -> Iterator[tuple[str, str]]:
    """Calls with a callable that raises."""
    for each in module.callables:
        callables = [p for p in each.parameters if p.callback is not None]
        if len(callables) != 1 or each.constructs or each.protocol is not None or not _works(each):
            continue
        callback = callables[0].callback
        if callback is None or callback.scope not in (Lasting.CALL, Lasting.UNSAID):
            continue
        called = samples.call(each)
        usual = samples.function(callback.type.returns)
        if called is not None and usual in called:
            yield shown_name(each, module), f"lambda tmp, raises: {called.replace(usual, 'raises', 1)}"


def _plain(module: Module, samples: Samples) -> Iterator[tuple[str, str]]:
    """Calls of entries that take plain values only, each with several arguments."""
    for each in module.functions:
        callee = samples.callee(each)
        if not is_plain(each) or not _works(each) or callee is None or each.is_constant:
            continue
        values = [samples.values(p.type) for p in each.parameters]
        if not all(values):
            continue
        count = min(_MOST_VALUES, max([len(each) for each in values], default=1) * 3)
        rows = []
        for at in range(count):
            row = [given[(at * (place + 1) + at // len(given)) % len(given)] for place, given in enumerate(values)]
            rows.append(f"({', '.join(row)}{',' * (len(row) == 1)})")
        yield shown_name(each, module), f"(lambda: {callee}, {_list(list(dict.fromkeys(rows)))})"

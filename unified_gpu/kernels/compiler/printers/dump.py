"""The typed form of a kernel in words, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unified_gpu.kernels.compiler import ir

_FORMS = {
    "const": "{type}({value!r})", "var": "{value}", "array": "{value}", "load": "{value}[{args}]",
    "shape": "{value[0]}.shape[{value[1]}]", "id": "{value[0]}({value[1]})", "call": "{value.name}({args})",
    "atomic": "atomic_{value[0]}({value[1]}, {args})", "item": "{args}[{value}]", "cast": "{type}({args})",
}  # fmt: skip


def dump(f: ir.Function) -> str:
    """A kernel, after the device functions that it calls."""
    return "\n".join(line for each in (*f.calls, f) for line in _function(each))


def _function(f: ir.Function) -> Iterator[str]:
    params = ", ".join(f"{name}: {type_}" for name, type_ in f.params.items())
    returns = "" if f.returns is ir.VOID else f" -> {f.returns}"
    yield f"{'kernel' if f.is_kernel else 'device'} {f.name}({params}){returns}"
    for name, array in f.shared.items():
        yield f"    shared {name}: {array.dtype} {list(array.shape or ())}"
    for name, array in f.local.items():
        yield f"    local {name}: {array.dtype} {list(array.shape or ())}"
    yield from _block(f.body, 1)


def _block(stmts: Sequence[ir.Stmt], depth: int) -> Iterator[str]:
    pad = "    " * depth
    for s in stmts:
        yield f"{pad}{_head(s)}"
        for number, inner in enumerate(ir.parts(s)):
            if number and inner:
                yield f"{pad}else"
            yield from _block(inner, depth + 1)


def _head(s: ir.Stmt) -> str:
    """A statement without those inside it."""
    match s:
        case ir.Assign():
            return f"{s.name}: {s.value.type} = {_text(s.value)}"
        case ir.Store():
            return f"{s.array}[{_texts(s.index)}] = {_text(s.value)}"
        case ir.Eval():
            return _text(s.value)
        case ir.If() | ir.While():
            return f"{type(s).__name__.lower()} {_text(s.condition)}"
        case ir.For():
            return f"for {s.name}: {s.start.type} from {_text(s.start)} to {_text(s.stop)} by {s.step}"
        case ir.Exchange():
            return f"{s.name} = {ir.called(s.op)}({_texts(s.values)})"
        case ir.Jump():
            return f"{s.kind}{f' {_text(s.value)}' if s.value else ''}"
    return "barrier"


def _text(e: ir.Expr) -> str:
    texts = [*map(_text, e.args)]
    args = ", ".join(texts)
    if e.op in _FORMS:
        return _FORMS[e.op].format(type=e.type, value=e.value, args=args)
    if e.op == "print":
        return f"print({'{}'.join(e.value)!r}, {args})"
    if len(texts) == 2 and not (e.op[0].isalpha() and e.op not in ("and", "or")):
        return f"({texts[0]} {e.op} {texts[1]})"
    return f"{e.op}({args})"


def _texts(each: Sequence[ir.Expr]) -> str:
    return ", ".join(map(_text, each))

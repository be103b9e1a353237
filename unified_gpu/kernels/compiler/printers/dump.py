"""The typed form of a kernel in words, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unified_gpu.kernels.compiler.ir import (
    VOID,
    Assign,
    Barrier,
    Eval,
    Exchange,
    Expr,
    For,
    Function,
    If,
    Jump,
    Stmt,
    Store,
    While,
)


def dump(f: Function) -> str:
    """A kernel, after the device functions that it calls."""
    return "\n".join(line for each in (*f.calls, f) for line in _function(each))


def _function(f: Function) -> Iterator[str]:
    params = ", ".join(f"{name}: {type_}" for name, type_ in f.params.items())
    returns = "" if f.returns is VOID else f" -> {f.returns}"
    yield f"{'kernel' if f.is_kernel else 'device'} {f.name}({params}){returns}"
    for name, array in f.shared.items():
        yield f"    shared {name}: {array.dtype} {list(array.shape or ())}"
    yield from _block(f.body, 1)


def _block(stmts: Sequence[Stmt], depth: int) -> Iterator[str]:
    pad = "    " * depth
    for s in stmts:
        match s:
            case Assign():
                yield f"{pad}{s.name}: {s.value.type} = {_text(s.value)}"
            case Store():
                yield f"{pad}{s.array}[{', '.join(map(_text, s.index))}] = {_text(s.value)}"
            case Eval():
                yield f"{pad}{_text(s.value)}"
            case If():
                yield f"{pad}if {_text(s.condition)}"
                yield from _block(s.then, depth + 1)
                if s.otherwise:
                    yield f"{pad}else"
                    yield from _block(s.otherwise, depth + 1)
            case While():
                yield f"{pad}while {_text(s.condition)}"
                yield from _block(s.body, depth + 1)
            case For():
                yield f"{pad}for {s.name}: {s.start.type} from {_text(s.start)} to {_text(s.stop)} by {s.step}"
                yield from _block(s.body, depth + 1)
            case Barrier():
                yield f"{pad}barrier"
            case Exchange():
                yield f"{pad}{s.name} = subgroup_{s.op}({', '.join(map(_text, s.values))})"
            case Jump():
                yield f"{pad}{s.kind}{f' {_text(s.value)}' if s.value else ''}"


def _text(e: Expr) -> str:
    args = ", ".join(map(_text, e.args))
    match e.op:
        case "const":
            return f"{e.type}({e.value!r})"
        case "var" | "array":
            return str(e.value)
        case "load":
            return f"{e.value}[{args}]"
        case "shape":
            return f"{e.value[0]}.shape[{e.value[1]}]"
        case "id":
            return f"{e.value[0]}({e.value[1]})"
        case "atomic":
            return f"atomic_{e.value[0]}({e.value[1]}, {args})"
        case "call":
            return f"{e.value.name}({args})"
        case "print":
            return f"print({'{}'.join(e.value)!r}, {args})"
        case "item":
            return f"{args}[{e.value}]"
        case "cast":
            return f"{e.type}({args})"
    if len(e.args) == 2 and not (e.op[0].isalpha() and e.op not in ("and", "or")):
        return f"({_text(e.args[0])} {e.op} {_text(e.args[1])})"
    return f"{e.op}({args})"

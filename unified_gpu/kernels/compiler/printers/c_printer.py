"""Prints expressions and statements as C; what CUDA C and the C++ for the CPU have in common."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from pathlib import PurePath
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.arguments.layout import Field
from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.analysis.ranges import Ranges

from .printf import printf

_TAKEN = set(
    "abs acos acosh alignas alignof asin asinh asm assert atan atan2 atanh auto bitand bitor bool break calloc case "
    "catch cbrt ceil char class clock compl const constexpr continue copysign cos cosh decltype default delete div do "
    "double else enum erf erfc exp exp2 explicit expm1 export extern fabs false fdim float floor fma fmax fmin fmod "
    "for free frexp friend goto half hypot if ilogb inline int isfinite isinf isnan j0 j1 jn ldexp lgamma log log10 "
    "log1p log2 logb long lround main malloc max memcpy memset min modf mutable namespace nan nearbyint new noexcept "
    "norm nullptr operator pow printf private protected public register remainder return rint round rsqrt scalbn "
    "short signbit signed sin sincos sinh sizeof sqrt static struct switch tan tanh template tgamma this throw true "
    "trunc typedef typeid typename union unsigned using virtual void volatile while xor y0 y1 yn".split()
)
"""Words and functions of C, C++ and CUDA C."""
_ATOMICS = {"exchange": "Exch", "cas": "CAS"}
AXES = "zyx"
"""Of a launch with three axes; one with fewer has the last of them."""
_LOGIC = {"select": "({} ? {} : {})", "and": "({} && {})", "or": "({} || {})", "not": "(!{})"}
_PLAIN = ("==", "!=", "<", "<=", ">", ">=", "/", "&", "|", "^")


def c_name(name: str) -> str:
    """A name of the source ends in an underscore, what the compiler makes (`x.n0`) in none."""
    return _ascii(name).replace(".", "_") if "." in name else f"{_ascii(name)}_"


def entry_name(name: str) -> str:
    """What the printed kernel is called, in messages too."""
    text = _ascii(name)
    return f"{text}_" if text in _TAKEN or text.startswith("k_") else text


def _ascii(name: str) -> str:
    return name if name.isascii() else "".join(c if c.isascii() else f"u{ord(c):x}" for c in name)


def c_type(type_: Any) -> str:
    if isinstance(type_, ir.TupleType):
        return "tuple_" + "_".join(item.name for item in type_.items)
    return str(type_.c_name)


class CPrinter:
    """One function. `exact` asks for rounding as IEEE 754 has it; `check` for indices that are looked at."""

    mathematics = ""
    """What stands before the name of a function of mathematics."""
    ids: Mapping[str, str] = {}
    """The numbers of a thread, with the letter of an axis for {}."""
    flush = ""
    """What makes a printed line visible, where that needs more than its end."""

    def __init__(self, f: ir.Function, *, exact: bool = True, check: bool = False) -> None:
        self.f, self.exact, self.check = f, exact, check
        self.lines: list[str] = []
        self.depth = 0
        self.ranges = Ranges(f)
        self.written = ir.written_arrays(f)
        self.cuts_off = exact and any(
            e.op == "cast" and e.args[0].type.is_float and e.type.kind in ("int", "uint") for e in f.reached
        )
        """Whether a fraction becomes a whole number, which may become one again."""
        self.file = PurePath(f.file).name
        self.where = ""

    # --- lines

    def out(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def functions(self) -> None:
        """The tuples and the device functions, before the kernel."""
        tuples = {c_type(e.type): e.type.items for e in self.f.reached if isinstance(e.type, ir.TupleType)}
        for name in sorted(tuples):
            items = " ".join(f"{c_type(item)} a{at};" for at, item in enumerate(tuples[name]))
            self.out(f"struct {name} {{ {items} }};")
        for f in self.f.calls:
            inner = self.inner(f)
            inner.cuts_off = self.cuts_off
            params = ", ".join(inner.parameter(field) for field in f.fields())
            self.out(f"DEVICE {c_type(f.returns)} {c_name(f.name)}({params}) {{")
            inner.plain_body()
            self.lines += [*inner.lines, "}"]

    def inner(self, f: ir.Function) -> CPrinter:
        """What prints a device function."""
        return type(self)(f, exact=self.exact, check=self.check)

    def plain_body(self) -> None:
        """The statements as one thread has them."""
        self.depth = 1
        self.declare(self.f.variables.keys() - self.f.params.keys())
        self.declare_arrays(self.f.local)
        self.block(self.f.body)

    def parameter(self, field: Field) -> str:
        return f"{self.field_type(field)} {c_name(field.name)}"

    def field_type(self, field: Field) -> str:
        const = "const " if field.is_pointer and field.name not in self.written else ""
        return f"{const}{c_type(field.dtype)}{'*' if field.is_pointer else ''}"

    def declare(self, names: Iterable[str]) -> None:
        for name in sorted(names):
            self.out(f"{c_type(self.f.variables[name])} {c_name(name)};")

    def declare_arrays(self, names: Iterable[str], before: str = "", times: str = "") -> None:
        for name in names:
            array = self.f.arrays[name]
            self.out(f"{before}{c_type(array.dtype)} {c_name(name)}[{prod(array.shape or ())}{times}];")

    # --- statements

    def block(self, stmts: Sequence[ir.Stmt]) -> None:
        for s in stmts:
            self.statement(s)

    def nested(self, head: str, stmts: Sequence[ir.Stmt], first: str = "", end: str = "}") -> None:
        self.out(head + " {")
        self.depth += 1
        if first:
            self.out(first)
        self.block(stmts)
        self.depth -= 1
        self.out(end)

    def statement(self, s: ir.Stmt) -> None:
        self.where = f'"{self.file}:{self.f.line(s.at)}"'
        match s:
            case ir.Assign():
                self.out(f"{self.variable(s.name)} = {self.expr(s.value)};")
            case ir.Store():
                value = self.expr(s.value)
                self.out(f"{self.place(s.array, s.index, 'write')} = {value};")
            case ir.Eval():
                self.out(f"{self.expr(s.value)};")
            case ir.If():
                self.nested(f"if ({self.expr(s.condition)})", s.then)
                if s.otherwise:
                    self.nested("else", s.otherwise)
            case ir.While():
                self.nested(f"while ({self.expr(s.condition)})", s.body)
            case ir.For():
                self.counted(s)
            case ir.Barrier():
                self.out("__syncthreads();")
            case ir.Exchange(op="uniform"):
                self.out(f"{c_name(s.name)} = {self.expr(s.values[0])};")
            case ir.Exchange():
                self.out(f"{c_name(s.name)} = k_subgroup_{s.op}({', '.join(map(self.expr, s.values))});")
            case ir.Jump():
                self.jump(s)

    def counted(self, s: ir.For) -> None:
        type_, counter, stop = c_type(s.start.type), c_name(s.name), f"{c_name(s.name)}_stop"
        sign, change, step = ("<", "+", s.step) if s.step > 0 else (">", "-", -s.step)
        if self.ranges.ends_within(s):
            bounds = f"{counter} = {self.expr(s.start)}, {stop} = {self.expr(s.stop)}"
            self.nested(f"for ({type_} {bounds}; {counter} {sign} {stop}; {counter} {change}= {step})", s.body)
            return
        # The last addition can overflow, so that the turns are counted.
        unsigned, suffix = ("unsigned long long", "ull") if s.start.type.size == 8 else ("unsigned", "u")
        first, turns, turn = f"{counter}_start", f"{counter}_turns", f"{counter}_turn"
        distance = f"{stop} - {first}" if s.step > 0 else f"{first} - {stop}"
        count = f"({type_}){first} {sign} ({type_}){stop} ? ({distance} - 1) / {step}{suffix} + 1 : 0"
        bounds = f"{first} = {self.expr(s.start)}, {stop} = {self.expr(s.stop)}, {turns} = {count}, {turn} = 0"
        this = f"const {type_} {counter} = ({type_})({first} {change} {turn} * {step}{suffix});"
        self.nested(f"for ({unsigned} {bounds}; {turn} < {turns}; ++{turn})", s.body, this)

    def jump(self, s: ir.Jump) -> None:
        self.out(f"{s.kind}{f' {self.expr(s.value)}' if s.value else ''};")

    # --- expressions

    def variable(self, name: str) -> str:
        return c_name(name)

    def id(self, kind: str, axis: int) -> str:
        return self.ids[kind].format(AXES[axis + 3 - self.f.rank], axis=axis)

    def atomic(self, op: str, array: str, at: str, values: list[str]) -> str:
        called, dtype = f"atomic{_ATOMICS.get(op, op.capitalize())}", self.f.arrays[array].dtype
        if dtype is dtypes.i64 and op not in ("min", "max"):
            passed = ", ".join(f"(unsigned long long){value}" for value in values)
            return f"(long long){called}((unsigned long long*){at}, {passed})"
        return f"{called}({at}, {', '.join(values)})"

    def place(self, name: str, index: tuple[ir.Expr, ...], use: str = "read") -> str:
        """An element, for one use of it: read, write, or change by an atomic."""
        array = self.f.arrays[name]
        lengths = [str(n) for n in array.shape] if array.shape else [c_name(f"{name}.n{a}") for a in range(array.ndim)]
        terms = [self.expr(i, index=True) for i in index]
        if self.check:
            terms = [
                f'k_at({term}, {length}, {self.where}, "axis {axis} of {name}")'
                for axis, (term, length) in enumerate(zip(terms, lengths, strict=True))
            ]
        if array.strided:
            strides = [c_name(f"{name}.s{axis}") for axis in range(array.ndim)]
            return f"{c_name(name)}[{' + '.join(f'{t} * {s}' for t, s in zip(terms, strides, strict=True))}]"
        offset = terms[0]
        for axis, term in enumerate(terms[1:], 1):
            offset = f"({'' if array.shape else '(long long)'}{offset} * {lengths[axis]} + {term})"
        return f"{c_name(name)}[{self.used(name, offset, use)}]"

    def passed(self, name: str) -> str:
        """An array, or a length of one, as a device function gets it."""
        return c_name(name)

    def used(self, name: str, offset: str, use: str) -> str:
        """The place of an element in memory, as it is used: here a check may stand."""
        return offset

    def expr(self, e: ir.Expr, *, index: bool = False) -> str:
        """`index` is for indices: beyond the numbers of their type nothing lies, so that they are computed plainly."""
        match e.op:
            case "const":
                return constant(e)
            case "var":
                return self.variable(e.value)
            case "load":
                return self.place(e.value, e.args)
            case "shape":
                return c_name(f"{e.value[0]}.n{e.value[1]}")
            case "id":
                return self.id(*e.value)
            case "atomic":
                op, array = e.value
                axes = self.f.arrays[array].ndim
                values = [self.expr(arg) for arg in e.args[axes:]]
                return self.atomic(op, array, f"&{self.place(array, e.args[:axes], 'change')}", values)
            case "call":
                args = [self.passed(each) if isinstance(each, str) else self.expr(each) for each in ir.passed(e)]
                return f"{c_name(e.value.name)}({', '.join(args)})"
            case "print":
                called = printf(e.value, [(each.type, self.expr(each)) for each in e.args])
                return f"({called}, {self.flush})" if self.flush else called
            case "item":
                return f"{self.expr(e.args[0])}.a{e.value}"
            case "tuple":
                return f"{c_type(e.type)}{{{', '.join(map(self.expr, e.args))}}}"
            case "+" | "-" | "*" | "neg" if index and e.type.kind in ("int", "uint") and e.type.size >= 4:
                args = [self.expr(arg, index=True) for arg in e.args]
                return f"(-{args[0]})" if e.op == "neg" else f"({args[0]} {e.op} {args[1]})"
        return self.computed(e, [self.expr(arg) for arg in e.args])

    def computed(self, e: ir.Expr, args: list[str]) -> str:
        kinds = [arg.type for arg in e.args]
        if e.op in _LOGIC:
            return _LOGIC[e.op].format(*args)
        if e.op == "bits":
            return f"k_bits<{c_type(e.type)}>({args[0]})"
        if dtypes.f16 in kinds:  # computed as f32, and rounded
            args = [f"__half2float({a})" if k is dtypes.f16 else a for a, k in zip(args, kinds, strict=True)]
        if e.op == "cast":
            return self.cast(e.type, args[0], keeps_zero=self.cuts_off and kinds[0].kind in ("int", "uint"))
        operand = dtypes.f32 if kinds[0] is dtypes.f16 else kinds[0]
        text = self.real(e, operand, args) if operand.is_float else self.whole(e, operand, args)
        return f"__float2half({text})" if e.type is dtypes.f16 else text

    @staticmethod
    def cast(to: DType, a: str, *, keeps_zero: bool = False) -> str:
        """`keeps_zero` is for a whole number that may have been a fraction, of which 0 was -0.0."""
        if to is dtypes.bool_:
            return f"({a} != 0)"
        if keeps_zero and to.is_float:
            a = f"k_of_whole<{'double' if to is dtypes.f64 else 'float'}>({a})"
            return f"__float2half({a})" if to is dtypes.f16 else a
        return f"__float2half((float){a})" if to is dtypes.f16 else f"(({to.c_name}){a})"

    def real(self, e: ir.Expr, dtype: DType, args: list[str]) -> str:
        a, suffix = args[0], "f" if dtype is dtypes.f32 else ""
        infinity = f"({dtype.c_name})K_INFINITY"
        match e.op:
            case "neg":
                return f"(-{a})"
            case "//" | "%":
                return f"k_float_{'div' if e.op == '//' else 'mod'}({a}, {args[1]})"
            case "min" | "max" | "square":
                return f"k_{e.op}({', '.join(args)})"
            case "abs":
                return f"{self.mathematics}fabs{suffix}({a})"
            case "isnan":
                return f"({a} != {a})"
            case "isinf" | "isfinite":
                return f"({self.mathematics}fabs{suffix}({a}) {'==' if e.op == 'isinf' else '<'} {infinity})"
            case "rsqrt" if self.exact or self.mathematics:
                return f"(1{'.0f' if suffix else '.0'} / {self.mathematics}sqrt{suffix}({a}))"
        if e.op[0].isalpha():
            return f"{self.mathematics}{e.op}{suffix}({', '.join(args)})"
        if e.op == "-" and self.exact and _is_constant(e.args[0]):
            return f"k_minus<{dtype.c_name}>({a}, {args[1]})"
        return f"({a} {e.op} {args[1]})"

    def whole(self, e: ir.Expr, dtype: DType, args: list[str]) -> str:
        """Whole numbers and bools: overflow is that of the dtype, division is Python's."""
        a, type_ = args[0], dtype.c_name
        unsigned = "unsigned long long" if dtype.size == 8 else "unsigned"
        known = e.args[1].value if len(e.args) > 1 and e.args[1].op == "const" else None
        match e.op:
            case "+" | "-" | "*":
                if dtype.size >= 4 and (dtype.kind == "uint" or self.ranges.is_safe(e)):
                    return f"({a} {e.op} {args[1]})"
                return f"(({type_})(({unsigned}){a} {e.op} ({unsigned}){args[1]}))"
            case "neg":
                return f"(-{a})" if dtype.size >= 4 and self.ranges.is_safe(e) else f"k_negative<{type_}>({a})"
            case "inv":
                return f"(({type_})~{a})"
            case "//" | "%":
                return self.division(e, dtype, args, known)
            case "<<" | ">>":
                if known is None or not 0 <= known < 8 * dtype.size:
                    return f"k_{'left' if e.op == '<<' else 'right'}<{type_}>({a}, {args[1]})"
                left = f"({unsigned}){a} << {known}" if e.op == "<<" else f"{a} >> {known}"
                return f"(({type_})({left}))"
            case "powi":
                return f"k_power<{type_}>({a}, {e.value})"
            case "abs" if dtype.kind == "uint":
                return a
            case "min" | "max" | "abs" | "square":
                return f"k_{e.op}<{type_}>({', '.join(args)})"
        text = f"({a} {e.op} {args[1]})"
        assert e.op in _PLAIN, e.op
        return f"(({type_}){text})" if e.op in "&|^" and dtype.size < 4 else text

    def division(self, e: ir.Expr, dtype: DType, args: list[str], known: Any) -> str:
        type_, b = dtype.c_name, args[1]
        if known and known > 0 and known & (known - 1) == 0:  # what C rounds towards 0, a shift rounds down
            shift = (
                f">> {known.bit_length() - 1}" if e.op == "//" else f"& {known - 1}{'ll' if dtype.size == 8 else ''}"
            )
            return f"(({type_})({args[0]} {shift}))"
        what = "div" if e.op == "//" else "mod"
        if self.check and not known:
            b = f"k_divisor({b}, {self.where})"
        return f"k_{'unsigned' if dtype.kind == 'uint' else 'floor'}_{what}<{type_}>({args[0]}, {b})"


def _is_constant(e: ir.Expr) -> bool:
    """Whether a compiler can know a number, as 0.0."""
    return all(x.op not in ("var", "load", "id", "shape", "call", "atomic", "item") for x in e.walk())


def in_brackets(number: str) -> str:
    """A number that begins with a sign, -0.0 too, does not stand beside another one."""
    return f"({number})" if number.startswith("-") else number


def constant(e: ir.Expr) -> str:
    """A number as C writes it."""
    dtype, value = e.type, e.value
    if dtype is dtypes.bool_:
        return str(bool(value)).lower()
    if dtype.is_float:
        if value != value or abs(value) == float("inf"):
            text = "K_NAN" if value != value else "K_INFINITY" if value > 0 else "(-K_INFINITY)"
            text = f"(({'float' if dtype is not dtypes.f64 else 'double'}){text})"
        elif dtype is dtypes.f64:
            text = in_brackets(repr(float(value)))
        else:
            rounded = struct.unpack("f", struct.pack("f", value))[0]
            text = in_brackets(f"{rounded!r}f")
        return f"__float2half({text})" if dtype is dtypes.f16 else text
    suffix = ("u" if dtype.kind == "uint" else "") + ("ll" if dtype.size == 8 else "")
    if dtype.kind == "int" and value == dtype.limits[0] and dtype.size >= 4:
        return f"({value + 1}{suffix} - 1)"
    text = in_brackets(f"{value}{suffix}")
    return f"(({dtype.c_name}){text})" if dtype.size < 4 else text

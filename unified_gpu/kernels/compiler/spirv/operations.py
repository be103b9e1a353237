"""Which SPIR-V instructions an operation is."""

from __future__ import annotations

from unified_gpu import dtypes
from unified_gpu.dtypes import DType

from .module import SpirvModule, Type, instruction
from .opcodes import Op

EXTENDED = {
    "trunc": 3, "floor": 8, "ceil": 9, "sin": 13, "cos": 14, "tan": 15, "asin": 16, "acos": 17, "atan": 18, "sinh": 19,
    "cosh": 20, "tanh": 21, "asinh": 22, "acosh": 23, "atanh": 24, "atan2": 25, "pow": 26, "powr": 26, "exp": 27,
    "log": 28, "exp2": 29, "log2": 30, "sqrt": 31,
}  # fmt: skip
"""Functions of GLSL.std.450."""
_WIDE = ("trunc", "floor", "ceil", "sqrt")
"""Those that it has for f64."""
_ABS, _INVERSE_SQRT = 4, 32
OPERATORS: dict[str, dict[str, int]] = {
    "+": {"float": 129, "int": 128, "uint": 128}, "-": {"float": 131, "int": 130, "uint": 130},
    "*": {"float": 133, "int": 132, "uint": 132}, "/": {"float": 136}, "neg": {"float": 127, "int": 126, "uint": 126},
    "<<": {"int": 196, "uint": 196}, ">>": {"int": 195, "uint": 194}, "|": {"int": 197, "uint": 197, "bool": 166},
    "^": {"int": 198, "uint": 198, "bool": 165}, "&": {"int": 199, "uint": 199, "bool": 167},
    "inv": {"int": 200, "uint": 200}, "==": {"int": 170, "uint": 170, "float": 180, "bool": 164},
    "!=": {"int": 171, "uint": 171, "float": 183, "bool": 165}, ">": {"uint": 172, "int": 173, "float": 186},
    ">=": {"uint": 174, "int": 175, "float": 190}, "<": {"uint": 176, "int": 177, "float": 184},
    "<=": {"uint": 178, "int": 179, "float": 188}, "not": {"bool": 168}, "and": {"bool": 167}, "or": {"bool": 166},
    "select": {"bool": 169}, "isnan": {"float": 156}, "isinf": {"float": 157}, "bits": {"float": 124, "uint": 124},
}  # fmt: skip
"""By the kind of the first operand."""
ATOMICS = {
    "add": {"int": 234, "uint": 234, "float": 6035}, "min": {"int": 236, "uint": 237}, "max": {"int": 238, "uint": 239},
    "and": {"int": 240, "uint": 240}, "or": {"int": 241, "uint": 241}, "xor": {"int": 242, "uint": 242},
    "exchange": {"int": 229, "uint": 229, "float": 229}, "cas": {"int": 230, "uint": 230},
}  # fmt: skip


class Operations:
    """Instructions of the function that is being written, and what takes several of them."""

    def __init__(self, module: SpirvModule, *, exact: bool) -> None:
        self.module = module
        self.exact = exact
        self.code: list[int] = []

    def op(self, opcode: int, *words: int) -> None:
        self.code += instruction(opcode, *words)

    def value(self, opcode: int, type_: Type, *words: int) -> int:
        type_, result = self.module.type(type_), self.module.new()
        self.op(opcode, type_, result, *words)
        return result

    def operator(self, op: str, t: DType, operand: DType, *args: int) -> int:
        """An operator; `operand` is the type of what it is used with."""
        result = self.value(OPERATORS[op][operand.kind], t, *args)
        if self.exact and operand.is_float and op in "+-*/":
            self.module.decorate(result, 42)  # not to be contracted
        return result

    def test(self, op: str, operand: DType, *args: int) -> int:
        return self.operator(op, dtypes.bool_, operand, *args)

    def select(self, t: DType, condition: int, a: int, b: int) -> int:
        return self.value(Op.SELECT, t, condition, a, b)

    def both(self, a: int, b: int) -> int:
        return self.test("and", dtypes.bool_, a, b)

    def either(self, a: int, b: int) -> int:
        return self.test("or", dtypes.bool_, a, b)

    def extended(self, number: int, t: DType, *args: int) -> int:
        return self.value(Op.EXT_INST, t, self.module.mathematics, number, *args)

    def convert(self, value: int, a: DType, b: DType) -> int:
        if a is b:
            return value
        make, signed = self.module.constant, a.kind == "int"
        if a is dtypes.bool_:
            return self.select(b, value, make(b, 1), make(b, 0))
        if b is dtypes.bool_:
            return self.test("!=", a, value, make(a, 0))
        if a.is_float:
            whole = Op.CONVERT_F_TO_S if b.kind == "int" else Op.CONVERT_F_TO_U
            return self.value(Op.F_CONVERT if b.is_float else whole, b, value)
        if b.is_float:
            return self.value(Op.CONVERT_S_TO_F if signed else Op.CONVERT_U_TO_F, b, value)
        if a.size != b.size:
            a = dtypes.DTYPES[f"{'i' if signed else 'u'}{8 * b.size}"]  # the width by the source's sign
            value = self.value(Op.S_CONVERT if signed else Op.U_CONVERT, a, value)
        return value if a is b else self.value(Op.BITCAST, b, value)

    def widened(self, value: int, to: DType) -> int:
        """An i32 as i64 or u64, made of halves: lavapipe compares what was converted wrongly with constants."""
        i32, u32 = dtypes.i32, dtypes.u32
        signs = self.operator(">>", i32, i32, value, self.module.constant(u32, 31))
        halves = (self.convert(each, i32, u32) for each in (value, signs))
        return self.value(Op.BITCAST, to, self.value(Op.COMPOSITE_CONSTRUCT, self.module.vector(2), *halves))

    # --- Python's arithmetic

    def division(self, op: str, t: DType, a: int, b: int, known: int | None) -> int:
        """`//` and `%` of whole numbers. Drivers need not take negative operands of OpSRem and OpSMod."""
        zero, one = self.module.constant(t, 0), self.module.constant(t, 1)
        minus = self.module.constant(t, -1) if t.kind == "int" else 0
        divisor = b
        if unsure := not known or known == -1:
            bad = self.test("==", t, b, zero)
            bad = self.either(bad, self.test("==", t, b, minus)) if minus else bad
            divisor = self.select(t, bad, one, b)
        quotient = self.value(Op.S_DIV if minus else Op.U_DIV, t, a, divisor)
        rest = self.operator("-", t, t, a, self.operator("*", t, t, quotient, divisor))
        if minus:
            down = self.test("<", t, self.operator("^", t, t, rest, divisor), zero)
            down = self.both(down, self.test("!=", t, rest, zero))
            rest = self.operator("+", t, t, rest, self.select(t, down, divisor, zero))
            quotient = self.operator("-", t, t, quotient, self.select(t, down, one, zero))
        if op == "//" and minus and unsure:
            quotient = self.select(t, self.test("==", t, b, minus), self.operator("neg", t, t, a), quotient)
        result = rest if op == "%" else quotient
        return result if known else self.select(t, self.test("==", t, b, zero), zero, result)

    def shift(self, op: str, t: DType, a: int, count: int, of: DType) -> int:
        """Shifted by a count of the type `of`; all bits go out by one that is negative, or as large as the type."""
        zero, nothing = self.module.constant(t, 0), self.module.constant(of, 0)
        small = self.test("<", of, count, self.module.constant(of, 8 * t.size))
        if of.kind == "int":
            small = self.both(small, self.test(">=", of, count, nothing))
        beyond = zero
        if op == ">>" and t.kind == "int":
            beyond = self.select(t, self.test("<", t, a, zero), self.module.constant(t, -1), zero)
        count = self.convert(self.select(of, small, count, nothing), of, dtypes.u32)
        return self.select(t, small, self.operator(op, t, t, a, count), beyond)

    def by_bits(self, op: str, t: DType, a: int, bits: int) -> int:
        """A fraction whose bits, the upper 32 of an f64, are changed by an operation with `bits`."""
        u32, f32 = dtypes.u32, dtypes.f32
        if t is dtypes.f64:  # in halves, since a device need not have whole numbers of 64 bits
            pair = self.module.vector(2)
            halves = self.value(Op.BITCAST, pair, a)
            low, high = (self.value(Op.COMPOSITE_EXTRACT, u32, halves, part) for part in range(2))
            high = self.operator(op, u32, u32, high, bits)
            return self.value(Op.BITCAST, t, self.value(Op.COMPOSITE_CONSTRUCT, pair, low, high))
        changed = self.operator(op, u32, u32, self.value(Op.BITCAST, u32, self.convert(a, t, f32)), bits)
        return self.convert(self.value(Op.BITCAST, f32, changed), f32, t)

    def called(self, op: str, t: DType, args: list[int]) -> int | None:
        """A function of mathematics; None where Vulkan has none for that type."""
        a, make = args[0], self.module.constant
        match op:
            case "abs" if t.kind == "uint":
                return a
            case "abs" if t.is_float and self.exact:  # drivers leave out `abs` of a root, which can be -0.0
                return self.by_bits("&", t, a, make(dtypes.u32, 0x7FFFFFFF))
            case "abs" if t.is_float:
                return self.extended(_ABS, t, a)
            case "abs":
                return self.select(t, self.test("<", t, a, make(t, 0)), self.operator("neg", t, t, a), a)
            case "square":
                return self.operator("*", t, t, a, a)
            case "rsqrt":
                if not self.exact and t is not dtypes.f64:
                    return self.extended(_INVERSE_SQRT, t, a)
                return self.operator("/", t, t, make(t, 1.0), self.extended(EXTENDED["sqrt"], t, a))
            case "log10" if t is not dtypes.f64:
                return self.operator("*", t, t, self.extended(EXTENDED["log"], t, a), make(t, 0.4342944819032518))
        if op not in EXTENDED or (t is dtypes.f64 and op not in _WIDE):
            return None
        return self.extended(EXTENDED[op], t, *args)

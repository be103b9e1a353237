"""The source of an elementwise function: a `def` or a lambda."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from copy import copy
from types import CodeType
from typing import Any

from unified_gpu.errors import KernelSourceError
from unified_gpu.kernels.compiler.front_end.source import Source, check_parameters


class ElementSource(Source):
    """A function of elements as text; its defaults are Python's, and no part of what is compiled."""

    def __init__(self, python: Callable[..., Any]) -> None:
        """Raises KernelSourceError where the source is not available, or has what no kernel has."""
        if python.__name__ != "<lambda>":
            super().__init__(python)
            self.tree = copy(self.tree)
        else:
            self._read_lambda(python)
        args = self.tree.args
        self.tree.args = ast.arguments(
            args.posonlyargs, args.args, args.vararg, args.kwonlyargs, args.kw_defaults, args.kwarg, []
        )
        check_parameters(self)

    def _read_lambda(self, python: Callable[..., Any]) -> None:
        code = python.__code__
        self.python, self.globals = python, python.__globals__
        self.file, self.first_line = inspect.getsourcefile(python) or "?", 1
        try:
            text = "".join(inspect.findsource(python)[0])
            found = _lambda_of(code, ast.parse(text))
        except (OSError, SyntaxError, IndexError):
            found = None
        if found is None:
            raise KernelSourceError(
                f"{code.co_filename}:{code.co_firstlineno}: the source of this lambda is not available\n"
                "hint: write the function in a file, with def"
            )
        self.lines = text.splitlines()
        body = ast.copy_location(ast.Return(found.body), found.body)
        tree = ast.FunctionDef(name="lambda", args=found.args, body=[body], decorator_list=[])
        self.tree = ast.copy_location(tree, found)
        self._cells = dict(zip(code.co_freevars, python.__closure__ or (), strict=True))


def _lambda_of(code: CodeType, tree: ast.Module) -> ast.Lambda | None:
    """The innermost lambda that has all instructions of `code`; None where several could be it."""
    places = [
        (line, column, end_line, end)
        for line, end_line, column, end in code.co_positions()
        if line is not None and end_line is not None and column is not None and end is not None and end > 0
    ]
    fitting = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Lambda)
        and each.lineno == code.co_firstlineno
        and all(_has(each.body, *place) for place in places)
    ]
    return fitting[-1] if fitting and places else fitting[0] if len(fitting) == 1 else None


def _has(body: ast.expr, line: int, column: int, end_line: int, end: int) -> bool:
    begins = (body.lineno, body.col_offset) <= (line, column)
    return begins and (end_line, end) <= (body.end_lineno or 0, body.end_col_offset or 0)

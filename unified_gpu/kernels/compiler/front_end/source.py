"""The source of a kernel's function, and errors that show the place in it."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, cached_property, lru_cache
from types import CodeType
from typing import Any

from unified_gpu.errors import KernelSourceError
from unified_gpu.kernels.interactive import MISSING as MISSING
from unified_gpu.kernels.interactive import current

from .promotion import is_number

ANNOTATIONS = "write f32 or Array[f32, 1]"


class Source:
    """A Python function as text.

    Attributes:
        tree: the function's definition.
        file: where it stands.
        first_line: of the definition, with its decorators.
    """

    def __init__(self, python: Callable[..., Any]) -> None:
        """Raises KernelSourceError where the source is not available, as for code in exec or `python -c`."""
        self.python = python
        self.globals = python.__globals__
        name, code = python.__name__, python.__code__
        try:
            self.file = inspect.getsourcefile(python) or "?"
            whole, at = inspect.findsource(inspect.unwrap(python))
            self.lines, self.first_line, tree = _definition(python, whole, at)
        except (OSError, TypeError, SyntaxError, IndexError):
            raise _unavailable(name, code) from None
        if not isinstance(tree, ast.FunctionDef) or tree.name != name:
            what = "a lambda" if name == "<lambda>" else f"{name}, whose source is not a plain `def`,"
            raise _without_source(self.file, self.first_line, f"{what} cannot be a kernel", "write it with def")
        if not _has(code, "".join(whole)):
            what = f"the file has changed since {name} was defined"
            raise _without_source(self.file, code.co_firstlineno, what, "start the program anew")
        self.tree = tree
        self._cells = dict(zip(code.co_freevars, python.__closure__ or (), strict=True))

    @cached_property
    def stores(self) -> Counter[str]:
        """How often each name is assigned to."""
        return Counter(_stored(self.tree.body))

    @cached_property
    def _tuple_loops(self) -> list[ast.For]:
        return [n for n in ast.walk(self.tree) if isinstance(n, ast.For) and not _is_range(n.iter)]

    @cached_property
    def looped(self) -> set[str]:
        """The names that nothing assigns to but loops over other things than a range."""
        names = Counter(n.id for loop in self._tuple_loops for n in ast.walk(loop.target) if isinstance(n, ast.Name))
        params = {arg.arg for arg in self.tree.args.args}
        return {name for name, count in names.items() if self.stores[name] == count and name not in params}

    @cached_property
    def once(self) -> set[str]:
        """The names that are assigned to once, and not in a loop whose turns are compiled one by one."""
        several = {name for loop in self._tuple_loops for name in _stored(loop.body)}
        return {name for name, count in self.stores.items() if count == 1} - several

    def line(self, node: ast.AST) -> int:
        return int(self.first_line + getattr(node, "lineno", 1) - 1)

    def error(self, node: ast.AST, message: str, hint: str = "") -> KernelSourceError:
        """An error that shows where `node` is, with a caret below it."""
        number, start = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self.lines[number - 1]
        end = getattr(node, "end_col_offset", start + 1) if getattr(node, "end_lineno", number) == number else 0
        shown = text.encode()
        before, width = len(shown[:start].decode()), len(shown[start : end or len(shown)].decode())
        caret = " " * before + "^" * max(1, width)
        whole = f"{self.file}:{self.line(node)}: {message}\n    {text}\n    {caret}"
        return KernelSourceError(f"{whole}\nhint: {hint}" if hint else whole)

    def lookup(self, name: str) -> Any:
        """What a name of the surroundings, which may be dotted, means now; MISSING when nothing."""
        if "." in name:
            outer, _, attribute = name.rpartition(".")
            return getattr(self.lookup(outer), attribute, MISSING)
        if name in self._cells:
            try:
                return self._cells[name].cell_contents
            except ValueError:
                return MISSING
        found = self.globals.get(name, MISSING)
        return getattr(builtins, name, MISSING) if found is MISSING else found

    def variables(self) -> dict[str, Any]:
        """Those of functions around it, as far as they have values."""
        return {name: found for name in self._cells if (found := self.lookup(name)) is not MISSING}

    def known_names(self) -> list[str]:
        return [*self._cells, *self.globals, *dir(builtins)]


source_of = cache(Source)


def defaults_of(source: Source) -> dict[str, Any]:
    """The numbers of the last parameters, which calls may leave out."""
    names, numbers = [arg.arg for arg in source.tree.args.args], source.python.__defaults__ or ()
    return dict(zip(names[len(names) - len(numbers) :], numbers, strict=True))


def _definition(python: Callable[..., Any], lines: list[str], first: int) -> tuple[list[str], int, ast.stmt]:
    """The lines of a function, the number of the first one, and what they are; of `lines`, it begins in `first`."""
    indent = len(lines[first]) - len(lines[first].lstrip())
    begin = next((at for at in range(first, len(lines)) if lines[at].startswith("def ", indent)), first) + 1
    end = next((at for at in range(begin, len(lines)) if lines[at][: indent + 1].strip(" \t\r\n#)")), len(lines))
    try:
        return _parsed(lines[first:end], first + 1)
    except SyntaxError:  # of a text or a bracket with a line that far to the left; inspect takes three times as long
        return _parsed(*inspect.getsourcelines(python))


def _parsed(lines: list[str], first_line: int) -> tuple[list[str], int, ast.stmt]:
    text = textwrap.dedent("".join(lines))
    return text.splitlines(), first_line, ast.parse(text).body[0]


def _unavailable(name: str, code: CodeType) -> KernelSourceError:
    why, hint = ", as for what exec or `python -c` has defined", "write the kernel in a file"
    if code.co_filename == "<stdin>":
        why = ": Python's own prompt keeps none before Python 3.13, and what is piped into Python has none"
        hint += ", or in a cell of IPython or Jupyter"
    return _without_source(code.co_filename, code.co_firstlineno, f"the source of {name} is not available{why}", hint)


def _without_source(file: str, line: int, message: str, hint: str) -> KernelSourceError:
    return KernelSourceError(f"{file}:{line}: {message}\nhint: {hint}")


def annotation(source: Source, arg: ast.arg) -> Any:
    """What a parameter's annotation means, also where it is a text, as with `from __future__ import annotations`."""
    found, place = source.python.__annotations__.get(arg.arg), arg.annotation or arg
    for _ in range(2):  # with that import, an annotation that is a text is a text within a text
        if not isinstance(found, str):
            break
        try:
            found = eval(found, source.globals, source.variables())
        except SyntaxError:
            raise source.error(place, "the annotation is no expression", ANNOTATIONS) from None
        except Exception as error:
            raise source.error(place, f"the annotation cannot be evaluated: {error}", ANNOTATIONS) from None
    return current(source.python, source.lookup, found)


def check_parameters(source: Source) -> None:
    """Refuse parameters that no kernel has."""
    args = source.tree.args
    for each in (args.vararg, args.kwarg, *args.kwonlyargs):
        if each is not None:
            raise source.error(each, "a kernel has no `*` and no keyword parameters", "name each parameter")
    for node, value in zip(args.defaults, source.python.__defaults__ or (), strict=False):
        if not is_number(value):
            raise source.error(node, "a parameter of a kernel has a number as its default, or none")


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def _stored(stmts: list[ast.stmt]) -> Iterator[str]:
    """The names that statements assign to; expressions, which take long to look through, assign to none."""
    for s in stmts:
        single = [s.target] if isinstance(s, (ast.AugAssign, ast.AnnAssign, ast.For)) else []
        for target in s.targets if isinstance(s, ast.Assign) else single:
            inside = ast.walk(target) if isinstance(target, (ast.Tuple, ast.List)) else [target]
            yield from (n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        yield from _stored([*getattr(s, "body", ()), *getattr(s, "orelse", ())])


def _has(code: CodeType, text: str) -> bool:
    """Whether a function is in a file, wherever it stands; a file can be edited while a program runs."""
    try:
        return _bare(code) in _functions(text)
    except SyntaxError:
        return False


@lru_cache(4)
def _functions(text: str) -> set[CodeType]:
    """What a file compiles to, a notebook's cell too."""
    left = [compile(text, "", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)]
    for code in left:
        left += [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(map(_bare, left))


def _bare(code: CodeType) -> CodeType:
    """A function without its place, and without what its module has from `__future__`, which cells share."""
    return code.replace(co_firstlineno=1, co_flags=0)

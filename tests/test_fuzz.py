"""Whatever a spec holds: it is explained or generated, and nothing of it breaks out of where it stands."""

from __future__ import annotations

import ast
import copy
import gc
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import cffi
import pytest
import yaml
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from wrapper_gen import dump, names, pipeline, quoting, report, runtime_files, runtime_modules
from wrapper_gen.diagnostics import Span, SpecError
from wrapper_gen.model import Function, Module
from wrapper_gen.render import render
from wrapper_gen.resources import SCHEMA
from wrapper_gen.tiers import TIERS

HERE = Path(__file__).parent
PATHS = [path for folder in ("tests", "specs") for path in sorted((HERE.parent / folder).rglob("*.wrapper_spec"))]
TEXTS = [path.read_text(encoding="utf-8") for path in PATHS]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
PARSED = {text for path, text in zip(PATHS, TEXTS, strict=True) if not path.match("errors/*")}
TREES = [yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER) for path in PATHS if path.match("cases/*/*")]
KEYS = sorted(set(re.findall(r'"(\w+)": \{', SCHEMA.read_text(encoding="utf-8"))))
NUMBERS = [tier.NUMBER for tier in TIERS]
STATIC = {
    *(PurePosixPath(name).name for tier in TIERS for _, name in tier.STATIC),
    *(f"{name}.py" for name in runtime_modules.JOINED if name),
    runtime_files.HEADERS,
    *("helper.cpp", "helper.hpp"),
}
"""Files that no spec has a say in."""


@pytest.fixture(scope="module", autouse=True)
def few_collections() -> Iterator[None]:
    """A mutant makes many objects and no cycles: to look for these takes a sixth of the time."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the mutants are written, beside the sources that seeds name."""
    folder = tmp_path_factory.mktemp("fuzz")
    for name in ("helper.cpp", "helper.hpp", "extra.py", "_names.py"):
        (folder / name).write_text("", encoding="utf-8")
    return folder / "fuzz.wrapper_spec"


# --- mutants ---------------------------------------------------------------------------------------------------------

ODD = st.sampled_from(
    [
        *('"', "'", "\\", "\n", "\r", "\t", "\0", "\x1b[31m", "\x85", "\u2028", "\u202e", "\ufeff", "é", "漢", "😀"),
        *("*/", "/*", "//", '"""', "'''", "{{ x }}", "{% if %}", "{#", "??/", "\\\n", "%s", "${x}", ')"', 'R"(', "#"),
        *("#endif\n", '#line 1 "x"\n', "/* cdef: end */", "\n\nimport os\n", '"\n)\n', ");", "}", "'''\n1/0\n'''"),
    ]
)
ODD_TEXT = st.lists(ODD | st.text(max_size=4), max_size=5).map("".join)
IN_YAML = st.sampled_from(
    [
        *("\t", ": ", "- ", "&a ", "*a", "<<: *a\n", "!!python/object/apply:os.getcwd []", "!x ", "{", "}", "[", "]"),
        *(",", "|", ">", "|9\n", "---\n", "...\n", "%YAML 9.9\n", "? ", "#", "@", "`", "null", "yes", "1e999", "0x_"),
    ]
)
NAMES = st.sampled_from(["class", "int", "self", "None", "print", "size_t", "i64", "h", "wg_x", "_x", "close", "STUB"])
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | ODD_TEXT | NAMES | st.sampled_from([10**400, "i64?"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | ODD_TEXT, inner, max_size=3),
    max_leaves=6,
)


FUNCTIONS = 6
"""How many functions a mutant has at most, and how many methods of a class: with all, most of the time is theirs."""


@cache
def _long_lists(text: str) -> list[list[int]]:
    """The lines where the entries begin of each list with more functions or methods, and the one after its last."""
    found, nodes = [], [yaml.compose(text, Loader=LOADER)] if text in PARSED else []
    while nodes:
        node = nodes.pop()
        if isinstance(node, yaml.MappingNode):
            nodes += [value for _, value in node.value]
            lists = [value for key, value in node.value if key.value in {"functions", "methods"}]
            lists = [each for each in lists if isinstance(each, yaml.SequenceNode) and len(each.value) > FUNCTIONS]
            found += [[*(entry.start_mark.line for entry in each.value), each.end_mark.line] for each in lists]
        elif isinstance(node, yaml.SequenceNode):
            nodes += node.value
    lines = text.splitlines()
    anchored = [i for i, line in enumerate(lines) if re.search(r"[-:] &\w", line)]  # what others may stand for
    return sorted(
        each for each in found if len({*each}) == len(each) and not any(each[0] <= i < each[-1] for i in anchored)
    )


def _some_lines(draw: st.DrawFn, text: str) -> str:
    """A spec with some of its functions and methods."""
    lines = text.splitlines(keepends=True)
    for starts in reversed(_long_lists(text)):
        first = draw(st.integers(0, len(starts) - 1 - FUNCTIONS))
        lines[starts[first + FUNCTIONS] : starts[-1]] = []
        lines[starts[0] : starts[first]] = []
    return "".join(lines)


@st.composite
def mutated_texts(draw: st.DrawFn) -> str:
    """A spec with characters taken out, put in, or lines doubled and moved."""
    text = _some_lines(draw, draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        lines = text.splitlines(keepends=True) or [""]
        one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        match draw(st.sampled_from(["cut", "insert", "double", "swap"])):
            case "cut":
                text = text[:start] + text[end:]
            case "insert":
                text = text[:start] + draw(ODD | IN_YAML | st.text(max_size=3)) + text[start:]
            case "double":
                text = "".join([*lines[:one], lines[other], *lines[one:]])
            case "swap":
                lines[one], lines[other] = lines[other], lines[one]
                text = "".join(lines)
    return text


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        yield tree, key
        yield from _places(value)


def _dumped(tree: Any) -> str:
    return str(yaml.dump(tree, Dumper=DUMPER, sort_keys=False))


def _some(draw: st.DrawFn, tree: Any) -> Any:
    """A copy of a spec, with some of its functions and methods."""
    if isinstance(tree, dict):
        return {key: _some(draw, _few(draw, key, value)) for key, value in tree.items()}
    return [_some(draw, each) for each in tree] if isinstance(tree, list) else tree


def _few(draw: st.DrawFn, key: str, value: Any) -> Any:
    """What stands under a key, with so many entries at most where they are functions or methods."""
    if key not in {"functions", "methods"} or not isinstance(value, list) or len(value) <= FUNCTIONS:
        return value
    first = draw(st.integers(0, len(value) - FUNCTIONS))
    return value[first : first + FUNCTIONS]


@st.composite
def mutated_trees(draw: st.DrawFn) -> str:
    """A spec with keys and items taken out, doubled, renamed, or given other values."""
    tree = _some(draw, draw(st.sampled_from(TREES)))
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(tree))
        if not places:
            break
        container, key = places[draw(st.integers(0, len(places) - 1))]
        match draw(st.sampled_from(["delete", "double", "rename", "value", "odd text", "borrow"])):
            case "delete":
                del container[key]
            case "double" if isinstance(container, list):
                container.insert(key, copy.deepcopy(container[key]))
            case "rename" if isinstance(container, dict):
                container[draw(st.sampled_from(KEYS) | ODD_TEXT)] = container.pop(key)
            case "borrow":
                other, its_key = places[draw(st.integers(0, len(places) - 1))]
                container[key] = copy.deepcopy(other[its_key])
            case "odd text" if isinstance(container[key], str):
                container[key] += draw(ODD_TEXT | NAMES)
            case _:
                container[key] = draw(VALUES)
    return _dumped(tree)


# --- what must hold --------------------------------------------------------------------------------------------------


def attempt(spec: Path, text: str) -> pipeline.Generated | None:
    """Generate, and hold the output to what every output must be; None when the spec was refused."""
    spec.unlink(missing_ok=True)  # to write over a file takes some file systems 3 ms
    spec.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        generated = pipeline.generate(spec, "fuzz.wrapper_spec")
    except SpecError as error:
        assert any(finding.is_error for finding in error.diagnostics)
        shown = report.as_text(error.diagnostics, lambda path: text)
        assert not {unicodedata.category(char) for char in shown if char != "\n"} & {"Cc", "Cf", "Zl", "Zp"}
        report.as_sarif(error.diagnostics, "0")
        return None
    json.dumps(dump.plain(generated.module), allow_nan=False)
    files = {path: text for path, text in generated.files.items() if path.name not in STATIC}
    for path, content in files.items():
        assert path.parts[0] == generated.module.package
        assert not {"..", "/"} & {*path.parts}
        assert not {"\r", "\0"} & {*content}
        assert not content or (content.endswith("\n") and not content.endswith("\n\n"))
    trees = {path: ast.parse(text) for path, text in files.items() if path.suffix in {".py", ".pyi"}}
    docs = next(text for path, text in files.items() if path.name == "docs.hpp")
    _check_python(trees, generated.module, docs)
    _check_c(files)
    _check_places(files, trees, generated.module)
    return generated


def _check_python(trees: Mapping[PurePosixPath, ast.Module], module: Module, docs: str) -> None:
    """It compiles; and docstrings and defaults mean what the spec says. The engines have docstrings from `docs`."""
    for path, tree in trees.items():
        compile(tree, str(path), "exec")
        for scope, function in _functions(tree):
            meant = _meant(module, scope, function.name)
            if meant:
                docstring = ast.get_docstring(function) if path.suffix == ".pyi" else _written_out(docs)
                if docstring is not None or not _is_part(function):  # another part of it has it
                    assert _letters(meant.doc) in _letters(docstring or "")
                if scope is None:
                    _check_defaults(function, meant)


def _written_out(docs: str) -> str:
    """The texts of `docs.hpp`, in the order in which they stand; where one is no raw string, with escapes of C."""
    literals = re.findall(rf'{_RAW}|"(?:\\.|[^"\\])*"', docs, flags=re.DOTALL)
    return "".join(each[4:-3] if each.startswith("R") else _unescaped(each[1:-1]) for each in literals)


def _unescaped(text: str) -> str:
    """What a literal of ASCII means, whose other characters are bytes of UTF-8."""
    characters = re.sub(r"\\\?", "?", text).encode("ascii").decode("unicode_escape")
    return characters.encode("latin-1").decode("utf-8", "replace")


def _is_part(function: ast.FunctionDef) -> bool:
    """Whether it is one of several forms, or what reads or sets a property."""
    decorators = [ast.unparse(each) for each in function.decorator_list]
    return bool({"overload", "_overload"} & set(decorators)) or any(
        each.endswith(("property", ".setter")) for each in decorators
    )


def _functions(tree: ast.Module) -> Iterator[tuple[str | None, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield None, node
        elif isinstance(node, ast.ClassDef):
            yield from ((node.name, each) for each in node.body if isinstance(each, ast.FunctionDef))


def _meant(module: Module, handle: str | None, name: str) -> Function | None:
    minted = names.python_method if handle else names.python
    both = (f for f in (*module.functions, *module.methods) if f.handle == handle)
    found = [f for f in both if (f.py_name or minted(f.base)) == name]
    return found[0] if len(found) == 1 else None  # of several forms, each has documentation of its own


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isprintable() and not char.isspace() and char != "\ufffd")


def _check_defaults(found: ast.FunctionDef, meant: Function) -> None:
    arguments = found.args
    unnamed_or_not = (*arguments.posonlyargs, *arguments.args)
    written = dict(zip(reversed(unnamed_or_not), reversed(arguments.defaults), strict=False))
    written |= {arg: value for arg, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value}
    is_former = any(isinstance(each, ast.Call) for each in found.decorator_list)  # `@_deprecated("…")`: a name is given
    own = [each for each in meant.parameters if not each.gathers]  # of `*args` there is no default
    for arg, parameter in zip((*unnamed_or_not, *arguments.kwonlyargs), own, strict=True):
        if isinstance(parameter.default, str | bytes | int | None) and (arg in written or not is_former):
            assert ast.literal_eval(written[arg]) == parameter.default


def _check_c(files: Mapping[PurePosixPath, str]) -> None:
    """The declarations of the header are what cffi can read."""
    header = next(text for path, text in files.items() if path.name == "bridge.h")
    _, declarations, _ = re.split(r"/\* cdef: (?:begin|end) \*/", header)
    cffi.FFI().cdef(declarations)


def _check_places(
    files: Mapping[PurePosixPath, str], trees: Mapping[PurePosixPath, ast.Module], module: Module
) -> None:
    """With other texts in the spec, only comments and the insides of literals are other."""
    others = render(_with_plain_texts(module), NUMBERS)
    for path, text in files.items():
        other = others[path]
        if text == other:
            continue
        if path in trees:
            assert _are_alike(trees[path], ast.parse(other)), path
        else:
            assert _c_skeleton(text) == _c_skeleton(other), path


_DOCS = {"doc", "return_doc"}
_STRINGS = {"version", "link", "dirs", "compile_args", "link_args", "sonames"}
_VALUES = {"default", "stub"}


def _with_plain_texts(entity: Any, field: str = "") -> Any:
    """The same entity with harmless texts wherever it has any."""
    if isinstance(entity, Span):
        return entity
    if is_dataclass(entity) and not isinstance(entity, type):
        changed = {f.name: _with_plain_texts(getattr(entity, f.name), f.name) for f in fields(entity)}
        return replace(entity, **changed) if changed else entity
    if isinstance(entity, tuple):
        return tuple(_with_plain_texts(each, field) for each in entity)
    if isinstance(entity, str) and (field in _STRINGS | _VALUES or (field in _DOCS and entity.strip())):
        return "plain"
    return b"plain" if isinstance(entity, bytes) else entity


def _are_alike(one: Any, other: Any) -> bool:
    """Whether two trees of Python are the same, whatever their texts are."""
    kind = type(one)
    if kind is list:
        return type(other) is list and len(one) == len(other) and all(map(_are_alike, one, other))
    if kind is ast.Constant and type(one.value) in {str, bytes}:
        return type(other) is ast.Constant and type(other.value) in {str, bytes}
    if kind is not type(other):
        return False
    if not isinstance(one, ast.AST):
        return bool(one == other)
    return all(_are_alike(getattr(one, name), getattr(other, name)) for name in kind._fields)


_RAW = r'R"_\((?:.*?)\)_"'
"""A docstring in `docs.hpp`."""


def _c_skeleton(text: str) -> list[str]:
    """Lines without comments of ours and insides of literals; the user's code is the same on both sides."""
    if "_BRIDGE_H" in text:
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    if "wg_doc_" in text:
        literal = rf'(?:{_RAW}|"(?:\\.|[^"\\])*")'
        text = re.sub(rf"{literal}(?:\s*{literal})*", '""', text, flags=re.DOTALL)
    return [re.sub(r'"(?:\\.|[^"\\])*"', '""', line) for line in text.split("\n") if line.strip()]


# --- the tests -------------------------------------------------------------------------------------------------------


FEW = settings(max_examples=settings().max_examples // 3)
"""Of what `test_many_mutants` does by the thousand."""


@FEW
@given(text=mutated_texts())
def test_mutated_text(spec: Path, text: str) -> None:
    attempt(spec, text)


@FEW
@given(text=mutated_trees())
def test_mutated_structure(spec: Path, text: str) -> None:
    attempt(spec, text)


MANY = int(os.environ.get("MUTANTS", "20_000"))
SHARES = 10
"""Into how many tests the many are cut, so that they run beside each other; each is a seed of its own."""


@pytest.mark.quick(0, slow=4)
@pytest.mark.parametrize("strategy", [mutated_texts, mutated_trees])
@pytest.mark.parametrize("share", range(SHARES))
def test_many_mutants(spec: Path, strategy: Callable[[], st.SearchStrategy[str]], share: int) -> None:
    tried = []

    @seed(share)
    @settings(max_examples=MANY // SHARES // 2, database=None)
    @given(text=strategy())
    def each(text: str) -> None:
        tried.append(attempt(spec, text) is not None)

    each()
    assert len(tried) >= MANY // SHARES // 2
    assert any(tried)


@FEW
@given(tree=VALUES)
def test_anything_at_all(spec: Path, tree: Any) -> None:
    attempt(spec, _dumped(tree))
    attempt(spec, _dumped({"wrapper_lib": {"name": "x"}, "functions": [{"name": "f", "params": tree}]}))


@pytest.mark.slow
@FEW
@given(data=st.data())
def test_any_text_is_fine_where_text_is_free(spec: Path, data: st.DataObject) -> None:
    alone = [tree for tree in TREES if "uses" not in tree["wrapper_lib"]]
    tree = copy.deepcopy(data.draw(st.sampled_from(alone)))
    for container, key in list(_places(tree)):
        is_default = (
            key in _VALUES
            and isinstance(container, dict)
            and str(container.get("type", "")).startswith(("text", "bytes"))
        )
        is_version = key == "version" and container is tree["wrapper_lib"]
        if key in _DOCS or is_version or is_default:
            container[key] = data.draw(ODD_TEXT)
    assert attempt(spec, _dumped(tree)) is not None


@given(text=ODD_TEXT)
def test_literals_mean_what_they_were_made_of(text: str) -> None:
    assert ast.literal_eval(quoting.python_string(text)) == text
    assert ast.literal_eval(quoting.python_bytes(text.encode())) == text.encode()
    in_c = quoting.c_string(text).replace("\\?", "?")  # an escape that only C has
    assert "??" not in quoting.c_string(text)
    assert ast.literal_eval(f"b{in_c}") == text.encode()
    docstring = quoting.python_docstring(text)
    assert _letters(ast.literal_eval(f'"""- {docstring}"""')) == "-" + _letters(text)
    comment = quoting.c_comment(text)
    assert "*/" not in comment
    assert "/*" not in comment

"""Every name in a type stub is imported or declared there."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

from wrapper_gen import pipeline


def undefined(stub: str) -> set[str]:
    tree = ast.parse(stub)
    used = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    declared = {each.asname or each.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for each in n.names}
    declared |= {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    declared |= {n.target.id for n in ast.walk(tree) if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    return used - declared - set(dir(builtins))


def test_a_name_that_only_an_item_of_a_result_needs(tmp_path: Path) -> None:
    for item in ("array[f64; 2, 2]", "datetime", "duration", "path", "{text: i64}", "object"):
        written = "M" if item.startswith("array") else "&M"
        spec = tmp_path / "items.wrapper_spec"
        entry = f'{{def: "both() -> (x: f64, M: {item})", cpp: "f({written}, &x)"}}'
        spec.write_text(f"wrapper_lib: {{name: items}}\nfunctions:\n  - {entry}\n", encoding="utf-8")
        files = pipeline.generate(spec, spec.name).files
        stub = next(text for path, text in files.items() if path.name == "__init__.pyi")
        assert "M: " in stub
        assert not undefined(stub), item

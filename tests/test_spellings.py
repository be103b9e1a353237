"""Earlier spellings of the language stand only where they are read, in the tests of that, and on their page."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from wrapper_gen.diagnostics import SpecError
from wrapper_gen.spec import modern, read_document

ROOT = Path(__file__).parent.parent
READ_ON_PURPOSE = {
    "tests/behaviour/shapes/shapes.wrapper_spec",  # the original format, where results have documentation
    "tests/cases/docs_and_quotes/spec.wrapper_spec",
    "tests/cases/nested/spec.wrapper_spec",
    "tests/cases/text_and_bytes/spec.wrapper_spec",
    *(
        f"tests/errors/{name}.wrapper_spec"  # what is found out where an earlier spelling is read
        for name in (
            "WG013_strides",
            "WG013_user_data",
            "WG045_init",
            "WG074_gathering",
            "WG079_options",
            "WG085_buffer",
            "WG086_changed_in_place",
            "WG094_callable_fields",
            "WG110_order_in_params",
            "WG138_keys_that_nothing_checks",
            "WG156_order",
            "WG157_offsets",
        )
    ),
}
PAGE = "docs/older-specs.md"
_BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


def committed(*patterns: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, check=True, capture_output=True, text=True)
    return [each for each in listed.stdout.split() if not each.startswith("tests/former/")]


def texts() -> Iterator[tuple[str, str]]:
    """Each spec, and each part of one in the documentation."""
    for path in committed("*.wrapper_spec"):
        yield path, (ROOT / path).read_text(encoding="utf-8")
    for path in committed("*.md"):
        for block in _BLOCK.findall((ROOT / path).read_text(encoding="utf-8")):
            yield path, block


def test_specs_and_pages_have_no_earlier_spelling(tmp_path: Path) -> None:
    found = set()
    for path, text in texts():
        spec = tmp_path / "spec.wrapper_spec"
        spec.write_text(text, encoding="utf-8")
        try:
            _, findings = modern(read_document(spec, path))
        except SpecError:
            continue
        found |= {path for each in findings if each.code == "WG290"}
    assert found - READ_ON_PURPOSE <= {PAGE}
    assert found >= READ_ON_PURPOSE, "drop from the list what has none"

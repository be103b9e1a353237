"""What YAML's language server makes of the schema, which serves editors that do not know ours."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.language_servers import Document, LanguageServer
from wrapper_gen.spec.editor_schema import editor_schema

PROGRAM = shutil.which("yaml-language-server")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs yaml-language-server: npm install yaml-language-server")
ROOT = Path(__file__).resolve().parents[2]
HEAD = "# yaml-language-server: $schema=wrapper_spec.schema.json\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("yaml")
    (folder / "wrapper_spec.schema.json").write_text(editor_schema(), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LanguageServer]:
    server = LanguageServer([str(PROGRAM), "--stdio"], folder)
    settings = {"yaml": {"validate": True, "hover": True, "completion": True}}
    server.tell("workspace/didChangeConfiguration", {"settings": settings})
    yield server
    server.kill()


def found(server: LanguageServer, document: Document) -> list[str]:
    said = server.said("textDocument/publishDiagnostics", lambda params: params["uri"] == document.uri)
    return [each["message"] for each in said["diagnostics"]]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("wrapper_lib:\n  name: l\n  |", {"lang", "cpp_include"}),
        ("wrapper_lib: {name: l, l|}", {"lang", "link"}),
        ("wrapper_lib: {name: l, lang: |}", {"c", "cpp"}),
        ("functions:\n  - def: f()\n    blocking: |", {"true", "false"}),
    ],
)
def test_keys_and_values_are_offered_and_null_is_not(
    server: LanguageServer, folder: Path, text: str, wanted: set[str]
) -> None:
    before, _, after = (HEAD + text).partition("|")
    document = Document(server, folder / f"{abs(hash(text))}.yaml", before + after, "yaml")
    place = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
    labels = {each["label"] for each in document.of("completion", position=place)["items"]}
    assert wanted <= labels
    assert "null" not in labels


def test_keys_are_explained(server: LanguageServer, folder: Path) -> None:
    document = Document(server, folder / "hover.yaml", f"{HEAD}wrapper_lib:\n  name: l\n  lang: c\n", "yaml")
    answer: Any = document.at("hover", "  la", "ng: c")
    assert "The language of the library." in json.dumps(answer)


@pytest.mark.parametrize("spec", sorted((ROOT / "specs").glob("*.wrapper_spec")), ids=lambda spec: spec.name)
def test_our_specs_are_right(server: LanguageServer, folder: Path, spec: Path) -> None:
    text = HEAD + spec.read_text(encoding="utf-8")
    assert found(server, Document(server, folder / f"{spec.stem}.yaml", text, "yaml")) == []


def test_a_wrong_key_is_found(server: LanguageServer, folder: Path) -> None:
    document = Document(server, folder / "wrong.yaml", f"{HEAD}wrapper_lib: {{name: l, nam: l}}\n", "yaml")
    assert found(server, document) == ["Property nam is not allowed."]

"""What an editor shows of a package: asked of a language server, as editors ask it, without building anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.language_servers import Document, LanguageServer
from tests.limits import HANGS

pytest.importorskip("jedi_language_server")

SPEC = """\
wrapper_lib: {name: pictures}
handle_types:
  - name: Picture
    cpp_type: picture *
    release: picture_free(value)
    doc: An image in memory.
    prefix: picture_
    methods:
      - {def: "Picture(file: path)", doc: Read a file., params: {file: {doc: where it is}}, cpp: picture_read}
      - {def: "width -> i64", doc: In pixels.}
      - def: "resize(width: i64, height: i64 = 0, *, smooth: bool = true) -> Picture"
        doc: Make another size of it.
        params: {height: {doc: 0 keeps the proportions}, smooth: {doc: whether pixels are mixed}}
functions:
  - {def: "blend(a: Picture, by: f64) -> Picture", doc: Blend it with white., cpp: blend_white}
  - {def: "blend(a: Picture, b: Picture) -> Picture", doc: Blend it with another., cpp: blend_both}
"""
PROGRAM = """\
from pictures_ffi import Picture, blend

picture = Picture("a.png")
picture.
picture.resize(
blend(picture,
picture.width
"""


def asked(folder: Path) -> dict[str, Any]:
    """What the server says at some places of the program."""
    server = LanguageServer([sys.executable, "-c", "from jedi_language_server.cli import cli; cli()"], folder)
    try:
        document = Document(server, folder / "program.py", PROGRAM, "python")

        def at(what: str, line: int, text: str) -> Any:
            return document.of(what, position={"line": line, "character": len(text)})

        return {
            "complete": at("completion", 3, "picture."),
            "method": at("signatureHelp", 4, "picture.resize("),
            "overloads": at("signatureHelp", 5, "blend(picture,"),
            "made": str(at("hover", 2, "picture = Pic")),
            "called": str(at("hover", 4, "picture.res")),
        }
    finally:
        server.kill()


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("editor")
    spec = folder / "pictures.wrapper_spec"
    spec.write_text(SPEC, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "wrapper_gen", spec.name, "-o", "."], cwd=folder, check=True, timeout=HANGS)
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    return asked(folder)


def test_members_are_completed(said: dict[str, Any]) -> None:
    found = said["complete"]
    labels = {each["label"] for each in (found if isinstance(found, list) else found["items"])}
    assert {"width", "resize", "close", "closed"} <= labels


def test_parameters_are_shown_with_types_and_defaults(said: dict[str, Any]) -> None:
    (only,) = said["method"]["signatures"]
    labels = [each["label"] for each in only["parameters"] if each["label"] != "*"]  # which not every version lists
    assert labels == ["width: int", "height: int=0", "smooth: bool=True"]
    assert said["method"]["activeParameter"] == 0


def test_overloads_are_shown_one_by_one(said: dict[str, Any]) -> None:
    second = {each["parameters"][1]["label"] for each in said["overloads"]["signatures"]}
    assert second == {"by: float", "b: Picture"}
    assert said["overloads"]["activeParameter"] == 1


@pytest.mark.parametrize("text", ["Make another size of it.", "0 keeps the proportions", "whether pixels are mixed"])
def test_parameters_are_documented(said: dict[str, Any], text: str) -> None:
    assert text in said["called"]


def test_classes_are_documented(said: dict[str, Any]) -> None:
    assert "An image in memory." in said["made"]

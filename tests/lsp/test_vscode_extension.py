"""The extension for VS Code: node loads it, with stand-ins for the editor, and it starts our server."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.limits import HANGS

FOLDER = Path(__file__).resolve().parents[2] / "editors" / "vscode"
NODE = shutil.which("node")
STAND_INS = {
    "vscode/index.js": """\
        exports.workspace = {
          workspaceFolders: [{ uri: { fsPath: "/project" } }],
          getConfiguration: () => ({ get: () => ["${workspaceFolder}/.venv/bin/wrapper-gen", "lsp"] }),
          createFileSystemWatcher: (pattern) => ({ pattern }),
        };
    """,
    "vscode-languageclient/node.js": """\
        exports.LanguageClient = class {
          constructor(...said) { this.said = said; }
          start() { console.log(JSON.stringify(this.said)); return Promise.resolve(); }
          stop() { console.log('"stopped"'); }
        };
    """,
}


@pytest.mark.skipif(NODE is None, reason="needs node: apt install nodejs")
def test_it_starts_the_server_for_specs(tmp_path: Path) -> None:
    for name, text in STAND_INS.items():
        path = tmp_path / "node_modules" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    shutil.copy(FOLDER / "extension.js", tmp_path)
    program = "const e = require('./extension.js'); e.activate(); e.deactivate();"
    done = subprocess.run(
        [str(NODE), "-e", program], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=HANGS
    )
    started, stopped = map(json.loads, done.stdout.splitlines())
    assert started[1] == {"command": "/project/.venv/bin/wrapper-gen", "args": ["lsp"]}
    assert started[2]["documentSelector"] == [{"language": "wrapper-spec"}]
    assert stopped == "stopped"


def test_its_files_are_json_and_there() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    contributes = manifest["contributes"]
    named = [manifest["main"], contributes["languages"][0]["configuration"], contributes["grammars"][0]["path"]]
    assert [each for each in named if not (FOLDER / each).is_file()] == []
    assert contributes["languages"][0]["extensions"] == [".wrapper_spec"]
    for path in FOLDER.glob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))

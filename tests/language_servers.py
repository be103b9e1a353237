"""A small client of language servers: what an editor is to them."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.limits import HANGS


class LanguageServer:
    """A language server in a process of its own; `errors` is what it has printed when it has ended."""

    def __init__(self, command: Sequence[str], folder: Path, **capabilities: object) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
        )
        self.errors = ""
        self.told: list[dict[str, Any]] = []
        """What the server has said of its own accord."""
        self._asked = 0
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._watchdog = threading.Timer(HANGS, self.process.kill)
        self._watchdog.start()
        self._readers = [threading.Thread(target=each, daemon=True) for each in (self._read, self._read_errors)]
        for each in self._readers:
            each.start()
        params = {"capabilities": capabilities, "processId": None, "rootUri": folder.as_uri()}
        self.capabilities = self.ask("initialize", params)["capabilities"]
        self.tell("initialized", {})

    def tell(self, method: str, params: object, **more: object) -> None:
        """Send a notification."""
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def send(self, method: str, params: object) -> int:
        """Ask something, and do not wait: the number of the question."""
        self._asked += 1
        self.tell(method, params, id=self._asked)
        return self._asked

    def answer(self, number: int) -> Any:
        """The answer to a question."""
        while True:
            message = self._next()
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def ask(self, method: str, params: object) -> Any:
        """The answer to a question that is asked now."""
        return self.answer(self.send(method, params))

    def said(self, method: str, wanted: Any = lambda params: True) -> Any:
        """The first that the server has said by this method, and that is wanted; waits for it."""
        while True:
            for each in self.told:
                if each["method"] == method and wanted(each["params"]):
                    return each["params"]
            self._next()

    def close(self) -> int:
        """End the conversation as an editor does; the exit code."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        code = self.process.wait(HANGS)
        self._end()
        return code

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        self._end()

    def _end(self) -> None:
        self._watchdog.cancel()
        for each in self._readers:
            each.join(HANGS)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def _next(self) -> dict[str, Any]:
        message = self._messages.get(timeout=HANGS)
        assert message is not None, f"the server has ended: {self.errors}"
        if "method" in message:
            self.told.append(message)
            if "id" in message:  # a question of the server's, which this client does not know
                self._reply(message["id"])
        return message

    def _reply(self, number: object) -> None:
        text = json.dumps({"jsonrpc": "2.0", "id": number, "result": None}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        size = 0
        while line := stream.readline():
            if line.startswith(b"Content-Length"):
                size = int(line.split()[1])
            elif not line.strip():
                self._messages.put(json.loads(stream.read(size)))
        self._messages.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line.decode("utf-8", "replace")


class Document:
    """A text that is open in an editor; a place in it is said by what stands before and after."""

    def __init__(self, server: LanguageServer, path: Path, text: str, language: str) -> None:
        self.server, self.uri, self.text, self.version = server, path.as_uri(), text, 1
        about = {"uri": self.uri, "languageId": language, "version": 1, "text": text}
        server.tell("textDocument/didOpen", {"textDocument": about})

    def change(self, text: str) -> None:
        """Replace the text."""
        self.text, self.version = text, self.version + 1
        about = {"uri": self.uri, "version": self.version}
        self.server.tell("textDocument/didChange", {"textDocument": about, "contentChanges": [{"text": text}]})

    def close(self) -> None:
        """Close it."""
        self.server.tell("textDocument/didClose", {"textDocument": {"uri": self.uri}})

    def place(self, before: str, after: str = "") -> dict[str, int]:
        """The position between these texts, in units of UTF-16; they stand there once."""
        assert self.text.count(before + after) == 1, (before, after, self.text.count(before + after))
        until = self.text[: self.text.index(before + after) + len(before)]
        last = until.rpartition("\n")[2]
        return {"line": until.count("\n"), "character": len(last.encode("utf-16-le")) // 2}

    def at(self, method: str, before: str, after: str = "", **more: object) -> Any:
        """What the server says about a place."""
        params = {"textDocument": {"uri": self.uri}, "position": self.place(before, after), **more}
        return self.server.ask(f"textDocument/{method}", params)

    def of(self, method: str, **more: object) -> Any:
        """What the server says about all of it."""
        return self.server.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri}, **more})

    def diagnostics(self, *, matching: Any = lambda listed: True) -> list[dict[str, Any]]:
        """What was found in the present text."""

        def is_current(params: dict[str, Any]) -> bool:
            is_own = params["uri"] == self.uri and params.get("version") == self.version
            return is_own and matching(params["diagnostics"])

        found: list[dict[str, Any]] = self.server.said("textDocument/publishDiagnostics", is_current)["diagnostics"]
        return found

    def applied(self, edits: Sequence[dict[str, Any]]) -> str:
        """The text with these edits."""
        text = self.text
        for each in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]))[::-1]:
            start, end = (self._offset(each["range"][key]) for key in ("start", "end"))
            text = text[:start] + each["newText"] + text[end:]
        return text

    def within(self, range_: dict[str, Any]) -> str:
        """The text of a range."""
        return self.text[self._offset(range_["start"]) : self._offset(range_["end"])]

    def _offset(self, position: dict[str, int]) -> int:
        lines = self.text.split("\n")
        before = sum(len(line) + 1 for line in lines[: position["line"]])
        line = lines[position["line"]] if position["line"] < len(lines) else ""
        return before + len(line.encode("utf-16-le")[: 2 * position["character"]].decode("utf-16-le"))

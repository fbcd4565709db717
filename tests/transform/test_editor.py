"""The language server: what it answers, and a real server process that a client talks to."""

import json
import subprocess
import sys
from typing import Any

from rolltop.transform import editor

PROGRAM = "%utlx 1.0\ninput orders json\noutput json\n---\nlet rate = 2\nmap($orders, o => o.price * rate)\n"


def labels(text: str) -> set[str]:
    """Completions at the mark `|`."""
    return {item.label for item in editor.completions(text.replace("¦", ""), text.index("¦"))}


def test_hover_tells_functions_inputs_and_bindings() -> None:
    def shown(word: str) -> str:
        return editor.hover(PROGRAM, PROGRAM.index(word) + 1) or ""

    assert "map(array: Array<T>" in shown("map(")
    assert shown("$orders") == "`$orders`: the input orders, json"
    assert shown("rate)") == "`rate` is bound in line 5"
    assert editor.hover(PROGRAM, PROGRAM.index("price") + 1) is None


def test_completion_depends_on_the_place() -> None:
    assert {"rate", "$orders", "map", "let"} <= labels(PROGRAM.replace("* rate", "* ¦"))
    assert labels(PROGRAM.replace("map($orders", "map($¦")) == {"$orders"}
    assert labels(PROGRAM.replace("o.price", "o.¦price")) == {"price"}
    assert "yaml" in labels(PROGRAM.replace("output json", "output ¦json"))


def test_formatting_leaves_a_broken_program_alone() -> None:
    assert editor.formatted("{a:1}") == "{ a: 1 }\n"
    assert editor.formatted("{a:") is None


class Client:
    """Speaks the protocol to a server process."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "rolltop", "transform", "lsp"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            assert line or self.process.poll() is None, "the server ended"
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, method: str, params: Any, number: int) -> Any:
        self.send(method, params, number)
        while (answer := self.receive()).get("id") != number:
            pass
        return answer["result"]

    def told(self, method: str) -> Any:
        while (message := self.receive()).get("method") != method:
            pass
        return message["params"]


def test_a_client_gets_findings_hover_completion_and_formatting() -> None:
    client = Client()
    uri = "file:///program.utlx"
    document = {"uri": uri}
    try:
        features = client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)["capabilities"]
        assert {"hoverProvider", "completionProvider", "documentFormattingProvider"} <= features.keys()
        client.send("initialized", {})
        text = "let x = 1\nmap(y,f=>f)"
        client.send(
            "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "utlx", "version": 1, "text": text}}
        )
        found = client.told("textDocument/publishDiagnostics")["diagnostics"]
        assert {"E401", "W601"} <= {item["code"] for item in found}
        assert next(item for item in found if item["code"] == "E401")["range"]["start"] == {"line": 1, "character": 4}
        place = {"textDocument": document, "position": {"line": 1, "character": 1}}
        assert "map(array" in client.ask("textDocument/hover", place, 2)["contents"]["value"]
        assert "map" in {item["label"] for item in client.ask("textDocument/completion", place, 3)}
        options = {"textDocument": document, "options": {"tabSize": 2, "insertSpaces": True}}
        assert client.ask("textDocument/formatting", options, 4)[0]["newText"] == "let x = 1\nmap(y, f => f)\n"
        client.send(
            "textDocument/didChange",
            {"textDocument": {**document, "version": 2}, "contentChanges": [{"text": "1 + 1"}]},
        )
        assert client.told("textDocument/publishDiagnostics")["diagnostics"] == []
        client.ask("shutdown", None, 5)
        client.send("exit", None)
        assert client.process.wait(30) == 0
    finally:
        client.process.kill()
        client.process.communicate()

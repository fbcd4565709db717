"""OpenAPI documents as tools: their definitions, and calls of a real service."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rolltop.catalog import check, mcptool_build, mcptool_load_all
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.errors import ForeignFailure, InvalidInput

DOCUMENT = """
openapi: 3.0.3
info: {title: Orchard, version: '1'}
paths:
  /trees/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}, description: Which tree}
    get:
      operationId: getTree
      summary: Look at a tree.
      tags: [trees]
      parameters:
        - {name: fields, in: query, schema: {type: array, items: {type: string, enum: [name, year]}}}
      responses:
        '200':
          content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}
    delete:
      summary: Fell it.
      responses: {'204': {description: gone}}
  /trees:
    post:
      operationId: plant
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}
      responses: {'201': {description: planted}}
  /away:
    get: {operationId: away, responses: {'200': {description: never}}}
components:
  schemas:
    Tree:
      type: object
      required: [name]
      properties:
        name: {type: string, description: What it is called.}
        year: {type: integer, nullable: true}
        parent: {$ref: '#/components/schemas/Tree'}
"""


class Orchard(BaseHTTPRequestHandler):
    seen: list[dict[str, Any]]

    def answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        type(self).seen.append({"path": self.path, "auth": self.headers.get("Authorization"), "body": body})
        status, location = (302, "http://127.0.0.1:9/") if self.path == "/v1/away" else (200, "")
        said = json.dumps({"name": "Topaz", "year": 1984}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        if location:
            self.send_header("location", location)
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: the test looks at `seen`."""


@pytest.fixture
def orchard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Catalog, list[dict[str, Any]]]]:
    monkeypatch.setenv("ORCHARD_TOKEN", "s3cret")
    Orchard.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Orchard)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = tmp_path / "orchard"
    place.mkdir()
    (place / "openapi.yaml").write_text(DOCUMENT)
    mcptool_build(place)
    address = f"http://127.0.0.1:{server.server_port}/v1"
    section = {"services": {"orchard": {"address": address, "secret": "ORCHARD_TOKEN"}}}
    catalog = Catalog(CatalogSettings.from_section(section, serve=(str(place),)))
    yield catalog, Orchard.seen
    catalog.close()
    server.shutdown()
    server.server_close()


def test_operations_become_definitions(tmp_path: Path) -> None:
    (tmp_path / "orchard.yaml").write_text(DOCUMENT)
    mcptool_build(tmp_path / "orchard.yaml")
    tools = mcptool_load_all(tmp_path / "orchard.yaml")
    assert sorted(tools) == ["orchard-away", "orchard-delete_trees_id", "orchard-getTree", "orchard-plant"]
    get = tools["orchard-getTree"]
    assert (get.description, get.category, get.language) == ("Look at a tree.", "trees", "openapi")
    assert get.parameters["required"] == ["id"]
    assert get.parameters["properties"]["fields"]["items"]["enum"] == ["name", "year"]
    assert get.returns is not None
    assert get.returns["properties"]["year"]["type"] == ["integer", "null"]
    assert not get.requires_approval
    assert tools["orchard-plant"].requires_approval
    assert tools["orchard-plant"].parameters["required"] == ["name"]
    assert tools["orchard-delete_trees_id"].dangerous
    assert [problem for problem in check(tmp_path / "orchard.yaml") if problem.is_serious] == []


def test_calls_go_to_the_owners_address_with_the_owners_secret(orchard: tuple[Catalog, list[dict[str, Any]]]) -> None:
    catalog, seen = orchard
    assert catalog.call("orchard-getTree", {"id": "a/../b", "fields": ["name", "year"]}).value["name"] == "Topaz"
    assert seen[-1]["path"] == "/v1/trees/a%2F..%2Fb?fields=name&fields=year"
    assert seen[-1]["auth"] == "Bearer s3cret"
    catalog.call("orchard-plant", {"name": "Elstar", "year": 2001})
    assert seen[-1]["body"] == {"name": "Elstar", "year": 2001}


def test_a_call_is_not_led_elsewhere(orchard: tuple[Catalog, list[dict[str, Any]]]) -> None:
    catalog, seen = orchard
    with pytest.raises(ForeignFailure, match="answered with 302"):
        catalog.call("orchard-away", {})
    with pytest.raises(InvalidInput, match="lead elsewhere"):
        catalog.call("orchard-getTree", {"id": ".."})
    assert len(seen) == 1


def test_without_an_address_or_its_secret_nothing_is_asked(tmp_path: Path) -> None:
    (tmp_path / "openapi.yaml").write_text(DOCUMENT)
    mcptool_build(tmp_path)
    (name,) = [each for each in mcptool_load_all(tmp_path) if each.endswith("-getTree")]
    catalog = Catalog(CatalogSettings(serve=(str(tmp_path),)))
    with pytest.raises(InvalidInput, match=r"the address of .* is not set"):
        catalog.call(name, {"id": "1"})
    catalog.close()
    section = {"services": {name.partition("-")[0]: {"address": "http://127.0.0.1:9", "secret": "NO_SUCH_SECRET"}}}
    catalog = Catalog(CatalogSettings.from_section(section, serve=(str(tmp_path),)))
    with pytest.raises(InvalidInput, match="secret NO_SUCH_SECRET is not set"):
        catalog.call(name, {"id": "1"})
    catalog.close()

"""What an agent can do with the store over a real client: go back, read any document, edit, take folders, recall."""

from __future__ import annotations

import base64
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
import made_files as made
import pytest

pytestmark = pytest.mark.anyio

Call = Callable[..., Any]


@pytest.fixture
async def call(shared_server: Callable[..., str]) -> AsyncIterator[Call]:
    """`await call("store_text", name=…)`: the structured answer of a server that all tests share."""
    from mcp import Client

    async with Client(shared_server("--toolsets", "store")) as client:

        async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
            return (await client.call_tool(tool, arguments)).structured_content

        ask.client = client  # type: ignore[attr-defined]
        yield ask


@pytest.fixture
def home(shared_environment: dict[str, str]) -> Path:
    return Path(shared_environment["HOME"])


# versions ----------------------------------------------------------------------------------------


async def test_versions_are_listed_compared_and_restored(call: Call) -> None:
    for text in ("one\ntwo\n", "one\nthree\n", "four\n"):
        await call("store_text", name="history/a.md", content=text)
    listed = await call("document_history", name="history/a.md")
    assert [(each["version"], each["size"]) for each in listed["versions"]] == [(3, 5), (2, 10), (1, 8)]
    assert all(len(each["hash"]) == 64 and each["time"] for each in listed["versions"])
    older = await call("document_history", name="history/a.md", version=2)
    assert [each["version"] for each in older["versions"]] == [2, 1]
    changed = await call("document_history", name="history/a.md", action="diff", version=1, to=2)
    assert changed["diff"].splitlines()[2:] == ["@@ -1,2 +1,2 @@", " one", "-two", "+three"]
    restored = await call("document_history", name="history/a.md", action="restore", version=1)
    assert restored["version"] == 4
    assert (await call("cat_document", name="history/a.md"))["content"] == "one\ntwo\n"
    missing = await call("document_history", name="history/a.md", action="restore", version=9)
    assert "1 to 4" in missing["hint"]


async def test_snapshots_are_taken_and_compared(call: Call) -> None:
    taken = await call("document_history", action="snapshots", snapshot="before")
    await call("store_text", name="history/fresh.md", content="fresh\n")
    since = await call("document_history", action="diff", snapshot="before")
    assert {"change": "added", "path": "history/fresh.md"} in since["changes"]
    listed = await call("document_history", action="snapshots")
    assert [each["label"] for each in listed["snapshots"]] == ["before"]
    assert taken["snapshots"] == listed["snapshots"]


async def test_a_deletion_is_undone(shared_environment: dict[str, str], call: Call) -> None:
    await call("store_text", name="history/gone.md", content="gone\n")
    remove = [sys.executable, "-m", "rolltop", "store", "rm", "--yes", "history/gone.md"]
    await anyio.run_process(remove, env=shared_environment)
    assert [each["path"] for each in (await call("document_history", action="deleted"))["deleted"]] == [
        "history/gone.md"
    ]
    assert (await call("document_history", action="undo", name="gone.md"))["restored"] == ["history/gone.md"]
    assert (await call("cat_document", name="history/gone.md"))["content"] == "gone\n"


# the text of documents ---------------------------------------------------------------------------


async def test_a_pdf_is_read_as_text_by_line_and_by_page(call: Call, home: Path) -> None:
    (home / "report.pdf").write_bytes(made.made_pdf("First page", "Revenue rose"))
    digest = (await call("store_document", path=str(home / "report.pdf")))["hash"]
    whole = await call("cat_document", name="report.pdf")
    assert (whole["extracted"], whole["pages"], whole["complete"]) == (True, 2, True)
    assert whole["content"].split() == ["First", "page", "Revenue", "rose"]
    second = await call("get_by_name", name="report.pdf", page=2)
    assert second["content"].strip() == "Revenue rose"
    by_hash = await call("retrieve_document", hash=digest, page=1)
    assert by_hash["content"].strip() == "First page"
    first = await call("cat_document", name="report.pdf", start_line=1, end_line=1)
    assert (first["content"].strip(), first["start_line"], first["end_line"]) == ("First page", 1, 1)
    rest = await call("cat_document", name="report.pdf", offset=first["end"])
    assert rest["content"] == whole["content"][first["end"] :]
    assert "up to 2" in (await call("cat_document", name="report.pdf", page=7))["hint"]
    client = call.client  # type: ignore[attr-defined]
    page = (await client.read_resource("doc://report.pdf?page=2")).contents[0]
    assert (page.text.strip(), page.mime_type) == ("Revenue rose", "text/plain")


async def test_the_bytes_come_on_request(call: Call, home: Path) -> None:
    data = made.made_docx()
    (home / "letter.docx").write_bytes(data)
    await call("store_document", path=str(home / "letter.docx"))
    assert (await call("cat_document", name="letter.docx"))["extracted"]
    raw = await call("cat_document", name="letter.docx", raw=True)
    assert base64.b64decode(raw["blob"]) == data
    client = call.client  # type: ignore[attr-defined]
    blob = (await client.read_resource("doc://letter.docx?raw=true")).contents[0].blob
    assert base64.b64decode(blob) == data


async def test_plain_text_has_no_pages(call: Call) -> None:
    await call("store_text", name="plain.md", content="text\n")
    assert (await call("cat_document", name="plain.md", page=1))["error"] == "the document has no pages"

"""A real client keeps, finds and reads documents over stdio, in both protocol eras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import made_files as made
import pytest

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_client_keeps_and_finds_documents(stdio_client: Any, era: str, tmp_path: Path) -> None:
    (tmp_path / "home" / "plan.txt").write_text("Plant an oak.\n")
    async with stdio_client("--toolsets", "store", mode=era) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"store_document", "bulk_operations", "grep_documents"} <= tools
        await client.call_tool("store_document", {"path": str(tmp_path / "home" / "plan.txt"), "tags": ["garden"]})
        await client.call_tool("store_text", {"content": "Water the oak.\n", "name": "notes/oak.md"})
        found = await client.call_tool("search_documents", {"query": "oak"})
        assert found.structured_content["total"] == 2
        lines = await client.call_tool("grep_documents", {"pattern": "^Plant"})
        assert lines.structured_content["results"][0]["matches"][0]["line"] == "Plant an oak."
        page = await client.read_resource("doc://notes/oak.md")
        assert page.contents[0].text == "Water the oak.\n"
        refused = await client.call_tool("delete_by_name", {"name": "oak.md"})
        assert refused.is_error
        assert refused.structured_content["code"] == "consent_required"


async def test_a_client_greps_a_pdf_and_learns_the_page(stdio_client: Any, tmp_path: Path) -> None:
    (tmp_path / "home" / "report.pdf").write_bytes(made.made_pdf("First", "Revenue rose"))
    async with stdio_client("--toolsets", "store") as client:
        await client.call_tool("store_document", {"path": str(tmp_path / "home" / "report.pdf")})
        line: dict[str, Any] = {}
        while "place" not in line:  # until its text was read, the lines are those of its bytes
            found = await client.call_tool("grep_documents", {"pattern": "Rev[a-z]+ ", "with_filename": True})
            (line,) = found.structured_content["results"][0]["matches"]
        assert (line["line"], line["place"]) == ("Revenue rose", "page 2")
        assert found.content[0].text.endswith("report.pdf\npage 2: Revenue rose")


async def test_a_client_searches_by_meaning(stdio_client: Any) -> None:
    async with stdio_client("--toolsets", "store") as client:
        await client.call_tool("store_text", {"content": "My automobile needs new tyres.\n", "name": "garage.md"})
        await client.call_tool("store_text", {"content": "Fry the onions in butter.\n", "name": "soup.md"})
        near = (await client.call_tool("search_documents", {"query": "car", "type": "semantic"})).structured_content
        assert (near["type"], near["model"], near["embedded"]) == ("semantic", "wordllama", 1.0)
        assert [hit["path"] for hit in near["results"]] == ["garage.md", "soup.md"]
        both = (await client.call_tool("search_documents", {"query": "car", "paths_only": True})).structured_content
        assert (both["type"], both["paths"]) == ("hybrid", ["garage.md"])


async def test_a_client_finds_the_words_of_a_file_and_what_belongs_to_it(stdio_client: Any, tmp_path: Path) -> None:
    (tmp_path / "home" / "letter.docx").write_bytes(made.made_docx())
    async with stdio_client("--toolsets", "store") as client:
        stored = await client.call_tool("store_document", {"path": str(tmp_path / "home" / "letter.docx")})
        digest = stored.structured_content["hash"]
        await client.call_tool("store_text", {"content": "See letter.docx in `letter.docx`.", "name": "index.md"})
        for _ in range(20):  # the first search waits a moment for the readers to start, not more
            found = await client.call_tool("search_documents", {"query": "giraffe"})
            if found.structured_content["total"]:
                break
        assert found.structured_content["results"][0]["hash"] == digest
        answer = (await client.call_tool("retrieve_document", {"hash": digest, "graph": True})).structured_content
        assert (answer["graph_enabled"], answer["related_complete"]) == (True, True)
        [related] = answer["related_documents"]
        assert (related["path"], related["distance"], related["relations"]) == ("index.md", 1, ["link"])
        assert "related_note" not in answer
        for number in range(30):
            await client.call_tool("store_text", {"content": f"{number} `letter.docx`", "name": f"more{number}.md"})
        for _ in range(20):
            answer = (await client.call_tool("retrieve_document", {"hash": digest, "graph": True})).structured_content
            if "not been looked at" not in (answer.get("related_note") or ""):
                break
        assert not answer["related_complete"]
        assert "more relations of one kind than are shown" in answer["related_note"]
        plain = (await client.call_tool("retrieve_document", {"hash": digest})).structured_content
        assert "related_documents" not in plain


async def test_a_client_is_told_why_a_file_has_no_text(stdio_client: Any, tmp_path: Path) -> None:
    (tmp_path / "home" / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(5000))
    async with stdio_client("--toolsets", "store") as client:
        stored = await client.call_tool("store_document", {"path": str(tmp_path / "home" / "old.doc")})
        for _ in range(20):
            await client.call_tool("search_documents", {"query": "anything"})
            wanted = {"hash": stored.structured_content["hash"]}
            told = (await client.call_tool("retrieve_document", wanted)).structured_content["text_note"]
            if "not been read yet" not in told:
                break
        assert "old Office file" in told

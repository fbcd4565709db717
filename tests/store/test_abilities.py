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
    second = await call("cat_document", name="report.pdf", page=2)
    assert second["content"].strip() == "Revenue rose"
    assert (await call("get_by_name", name="report.pdf"))["content"] == whole["content"]
    by_hash = await call("retrieve_document", hash=digest, start_line=1, end_line=1)
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


# editing -----------------------------------------------------------------------------------------


async def test_a_text_is_appended_to_and_a_passage_replaced(call: Call) -> None:
    await call("store_text", name="edit/todo.md", content="milk\nmilk\nAda", tags=["errand"])
    appended = await call("edit_document", name="edit/todo.md", append="tea\n")
    assert (appended["outcome"], appended["version"]) == ("version", 2)
    replaced = await call("edit_document", name="edit/todo.md", old="Ada", new="Grace")
    assert replaced["version"] == 3
    assert (await call("cat_document", name="edit/todo.md"))["content"] == "milk\nmilk\nGrace\ntea\n"
    refused = await call("edit_document", name="edit/todo.md", old="milk", new="bread")
    assert (refused["details"]["count"], refused["error"]) == (2, "edit/todo.md has this passage 2 times")
    assert "lines 1, 2" in refused["hint"]
    assert "does not have" in (await call("edit_document", name="edit/todo.md", old="rum", new=""))["error"]
    assert (await call("document_history", name="edit/todo.md"))["total"] == 3


async def test_text_in_another_encoding_stays_in_it(call: Call, home: Path) -> None:
    (home / "alt.txt").write_bytes("Grüße aus Köln, viele Grüße an alle Freunde\n".encode("cp1252"))
    await call("store_document", path=str(home / "alt.txt"))
    assert (await call("edit_document", name="alt.txt", old="Köln", new="Münster"))["version"] == 2
    raw = await call("cat_document", name="alt.txt", raw=True)
    assert raw["content"] == "Grüße aus Münster, viele Grüße an alle Freunde\n"
    assert raw["size"] == len(raw["content"])
    assert "cannot hold" in (await call("edit_document", name="alt.txt", append="漢字"))["error"]


async def test_a_document_is_moved_with_its_history_and_copied(call: Call) -> None:
    for text in ("a zebra walks", "a zebra runs"):
        await call("store_text", name="edit/old.txt", content=text, tags=["zoo"])
    moved = await call("edit_document", name="edit/old.txt", move_to="edit/new.md")
    assert (moved["outcome"], moved["path"], moved["version"]) == ("moved", "edit/new.md", 2)
    assert (await call("cat_document", name="edit/old.txt"))["code"] == "document_not_found"
    assert (await call("document_history", name="edit/new.md"))["total"] == 2
    found = await call("search_documents", query="zebra", paths_only=True)
    assert found["paths"] == ["edit/new.md"]
    copied = await call("edit_document", name="edit/new.md", copy_to="edit/copy.md")
    assert (copied["hash"], copied["version"]) == (moved["hash"], 1)
    (document,) = (await call("list_documents", paths=["edit/copy.md"]))["documents"]
    assert (document["tags"], document["mime_type"]) == (["zoo"], "text/markdown")
    taken = await call("edit_document", name="edit/new.md", move_to="edit/copy.md")
    assert taken["code"] == "conflict"


async def test_metadata_is_given_as_an_object_and_tags_alone(call: Call) -> None:
    await call("store_text", name="meta.md", content="x\n")
    both = await call("update_metadata", name="meta.md", metadata={"priority": 3, "to": ["a", "b"]}, verbose=True)
    assert both["metadata"] == {"priority": 3, "to": ["a", "b"]}
    assert (await call("update_metadata", name="meta.md", add_tags=["later"]))["tags"] == ["later"]
    assert (await call("update_metadata", name="meta.md"))["code"] == "invalid_arguments"


# folders -----------------------------------------------------------------------------------------


async def test_a_directory_is_stored_as_gitignore_and_patterns_say(call: Call, home: Path) -> None:
    top = home / "project"
    (top / "build").mkdir(parents=True)
    for name, text in {
        ".gitignore": "build/\n*.log\n",
        "readme.md": "read me",
        "main.py": "print()",
        "run.log": "noise",
        "build/out.md": "made",
        "secret.md": "hidden",
    }.items():
        (top / name).write_text(text)
    (top / "link.md").symlink_to(top / "readme.md")
    stored = await call("store_document", path="~/project", include=["*.md"], exclude=["secret.*"], tags=["p"])
    assert stored["documents"] == {"new": 1, "version": 0, "unchanged": 0}
    assert stored["skipped"] == {"ignored": 1, "excluded": 4, "links": 1}
    assert (await call("search_by_tag", tags=["p"]))["documents"][0]["path"] == str(top / "readme.md")
    again = await call("store_document", path=f"file://{top}")
    assert again["documents"] == {"new": 3, "version": 0, "unchanged": 1}
    assert again["skipped"] == {"ignored": 2, "links": 1}
    assert (await call("cat_document", name="~/project/readme.md"))["content"] == "read me"
    assert (await call("cat_document", name=f"file://{top}/main.py"))["content"] == "print()"
    one = await call("store_document", path=str(top / "main.py"), include=["*.py"])
    assert one["code"] == "invalid_arguments"


# finding -----------------------------------------------------------------------------------------


async def test_a_name_that_is_nearly_right_is_corrected(call: Call) -> None:
    await call("store_text", name="names/README-first.md", content="x\n")
    missing = await call("cat_document", name="redme-first.md")
    assert missing["code"] == "document_not_found"
    assert missing["hint"].startswith("Did you mean names/README-first.md")
    assert "Did you mean" not in (await call("cat_document", name="quite-something-else.md"))["hint"]


async def test_a_search_is_narrowed_by_tag_path_type_and_time(call: Call) -> None:
    for name, tags in (("n/a.md", ["w/x"]), ("n/b.py", ["w"]), ("m/c.md", [])):
        await call("store_text", name=name, content="the quick okapi jumps\n", tags=tags)

    async def found(kind: str = "hybrid", **where: Any) -> list[str]:
        answer = await call("search_documents", query="okapi", type=kind, where=where, paths_only=True)
        return sorted(answer["paths"]) if "paths" in answer else [answer["error"]]

    for kind in ("keyword", "hybrid"):
        assert await found(kind) == ["m/c.md", "n/a.md", "n/b.py"]
        assert await found(kind, tags=["w"]) == ["n/a.md", "n/b.py"]
        assert await found(kind, paths=["n/"], extension="md") == ["n/a.md"]
        assert await found(kind, modified_after="1h", type="text", paths=["m/"]) == ["m/c.md"]
        assert await found(kind, modified_before="1h") == []
    assert await found("semantic", tags=["w/x"]) == ["n/a.md"]
    assert await found(limit=3) == ["where has no limit"]
    narrowed = await call("search_documents", query="okapi", where={"tags": ["w"]}, limit=1)
    assert narrowed["total"] == 2
    again = {"query": "okapi", "limit": 5, "cursor": narrowed["next_cursor"]}
    assert len((await call("search_documents", where={"tags": ["w"]}, **again))["results"]) == 1
    assert (await call("search_documents", **again))["code"] == "invalid_arguments"


async def test_a_task_is_answered_with_passages_of_several_documents(call: Call) -> None:
    filler = "The weather was fine and nothing happened on that day at all.\n\n" * 60
    await call("store_text", name="r/orchard.md", content=f"{filler}Topaz apples are harvested in week 38.\n\n{filler}")
    await call("store_text", name="r/tools.md", content="The apple harvest needs two ladders and nine crates.\n")
    await call("store_text", name="r/rules.md", content="Answer in Dutch.\n", tags=["pinned"])
    found = await call("recall", task="Plan the apple harvest: when, and with what?", tokens=600)
    passages = {each["path"]: each for each in found["passages"]}
    assert found["passages"][0]["path"] == "r/rules.md"
    assert "week 38" in passages["r/orchard.md"]["text"]
    assert passages["r/orchard.md"]["place"].startswith("line 1")
    assert "ladders" in passages["r/tools.md"]["text"]
    assert found["tokens"] <= 600
    assert found["recent"][0]["path"] == "r/rules.md"
    assert sum(len(each["text"]) for each in found["passages"]) <= 2400


async def test_prompts_lead_to_the_tools(call: Call) -> None:
    client = call.client  # type: ignore[attr-defined]
    names = {prompt.name for prompt in (await client.list_prompts()).prompts}
    assert {"remember_this", "what_do_i_know", "tidy_up"} <= names
    asked = await client.get_prompt("what_do_i_know", {"subject": "the heat pump", "tag": "house"})
    text = asked.messages[0].content.text
    assert "the heat pump" in text
    assert "Call recall with this as task and tags house." in text

"""The requirement's examples, verbatim, over a real client; its messages, resources and error codes."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import MCPError

pytestmark = pytest.mark.anyio

SCHEMES = {
    "create_rmd": {
        "properties": {
            "filename": {"type": "string", "description": "Filename for the R Markdown file (without extension)"},
            "title": {"type": "string", "description": "Title for the R Markdown document"},
            "content": {"type": "string", "description": "Content of the R Markdown file"},
        },
        "required": ["filename", "title", "content"],
    },
    "render_rmd": {
        "properties": {
            "filename": {"type": "string", "description": "Filename of the R Markdown file to render"},
            "format": {
                "type": "string",
                "enum": ["html", "pdf", "word"],
                "description": "Output format (html, pdf, or word)",
                "default": "html",
            },
            "use_docker_compose": {
                "type": "boolean",
                "default": False,
            },
        },
        "required": ["filename"],
    },
}

CREATE = {
    "filename": "example",
    "title": "Example R Markdown",
    "content": Path(__file__).with_name("example.Rmd").read_text(),
}
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


async def text_of(client: Any, tool: str, arguments: dict[str, Any]) -> str:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    text: str = answer.content[0].text
    return text


async def test_schemas_are_the_documented_ones_and_more(stdio_client: Any) -> None:
    async with stdio_client("--toolsets", "reports") as client:
        tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    for name, documented in SCHEMES.items():
        assert tools[name]["required"] == documented["required"]
        for field, schema in documented["properties"].items():
            assert {key: tools[name]["properties"][field].get(key) for key in schema} == schema
    said = tools["render_rmd"]["properties"]["use_docker_compose"]["description"]
    assert said.startswith("Whether to use docker-compose (true) or Dockerode (false). Here false")


@pytest.mark.container
async def test_the_usage_example_locally(stdio_client: Any) -> None:
    async with stdio_client("--toolsets", "reports") as client:
        assert await text_of(client, "create_rmd", CREATE) == "Created R Markdown file: example.Rmd"
        answer = await client.call_tool("render_rmd", {"filename": "example", "format": "html"})
        assert answer.content[0].text == "Successfully rendered example.Rmd to example.html"
        assert [block.type for block in answer.content] == ["text", "resource_link", "text", "image"]
        assert answer.content[2].text == answer.structured_content["text"]
        assert "Max.   :25.0" in answer.content[2].text
        assert "rmd-figure:///example/" in answer.content[2].text
        assert answer.structured_content["renderer"] == "local"
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        jsonschema.validate(answer.structured_content, tools["render_rmd"].output_schema)
        page = (await client.read_resource("rmd-output:///example.html")).contents[0]
        assert page.mime_type == "text/html"
        assert "Example R Markdown" in page.text
        for form, name, magic, kind in (
            ("pdf", "example.pdf", b"%PDF-", "application/pdf"),
            ("word", "example.docx", b"PK", DOCX),
        ):
            arguments = {"filename": "example", "format": form}
            assert await text_of(client, "render_rmd", arguments) == f"Successfully rendered example.Rmd to {name}"
            blob = (await client.read_resource(f"rmd-output:///{name}")).contents[0]
            assert blob.mime_type == kind
            assert base64.b64decode(blob.blob).startswith(magic)
        listed = (await client.list_resources()).resources
        rows = [(str(each.uri), each.name, each.description, each.mime_type) for each in listed]
        title = "Example R Markdown"
        assert ("rmd:///example.Rmd", title, f"R Markdown file: {title}", "text/markdown") in rows
        name = "example.docx"
        assert (f"rmd-output:///{name}", f"Rendered: {name}", f"Rendered output: {name}", DOCX) in rows


@pytest.mark.container
@pytest.mark.parametrize("place", ["docker", "compose"])
async def test_the_usage_example_in_containers(stdio_client: Any, container_host: str, place: str) -> None:
    env = {"DOCKER_HOST": container_host, "ROLLTOP_REPORTS_IMAGE_BASE": "debian", "ROLLTOP_REPORTS_RENDERER": "docker"}
    async with stdio_client("--toolsets", "reports", env=env) as client:
        await text_of(client, "create_rmd", CREATE)
        for form, name in (("html", "example.html"), ("pdf", "example.pdf"), ("word", "example.docx")):
            arguments = {"filename": "example", "format": form, "use_docker_compose": place == "compose"}
            answer = await client.call_tool("render_rmd", arguments)
            assert answer.content[0].text == f"Successfully rendered example.Rmd to {name}"
            assert answer.structured_content["renderer"] == place


async def test_error_codes_are_the_documented_ones(stdio_client: Any) -> None:
    async with stdio_client("--toolsets", "reports", mode="legacy") as client:
        assert await code_of(client.read_resource("rmd:///missing.Rmd")) == -32002
        assert await code_of(client.read_resource("rmd-output:///missing.html")) == -32002
        for malformed in ("rmd:///../../etc/passwd", "bogus://x", "no URI at all", "x"):
            assert await code_of(client.read_resource(malformed)) == -32600
        assert await code_of(client.call_tool("no_such_tool", {})) == -32602
        with pytest.raises(MCPError) as caught:
            await client.call_tool("render_rmd", {})
        assert caught.value.error.code == -32602
        assert caught.value.error.message == "Invalid params: filename is required"
        answer = await client.call_tool("render_rmd", {"filename": "missing"})
        assert answer.is_error
        assert answer.structured_content["error"]["name"] == "NotFound"
    async with stdio_client("--toolsets", "reports", mode="2026-07-28") as client:
        assert await code_of(client.read_resource("rmd:///missing.Rmd")) == -32602


async def code_of(request: Any) -> int:
    with pytest.raises(MCPError) as caught:
        await request
    code: int = caught.value.error.code
    return code


async def test_a_failed_render_tells_an_agent_where_to_look(stdio_client: Any) -> None:
    async with stdio_client("--toolsets", "reports") as client:
        content = "Text\n\n```{r culprit}\nstop('boom')\n```\n"
        await text_of(client, "create_rmd", {"filename": "bad", "title": "Bad", "content": content})
        answer = await client.call_tool("render_rmd", {"filename": "bad", "engine": "fast"})
        assert answer.is_error
        error = answer.structured_content["error"]
        assert (error["code"], error["name"], error["type"]) == (-32603, "InternalError", "render_failed")
        assert error["details"]["chunk"] == "culprit"
        assert "boom" in answer.content[0].text
        fixed = {"filename": "bad", "find": "stop('boom')", "replace": "1 + 1"}
        assert await text_of(client, "update_rmd", fixed) == "Updated R Markdown file: bad.Rmd"
        assert not (await client.call_tool("render_rmd", {"filename": "bad", "engine": "fast"})).is_error


async def test_documents_are_listed_read_attached_to_and_deleted_with_consent(stdio_client: Any) -> None:
    async with stdio_client("--toolsets", "reports", "--consent", "literal") as client:
        await text_of(client, "create_rmd", {"filename": "kept", "title": "Kept", "content": "x"})
        again = await client.call_tool("create_rmd", {"filename": "kept", "title": "Kept", "content": "y"})
        assert again.structured_content["error"]["type"] == "conflict"
        over = {"filename": "kept", "title": "Kept", "content": "y", "overwrite": True}
        assert (await client.call_tool("create_rmd", over)).structured_content["error"]["type"] == "consent_required"
        await text_of(client, "create_rmd", {**over, "confirm": "OVERWRITE_RMD"})
        attached = {"filename": "kept", "name": "data.csv", "content": "a\n1\n"}
        assert await text_of(client, "attach_rmd_file", attached) == "Attached kept/data.csv"
        listed = json.loads(await text_of(client, "list_rmd", {}))
        assert [entry["title"] for entry in listed["documents"]] == ["Kept"]
        read = json.loads(await text_of(client, "read_rmd", {"filename": "kept"}))
        assert read["side_files"] == ["data.csv"]
        refused = await client.call_tool("delete_rmd", {"filename": "kept"})
        assert refused.structured_content["error"]["type"] == "consent_required"
        done = await text_of(client, "delete_rmd", {"filename": "kept", "confirm": "DELETE_RMD"})
        assert done == "Deleted R Markdown file: kept.Rmd"
        templates = {str(each.uri_template) for each in (await client.list_resource_templates()).resource_templates}
        assert {"rmd:///{filename}.Rmd", "rmd-output:///{filename}.html"} <= templates


async def test_changes_made_at_once_by_two_servers_are_all_there(stdio_client: Any) -> None:
    import anyio

    async with stdio_client("--toolsets", "reports") as one, stdio_client("--toolsets", "reports") as two:
        content = "\n".join(f"TODO{number}." for number in range(20))
        await text_of(one, "create_rmd", {"filename": "race", "title": "Race", "content": content})
        async with anyio.create_task_group() as group:
            for number in range(20):
                change = {"filename": "race", "find": f"TODO{number}.", "replace": "DONE"}
                group.start_soon(text_of, (one, two)[number % 2], "update_rmd", change)
        assert (await one.read_resource("rmd:///race.Rmd")).contents[0].text.count("DONE") == 20


async def test_a_side_file_that_is_replaced_is_said_to_be(stdio_client: Any) -> None:
    async with stdio_client("--toolsets", "reports") as client:
        await text_of(client, "create_rmd", {"filename": "kept", "title": "Kept", "content": "x"})
        attached = {"filename": "kept", "name": "data.csv", "content": "a\n1\n"}
        assert await text_of(client, "attach_rmd_file", attached) == "Attached kept/data.csv"
        again = await client.call_tool("attach_rmd_file", attached)
        assert again.content[0].text == "Attached kept/data.csv in place of the earlier one"
        assert again.structured_content["replaced"] is True


async def test_progress_names_chunks(stdio_client: Any) -> None:
    seen: list[str] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append(message or "")

    async with stdio_client("--toolsets", "reports") as client:
        content = "```{r first}\n1\n```\n\n```{r second}\n2\n```\n"
        await text_of(client, "create_rmd", {"filename": "p", "title": "P", "content": content})
        await client.call_tool("render_rmd", {"filename": "p", "engine": "fast"}, progress_callback=note)
    assert any("(second)" in message for message in seen)


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
async def test_clients_hear_of_new_and_changed_documents(stdio_client: Any) -> None:
    import anyio

    awaited = {"notifications/resources/list_changed", "notifications/resources/updated"}
    all_heard = anyio.Event()

    async def listen(message: Any) -> None:
        awaited.discard(getattr(message, "method", ""))
        if not awaited:
            all_heard.set()

    async with stdio_client("--toolsets", "reports", mode="legacy", message_handler=listen) as client:
        await text_of(client, "create_rmd", {"filename": "news", "title": "News", "content": "x"})
        await client.subscribe_resource("rmd:///news.Rmd")
        await text_of(client, "update_rmd", {"filename": "news", "content": "y"})
        with anyio.fail_after(120):
            await all_heard.wait()

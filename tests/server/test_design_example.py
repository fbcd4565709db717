"""The example of docs/design/tools.md does what it says."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from mcp_core import Dispatcher, ExtMcpToolDecorator, Registry, ToolArguments, ToolContext
from rolltop.settings import load
from rolltop.workspace import Workspace

PAGE = Path(__file__).parents[2] / "docs/design/tools.md"


def test_the_tool_of_the_design_document_keeps_the_text_under_the_name(tmp_path: Path) -> None:
    code = PAGE.read_text("utf-8").partition("```python\n")[2].partition("```")[0]
    workspace = Workspace(load(env={"ROLLTOP_WORKSPACE": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}))
    workspace.prepare()
    registry = Registry()
    with ToolArguments.isolated():
        names: dict[str, Any] = {"__name__": "design_example"}
        exec(compile(code, str(PAGE), "exec"), names)
        ExtMcpToolDecorator(registry, "").register(names["store_text"])
        given = {"content": "Buy milk", "name": "todo.md"}
        answer = asyncio.run(Dispatcher(registry).call("store_text", given, ToolContext(workspace=workspace)))
    try:
        found = workspace.store.documents.by_hash(answer.structured["value"]["hash"])
        assert found is not None
        assert found.document.name == "todo.md"
        assert workspace.store.documents.read_object(found.object.id) == b"Buy milk"
    finally:
        workspace.close()

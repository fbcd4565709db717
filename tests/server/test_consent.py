"""Who is asked to agree sees what to: names, numbers, places; and nobody is asked about what cannot happen."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mcp_core import ClientInfo, Reply
from rolltop.server.application import Application
from rolltop.settings import load

PACKAGE = '''
def mcp_tool_sell(confirm: bool, price: float = 1.0) -> str:
    """Sell it.

    Args:
        confirm: Whether to confirm the sale by mail.
        price: The price.
    """
    return f"sold, confirm is {confirm}"
'''


class Human:
    """Calls tools, and answers the questions that come of it."""

    def __init__(self, desk: Application, agree: bool = True) -> None:
        self.desk, self.agree, self.questions = desk, agree, list[str]()

    def call(self, tool: str, **arguments: Any) -> Any:
        async def ask(key: str, message: str, schema: Any) -> Reply:
            self.questions.append(message)
            return Reply("accept", {"agree": self.agree})

        context = self.desk.context(ClientInfo(transport="test"), asker=ask)
        registered = self.desk.registry.by_plain_name(tool)
        assert registered is not None, tool
        return asyncio.run(self.desk.dispatcher.call(registered.name, arguments, context)).structured


@pytest.fixture
def human(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Human:
    monkeypatch.chdir(tmp_path)
    env = {
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "ROLLTOP_WORKSPACE": str(tmp_path / "workspace"),
        "ROLLTOP_GUIDE_CONFIG_DIR": str(tmp_path / "guide"),
    }
    return Human(Application(load(env=env)))


def test_removing_a_category_names_it(human: Human, tmp_path: Path) -> None:
    project = str(tmp_path / "orchard")
    Path(project).mkdir()
    for tool, kind, more in (("category", "letters", {}), ("collection", "review", {"members": ["letters"]})):
        human.call(f"add_{tool}", name=kind, project=project, **more)
    assert human.call("remove_category", name="nothing", project=project)["error_type"] == "not_found"
    assert human.call("remove_collection", name="nothing", project=project)["error_type"] == "not_found"
    assert human.questions == []
    assert human.call("remove_collection", name="review", project=project)["success"]
    assert human.call("remove_category", name="letters", project=project)["success"]
    assert 'removes the collection "review" from the project "orchard"' in human.questions[0]
    assert 'removes the category "letters" from the project "orchard"' in human.questions[1]


def test_deleting_documents_names_them(human: Human) -> None:
    for number in range(8):
        human.call("store_text", content=f"{number}\n", name=f"old/{number}.tmp")
    human.agree = False
    assert human.call("delete_by_name", name="nothing.tmp")["count"] == 0
    assert human.questions == []
    assert human.call("delete_by_name", names=["0.tmp", "1.tmp"])["code"] == "consent_required"
    assert "deletes 2 documents." in human.questions[-1]
    assert '2. "old/1.tmp", 2 bytes' in human.questions[-1]
    human.call("delete_by_name", pattern="old/*")
    assert "deletes 8 documents." in human.questions[-1]
    assert all(f'"old/{number}.tmp"' in human.questions[-1] for number in range(8))


def test_a_refusal_stands_for_the_session(human: Human) -> None:
    human.call("store_text", content="x\n", name="kept.md")
    human.agree = False
    assert human.call("delete_by_name", name="kept.md")["code"] == "consent_required"
    human.agree = True
    for again in ({"name": "kept.md"}, {"names": ["kept.md"]}, {"pattern": "*.md", "confirm": "DELETE_DOCUMENTS"}):
        assert "refused exactly this before" in human.call("delete_by_name", **again)["error"]
    assert len(human.questions) == 1
    assert human.call("list_documents")["total"] == 1


def test_steps_that_delete_are_named(human: Human) -> None:
    human.call("store_text", content="x\n", name="old/x.tmp")
    steps = [
        {"op": "store_text", "arguments": {"content": "old/x.tmp", "name": "new.md"}},
        {"op": "cat_document", "arguments": {"name": "new.md"}},
        {"op": "delete_by_name", "arguments": {"name": "$2.content"}},
        {"op": "delete_by_name", "arguments": {"name": "$1.name"}},
    ]
    answer = human.call("bulk_operations", operations=steps)
    assert "deletes 2 documents." in human.questions[0]
    assert '1. step 3 deletes "old/x.tmp"' in human.questions[0]
    assert '2. step 4 deletes "new.md"' in human.questions[0]
    assert answer["failed"] == 0


def test_replacing_a_file_names_it(human: Human, tmp_path: Path) -> None:
    kept = human.call("store_text", content="x\n", name="x.txt")["hash"]
    (tmp_path / "there.txt").write_text("before")
    (tmp_path / "folder").mkdir()
    assert human.call("retrieve_document", hash=kept, outputPath="folder")["code"] == "conflict"
    assert human.questions == []
    assert human.call("retrieve_document", hash=kept, outputPath="there.txt")["found"]
    assert f"""replaces the file "{tmp_path / "there.txt"}".""" in human.questions[0]
    assert (tmp_path / "there.txt").read_text() == "x\n"


def test_removing_a_report_names_it(human: Human) -> None:
    assert "error" in human.call("delete_rmd", filename="spring")
    assert human.questions == []
    human.call("create_rmd", filename="spring", title="Spring", content="Text.")
    human.call("delete_rmd", filename="spring")
    assert 'removes the document "spring.Rmd"' in human.questions[0]


def test_attaching_a_catalog_names_it_and_its_functions(human: Human, tmp_path: Path) -> None:
    (tmp_path / "market").mkdir()
    (tmp_path / "market" / "sales.py").write_text(PACKAGE)
    assert human.call("mcptool_attach", pkg="./nowhere")["error_type"] == "not_found"
    assert human.questions == []
    human.call("mcptool_build", path="./market", run_examples=False)
    human.call("mcptool_attach", pkg="./market")
    assert f"""run 1 functions of "{tmp_path / "market"}" in a sandbox""" in human.questions[0]
    assert "mcp_tool_sell" in human.questions[0]


def test_a_function_may_have_a_parameter_called_confirm(human: Human, tmp_path: Path) -> None:
    (tmp_path / "market").mkdir()
    (tmp_path / "market" / "sales.py").write_text(PACKAGE)
    human.call("mcptool_build", path="./market", run_examples=False)
    (file,) = tmp_path.rglob("*mcp_tool_sell*.yaml")
    file.write_text(file.read_text().replace("dangerous: false", "dangerous: true") + "dangerous: true\n")
    (name,) = human.call("mcptool_attach", pkg="./market")["value"]["tools"]
    live = Human(Application(human.desk.settings), agree=False)
    refused = live.call(name, confirm=True, user_consent="RUN_MCP_TOOL_SELL")
    assert '"confirm": "true"' in live.questions[0]
    assert refused["error_type"] == "consent_required"
    through = live.call("mcptool_call", name=name, arguments={"confirm": True}, confirm="RUN_MCP_TOOL_SELL")
    assert through["error_type"] == "consent_required"
    assert len(live.questions) == 1
    live.agree = True
    assert live.call(name, confirm=False)["value"]["result"] == "sold, confirm is False"

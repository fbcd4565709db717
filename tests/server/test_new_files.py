"""Through the tools: a human is asked about a new file, and no client writes what others obey or what configures us."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core import ClientInfo, Reply
from rolltop.guide import Category
from rolltop.server.application import Application
from rolltop.settings import load


class Client:
    """A client behind which a human answers."""

    def __init__(self, application: Application, home: Path) -> None:
        self.application, self.home = application, home
        self.agree, self.questions = True, list[str]()

    def call(self, tool: str, **arguments: Any) -> Any:
        async def ask(key: str, message: str, schema: Any) -> Reply:
            self.questions.append(message)
            return Reply("accept", {"agree": self.agree})

        context = self.application.context(ClientInfo(transport="test"), asker=ask)
        registered = self.application.registry.by_plain_name(tool)
        assert registered is not None, tool
        return asyncio.run(self.application.dispatcher.call(registered.name, arguments, context)).structured

    def write(self, path: Path | str, text: str = "new\n") -> Any:
        stored = self.call("store_text", content=text, name="x.txt")
        return self.call("retrieve_document", hash=stored["hash"], outputPath=str(path))


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    (home / "project").mkdir(parents=True)
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / "project")
    env = {
        "HOME": str(home),
        "ROLLTOP_WORKSPACE": str(home / "desk"),
        "ROLLTOP_GUIDE_CONFIG_DIR": str(home / "project" / "settings"),
    }
    application = Application(load({"toolsets": "store,guide"}, env=env))
    yield Client(application, home)
    application.close()


def test_a_new_file_in_the_users_directories_is_asked_about_with_its_full_path(client: Client) -> None:
    place = client.home / "project" / "report.txt"
    client.agree = False
    assert client.write("report.txt")["code"] == "consent_required"
    assert f'writes the new file "{place}"' in client.questions[0]
    assert not place.exists()


def test_with_the_humans_consent_it_is_written(client: Client) -> None:
    place = client.home / "project" / "report.txt"
    assert client.write(place)["found"]
    assert place.read_text() == "new\n"


def test_a_new_file_in_the_temporary_directory_or_the_export_folder_is_not_asked_about(client: Client) -> None:
    for folder in (client.home.parent / "temporary", client.home / "desk" / "exports"):
        assert client.write(folder / "output.txt")["path"] == str(folder / "output.txt")
    assert client.questions == []


@pytest.mark.parametrize("name", [".bashrc", "project/conftest.py", "project/x.pth", "project/CLAUDE.md"])
def test_what_other_programs_obey_is_refused_without_a_question(client: Client, name: str) -> None:
    assert client.write(client.home / name)["code"] == "permission_denied"
    assert client.questions == []
    assert not (client.home / name).exists()


def test_steps_of_a_bulk_call_ask_likewise(client: Client) -> None:
    stored = client.call("store_text", content="new\n", name="x.txt")
    client.agree = False
    step = {"op": "retrieve_document", "arguments": {"hash": stored["hash"], "outputPath": "a.txt"}}
    assert client.call("bulk_operations", operations=[step])["code"] == "consent_required"
    assert "writes 1 new file" in client.questions[0]
    client.questions.clear()
    step["arguments"]["outputPath"] = str(client.home / ".profile")
    client.call("bulk_operations", operations=[step])
    assert not (client.home / "project" / "a.txt").exists()
    assert not (client.home / ".profile").exists()
    assert client.questions == []


def test_a_client_cannot_move_the_document_root_and_read_the_machine(client: Client) -> None:
    """What read /etc/shadow once: write the guide's configuration where it does not lie in its default place."""
    config = client.home / "project" / "settings" / "config.yaml"
    client.call("add_category", name="all", dir=".", patterns=["*"], project=str(client.home / "project"))
    assert config.exists()
    before = config.read_text()
    assert client.write(config, "version: 1\ndocroot: /etc\n")["code"] == "permission_denied"
    assert config.read_text() == before


def test_a_document_root_outside_the_roots_is_not_read(client: Client) -> None:
    guide = client.application.workspace.guide
    project = guide.config.change_project(
        guide.config.project_at(client.home / "project"), lambda each: each.with_category(Category("all", ".", ("*",)))
    )
    guide.config.set_docroot(Path("/etc"))
    answer = client.call("get_content", expression="all/passwd", project=str(project.path))
    assert not answer["success"]
    assert "root:" not in str(answer)


def test_the_annotations_say_that_a_file_may_be_replaced(client: Client) -> None:
    registered = client.application.registry.by_plain_name("retrieve_document")
    assert registered is not None
    assert registered.spec.annotations.destructive

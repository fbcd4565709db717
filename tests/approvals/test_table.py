"""The table of consent: every destructive tool, each with every kind of human, with the literal and without, under each
setting of the owner, with a change while the question is open, and then again. In process, with the real engines."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcp_core import Answer, ClientInfo, Reply
from rolltop.server.application import Application
from rolltop.settings import load

POLICIES = ("ask", "literal", "never")
REPLIES = {
    "cannot": None,
    "accepts": Reply("accept", {"agree": True}),
    "declines": Reply("decline"),
    "closes": Reply("cancel"),
    "disagrees": Reply("accept", {"agree": False}),
    "evades": Reply("accept", {"agree": "yes"}),
}
REFUSALS = ("declines", "disagrees", "evades")
_numbers = itertools.count()


class World:
    """A server with one setting of `consent`, and what the tools are about."""

    def __init__(self, directory: Path, policy: str) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir()
        env = {
            "HOME": str(directory),
            "XDG_CONFIG_HOME": str(directory / "config"),
            "ROLLTOP_WORKSPACE": str(directory / "workspace"),
            "ROLLTOP_GUIDE_CONFIG_DIR": str(directory / "guide"),
            "ROLLTOP_ROOTS": str(directory),
            "MCP_INCLUDE_EXAMPLE_TOOLS": "true",
            "ROLLTOP_CONSENT": policy,
        }
        self.desk = Application(load(env=env))
        self.documents = self.desk.workspace.store
        self.reports = self.desk.workspace.reports.documents

    def call(self, tool: str, asker: Any = None, **arguments: Any) -> Answer:
        more = {} if asker is None else {"asker": asker}
        context = self.desk.context(ClientInfo(transport="test"), **more)
        registered = self.desk.registry.by_plain_name(tool)
        assert registered is not None, tool
        return asyncio.run(self.desk.dispatcher.call(registered.name, arguments, context))

    def do(self, tool: str, **arguments: Any) -> Any:
        """Prepare something: whoever is asked agrees."""

        async def agree(*question: Any) -> Reply:
            return Reply("accept", {"agree": True})

        answer = self.call(tool, agree, **arguments)
        assert not answer.is_error, answer.text
        return answer.structured

    def text(self, name: str) -> str | None:
        found = self.documents.documents.matching(name=name)
        return self.documents.documents.read(found[0]).decode() if found else None


@dataclass(frozen=True)
class Scene:
    """One thing that can be destroyed: the call, whether it happened, what changes it meanwhile."""

    tool: str
    arguments: dict[str, Any]
    literal: dict[str, str]
    happened: Callable[[], bool]
    disturb: Callable[[], object] | None


def delete_by(kind: str) -> Callable[[World, str], Scene]:
    def scene(world: World, n: str) -> Scene:
        world.documents.documents.add_text(f"{n}/a.md", "a")
        target = {"name": f"{n}/a.md", "names": [f"{n}/a.md"], "pattern": f"{n}/*"}[kind]

        def disturb() -> None:
            world.documents.documents.add_text(f"{n}/b.md" if kind == "pattern" else f"{n}/a.md", "new")

        literal = {"confirm": "DELETE_DOCUMENTS"}
        return Scene("delete_by_name", {kind: target}, literal, lambda: world.text(f"{n}/a.md") is None, disturb)

    return scene


def bulk_delete(world: World, n: str) -> Scene:
    world.documents.documents.add_text(f"{n}/a.md", "a")
    world.documents.documents.add_text(f"{n}/which", f"{n}/*.md")
    steps = [
        {"op": "cat_document", "arguments": {"name": f"{n}/which"}},
        {"op": "delete_by_name", "arguments": {"pattern": "$1.content"}},
    ]
    return Scene(
        "bulk_operations",
        {"operations": steps},
        {"confirm": "RUN_DESTRUCTIVE_OPERATIONS"},
        lambda: world.text(f"{n}/a.md") is None,
        lambda: world.documents.documents.add_text(f"{n}/b.md", "new"),
    )


def _exchange(file: Path) -> None:
    (file.parent / f"{file.name}.victim").write_text("victim")
    file.unlink()
    file.symlink_to(file.parent / f"{file.name}.victim")


def bulk_replace(world: World, n: str) -> Scene:
    file = world.directory / f"{n}.txt"
    file.write_text("before")
    steps = [
        {"op": "store_text", "arguments": {"name": f"{n}.txt", "content": "after"}},
        {"op": "retrieve_document", "arguments": {"hash": "$1.hash", "outputPath": str(file)}},
    ]
    return Scene(
        "bulk_operations",
        {"operations": steps},
        {"confirm": "RUN_DESTRUCTIVE_OPERATIONS"},
        lambda: file.read_text() == "after",
        lambda: _exchange(file),
    )


def retrieve(world: World, n: str) -> Scene:
    file = world.directory / f"{n}.txt"
    file.write_text("before")
    kept = world.documents.documents.add_text(f"{n}.txt", f"after {n}")
    return Scene(
        "retrieve_document",
        {"hash": kept.document.hash, "outputPath": str(file)},
        {"confirm": "OVERWRITE_FILE"},
        lambda: file.read_text() == f"after {n}",
        lambda: _exchange(file),
    )


def create_rmd(world: World, n: str) -> Scene:
    world.reports.create(n, "T", "before", overwrite=True)
    return Scene(
        "create_rmd",
        {"filename": n, "title": "T", "content": "after", "overwrite": True},
        {"confirm": "OVERWRITE_RMD"},
        lambda: "after" in world.reports.text(n),
        lambda: world.reports.update(n, "somebody's"),
    )


def delete_rmd(world: World, n: str) -> Scene:
    world.reports.create(n, "T", "text", overwrite=True)
    return Scene(
        "delete_rmd",
        {"filename": n, "outputs": True},
        {"confirm": "DELETE_RMD"},
        lambda: not world.reports.has(f"{n}.Rmd"),
        lambda: world.reports.attach(n, "data.csv", b"new"),
    )


def remove_category(world: World, n: str) -> Scene:
    project = str(world.project)
    world.do("add_category", name=n, project=project)
    return Scene(
        "remove_category",
        {"name": n, "project": project},
        {"confirm": "REMOVE_CATEGORY"},
        lambda: n not in world.call("list_categories", project=project).text,
        lambda: world.desk.workspace.guide.config.change_project(*_other_patterns(world, n)),
    )


def _other_patterns(world: World, n: str) -> Any:
    from rolltop.guide import Category

    found = world.desk.workspace.guide.config.project_at(world.project)
    return found, lambda current: current.with_category(Category(n, n, ("other",)))


def mcptool_build(world: World, n: str) -> Scene:
    folder = world.directory / n
    folder.mkdir(exist_ok=True)
    source = folder / "tools.py"
    source.write_text(FUNCTION.format(text="Before"))
    world.do("mcptool_build", path=str(folder), run_examples=False)
    (definition,) = folder.rglob("*.yaml")
    source.write_text(FUNCTION.format(text="After"))
    return Scene(
        "mcptool_build",
        {"path": str(folder), "run_examples": False},
        {"confirm": "REPLACE_DEFINITIONS"},
        lambda: "After" in definition.read_text(),
        lambda: source.write_text(FUNCTION.format(text="Meanwhile")),
    )


def mcptool_attach(world: World, n: str) -> Scene:
    folder = world.directory / n
    folder.mkdir(exist_ok=True)
    (folder / "tools.py").write_text(FUNCTION.format(text="Before"))
    world.do("mcptool_build", path=str(folder), run_examples=False)
    (definition,) = folder.rglob("*.yaml")
    return Scene(
        "mcptool_attach",
        {"pkg": str(folder)},
        {"confirm": "ATTACH_CATALOG"},
        lambda: str(folder) in world.desk.workspace.catalog.places,
        lambda: definition.write_text(definition.read_text().replace("Before", "Meanwhile")),
    )


def forget(world: World, n: str) -> Scene:
    return Scene("forget_everything", {"what": n}, {"confirm": "FORGET_EVERYTHING"}, lambda: False, None)


FUNCTION = '''
def mcp_tool_one(x: int = 1) -> int:
    """{text}."""
    return x
'''

SCENES: dict[str, Callable[[World, str], Scene]] = {
    "delete_by_name-name": delete_by("name"),
    "delete_by_name-names": delete_by("names"),
    "delete_by_name-pattern": delete_by("pattern"),
    "bulk-delete": bulk_delete,
    "bulk-replace": bulk_replace,
    "retrieve_document": retrieve,
    "create_rmd": create_rmd,
    "delete_rmd": delete_rmd,
    "remove_category": remove_category,
    "mcptool_build": mcptool_build,
    "mcptool_attach": mcptool_attach,
    "forget_everything": forget,
}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], World]]:
    made: dict[str, World] = {}

    def world(policy: str) -> World:
        if policy not in made:
            made[policy] = World(tmp_path_factory.mktemp(policy), policy)
        return made[policy]

    yield world
    for each in made.values():
        each.desk.close()


def expected(policy: str, who: str, literal: bool, disturbed: bool) -> str | None:
    """The code of the failure; None: it is done."""
    if policy == "never":
        return "consent_required"
    if who == "cannot":
        return None if policy == "literal" and literal else "consent_required"
    if who == "accepts":
        return "conflict" if disturbed else None
    return "consent_required"


def code_of(answer: Answer) -> str | None:
    if not answer.is_error:
        return None
    found = answer.structured
    error = found.get("error")
    code = found.get("code") or found.get("error_type") or (error.get("type") if isinstance(error, dict) else None)
    assert code is not None, answer.text
    return str(code)


@pytest.mark.parametrize("disturbed", [False, True], ids=["still", "changed"])
@pytest.mark.parametrize("literal", [False, True], ids=["plain", "literal"])
@pytest.mark.parametrize("who", REPLIES)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", SCENES)
def test_consent(
    worlds: Callable[[str], World], name: str, policy: str, who: str, literal: bool, disturbed: bool
) -> None:
    world = worlds("ask" if policy == "never" else policy)
    world.desk.approver.policy = policy if policy != "never" else "ask"
    scene = SCENES[name](world, f"x{next(_numbers)}")
    world.desk.approver.policy = policy
    questions: list[str] = []

    async def ask(key: str, message: str, schema: Any) -> Reply:
        questions.append(message)
        if disturbed and scene.disturb is not None:
            await asyncio.to_thread(scene.disturb)
        reply = REPLIES[who]
        assert reply is not None
        return reply

    asker = None if who == "cannot" else ask
    arguments = {**scene.arguments, **(scene.literal if literal else {})}
    answer = world.call(scene.tool, asker, **arguments)
    code = expected(policy, who, literal, disturbed and scene.disturb is not None)
    assert code_of(answer) == code, answer.text
    assert len(questions) == (0 if policy == "never" or who == "cannot" else 1)
    if scene.tool != "forget_everything":
        assert scene.happened() is (code is None)
    if policy != "never" and who in REFUSALS and not disturbed:
        _refusal_stands(world, scene)
    if policy != "never" and who == "closes" and not disturbed:
        assert code_of(world.call(scene.tool, _agreeing(questions), **scene.arguments)) is None
        assert len(questions) == 2


def _refusal_stands(world: World, scene: Scene) -> None:
    """The same call again: refused at once, whoever could be asked now, with the literal and without."""
    questions: list[str] = []
    for asker in (None, _agreeing(questions)):
        for literal in ({}, scene.literal):
            again = world.call(scene.tool, asker, **scene.arguments, **literal)
            assert code_of(again) == "consent_required"
            assert "refused exactly this before" in json.dumps(again.structured)
    assert questions == []


def _agreeing(questions: list[str]) -> Any:
    async def agree(key: str, message: str, schema: Any) -> Reply:
        questions.append(message)
        return Reply("accept", {"agree": True})

    return agree


@pytest.mark.parametrize("scope", ["once", "effect", "tool"])
@pytest.mark.parametrize("name", [name for name in SCENES if name != "mcptool_attach"])
def test_an_agreement_counts_for_what_the_human_chose(worlds: Callable[[str], World], name: str, scope: str) -> None:
    world = worlds("ask")
    world.desk.approver.policy, session = "ask", f"session {next(_numbers)}"
    questions: list[str] = []

    async def ask(key: str, message: str, schema: Any) -> Reply:
        questions.append(message)
        return Reply("accept", {"agree": True, "remember": scope})

    def run(scene: Scene) -> None:
        context = world.desk.context(ClientInfo(transport="test", session=session), asker=ask)
        answer = asyncio.run(world.desk.dispatcher.call(scene.tool, scene.arguments, context))
        assert not answer.is_error, answer.text

    n = f"x{next(_numbers)}"
    run(SCENES[name](world, n))
    assert len(questions) == 1
    run(SCENES[name](world, f"x{next(_numbers)}"))  # the same tool, another effect
    assert len(questions) == (1 if scope == "tool" else 2)

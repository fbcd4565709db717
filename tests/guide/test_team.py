"""What a team commits beside its code: `.rolltop/guide.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rolltop.guide import Category, Guide, Project, arrange
from rolltop.guide.errors import ConfigUnreadable
from rolltop.guide.flagtables import resolved_flags

TEAM = """\
[flags]
tests = "required"
workflow = true

[categories.docs]
dir = "docs"
patterns = ["**/*.md"]
description = "How we work"

[collections.start]
members = ["docs/intro"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    place = tmp_path / "app"
    (place / ".rolltop").mkdir(parents=True)
    (place / ".rolltop" / "guide.toml").write_text(TEAM)
    (place / "docs").mkdir()
    (place / "docs" / "intro.md").write_text("Welcome.")
    return Project.at(place)


@pytest.fixture
def guide(tmp_path: Path) -> Guide:
    return Guide(tmp_path / "config")


def test_documents_of_the_project_are_content_for_everybody_who_clones_it(guide: Guide, project: Project) -> None:
    assert guide.content(project, "docs").text == "Welcome."
    assert guide.content(project, "start").text == "Welcome."
    assert guide.complete(project, "docs/i") == ["docs/intro.md"]
    assert guide.config.projects() == []


def test_each_flag_says_where_it_comes_from(guide: Guide, project: Project) -> None:
    guide.feature_flags().set("workflow", False)
    guide.feature_flags().set("style", "short")
    guide.project_flags(project).set("tests", "optional")
    flags = resolved_flags(guide.config, project, guide.team(project))
    assert {name: (flag.value, flag.source) for name, flag in flags.items()} == {
        "style": ("short", "global"),
        "tests": ("optional", "project"),
        "workflow": (True, "team"),
    }


def test_what_a_user_sets_up_wins_and_does_not_copy_the_teams_part(guide: Guide, project: Project) -> None:
    mine = guide.docroot() / "mine"
    mine.mkdir()
    (mine / "a.md").write_text("Mine.")
    arrange.add_category(guide.config, guide.config.current(project), Category("docs", "mine", ("*",)))
    assert guide.content(project, "docs").text == "Mine."
    (stored,) = guide.config.projects()
    assert stored.collections == {}
    assert stored.flags == {}


def test_a_changed_file_counts_at_once_and_a_wrong_one_is_named(guide: Guide, project: Project) -> None:
    guide.effective(project)
    file = project.path / ".rolltop" / "guide.toml"
    for text, why in (
        ("[flags]\nnew-projects = true\n", "flags.new-projects"),
        ("[categories.docs]\ndir = '../other'\n", "categories.docs"),
        ("[categories.docs]\npatterns = 'x'\n", "is not a list of texts"),
        ("[collections.all]\nmembers = ['none']\n", "collections.all"),
        ("[tools]\n", "unknown table"),
        ("[flags", "end of a table"),
    ):
        file.write_text(text)
        with pytest.raises(ConfigUnreadable, match=why):
            guide.effective(project)
    file.unlink()
    assert guide.effective(project).categories == {}


def test_a_link_does_not_lead_out_of_the_project(guide: Guide, project: Project, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (project.path / "docs" / "leak.md").symlink_to(tmp_path / "secret.md")
    assert "secret" not in guide.content(project, "docs").text


@pytest.mark.anyio
async def test_agents_see_it_and_a_session_over_http_has_its_own_project(http_server: Any, project: Project) -> None:
    from mcp import Client

    async with Client(http_server("--toolsets", "guide"), mode="legacy") as client:

        async def call(tool: str, **arguments: Any) -> Any:
            return (await client.call_tool(f"guide_{tool}", arguments)).structured_content

        assert (await call("get_project"))["error_type"] == "no_project"
        gone = await call("set_project", project=str(project.path / "nothing"))
        assert "there is no directory" in gone["error"]
        await call("set_project", project=str(project.path))
        assert (await call("get_content", expression="start"))["value"] == "Welcome."
        flags = await call("list_project_flags")
        assert flags["data"]["sources"] == {"tests": "team", "workflow": "team"}
        (docs,) = (await call("list_categories"))["value"]
        assert docs["dir"] == f"{project.path}/docs/"


@pytest.mark.anyio
async def test_a_project_brings_prompts_with_arguments(stdio_client: Any, project: Project) -> None:
    folder = project.path / ".rolltop" / "prompts"
    folder.mkdir()
    (folder / "review.md").write_text(
        "---\ndescription: Review a change\narguments: topic, depth?\n---\nReview {{topic}}, {{ depth }} {{other}}.\n"
    )
    (folder / "guide.md").write_text("Not instead of ours.")
    roots = {"PWD": str(project.path), "ROLLTOP_ROOTS": str(project.path)}
    async with stdio_client("--toolsets", "guide", env=roots) as client:
        listed = {each.name: each for each in (await client.list_prompts()).prompts}
        assert listed["review"].description == "Review a change"
        assert [(each.name, each.required) for each in listed["review"].arguments] == [
            ("topic", True), ("depth", False), ("other", True),
        ]  # fmt: skip
        given = await client.get_prompt("review", {"topic": "the parser", "other": "{{topic}}"})
        assert given.messages[0].content.text == "Review the parser,  {{topic}}."
        assert "Not instead" not in str((await client.get_prompt("guide", {"arg1": "docs"})).messages)

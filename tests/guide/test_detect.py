"""Which project is meant."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from rolltop.guide import Clues, Guide, Project
from rolltop.guide.errors import ArgumentInvalid, NameInvalid, NameUnknown


def found(guide: Guide, clues: Clues) -> Project:
    project = guide.detect(clues)
    assert project is not None
    return project


def test_a_key_is_the_name_and_a_part_of_the_digest_of_the_path(guide: Guide, tmp_path: Path) -> None:
    project = found(guide, Clues(explicit=str(tmp_path / "my app!")))
    digest = hashlib.sha256(str((tmp_path / "my app!").resolve()).encode()).hexdigest()[:8]
    assert (project.key, project.name) == (f"my-app-{digest}", "my-app")


def test_the_same_name_at_two_paths_is_two_projects(guide: Guide) -> None:
    one, two = (found(guide, Clues(explicit=f"/{place}/app")) for place in "ab")
    assert one.name == two.name
    assert one.key != two.key
    for project in (one, two):
        guide.project_flags(project).set("where", str(project.path))
    assert guide.project_flags(one).get("where") == "/a/app"
    with pytest.raises(NameInvalid) as caught:
        guide.detect(Clues(explicit="app"))
    assert one.key in str(caught.value.hint)
    assert found(guide, Clues(explicit=two.key)).path == Path("/b/app")


def test_a_link_to_a_project_is_that_project(guide: Guide, project: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project.path)
    assert found(guide, Clues(explicit=str(tmp_path / "link"))).key == project.key


def test_the_first_clue_that_says_something_wins(guide: Guide, project: Project) -> None:
    for path in ("/p/chosen", "/p/root", "/p/pwd"):
        guide.project_flags(Project.at(Path(path))).set("f")
    every = {"chosen": "chosen", "roots": ("https://x/", "file:///p/root"), "started_in": "/p/pwd"}
    assert found(guide, Clues(explicit="my-app", **every)).name == "my-app"
    assert found(guide, Clues(**every)).name == "chosen"
    del every["chosen"]
    assert found(guide, Clues(**every)).name == "root"
    del every["roots"]
    assert found(guide, Clues(**every)).name == "pwd"
    assert guide.detect(Clues()) is None


@pytest.mark.parametrize("place", ["", "relative/dir", "/", ".", "//"])
def test_a_start_directory_that_says_nothing(guide: Guide, place: str) -> None:
    assert guide.detect(Clues(started_in=place)) is None


@pytest.mark.parametrize("root", ["https://example/x", "file://host/x", "nonsense", "file:relative", "file:///a%00b"])
def test_roots_that_say_nothing(guide: Guide, root: str) -> None:
    assert guide.detect(Clues(roots=(root,))) is None


def test_below_a_known_project_is_that_project(guide: Guide, project: Project) -> None:
    inside = project.path / "src" / "deep"
    assert found(guide, Clues(started_in=str(inside))).key == project.key
    assert found(guide, Clues(roots=(inside.as_uri(),))).key == project.key
    assert found(guide, Clues(explicit=str(inside))).key != project.key


def test_a_directory_is_its_project_whatever_the_key_says(guide: Guide, tmp_path: Path) -> None:
    guide.config.file.path.write_text(f"projects:\n  by-hand: {{name: mine, path: {tmp_path}}}\n")
    assert found(guide, Clues(explicit=str(tmp_path))).key == "by-hand"
    assert found(guide, Clues(started_in=str(tmp_path))).key == "by-hand"


def test_a_project_is_stored_with_its_first_change(guide: Guide) -> None:
    project = found(guide, Clues(explicit="/p/new"))
    assert guide.config.projects() == []
    guide.project_flags(project).set("f")
    assert [stored.key for stored in guide.config.projects()] == [project.key]


def test_unknown_projects_offer_the_nearest(guide: Guide, project: Project) -> None:
    with pytest.raises(NameUnknown, match="my-ap") as caught:
        guide.detect(Clues(explicit="my-ap"))
    assert "my-app" in str(caught.value.hint)


@pytest.mark.parametrize("text", ["", " ", "/a\0b"])
def test_what_cannot_name_a_project(guide: Guide, text: str) -> None:
    with pytest.raises(ArgumentInvalid):
        guide.detect(Clues(explicit=text))


def test_names_are_short(guide: Guide) -> None:
    assert len(found(guide, Clues(explicit="/" + "x" * 200)).name) == 50


def test_a_project_can_be_forgotten(guide: Guide, project: Project) -> None:
    guide.config.remove_project(project.key)
    assert guide.config.projects() == []
    with pytest.raises(NameUnknown):
        guide.config.remove_project(project.key)

"""Flags of both scopes: values, names, the hierarchy, the session's interface."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rolltop.errors import Conflict, PermissionDenied
from rolltop.guide import ANY, Clues, Flag, Guide, Project
from rolltop.guide.errors import ArgumentInvalid, ExpressionInvalid, NameInvalid, NoProject
from rolltop.guide.flagtables import resolved_flags


def test_a_flag_is_true_unless_said_otherwise(guide: Guide) -> None:
    assert guide.feature_flags().set("fast") is True
    assert guide.feature_flags().get("fast") is True


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (True, True),
        (False, False),
        ("true", True),
        ("ON", True),
        ("yes", True),
        ("enabled", True),
        ("off", False),
        ("No", False),
        ("disabled", False),
        ("plain text", "plain text"),
        ("", ""),
        ("1", "1"),
        ("0x10", "0x10"),
        ("1:30", "1:30"),
        ("null", "null"),
        ("~", "~"),
        ("2020-01-01", "2020-01-01"),
        ("a: b # c\nnext", "a: b # c\nnext"),
        ("ünï\u2028code", "ünï\u2028code"),
        (" edge ", " edge "),
        ("- x", "- x"),
        ("&a *b !c", "&a *b !c"),
        ("1_000", "1_000"),
        ("1e3", "1e3"),
    ],
)
def test_what_is_returned_is_what_is_stored(guide: Guide, project: Project, given: object, stored: object) -> None:
    assert guide.feature_flags().set("f", given) == stored
    assert guide.project_flags(project).set("f", given) == stored
    fresh = Guide(guide.config.directory)
    assert fresh.feature_flags().get("f") == stored
    assert fresh.project_flags(project).get("f") == stored
    assert type(fresh.feature_flags().get("f")) is type(stored)


@pytest.mark.parametrize("value", [1, 1.5, ["a"], ["a", 1], {"a": "b"}, "x" * 10_001])
def test_what_a_generic_flag_cannot_hold(guide: Guide, value: object) -> None:
    with pytest.raises(ArgumentInvalid) as caught:
        guide.feature_flags().set("f", value)
    assert caught.value.error_type == "validation_error"
    assert guide.feature_flags().list() == {}


@pytest.mark.parametrize("name", ["a", "A-b_C", "ünïcode", "123", "-x", "_"])
def test_flag_names_that_are_allowed(guide: Guide, name: str) -> None:
    assert guide.feature_flags().set(name) is True


@pytest.mark.parametrize("name", ["", "a.b", "a b", " ", "a/b", "x" * 101, "a\n", "a\0"])
def test_flag_names_that_are_not(guide: Guide, project: Project, name: str) -> None:
    for table in (guide.feature_flags(), guide.project_flags(project)):
        for call in (lambda t=table: t.set(name), lambda t=table: t.get(name), lambda t=table: t.set(name, None)):
            with pytest.raises(NameInvalid):
                call()


def test_a_project_overrides_and_none_brings_the_global_back(guide: Guide, project: Project) -> None:
    guide.feature_flags().set("f", True)
    own = guide.project_flags(project)
    own.set("f", False)
    assert resolved_flags(guide.config, project)["f"] == Flag(False, "project")
    own.set("f", None)
    assert resolved_flags(guide.config, project)["f"] == Flag(True, "global")
    assert own.list() == {}


def test_global_flags_know_nothing_of_projects(guide: Guide, project: Project) -> None:
    guide.project_flags(project).set("own")
    assert guide.feature_flags().list() == {}
    assert guide.feature_flags().get("own") is None


def test_lists_take_a_name_or_a_glob(guide: Guide) -> None:
    for name in ("b-two", "a-one", "b-one"):
        guide.feature_flags().set(name, name)
    assert list(guide.feature_flags().list()) == ["a-one", "b-one", "b-two"]
    assert guide.feature_flags().list("b-*") == {"b-one": "b-one", "b-two": "b-two"}
    assert guide.feature_flags().list("a-one") == {"a-one": "a-one"}
    assert guide.feature_flags().list("none*") == {}


def test_removing_what_is_not_there_is_no_error(guide: Guide) -> None:
    assert guide.feature_flags().remove("never") is False
    guide.feature_flags().set("once")
    assert guide.feature_flags().remove("once") is True


def test_compare_and_set(guide: Guide, project: Project) -> None:
    for table in (guide.feature_flags(), guide.project_flags(project)):
        assert table.set("f", "one", expected=None) == "one"
        assert table.set("f", "two", expected="one") == "two"
        with pytest.raises(Conflict) as caught:
            table.set("f", "three", expected="one")
        assert caught.value.details["value"] == "two"
        with pytest.raises(Conflict):
            table.set("f", None, expected=True)
        assert table.set("f", "free", expected=ANY) == "free"


def test_scopes_are_kept_and_said(guide: Guide, project: Project) -> None:
    with pytest.raises(ArgumentInvalid, match="project flag"):
        guide.feature_flags().set("content-default", "docs")
    with pytest.raises(ArgumentInvalid, match="global flag"):
        guide.project_flags(project).set("new-projects", False)


def test_known_flags_check_their_values(guide: Guide, project: Project) -> None:
    flags = guide.project_flags(project)
    assert flags.set("content-format", "off") == "none"
    assert flags.set("content-exclude", "*.tmp+build/**") == ["*.tmp", "build/**"]
    assert flags.set("content-default", "docs, lang/python") == "docs,lang/python"
    for name, value, error in [
        ("content-format", "xml", ArgumentInvalid),
        ("content-front-matter", "maybe", ArgumentInvalid),
        ("content-exclude", True, ArgumentInvalid),
        ("content-default", "/", ExpressionInvalid),
    ]:
        with pytest.raises(error):
            flags.set(name, value)


def test_new_projects_can_be_refused(guide: Guide, project: Project, tmp_path: Path) -> None:
    guide.feature_flags().set("new-projects", False)
    stranger = guide.detect(Clues(explicit=str(tmp_path / "stranger")))
    assert stranger is not None
    with pytest.raises(PermissionDenied):
        guide.project_flags(stranger).set("f")
    assert guide.project_flags(project).set("f") is True


def test_the_session_has_both_tables(guide: Guide, project: Project) -> None:
    async def work() -> None:
        session = guide.session(project)
        await session.feature_flags().set("f", "global")
        assert await session.resolve_flag("f") == Flag("global", "global")
        await session.project_flags().set("f", "own")
        assert await session.resolve_flag("f") == Flag("own", "project")
        assert await session.feature_flags().get("f") == "global"
        assert await session.project_flags().list() == {"f": "own"}
        assert await session.project_flags().remove("f")
        assert await session.resolve_flag("unset") == Flag(None, None)
        assert (await session.get_project()).key == project.key
        assert await session.get_docroot() == guide.config.docroot()
        assert (await session.get_content("lang/python")).text == "python rules\n"

    asyncio.run(work())


def test_without_a_project_global_flags_work_and_project_flags_say_so(guide: Guide) -> None:
    async def work() -> None:
        session = guide.session(None)
        assert await session.feature_flags().set("f") is True
        with pytest.raises(NoProject) as caught:
            session.project_flags()
        assert caught.value.error_type == "no_project"
        assert caught.value.hint

    asyncio.run(work())


def test_an_expected_value_is_read_as_a_stored_one_is(guide: Guide, project: Project) -> None:
    flags = guide.project_flags(project)
    flags.set("f", "on")
    assert flags.set("f", "text", expected="on") == "text"
    with pytest.raises(Conflict):
        flags.set("f", "other", expected="on")

"""What `tools/list` costs an agent, and what it still says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_core.description import SECTIONS
from mcp_core.schema import brief_schema, listed_schema
from mcp_core.tokens import cost_of
from rolltop.errors import InvalidInput
from rolltop.server.application import Application
from rolltop.settings import load

IN_SECTIONS = {
    "get_content", "get_feature_flag", "get_project_flag", "list_feature_flags", "list_project_flags",
    "set_feature_flag", "set_project_flag",
}  # fmt: skip


def _desk(tmp_path: Path, **given: Any) -> Application:
    env = {"XDG_CONFIG_HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path)}
    return Application(load(given, env=env))


@pytest.mark.parametrize(("descriptions", "budget"), [("auto", 10_000), ("compact", 7_000)])
def test_all_sets_keep_to_their_budget(tmp_path: Path, descriptions: str, budget: int) -> None:
    listed = _desk(tmp_path, descriptions=descriptions).listed()
    assert len({each.spec.toolset for each in listed}) == 6
    assert sum(cost_of(each.wire) for each in listed) <= budget


def test_the_tools_of_flags_and_content_have_their_four_sections_in_the_list(tmp_path: Path) -> None:
    desk = _desk(tmp_path)
    headed = {each.spec.name for each in desk.listed() if all(f"## {part}" in each.description for part in SECTIONS)}
    assert headed == IN_SECTIONS
    for name in IN_SECTIONS:
        registered = desk.registry.by_plain_name(name)
        assert registered is not None
        (schema,) = (block for block in registered.description.split("```json\n")[1:])
        shown, listed = json.loads(schema.partition("\n```")[0]), registered.wire["inputSchema"]
        assert shown["properties"].keys() == listed["properties"].keys()
        assert shown.get("required") == listed.get("required")


def test_full_descriptions_have_four_sections_everywhere(tmp_path: Path) -> None:
    for each in _desk(tmp_path, descriptions="full").listed():
        assert all(f"## {part}" in each.description for part in SECTIONS), each.name


def test_a_listed_schema_accepts_what_the_whole_one_does() -> None:
    whole = {
        "$defs": {"Step": {"type": "object", "properties": {"op": {"type": "string"}}, "required": ["op"]}},
        "type": "object",
        "properties": {
            "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}, "minItems": 1},
            "when": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "number"}], "description": "A; b."},
            "groups": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "default": {"type": "object", "additionalProperties": True, "default": {}},
            "limit": {"type": "integer", "default": 3, "minimum": 1, "maximum": 9, "description": "Page size."},
        },
        "additionalProperties": False,
    }
    listed = listed_schema(whole)
    assert listed == {
        "type": "object",
        "properties": {
            "steps": {
                "type": "array",
                "items": {"type": "object", "properties": {"op": {"type": "string"}}, "required": ["op"]},
            },
            "when": {"type": ["string", "number"], "description": "A; b."},
            "groups": {"type": ["string", "array"], "items": {"type": "string"}},
            "default": {"type": "object"},
            "limit": {"type": "integer", "default": 3, "maximum": 9, "description": "Page size."},
        },
    }
    assert brief_schema(whole)["properties"]["limit"] == {"type": "integer"}
    assert brief_schema(whole)["properties"]["when"]["description"] == "A"


def test_only_the_named_tools_are_served(tmp_path: Path) -> None:
    desk = _desk(tmp_path, tools="get_content,read_resource")
    assert {each.spec.name for each in desk.listed()} == {"get_content", "read_resource"}
    with pytest.raises(InvalidInput, match="did you mean get_content"):
        _desk(tmp_path, tools="get_contnt")


def test_schemas_of_answers_can_be_left_out(tmp_path: Path) -> None:
    assert not any("outputSchema" in each.wire for each in _desk(tmp_path, output_schemas=False).listed())


@pytest.mark.parametrize(
    ("tool", "other"),
    [
        ("get_by_name", "cat_document"),
        ("cat_document", "retrieve_document"),
        ("retrieve_document", "get_by_name"),
        ("read_resource", "get_by_name"),
        ("search_by_tag", "list_documents"),
        ("list_documents", "search_by_tag"),
        ("execute_transformation", "transform_batch"),
        ("transform_batch", "execute_transformation"),
        ("mcptool_build", "mcptool_attach"),
        ("mcptool_check", "mcptool_diff"),
        ("mcptool_diff", "mcptool_check"),
        ("get_feature_flag", "get_project_flag"),
        ("get_project_flag", "get_feature_flag"),
    ],
)
def test_tools_that_are_easily_confused_name_each_other_at_once(tmp_path: Path, tool: str, other: str) -> None:
    registered = _desk(tmp_path).registry.by_plain_name(tool)
    assert registered is not None
    assert f"{{tool:{other}}}" in registered.spec.body.partition("\n\n")[0]

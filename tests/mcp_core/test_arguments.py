"""Requirement 002, "Tool Arguments Base Class" and "Complete field descriptions"."""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from mcp_core import InvalidArguments, Result, ToolArguments, ToolSpec
from mcp_core.schema import model_schema
from mcp_core.validation import check_arguments


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    model_config = {"extra": "forbid"}
    depth: int = Field(description="How deep.", ge=0, le=9)


class Everything(ToolArguments):
    name: str = Field(description="A name.")
    consent: Literal["CREATE_DOCUMENT"] = Field(description="Consent.")
    mode: Literal["fast", "slow"] = Field(default="fast", description="A mode.")
    maybe: str | None = Field(default=None, description="Perhaps.")
    count: int = Field(default=3, description="A count.", ge=1, le=10)
    tags: list[str] = Field(default_factory=list, description="Tags.", max_length=5)
    inner: Inner | None = Field(default=None, description="Nested.")
    many: list[Inner] = Field(default_factory=list, description="Several.")
    colour: Colour = Field(default=Colour.RED, description="A colour.")
    schema_: dict[str, int] = Field(default_factory=dict, alias="schema", description="A schema.")
    type_: Annotated[str, Field(pattern="^[a-z]+$")] = Field(default="x", alias="type", description="A type.")
    format_: str = Field(default="json", alias="format", description="A format.")
    hash_: str = Field(default="", alias="hash", description="A hash.")
    input_schema: str = Field(default="", alias="inputSchema", description="An input schema.")


def valid(**more: object) -> Everything:
    return check_arguments(Everything, {"name": "n", "consent": "CREATE_DOCUMENT", **more})


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Everything.model_validate({"name": "n", "consent": "CREATE_DOCUMENT", "bogus": 1})


def test_assignments_are_validated() -> None:
    arguments = valid()
    with pytest.raises(ValidationError):
        arguments.count = "x"  # type: ignore[assignment]


def test_wire_names_may_be_anything() -> None:
    arguments = valid(schema={"a": 1}, type="abc", format="xml", hash="ff", inputSchema="s")
    assert (arguments.schema_, arguments.type_, arguments.format_) == ({"a": 1}, "abc", "xml")
    assert {"schema", "type", "format", "hash", "inputSchema"} <= set(model_schema(Everything)["properties"])


def test_all_problems_come_together_with_paths_and_without_values() -> None:
    with pytest.raises(InvalidArguments) as caught:
        check_arguments(
            Everything,
            {"nam": "secret-1", "consent": "secret-2", "inner": {"dept": 1}, "many": [{"depth": 1}, {"depth": 99}]},
        )
    problems = {problem.path: problem.message for problem in caught.value.problems}
    assert problems["name"] == "is required"
    assert problems["nam"] == "is not an argument; did you mean 'name'?"
    assert "CREATE_DOCUMENT" in problems["consent"]
    assert problems["inner.dept"] == "is not an argument; did you mean 'depth'?"
    assert "many[1].depth" in problems
    assert "secret" not in str(caught.value) + str(caught.value.details)


def test_camel_and_snake_case_are_recognised_as_near() -> None:
    with pytest.raises(InvalidArguments, match="did you mean 'inputSchema'"):
        valid(input_Schema="x")


def test_markdown_says_name_type_need_default_bounds_and_description() -> None:
    markdown = Everything.to_schema_markdown()
    assert markdown.startswith("## Arguments")
    for line in (
        "- `name` (string, required): A name.",
        '- `consent` ("CREATE_DOCUMENT", required): Consent.',
        '- `mode` ("fast" | "slow", optional, default "fast"): A mode.',
        "- `maybe` (string, optional): Perhaps.",
        "- `count` (integer, optional, default 3, ≥ 1, ≤ 10): A count.",
        "- `tags` (array of string, optional, at most 5 items): Tags.",
        "- `inner` (object, optional): Nested.",
        "  - `depth` (integer, required, ≥ 0, ≤ 9): How deep.",
        "- `many` (array of object, optional): Several.",
        '- `colour` ("red" | "blue", optional, default "red"): A colour.',
        "- `schema` (object of integer, optional): A schema.",
    ):
        assert line in markdown


async def documented(args: Everything) -> Result[int]:
    """Do the thing.

    With a second paragraph.
    """
    return Result.ok(1)


def test_description_combines_docstring_and_schema_under_postponed_annotations() -> None:
    description = ToolArguments.build_tool_description(documented)
    assert "Do the thing." in description
    assert "\nWith a second paragraph." in description
    assert Everything.to_schema_markdown() in description
    assert '"const": "CREATE_DOCUMENT"' in description


def test_local_models_are_found_too() -> None:
    class Local(ToolArguments):
        here: int = Field(description="Local.")

    async def tool(args: Local) -> Result[int]:
        """Local tool."""
        return Result.ok(Local.model_fields and args.here)

    assert "`here` (integer, required)" in ToolArguments.build_tool_description(tool)


def test_titles_are_dropped_but_a_field_called_title_stays() -> None:
    class Titled(ToolArguments):
        title: str = Field(description="A title.")

    schema = model_schema(Titled)
    assert schema["properties"] == {"title": {"description": "A title.", "type": "string"}}


class _Inner(ToolArguments):
    x: int = Field(description="A number.")


class _Choices(ToolArguments):
    value: bool | list[str] | None = Field(default=None, description="One of several kinds.")
    steps: list[_Inner | int] = Field(default_factory=list, description="Steps.")


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"value": 5}, ["value"]),
        ({"value": ["a", 3]}, ["value", "value[1]"]),
        ({"steps": [{"x": "q"}]}, ["steps[0].x", "steps[0]"]),
        ({"steps": [{}]}, ["steps[0].x", "steps[0]"]),
        ({"steps": ["z"]}, ["steps[0]"]),
    ],
)
def test_problems_name_places_in_what_was_given(given: dict[str, Any], paths: list[str]) -> None:
    """Not which of several types was tried."""
    with pytest.raises(InvalidArguments) as caught:
        check_arguments(_Choices, given)
    assert [problem.path for problem in caught.value.problems] == paths


def _number(x: int) -> Result[int]:
    return Result.ok(x)


def _two_models(first: Inner, second: Inner) -> Result[str]:
    return Result.ok("never")


@pytest.mark.parametrize(("function", "named"), [(_number, "'x'"), (_two_models, "'second'")])
def test_a_parameter_that_no_caller_can_fill_is_told_at_once(function: Any, named: str) -> None:
    with ToolArguments.isolated(), pytest.raises(TypeError, match=f"{named}.*ToolArguments"):
        _ = ToolArguments.spec_of(ToolArguments.declare(function)).input_schema


def test_a_tool_of_data_gets_its_arguments_under_any_name() -> None:
    spec = ToolSpec("made", lambda values, ctx: values, schema={"type": "object"}, validate=dict)
    assert spec.bind({"a": 1}, "context") == {"values": {"a": 1}, "ctx": "context"}

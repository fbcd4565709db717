"""Fixtures whose arguments use more of JSON Schema, and of the transport, than ordinary tools do."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from conformance_set.fixture import fixture
from mcp_core import Result, ToolArguments


def _use_the_whole_vocabulary(schema: dict[str, Any]) -> None:
    """Definitions with anchors, composition and conditions, as SEP-1613 and SEP-2106 allow them."""
    parts = {"street": {"type": "string", "description": "Street."}, "city": {"type": "string", "description": "City."}}
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["$defs"] = {"address": {"$anchor": "addressDef", "type": "object", "properties": parts}}
    schema["properties"]["address"] = {"$ref": "#/$defs/address", "description": "Where."}
    schema["allOf"] = [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}]
    schema["if"] = {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]}
    schema["then"] = {"required": ["phone"]}
    schema["else"] = {"required": ["email"]}


class Contact(ToolArguments):
    name: str | None = Field(default=None, description="Who.")
    address: dict[str, str] | None = Field(default=None, description="Where.")
    contact_method: Literal["phone", "email"] | None = Field(default=None, alias="contactMethod", description="How.")
    phone: str | None = Field(default=None, description="A telephone number.")
    email: str | None = Field(default=None, description="An address for mail.")

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        schema = super().model_json_schema(*args, **kwargs)
        _use_the_whole_vocabulary(schema)
        return schema

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        needed = "phone" if self.contact_method == "phone" else "email"
        if getattr(self, needed) is None:
            raise ValueError(f"{needed} is required")
        return self


class Routed(ToolArguments):
    region: str = Field(
        description="Repeated in the header Mcp-Param-Region.", json_schema_extra={"x-mcp-header": "Region"}
    )
    query: str = Field(default="", description="In the body only.")


@fixture("A schema with its whole vocabulary in the list.", {"name": "Ada", "email": "ada@example.org"})
async def json_schema_2020_12_tool(args: Contact) -> Result[str]:
    """Take arguments of a rich schema.

    The list of tools shows the schema with every keyword.
    """
    return Result.ok(f"{args.name} can be reached")


@fixture("A header that contradicts the body is refused.", {"region": "north", "query": "weather"})
async def test_x_mcp_header(args: Routed) -> Result[str]:
    """Take an argument that a header repeats.

    Over HTTP the header has to say the same as the body.
    """
    return Result.ok(f"{args.query} in {args.region}")

"""References among the arguments of served functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson

from rolltop.errors import InvalidInput
from rolltop.references import Source, is_reference

__all__ = ["Read", "accepting_references", "with_documents"]

Read = Callable[[str], Awaitable[Source]]


def accepting_references(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` for arguments that may name documents instead of holding data."""
    named = {name: {"type": "string"} for name in _references(arguments)}
    taken = {name: named.get(name, each) for name, each in schema["properties"].items()}
    return {**schema, "properties": taken}


async def with_documents(schema: Mapping[str, Any], arguments: Mapping[str, Any], read: Read) -> dict[str, Any]:
    """The arguments with what references name: the text where the function takes a text, else the JSON in it.

    A stored document for a text stays as it is: the function gets it as a file.
    """
    given = dict(arguments)
    for name in _references(arguments):
        types = schema["properties"].get(name, {}).get("type", "string")
        data = (await read(arguments[name])).data  # of a file, too: what reads notes where results come from
        if "string" in types and arguments[name].startswith("doc://"):
            continue
        try:
            given[name] = data.decode("utf-8-sig") if "string" in types else orjson.loads(data)
        except UnicodeDecodeError:
            raise InvalidInput(f"{arguments[name]} is not text in UTF-8") from None
        except orjson.JSONDecodeError:
            raise InvalidInput(f"{arguments[name]} is not JSON, and {name} takes no text") from None
    return given


def _references(arguments: Mapping[str, Any]) -> list[str]:
    return [name for name, value in arguments.items() if isinstance(value, str) and is_reference(value)]

"""What is told about functions, without importing them: our own from a generated file, others from a registry.

`functions.json` is written by `python -m rolltop.transform.stdlib` from the declarations; a test compares them.
A registry of somebody else (`FUNCTION_REGISTRY_PATH`) is a list of functions, or an object that has
one under `functions` or under its categories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from rolltop.errors import InvalidData
from rolltop.transform.stdlib.names import FAMILY_OF

if TYPE_CHECKING:
    from rolltop.transform.stdlib.declare import Function, Parameter

__all__ = ["Entry", "own_entries", "registry_entries", "write_entries"]

_FILE = Path(__file__).with_name("functions.json")
_TASKS = Path(__file__).with_name("tasks.txt")
_LARGEST = 32 << 20
_CATEGORIES = frozenset({"string", "array", "math", "date", "object", "type", "serialization", "crypto"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One function as it is told: in the words of the wire, ready to be searched."""

    name: str
    category: str
    signature: str
    description: str
    parameters: list[dict[str, Any]]
    returnType: str  # noqa: N815 - the wire's word
    aliases: list[str]
    examples: list[str]
    details: str = ""
    uses: int = 0
    """How many of our example transformations call it: what is asked for without words comes in this order."""
    callable: bool = True
    """Whether programs here can call it; functions of another registry may not exist."""
    asks_environment: bool = False
    """Whether it reads the environment or the machine, which programs that run over MCP may not."""
    tasks: list[str] = field(default_factory=list)
    """What people ask for when they need it."""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


def own_entries() -> list[Entry]:
    """All functions of the library, by name."""
    return [Entry(**entry) for entry in orjson.loads(_FILE.read_bytes())]


def registry_entries(path: Path) -> list[Entry]:
    """The functions of another registry that our own library does not have."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidData(f"{path} is too large for a registry of functions")
        document = orjson.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidData(f"{path} cannot be read: {reason}", hint="Correct FUNCTION_REGISTRY_PATH.") from None
    found = {entry.name: entry for raw in _listed(document) if (entry := _entry(raw)) is not None}
    if not found:
        raise InvalidData(f"{path} lists no functions", hint="A registry is a list of objects with name and category.")
    return [entry for name, entry in found.items() if name not in FAMILY_OF]


def _listed(document: Any) -> Iterator[Any]:
    """The functions of a document: a list, under `functions`, or under each category."""
    if isinstance(document, list):
        yield from document
    elif isinstance(document, dict):
        inner = document.get("functions")
        for part in [inner] if inner is not None else document.values():
            if isinstance(part, (list, dict)):
                yield from _listed(part)


def _entry(raw: Any) -> Entry | None:
    if not isinstance(raw, dict) or not isinstance(raw.get("name"), str) or not raw["name"]:
        return None
    category = str(raw.get("category") or "").lower()
    parameters = [_parameter(part) for part in raw.get("parameters") or [] if isinstance(part, dict)]
    returns = str(raw.get("returnType") or raw.get("returns") or "Any")
    shown = ", ".join(f"{each['name']}{'?' * each['optional']}: {each['type']}" for each in parameters)
    return Entry(
        name=raw["name"],
        category=category if category in _CATEGORIES else "type",
        signature=str(raw.get("signature") or f"{raw['name']}({shown}): {returns}"),
        description=str(raw.get("description") or ""),
        parameters=parameters,
        returnType=returns,
        aliases=[str(alias) for alias in raw.get("aliases") or []],
        examples=[str(example) for example in raw.get("examples") or []],
        callable=False,
    )


def _parameter(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": str(raw.get("name") or "value"),
        "type": str(raw.get("type") or "Any"),
        "optional": bool(raw.get("optional")),
        "description": str(raw.get("description") or ""),
    }


# ---- writing our own ------------------------------------------------------------------------


def write_entries() -> None:
    """Bring `functions.json` up to date with the declarations."""
    _FILE.write_bytes(entries_text())


def entries_text() -> bytes:
    from rolltop.transform.stdlib.registry import functions  # noqa: PLC0415 - imports every family

    uses, tasks = _uses(), _tasks()
    declared = functions()
    if unknown := tasks.keys() - {function.name for function in declared}:
        raise ValueError(f"{_TASKS.name} names functions that do not exist: {sorted(unknown)}")
    lines = (
        orjson.dumps({**_described(function), "uses": uses[function.name], "tasks": tasks.get(function.name, [])})
        for function in declared
    )
    return b"[\n" + b",\n".join(lines) + b"\n]\n"


def _uses() -> Counter[str]:
    """In how many example transformations each function occurs; `if (` there is the language's own word."""
    from rolltop.transform.examples.corpus import load_corpus  # noqa: PLC0415 - it asks this module for names

    found = Counter(name for example in load_corpus() for name in example.functions)
    del found["if"]
    return found


def _tasks() -> dict[str, list[str]]:
    lines = (line for line in _TASKS.read_text("utf-8").splitlines() if line and not line.startswith("#"))
    parts = (line.partition(":") for line in lines)
    return {name: [task.strip() for task in tasks.split(";")] for name, _, tasks in parts}


def _described(function: Function) -> dict[str, Any]:
    return {
        "name": function.name,
        "category": function.category,
        "signature": function.signature.text,
        "description": function.description,
        "parameters": [_declared(parameter) for parameter in function.signature.parameters],
        "returnType": str(function.signature.result),
        "aliases": list(function.aliases),
        "examples": [f"{call} => {result}" for call, result in function.examples],
        "details": function.details,
        "asks_environment": function.asks_environment,
    }


def _declared(parameter: Parameter) -> dict[str, Any]:
    from rolltop.transform.stdlib.reference import usual_words  # noqa: PLC0415 - as above

    return {
        "name": parameter.name,
        "type": str(parameter.type),
        "optional": parameter.optional or parameter.repeated,
        "description": parameter.description or usual_words(parameter),
    }

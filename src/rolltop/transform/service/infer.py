"""The schema of a program's output, from the types that the checker finds."""

from __future__ import annotations

from typing import Any

from rolltop.transform.check.checker import check_parsed
from rolltop.transform.service.failures import invalid_program
from rolltop.transform.service.type_schema import Described, describe_type
from rolltop.transform.service.validate import input_types, repaired
from rolltop.transform.structure.summary import in_words
from rolltop.transform.syntax.parser import parse

__all__ = ["infer"]

_HIGH, _MEDIUM = 0.9, 0.5


def infer(transformation: str, input_schema: Any) -> dict[str, Any]:
    """JSON Schema out, how sure it is, and the fields whose type depends on values nobody declared."""
    parsed = parse(transformation)
    checked = check_parsed(parsed, inputs=input_types(parsed, input_schema))
    # What would fail at run time has no output to describe; names and syntax make no program at all.
    broken = [found for found in checked.errors if not found.code.startswith("E5")]
    if broken:
        raise invalid_program(broken, **repaired(transformation))
    options = parsed.program.header.outputs[0].options
    described = describe_type(checked.result, write_attributes=options.get("writeAttributes") is True)
    answer: dict[str, Any] = {"outputSchema": described.schema, "confidence": _confidence(described)}
    if described.uncertain:
        answer["uncertainFields"] = described.uncertain
    return {**answer, "summary": in_words(described.schema)}


def _confidence(described: Described) -> str:
    sure = 1 - len(described.uncertain) / max(1, described.leaves)
    if sure >= _HIGH and not described.vague_root:
        return "high"
    return "medium" if sure >= _MEDIUM and not described.vague_root else "low"

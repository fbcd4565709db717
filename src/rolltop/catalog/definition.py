"""A tool definition: what one YAML file says about one function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rolltop.catalog.inference import Schema

__all__ = ["FIELDS", "Definition", "untyped_in", "untyped_line"]

FIELDS = (
    "name",
    "calls",
    "description",
    "parameters",
    "category",
    "dangerous",
    "requires_approval",
    "language",
    "implementation_example",
    "execution_time",
    "returns",
)
"""The fields of a definition in the order in which they are written."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One tool. `name` is `package-function`; `language` is written only when it is not R.

    `calls` is the function, where the tool has another name. `untyped` are the parameters of R whose type nothing says
    for certain: the definition has one all the same, and a served tool takes any single value or vector for them. The
    format has no field for that, so a file says it in a comment (`untyped_line`).
    """

    name: str
    description: str = ""
    parameters: Schema = field(default_factory=lambda: {"type": "object", "properties": {}, "required": []})
    category: str | None = None
    dangerous: bool = False
    requires_approval: bool = False
    language: str = "r"
    implementation_example: str = ""
    execution_time: float | None = None
    returns: Schema | None = None
    calls: str | None = None
    untyped: tuple[str, ...] = ()

    @property
    def package(self) -> str:
        return self.name.partition("-")[0]

    @property
    def function(self) -> str:
        """The function's name: everything after the first hyphen, unless `calls` says otherwise."""
        return self.calls or self.name.partition("-")[2]

    @property
    def file_name(self) -> str:
        return f"{safe_file_stem(self.name)}.yaml"

    def to_dict(self) -> dict[str, Any]:
        """The definition as it is written: optional fields only where they say something."""
        everything = {key: getattr(self, key) for key in FIELDS}
        optional = {
            "calls": self.calls is not None,
            "category": self.category is not None,
            "dangerous": self.dangerous,
            "requires_approval": self.requires_approval,
            "language": self.language != "r",
            "execution_time": self.execution_time is not None,
            "returns": self.returns is not None,
        }
        return {key: value for key, value in everything.items() if optional.get(key, True)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], untyped: Iterable[str] = ()) -> Definition:
        """The definition in a document that `schema.problems_of` found in order."""
        known = {key: document[key] for key in FIELDS if document.get(key) is not None}
        parameters = {"type": "object", **(known.get("parameters") or {})}
        parameters["properties"] = dict(parameters.get("properties") or {})
        parameters["required"] = list(parameters.get("required") or [])
        return cls(**(known | {"parameters": parameters, "untyped": tuple(untyped)}))


_UNTYPED = "# No type is stated for: "


def untyped_line(definition: Definition) -> str:
    """The comment of a file that names its `untyped` parameters."""
    return f"{_UNTYPED}{', '.join(definition.untyped)}\n" if definition.untyped else ""


def untyped_in(text: str) -> list[str]:
    """The parameters that a file's comment names."""
    for line in text.split("\n"):
        if not line.startswith("#"):
            break
        if line.startswith(_UNTYPED):
            return line.removeprefix(_UNTYPED).strip().split(", ")
    return []


def safe_file_stem(name: str) -> str:
    """A tool's name as a file's name: anything but letters, digits, `_`, `-` and inner dots becomes `-`."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "_-.") else "-" for char in name).lstrip(".")

"""The nouns of an origin: parts that went in and came out, and the making between them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Making", "Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """Something that a call used or made."""

    role: str
    """What it was to the call: `input`, `program`, `side file`, `output`."""
    uri: str
    """Where it is; empty for data that was part of the call."""
    hash: str
    """SHA-256 of its bytes."""
    size: int

    @property
    def label(self) -> str:
        """A name for people."""
        return self.uri or f"{self.role} of the call ({self.hash[:12]})"


@dataclass(frozen=True, slots=True)
class Making:
    """One call that made something that stays."""

    tool: str
    arguments: Mapping[str, Any]
    inputs: tuple[Part, ...]
    outputs: tuple[Part, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    client: str = ""
    client_version: str = ""
    principal: str = ""
    session: str = ""
    time: float = 0.0
    seconds: float = 0.0
    is_copy: bool = False
    """The output has the bytes of the input: nothing new was made."""
    takes_fresh: bool = False
    """The tool has an argument `fresh`, which makes it work again."""
    id: int = 0

    @property
    def name(self) -> str:
        """What people call the thing: the stored document, else the first output."""
        stored = [part.uri for part in self.outputs if part.uri.startswith("doc://")]
        return (stored or [part.label for part in self.outputs])[0]

    @property
    def digest(self) -> str:
        """Equal for makings that differ in their time and caller alone."""
        facts = [self.tool, self.arguments, self.versions, self.inputs, self.outputs]
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=asdict).encode()).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """All of it, as plain data."""
        return {**asdict(self), "name": self.name, "arguments": dict(self.arguments), "versions": dict(self.versions)}

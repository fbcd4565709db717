"""What R can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["call_request", "eval_request", "source_request"]


def call_request(function: str, args: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Positional arguments travel under numbers: as an array R would make one vector of them."""
    if isinstance(args, Mapping):
        return {"op": "call", "code": function, "args": dict(args), "positional": False}
    numbered = {str(number): value for number, value in enumerate(args)}
    return {"op": "call", "code": function, "args": numbered, "positional": True}


def eval_request(code: str) -> dict[str, Any]:
    return {"op": "eval", "code": code}


def source_request(files: Sequence[str], packages: Sequence[str], code: str = "") -> dict[str, Any]:
    return {"op": "source", "files": list(files), "packages": list(packages), "code": [code] if code else []}

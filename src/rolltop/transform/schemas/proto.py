"""Protocol Buffers, proto3: parsing in `proto_parse`, reading in `proto_read`, writing in `proto_write`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.schemas.proto_parse import parse
from rolltop.transform.schemas.proto_read import describe, read
from rolltop.transform.schemas.proto_write import generate

__all__ = ["describe", "generate", "parse", "read", "write"]


def write(value: Any, options: Mapping[str, Any]) -> str:
    if not isinstance(value, dict):
        raise WriteFailure("output proto needs %types")
    return generate(value, options)

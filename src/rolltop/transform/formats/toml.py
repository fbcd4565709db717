"""TOML 1.0: read by Python's own parser, written by tomli-w. Dates and times keep their kind."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import tomli_w

from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.rows import native
from rolltop.transform.formats.text import decode
from rolltop.transform.values import fit, kind_of

__all__ = ["read", "write"]

_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def read(data: str | bytes, options: Mapping[str, Any]) -> dict[str, Any]:
    """The table that a TOML document is."""
    text = decode(data, "TOML").replace("\r\n", "\n")
    try:
        return _fitted(tomllib.loads(text))  # type: ignore[no-any-return]
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        line, column = (int(found[1]), int(found[2])) if found else (text.count("\n") + 1, 1)
        reason = _PLACE.sub("", str(error)).replace("(at end of document)", "").strip()
        raise ReadFailure(f"TOML parse error at {line}:{column} - {reason}", line, column) from None


def _fitted(value: Any) -> Any:
    """Integers within 64 bits, as the language has them."""
    if isinstance(value, dict):
        return {key: _fitted(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_fitted(item) for item in value]
    return fit(value) if type(value) is int else value


def write(value: Any, options: Mapping[str, Any]) -> str:
    """An object as a TOML document."""
    if not isinstance(value, dict):
        raise WriteFailure(
            f"a TOML document is an object, and the result is a {kind_of(value)}", hint="Give it a name: { items: … }."
        )
    return tomli_w.dumps(_ready(native(value), ""), multiline_strings=False)


def _ready(value: Any, path: str) -> Any:
    if value is None:
        raise WriteFailure(
            f"TOML has no null, and {path.strip('.')!r} is null",
            hint='Leave it out, or give a default: x ?? "".',
            key=path.rpartition(".")[2],
        )
    if isinstance(value, dict):
        return {key: _ready(item, f"{path}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_ready(item, path) for item in value]
    if isinstance(value, bytes):
        from rolltop.transform.formats.plain import plain  # noqa: PLC0415 - rarely needed

        return plain(value)
    return float(value) if isinstance(value, Decimal) else value

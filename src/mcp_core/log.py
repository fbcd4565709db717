"""Logging: the TRACE level, one-line messages, secrets masked. Importing this changes no logger."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

__all__ = ["TRACE", "Redactor", "configure", "level_number", "one_line"]

TRACE = 5
"""Below DEBUG; the number that uvicorn uses too."""

logging.addLevelName(TRACE, "TRACE")

_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), 0x7F) if chr(code) not in "\n\r\t"}
_CONTROL |= {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", 0x2028: "\\u2028", 0x2029: "\\u2029"}
# Characters that change the writing direction can make a line read as another one.
_CONTROL |= {code: f"\\u{code:04x}" for code in (0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}

_SECRETS = re.compile(
    r"""(?i)(bearer\s+|authorization:\s*basic\s+|(?:token|passw(?:or)?d|secret|api[_-]?key|credentials?)["']?\s*[=:]\s*["']?)"""
    r"""([^\s"',;&]{4,})"""
)


def one_line(text: object) -> str:
    """`text` with line breaks and control characters escaped, so that no message can forge another."""
    return str(text).translate(_CONTROL)


def _masked(text: str) -> str:
    return _SECRETS.sub(r"\1***", text)


class _Formatter(logging.Formatter):
    """Mask credentials in the text of exceptions too. Source lines in a traceback are left as they are."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the standard library's name
        lines = super().formatException(ei).split("\n")
        return "\n".join(line if line.startswith("    ") else _masked(line) for line in lines)


class Redactor(logging.Filter):
    """Masks what looks like a credential, and keeps every record on one line.

    A record with a text `without_values` is written as that text unless `values` is set: errors of tools quote
    document names, contents, and output of foreign code.
    """

    def __init__(self, *, values: bool = False) -> None:
        super().__init__()
        self._values = values

    def filter(self, record: logging.LogRecord) -> bool:
        if not self._values and (short := getattr(record, "without_values", None)) is not None:
            record.msg, record.args = short, None
        message = record.getMessage()
        cleaned = one_line(_masked(message))
        if cleaned != message:
            record.msg, record.args = cleaned, None
        return True


def level_number(name: str) -> int:
    """The number of a level's name, TRACE included, in any case."""
    number = logging.getLevelNamesMapping().get(name.upper())
    if number is None:
        raise ValueError(f"unknown log level {name!r}")
    return number


class _JsonFormatter(_Formatter):
    """One JSON object on each line."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


def configure(
    level: str, *, file: Path | None = None, names: tuple[str, ...] = ("mcp_core", "rolltop"), as_json: bool = False
) -> None:
    """Log to standard error or a file, never to standard output; called by entry points only.

    From DEBUG on, errors of tools are logged with their text; above that with their type alone.
    """
    handler: logging.Handler
    handler = logging.FileHandler(file, encoding="utf-8") if file else logging.StreamHandler(sys.stderr)
    written = _JsonFormatter() if as_json else _Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(written)
    handler.addFilter(Redactor(values=level_number(level) <= logging.DEBUG))
    for name in names:
        logger = logging.getLogger(name)
        logger.setLevel(level_number(level))
        logger.addHandler(handler)
    library = logging.getLogger("mcp")
    library.addHandler(handler)
    library.setLevel(max(level_number(level), logging.WARNING))

"""Which options formats have, and how a caller writes them.

A header may say anything (what no format knows is passed over, as programs from elsewhere expect); a
caller who gives an option that the format does not have is told so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["READING", "WRITING", "check_options", "parse_options"]

_TABLE = frozenset({"delimiter", "headers", "quote", "encoding", "regionalFormat"})
READING: dict[str, frozenset[str]] = {
    "csv": _TABLE,
    "xml": frozenset({"arrays"}),
    "xsd": frozenset({"arrays"}),
    "yaml": frozenset({"documents"}),
}
WRITING: dict[str, frozenset[str]] = {
    "csv": _TABLE | {"bom", "decimals", "useThousands"},
    "json": frozenset({"writeAttributes", "compact"}),
    "jsonl": frozenset({"writeAttributes"}),
    "yaml": frozenset({"writeAttributes"}),
    "xml": frozenset({"encoding"}),
    "odata": frozenset({"metadata", "context", "wrapCollection"}),
    "xsd": frozenset({"pattern", "version", "addDocumentation", "elementFormDefault"}),
    "jsch": frozenset({"draft", "addDescriptions", "strict"}),
    "avro": frozenset({"namespace", "validate"}),
    "osch": frozenset({"namespace"}),
    "tsch": frozenset({"strict"}),
}
_TRUTHS = frozenset(
    {"headers", "bom", "useThousands", "writeAttributes", "compact", "wrapCollection", "addDocumentation"}
    | {"addDescriptions", "strict", "validate"}
)
_ESCAPES = {"\\t": "\t", "tab": "\t", "space": " "}
"""What is hard to type in a shell, for options of one character."""


def check_options(format_: str, options: Mapping[str, Any], *, reading: bool) -> None:
    """Refuse options that a format does not have."""
    known = (READING if reading else WRITING).get(format_, frozenset())
    for name in options:
        if name not in known:
            verb = "reading" if reading else "writing"
            hint = f"It has {', '.join(sorted(known))}." if known else "It has none."
            raise InvalidInput(f"{verb} {format_} has no option {name[:40]!r}", hint=hint)


def parse_options(texts: Iterable[str]) -> dict[str, Any]:
    """Options written `name=value`, as a command line has them."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InvalidInput(f"{text[:60]!r} is no option", hint="Write NAME=VALUE, for example delimiter=;")
        options[name] = _value(name, value)
    return options


def _value(name: str, text: str) -> Any:
    if name in _TRUTHS:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise InvalidInput(f"the option {name} is true or false")
        return text.lower() in ("true", "yes")
    if name == "arrays":
        return [part.strip() for part in text.split(",") if part.strip()]
    if name in ("delimiter", "quote"):
        return _ESCAPES.get(text, text)
    if name == "decimals":
        try:
            return int(text)
        except ValueError:
            raise InvalidInput("the option decimals is a whole number") from None
    return text

"""Which options formats have, and how a caller writes them.

A header may say anything (what no format knows is passed over, as programs from elsewhere expect); a
caller who gives an option that the format does not have is told so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["READING", "WRITING", "checked_options", "parse_options", "settled"]

_TABLE = frozenset({"delimiter", "headers", "quote", "encoding", "regionalFormat"})
READING: dict[str, frozenset[str]] = {
    "csv": _TABLE | {"inferTypes", "extraCells"},
    "xml": frozenset({"arrays", "inferTypes", "json"}),
    "xsd": frozenset({"arrays"}),
    "yaml": frozenset({"documents", "inferTypes", "yaml"}),
    "fixed": frozenset({"columns", "encoding", "inferTypes"}),
    "xlsx": frozenset({"sheet", "headers"}),
    "parquet": frozenset({"columns"}),
    "arrow": frozenset({"columns"}),
}
WRITING: dict[str, frozenset[str]] = {
    "csv": _TABLE | {"bom", "decimals", "useThousands"},
    "json": frozenset({"writeAttributes", "compact"}),
    "jsonl": frozenset({"writeAttributes"}),
    "yaml": frozenset({"writeAttributes"}),
    "xml": frozenset({"encoding", "json"}),
    "odata": frozenset({"metadata", "context", "wrapCollection"}),
    "xsd": frozenset({"pattern", "version", "addDocumentation", "elementFormDefault"}),
    "jsch": frozenset({"draft", "addDescriptions", "strict"}),
    "avro": frozenset({"namespace", "validate"}),
    "osch": frozenset({"namespace"}),
    "tsch": frozenset({"strict"}),
    "fixed": frozenset({"columns"}),
    "xlsx": frozenset({"sheet", "headers"}),
    "parquet": frozenset({"compression"}),
}
_TRUTHS = frozenset(
    {"headers", "bom", "useThousands", "writeAttributes", "compact", "wrapCollection", "addDocumentation"}
    | {"json", "inferTypes", "addDescriptions", "strict", "validate"}
)
_NONE: frozenset[str] = frozenset()
_WORDS = {"true": True, "yes": True, "false": False, "no": False}
_ESCAPES = {"\\t": "\t", "tab": "\t", "space": " "}
"""What is hard to type in a shell, for options of one character."""


def checked_options(format_: str, options: Mapping[str, Any], *, reading: bool) -> dict[str, Any]:
    """Options that a caller gives, as the format takes them; those that it does not have are refused."""
    known = (READING if reading else WRITING).get(format_, _NONE)
    for name in options:
        if name not in known:
            verb = "reading" if reading else "writing"
            hint = f"It has {', '.join(sorted(known))}." if known else "It has none."
            raise InvalidInput(f"{verb} {format_} has no option {name[:40]!r}", hint=hint)
    return {name: settled(format_, name, value) for name, value in options.items()}


def settled(format_: str, name: str, value: Any) -> Any:
    """The value of an option as a format takes it: `"false"` is false, one name of `arrays` a list of one.

    What an option of the format cannot be is refused: formats look for `True` or a list, and anything else would count
    as not given.
    """
    if format_ != "auto" and name not in READING.get(format_, _NONE) | WRITING.get(format_, _NONE):
        return value
    if name in _TRUTHS:
        return value if isinstance(value, bool) else _truth(name, value)
    if name == "arrays":
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list | tuple | set | frozenset) or not all(isinstance(item, str) for item in names):
            raise InvalidInput("the option arrays is a list of names", hint='For example arrays: ["item", "line"].')
        return list(names)
    if name == "documents" and value not in ("all", "first"):
        raise InvalidInput('the option documents is "all" or "first"')
    if name == "extraCells" and value not in ("refuse", "drop"):
        raise InvalidInput('the option extraCells is "refuse" or "drop"')
    if name == "yaml":
        if str(value) not in ("1.1", "1.2"):
            raise InvalidInput("the option yaml is 1.1 or 1.2")
        return str(value)
    if name == "version":
        if str(value) not in ("1.0", "1.1"):
            raise InvalidInput('the version of XSD is "1.0" or "1.1"')
        return str(value)
    return value


def _truth(name: str, value: Any) -> bool:
    word = _WORDS.get(value.lower()) if isinstance(value, str) else None
    if word is None:
        raise InvalidInput(f"the option {name} is true or false", hint=f"For example {name}: false.")
    return word


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
        return _truth(name, text)
    if name in ("arrays", "columns"):
        return [part.strip() for part in text.split(",") if part.strip()]
    if name in ("delimiter", "quote"):
        return _ESCAPES.get(text, text)
    if name == "decimals":
        try:
            return int(text)
        except ValueError:
            raise InvalidInput("the option decimals is a whole number") from None
    return text

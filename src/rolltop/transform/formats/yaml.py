"""YAML: the reader is in `yaml_read`, the writer here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import yaml

from rolltop.transform.formats.json import repaired
from rolltop.transform.formats.plain import plain
from rolltop.transform.formats.yaml_read import read
from rolltop.transform.values import number_text

__all__ = ["read", "write"]

_Base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_Base):  # type: ignore[misc]
    """Never writes anchors: a value that occurs twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text and not text.startswith((" ", "\n")) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(
    Decimal, lambda dumper, number: dumper.represent_scalar("tag:yaml.org,2002:float", number_text(number))
)
# What other readers take for a number, though ours does not: a text that looks like one is quoted.
_Dumper.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"(?:[-+]?(?:\.[0-9]+|[0-9_]+(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+)\Z"),
    list("-+.0123456789"),
)


def write(value: Any, options: Mapping[str, Any]) -> str:
    """Block style, two-space indent, keys in their order."""
    ready = plain(value, write_attributes=options.get("writeAttributes") is True, skip_namespaces=True)
    try:
        text = _dump(ready)
    except UnicodeEncodeError:
        text = _dump(repaired(ready))
    return text.removesuffix("...\n")


def _dump(ready: Any) -> str:
    text: str = yaml.dump(
        ready, Dumper=_Dumper, sort_keys=False, default_flow_style=False, allow_unicode=True, indent=2, width=80
    )
    return text

"""YAML text laid out anew from its events: every scalar, tag, anchor and document stays, only the layout changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from rolltop.transform.errors import FunctionFailure, ReadFailure, fail
from rolltop.transform.formats.yaml_read import CoreResolver, read_all
from rolltop.transform.stack import deep_stack

__all__ = ["check_indent", "documents_of", "yaml_relaid"]

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL, _STRING = "tag:yaml.org,2002:null", "tag:yaml.org,2002:str"


def check_indent(indent: int) -> None:
    if not 2 <= indent <= 9:
        fail(f"YAML cannot be indented by {indent}", hint="Use 2 to 9 blanks.")


def documents_of(text: str) -> list[Any]:
    """The values of all documents of a YAML text."""
    try:
        with deep_stack():
            return read_all(text)
    except ReadFailure as error:
        raise FunctionFailure(error.message, hint=error.hint) from None


def yaml_relaid(text: str, indent: int, *, flow: bool | None) -> str:
    """The text with other indentation, its collections in flow style or not; None leaves them as they are."""
    check_indent(indent)
    documents_of(text)  # says what is wrong, and bounds nesting
    laid: str = yaml.emit(_events(text, flow), indent=indent, allow_unicode=True)
    return laid.removesuffix("...\n") or "null\n"


def _events(text: str, flow: bool | None) -> Iterator[Any]:
    resolver: Any = CoreResolver()
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent) and flow is not None:
            event.flow_style = flow
        elif isinstance(event, (yaml.DocumentStartEvent, yaml.DocumentEndEvent)):
            event.explicit = False
            if isinstance(event, yaml.DocumentStartEvent):
                event.version = event.tags = None  # tags are spelled out already
        elif isinstance(event, yaml.ScalarEvent) and event.tag is None and event.implicit[0]:
            kind = resolver.resolve(yaml.ScalarNode, event.value, (True, False)).replace("int12", "int")
            # Where it cannot stand bare: a text in quotes alone, anything else with what it is.
            event.tag, event.implicit = kind, (True, kind == _STRING)
            if kind == _NULL:
                event.value = event.value or "null"
        yield event

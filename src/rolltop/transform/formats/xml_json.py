"""Any JSON as XML that comes back as it was: `output xml { json: true }`.

Elements are named by keys and arrays hold `<item>` elements, as people would write it. What XML cannot tell is marked
in the namespace `urn:rolltop:json`: `j:type` for everything but texts and objects with properties, `j:name` for a key
that is no XML name, `j:escaped` for a text with control characters. `input xml { json: true }` reads it back.
"""

from __future__ import annotations

import json
import re
from typing import Any
from xml.sax.saxutils import quoteattr

import orjson

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.plain import plain
from rolltop.transform.values import Node

__all__ = ["NAMESPACE", "lossless", "restored"]

NAMESPACE = "urn:rolltop:json"
_NAME = re.compile(r"(?!xml)[A-Za-z][\w.\-]*", re.ASCII | re.IGNORECASE)
_UNFIT = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def lossless(value: Any) -> str:
    """The root element of a value; an object with one property is named by it."""
    ready = plain(value, write_attributes=True)
    lines: list[str] = []
    attributes = f' xmlns:j="{NAMESPACE}"'
    if isinstance(ready, dict) and len(ready) == 1:
        [(key, inner)] = ready.items()
        _element(key, inner, "", lines, attributes + ' j:root="true"')
    else:
        _element("root", ready, "", lines, attributes)
    return "\n".join(lines)


def _element(key: str, value: Any, indent: str, lines: list[str], attributes: str = "") -> None:
    tag = key
    if _NAME.fullmatch(key) is None:
        tag = "_" + "".join(char if char.isascii() and char.isalnum() else f"_x{ord(char):X}_" for char in key)
        attributes += f" j:name={quoteattr(json.dumps(key))}"
    if isinstance(value, str):
        if _UNFIT.search(value) is not None:
            attributes, value = attributes + ' j:escaped="true"', json.dumps(value)
        lines.append(f"{indent}<{tag}{attributes}>{value.translate(_MARKS)}</{tag}>")
        return
    kind = _kind(value)
    children = value.items() if kind == "object" else [("item", item) for item in value] if kind == "array" else []
    if kind != "object" or not value:
        attributes += f' j:type="{kind}"'
    if not children:
        text = orjson.dumps(value).decode() if kind in ("number", "boolean") else ""
        lines.append(f"{indent}<{tag}{attributes}>{text}</{tag}>" if text else f"{indent}<{tag}{attributes}/>")
        return
    lines.append(f"{indent}<{tag}{attributes}>")
    for name, item in children:
        _element(name, item, indent + "  ", lines)
    lines.append(f"{indent}</{tag}>")


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    return "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "number"


def restored(document: Node) -> Any:
    """The JSON that a document was written from; its elements were read as they are."""
    [(name, root)] = document.items()
    node = root[0] if isinstance(root, list) else root
    value = _value(node)
    return {_key(name, node): value} if node.attributes.get("j:root") == "true" else value


def _key(tag: str, node: Node) -> str:
    name = node.attributes.get("j:name")
    return tag if name is None else str(_parsed(name))


def _value(node: Node) -> Any:
    kind = node.attributes.get("j:type")
    text = node.get("_text", "")
    if kind == "array":
        return [_value(item) for item in _several(node.get("item"))]
    if kind in ("number", "boolean"):
        return _parsed(text)
    if kind == "null":
        return None
    children = [(tag, child) for tag, children in node.items() if tag != "_text" for child in _several(children)]
    if kind == "object" or children:
        return {_key(tag, child): _value(child) for tag, child in children}
    return _parsed(text) if node.attributes.get("j:escaped") == "true" else text


def _several(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _parsed(text: Any) -> Any:
    try:
        return orjson.loads(str(text))
    except orjson.JSONDecodeError:
        raise ReadFailure(f"XML marked as {NAMESPACE} holds {str(text)[:40]!r}, which is no JSON value") from None

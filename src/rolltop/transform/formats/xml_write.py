"""Values to XML: declaration, two-space indent, mixed content exactly as it was read."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.formats.table import Rendered
from rolltop.transform.values import TEXT_KEY, kind_of, scalar_text, unwrap

__all__ = ["document", "element_text", "write"]

_NAME = re.compile(r"[^\W\d][\w.\-]*(?::[^\W\d][\w.\-]*)?")
_INVALID = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ATTRIBUTE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


def write(value: Any, options: Mapping[str, Any]) -> Rendered:
    """A document with its declaration, in the encoding of the option, of the input, or UTF-8."""
    metadata = getattr(value, "metadata", None) or {}
    wanted = options.get("encoding")
    encoding = str(wanted) if wanted else metadata.get("xmlEncoding") or "UTF-8"
    declared = "" if encoding.upper() == "NONE" else f' encoding="{encoding}"'
    text = f'<?xml version="1.0"{declared}?>\n' + document(value)
    return Rendered(text, _codec(encoding))


def _codec(encoding: str) -> str:
    if encoding.upper() == "NONE":
        return "utf-8"
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise WriteFailure(
            f"unknown encoding {encoding!r}", hint="Use for example UTF-8, UTF-16 or ISO-8859-1."
        ) from None


def document(value: Any) -> str:
    """The root element and everything in it, without declaration."""
    lines: list[str] = []
    if isinstance(value, dict) and _is_wrapper(value):
        name, inner = next(iter(value.items()))
        if not (isinstance(inner, list) and len(inner) != 1):
            _element(name, inner[0] if isinstance(inner, list) else inner, 0, lines)
            return "\n".join(lines)
        if inner and all(_is_single(item) for item in inner):
            _array(name, inner, 0, lines)
            return "\n".join(lines)
    _element("root", value, 0, lines)
    return "\n".join(lines)


def _is_wrapper(value: dict[str, Any]) -> bool:
    """Whether an object names the root element: one property and nothing else."""
    if len(value) != 1 or getattr(value, "attributes", None) or getattr(value, "name", None):
        return False
    return next(iter(value)) not in (TEXT_KEY, "#text")


def _is_single(item: Any) -> bool:
    return isinstance(item, dict) and _is_wrapper(item)


def _element(name: str, value: Any, depth: int, lines: list[str]) -> None:
    indent = "  " * depth
    _check_name(name)
    if isinstance(value, dict):
        _object(name, value, depth, lines)
    elif isinstance(value, list):
        lines.append(f"{indent}<{name}>")
        for item in value:
            _items("item", item, depth + 1, lines)
        lines.append(f"{indent}</{name}>")
    elif value is None:
        lines.append(f"{indent}<{name}/>")
    else:
        lines.append(f"{indent}<{name}>{_scalar(value)}</{name}>")


def _object(name: str, value: dict[str, Any], depth: int, lines: list[str]) -> None:
    indent = "  " * depth
    tag = name + _attributes(value)
    content = getattr(value, "content", None)
    if content is not None:
        lines.append(f"{indent}<{tag}>{_mixed(content)}</{name}>")
        return
    text_key = TEXT_KEY if TEXT_KEY in value else "#text" if "#text" in value else None
    text = value[text_key] if text_key else None
    children = [(key, item) for key, item in value.items() if key != text_key]
    if not children:
        shown = "" if text is None else _scalar(text)
        lines.append(f"{indent}<{tag}/>" if text_key is None or text is None else f"{indent}<{tag}>{shown}</{name}>")
        return
    lines.append(f"{indent}<{tag}>")
    if text is not None:
        lines.append(f"{indent}  {_scalar(text)}")
    for key, item in children:
        _items(key, item, depth + 1, lines)
    lines.append(f"{indent}</{name}>")


def _items(key: str, value: Any, depth: int, lines: list[str]) -> None:
    """What a property contributes to its element: one child, several of one name, or nothing."""
    if isinstance(value, list):
        _array(key, value, depth, lines)
    else:
        _element(key, value, depth, lines)


def _array(key: str, items: list[Any], depth: int, lines: list[str]) -> None:
    if items and all(_is_single(item) for item in items):
        # [{a: 1}, {b: 2}] under n: the items bring their own element names.
        _check_name(key)
        lines.append(f"{'  ' * depth}<{key}>")
        for item in items:
            for name, inner in item.items():
                _items(name, inner, depth + 1, lines)
        lines.append(f"{'  ' * depth}</{key}>")
        return
    for item in items:
        _element(key, item, depth, lines)


def _mixed(content: list[str | tuple[str, Any]]) -> str:
    return "".join(piece.translate(_TEXT) if isinstance(piece, str) else element_text(*piece) for piece in content)


def element_text(name: str, value: Any) -> str:
    """One element without white space of our own."""
    _check_name(name)
    if not isinstance(value, dict):
        return f"<{name}/>" if value is None else f"<{name}>{_scalar(value)}</{name}>"
    tag = name + _attributes(value)
    content = getattr(value, "content", None)
    inner = _mixed(content) if content is not None else "".join(_inline(key, item) for key, item in value.items())
    return f"<{tag}>{inner}</{name}>" if inner else f"<{tag}/>"


def _inline(key: str, item: Any) -> str:
    if key in (TEXT_KEY, "#text"):
        return "" if item is None else _scalar(item)
    return "".join(element_text(key, part) for part in (item if isinstance(item, list) else [item]))


def _attributes(value: dict[str, Any]) -> str:
    attributes: dict[str, str] = getattr(value, "attributes", {})
    for name, text in attributes.items():
        _check_name(name)
        _check_text(text)
    return "".join(f' {name}="{text.translate(_ATTRIBUTE)}"' for name, text in attributes.items())


def _scalar(value: Any) -> str:
    text = scalar_text(unwrap(value))
    if text is None:
        if isinstance(value, bytes):
            from rolltop.transform.formats.plain import plain  # noqa: PLC0415 - rarely needed

            return str(plain(value))
        raise WriteFailure(f"a {kind_of(value)} cannot be written as text of an element")
    _check_text(text)
    return text.translate(_TEXT)


def _check_name(name: str) -> None:
    if _NAME.fullmatch(name) is None:
        raise WriteFailure(
            f"{name!r} is no name for an XML element or attribute",
            hint="Names start with a letter and have letters, digits, '-', '_', '.' and one ':'.",
        )


def _check_text(text: str) -> None:
    if _INVALID.search(text) is not None:
        raise WriteFailure("XML cannot hold a control character of this text", hint="Remove it with replace.")

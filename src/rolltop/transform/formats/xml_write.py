"""Values to XML: declaration, two-space indent, mixed content exactly as it was read."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.formats.table import Rendered
from rolltop.transform.formats.xml_json import lossless
from rolltop.transform.values import TEXT_KEY, kind_of, scalar_text, unwrap

__all__ = ["document", "element_text", "is_single", "write"]

_NAME = re.compile(r"[^\W\d][\w.\-]*(?::[^\W\d][\w.\-]*)?")
_INVALID = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL = re.compile("[^ !#-%'-;=?-~\xa0-\ud7ff\ue000-\ufffd]")
"""What may have to be written in another way, or not at all; most texts have nothing of it."""
# A carriage return that is not written as a reference is read back as a line feed.
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ATTRIBUTE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


def write(value: Any, options: Mapping[str, Any]) -> Rendered:
    """A document with its declaration, in the encoding of the option, of the input, or UTF-8."""
    metadata = getattr(value, "metadata", None) or {}
    wanted = options.get("encoding")
    encoding = str(wanted) if wanted else metadata.get("xmlEncoding") or "UTF-8"
    declared = "" if encoding.upper() == "NONE" else f' encoding="{encoding}"'
    text = f'<?xml version="1.0"{declared}?>\n' + (lossless(value) if options.get("json") is True else document(value))
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
            _element(name, inner[0] if isinstance(inner, list) else inner, "", lines)
            return "\n".join(lines)
        if inner and all(is_single(item) for item in inner):
            _array(name, inner, "", lines)
            return "\n".join(lines)
    _element("root", value, "", lines)
    return "\n".join(lines)


def _is_wrapper(value: dict[str, Any]) -> bool:
    """Whether an object names the root element: one property and nothing else."""
    if len(value) != 1 or getattr(value, "attributes", None) or getattr(value, "name", None):
        return False
    name = next(iter(value))
    return name not in (TEXT_KEY, "#text") and name[:1] != "@"


def is_single(item: Any) -> bool:
    """Whether an item of an array names its own element."""
    return isinstance(item, dict) and _is_wrapper(item)


def _element(name: str, value: Any, indent: str, lines: list[str]) -> None:
    kind = type(value)
    if kind is str:
        lines.append(f"{indent}<{_NAMES[name]}>{_escaped(value)}</{name}>")
    elif kind is int:
        lines.append(f"{indent}<{_NAMES[name]}>{value}</{name}>")
    elif value is None:
        lines.append(f"{indent}<{_NAMES[name]}/>")
    elif isinstance(value, dict):
        _object(_NAMES[name], value, indent, lines)
    elif isinstance(value, list):
        lines.append(f"{indent}<{_NAMES[name]}>")
        for item in value:
            _items("item", item, indent + "  ", lines)
        lines.append(f"{indent}</{name}>")
    else:
        lines.append(f"{indent}<{_NAMES[name]}>{_scalar(value)}</{name}>")


def _object(name: str, value: dict[str, Any], indent: str, lines: list[str]) -> None:
    attributes = getattr(value, "attributes", None)
    content = getattr(value, "content", None)
    # Elements as they were read have a name, and no keys that show attributes.
    if (attributes is None or value.name is None) and "@" in "".join(value):  # type: ignore[attr-defined]
        attributes, value = _taken_apart(value)
    tag = name + _attributes(attributes) if attributes else name
    if content is not None:
        if any(isinstance(piece, str) for piece in content):
            lines.append(f"{indent}<{tag}>{_mixed(content)}</{name}>")
            return
        lines.append(f"{indent}<{tag}>")
        for key, item in content:
            _element(key, item, indent + "  ", lines)
        lines.append(f"{indent}</{name}>")
        return
    text_key = TEXT_KEY if TEXT_KEY in value else "#text" if "#text" in value else None
    text = value[text_key] if text_key is not None else None
    if len(value) == (text_key is not None):
        shown = "" if text is None else _scalar(text)
        lines.append(f"{indent}<{tag}/>" if text_key is None or text is None else f"{indent}<{tag}>{shown}</{name}>")
        return
    lines.append(f"{indent}<{tag}>")
    inner = indent + "  "
    if text is not None:
        lines.append(f"{inner}{_scalar(text)}")
    for key, item in value.items():
        if key == text_key:
            continue
        if isinstance(item, list):
            _array(key, item, inner, lines)
        else:
            _element(key, item, inner, lines)
    lines.append(f"{indent}</{name}>")


def _taken_apart(value: dict[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """The attributes of an object, those among its keys too, and its other properties.

    `@name` is how the other formats show an attribute, so that what was written in one of them can be written in XML.
    """
    attributes = dict(getattr(value, "attributes", {}))
    for key, item in value.items():
        if key[:1] == "@":
            text = "" if item is None else scalar_text(unwrap(item))
            if text is None:
                raise WriteFailure(
                    f"the attribute {key!r} cannot hold {_a(kind_of(item))}",
                    hint="Attributes are text, numbers or booleans; an element has no @ before its name.",
                    key=key,
                )
            attributes.setdefault(key[1:], text)
    return attributes, {key: item for key, item in value.items() if key[:1] != "@"}


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'ao' else 'a'} {kind}"


def _items(key: str, value: Any, indent: str, lines: list[str]) -> None:
    """What a property contributes to its element: one child, several of one name, or nothing."""
    if isinstance(value, list):
        _array(key, value, indent, lines)
    else:
        _element(key, value, indent, lines)


def _array(key: str, items: list[Any], indent: str, lines: list[str]) -> None:
    if items and all(is_single(item) for item in items):
        # [{a: 1}, {b: 2}] under n: the items bring their own element names.
        lines.append(f"{indent}<{_NAMES[key]}>")
        for item in items:
            for name, inner in item.items():
                _items(name, inner, indent + "  ", lines)
        lines.append(f"{indent}</{key}>")
        return
    for item in items:
        _element(key, item, indent, lines)


def _mixed(content: list[str | tuple[str, Any]]) -> str:
    return "".join(piece.translate(_TEXT) if isinstance(piece, str) else element_text(*piece) for piece in content)


def element_text(name: str, value: Any) -> str:
    """One element without white space of our own."""
    name = _NAMES[name]
    if not isinstance(value, dict):
        return f"<{name}/>" if value is None else f"<{name}>{_scalar(value)}</{name}>"
    attributes, content = getattr(value, "attributes", {}), getattr(value, "content", None)
    if "@" in "".join(value):
        attributes, value = _taken_apart(value)
    tag = name + _attributes(attributes)
    inner = _mixed(content) if content is not None else "".join(_inline(key, item) for key, item in value.items())
    return f"<{tag}>{inner}</{name}>" if inner else f"<{tag}/>"


def _inline(key: str, item: Any) -> str:
    if key in (TEXT_KEY, "#text"):
        return "" if item is None else _scalar(item)
    return "".join(element_text(key, part) for part in (item if isinstance(item, list) else [item]))


def _attributes(attributes: dict[str, str]) -> str:
    return "".join([f' {_NAMES[name]}="{_attribute_text(text)}"' for name, text in attributes.items()])


def _attribute_text(text: str) -> str:
    if _SPECIAL.search(text) is None:
        return text
    _check_text(text)
    return text.translate(_ATTRIBUTE)


def _scalar(value: Any) -> str:
    text = scalar_text(unwrap(value))
    if text is None:
        if isinstance(value, bytes):
            from rolltop.transform.formats.plain import plain  # noqa: PLC0415 - rarely needed

            return str(plain(value))
        raise WriteFailure(f"a {kind_of(value)} cannot be written as text of an element")
    return _escaped(text)


def _escaped(text: str) -> str:
    if _SPECIAL.search(text) is None:
        return text
    _check_text(text)
    return text.translate(_TEXT)


class _Names(dict[str, str]):
    """Names that were found to be ones in XML; documents have few different ones."""

    def __missing__(self, name: str) -> str:
        if _NAME.fullmatch(name) is None:
            raise WriteFailure(
                f"{name!r} is no name for an XML element or attribute",
                hint="Names start with a letter and have letters, digits, '-', '_', '.' and one ':'.",
                key=name,
            )
        if len(self) < _KEPT and len(name) < _LONG:
            self[name] = name
        return name


_KEPT, _LONG = 4000, 60
_NAMES = _Names()


def _check_text(text: str) -> None:
    if _INVALID.search(text) is not None:
        raise WriteFailure("XML cannot hold a control character of this text", hint="Remove it with replace.")

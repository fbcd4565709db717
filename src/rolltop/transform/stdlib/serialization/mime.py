"""Media types, content types and multipart messages."""

from __future__ import annotations

import mimetypes
import re
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host
from rolltop.transform.stdlib.serialization.octets import octets
from rolltop.transform.values import scalar_text

# Not the machine's own tables: the same program must say the same everywhere.
_TYPES = mimetypes.MimeTypes(filenames=())
for _suffix, _type in (
    (".yaml", "application/yaml"),
    (".yml", "application/yaml"),
    (".jsonl", "application/jsonl"),
    (".md", "text/markdown"),
    (".xsd", "application/xml"),
    (".avro", "application/avro"),
    (".proto", "text/x-protobuf"),
    (".parquet", "application/vnd.apache.parquet"),
    (".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (".gz", "application/gzip"),
    (".xml", "application/xml"),
    (".js", "application/javascript"),
    (".webp", "image/webp"),
):
    _TYPES.add_type(_type, _suffix)

_PREFERRED = {
    "application/xml": "xml",
    "text/xml": "xml",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "text/yaml": "yaml",
    "image/jpeg": "jpg",
    "text/plain": "txt",
    "text/html": "html",
    "audio/mpeg": "mp3",
    "application/octet-stream": "bin",
    "application/javascript": "js",
    "text/javascript": "js",
    "image/tiff": "tiff",
    "video/mpeg": "mpeg",
}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PARAMETER = re.compile(r""";\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)""")


@function(
    "getMimeType(name: String): String",
    category="string",
    examples=[
        ('getMimeType("report.pdf")', '"application/pdf"'),
        ('getMimeType("json")', '"application/json"'),
        ('getMimeType("x.unknown")', '"application/octet-stream"'),
    ],
    params={"name": "A file name, a path or an extension"},
)
def get_mime_type(name: str) -> str:
    """The media type of a file by its extension; application/octet-stream when it is not known."""
    suffix = "." + name.strip().lower().rpartition(".")[2]
    return _TYPES.types_map[1].get(suffix, "application/octet-stream")


@function(
    "getExtension(mime: String): String",
    category="string",
    examples=[('getExtension("text/csv; charset=utf-8")', '"csv"'), ('getExtension("x/unknown")', '"bin"')],
)
def get_extension(mime: str) -> str:
    """The usual extension of a media type, without the dot; bin when it is not known."""
    kind = mime.partition(";")[0].strip().lower()
    found = _PREFERRED.get(kind)
    return found or (_TYPES.guess_extension(kind) or ".bin")[1:]


@function(
    "parseContentType(s: String): Object",
    category="string",
    examples=[
        (
            'parseContentType("text/html; charset=\\"utf-8\\"")',
            '{type: "text", subtype: "html", mimeType: "text/html", charset: "utf-8", parameters: {charset: "utf-8"}}',
        ),
        ('parseContentType("nonsense")', "error: no content type"),
    ],
)
def parse_content_type(s: str) -> dict[str, Any]:
    """The parts of a Content-Type header: type, subtype, mimeType, parameters, and charset and boundary if given."""
    kind, _, subtype = s.partition(";")[0].strip().lower().partition("/")
    if _TOKEN.fullmatch(kind) is None or _TOKEN.fullmatch(subtype) is None:
        fail(f"{s[:60]!r} is no content type", hint='It looks like "text/html; charset=utf-8".')
    parameters = {name.lower(): _unquoted(value) for name, value in _PARAMETER.findall(s[len(kind) :])}
    found: dict[str, Any] = {"type": kind, "subtype": subtype, "mimeType": f"{kind}/{subtype}"}
    found |= {name: parameters[name] for name in ("charset", "boundary") if name in parameters}
    return found | {"parameters": parameters}


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text


@function(
    "buildContentType(parts: Object): String",
    category="string",
    examples=[
        ('buildContentType({mimeType: "text/html", charset: "utf-8"})', '"text/html; charset=utf-8"'),
        (
            'buildContentType({type: "text", subtype: "csv", parameters: {header: "a b"}})',
            '"text/csv; header=\\"a b\\""',
        ),
    ],
    params={"parts": "mimeType (or type and subtype), charset, boundary, parameters"},
)
def build_content_type(parts: dict[str, Any]) -> str:
    """A Content-Type header from the parts that parseContentType names."""
    mime = _text(parts.get("mimeType")) or f"{_text(parts.get('type'))}/{_text(parts.get('subtype'))}"
    parse_content_type(mime)  # refuses what is none
    given = parts.get("parameters")
    parameters = {name: _text(value) for name, value in (given.items() if isinstance(given, dict) else ())}
    for name in ("charset", "boundary"):
        if parts.get(name) is not None:
            parameters[name] = _text(parts[name])
    return mime + "".join(f"; {_header_safe(name)}={_quoted(value)}" for name, value in parameters.items())


def _text(value: Any) -> str:
    return "" if value is None else scalar_text(value) or ""


def _header_safe(text: str) -> str:
    if "\r" in text or "\n" in text or "\0" in text:
        fail("a header cannot hold a line break", hint="Remove it with replace.")
    return text


def _quoted(text: str) -> str:
    if _TOKEN.fullmatch(text):
        return text
    return '"' + _header_safe(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


@function(
    "parseBoundary(s: String): String?",
    category="string",
    examples=[
        ('parseBoundary("multipart/mixed; boundary=\\"x y\\"")', '"x y"'),
        ('parseBoundary("text/html")', "null"),
    ],
)
def parse_boundary(s: str) -> str | None:
    """The boundary that a Content-Type header names, or null."""
    found = parse_content_type(s).get("boundary")
    return found if isinstance(found, str) else None


@function(
    "generateBoundary(): String",
    category="string",
    examples=[('startsWith(generateBoundary(), "----")', "true"), ("length(generateBoundary())", "36")],
    pure=False,
)
def generate_boundary() -> str:
    """A random boundary for a multipart message."""
    return "----" + host().random.randbytes(16).hex()


@function(
    "createPart(name: String, content: Any, contentType?: String, filename?: String): Object",
    category="string",
    examples=[
        (
            'createPart("a", "hello")',
            '{headers: {"Content-Disposition": "form-data; name=\\"a\\"", '
            '"Content-Type": "text/plain; charset=utf-8"}, content: "hello"}',
        )
    ],
    params={"content": "Text or binary", "contentType": "Default text/plain, or application/octet-stream for binary"},
)
def create_part(name: str, content: Any, content_type: str = "", filename: str = "") -> dict[str, Any]:
    """One part of a multipart form: its headers and its content."""
    octets(content, "createPart")  # refuses what has no bytes
    default = "application/octet-stream" if isinstance(content, bytes) else "text/plain; charset=utf-8"
    disposition = f"form-data; name={_always_quoted(name)}"
    if filename:
        disposition += f"; filename={_always_quoted(filename)}"
    return {
        "headers": {
            "Content-Disposition": disposition,
            "Content-Type": _header_safe(content_type) if content_type else default,
        },
        "content": content,
    }


def _always_quoted(text: str) -> str:
    # As browsers do it: a quote would end the value, a line break would start another header.
    escaped = text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    return f'"{escaped}"'


@function(
    "buildMultipart(parts: Array<Object>, boundary: String): String | Binary",
    category="string",
    examples=[
        (
            'buildMultipart([createPart("a", "hello")], "xx")',
            '"--xx\\r\\nContent-Disposition: form-data; name=\\"a\\"\\r\\n'
            'Content-Type: text/plain; charset=utf-8\\r\\n\\r\\nhello\\r\\n--xx--\\r\\n"',
        ),
        ('buildMultipart([createPart("a", "--xx")], "xx")', "error: boundary"),
    ],
)
def build_multipart(parts: list[Any], boundary: str) -> str | bytes:
    """The body of a multipart message; binary when one of its parts is."""
    if (
        not 0 < len(boundary) <= 70
        or re.fullmatch(r"[0-9A-Za-z'()+_,./:=? -]*[0-9A-Za-z'()+_,./:=?-]", boundary) is None
    ):
        fail("this cannot be a boundary", hint="Use generateBoundary().")
    pieces = [_piece(part, boundary.encode()) for part in parts]
    body = b"".join(pieces) + f"--{boundary}--\r\n".encode()
    if any(isinstance(part.get("content"), bytes) for part in parts):
        return body
    return body.decode("utf-8", "surrogatepass")


def _piece(part: Any, boundary: bytes) -> bytes:
    headers = part.get("headers") if isinstance(part, dict) else None
    if not isinstance(headers, dict):
        fail("this is no part of a message", hint="Make parts with createPart(name, content).")
    content = octets(part.get("content"), "buildMultipart")
    if b"--" + boundary in content:
        fail("the boundary occurs in the content of a part", hint="Use generateBoundary().")
    lines = [f"{_header_safe(name)}: {_header_safe(_text(value))}" for name, value in headers.items()]
    return b"\r\n".join([b"--" + boundary, octets("\r\n".join(lines), "buildMultipart"), b"", content, b""])

"""The lines above `---`: which inputs there are, in which formats, with which options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rolltop.errors import InvalidInput
from rolltop.transform.formats.options import settled
from rolltop.transform.syntax.cursor import Bail, Cursor
from rolltop.transform.syntax.literals import number_value, string_value
from rolltop.transform.syntax.tree import Header, Port

__all__ = ["FORMATS", "implied_header", "parse_header"]

FORMATS = (
    "auto", "xml", "json", "jsonl", "csv", "yaml", "odata", "toml", "fixed", "xlsx", "parquet", "arrow",
    "xsd", "jsch", "avro", "proto", "osch", "tsch",
)  # fmt: skip
_CODE = "E301"
_AFTER_INPUT = {
    ",": "Several inputs have names: `input: orders json, rates csv`.",
    "name": "After the inputs write for example `output json`. Commas separate inputs: `input: a json, b csv`.",
}
_JOINED = frozenset({"name", "keyword", "number", "-", "."})


class _Word(NamedTuple):
    text: str
    at: int


def implied_header(inputs: Mapping[str, str], output_format: str | None) -> Header:
    """The header of a program that has none."""
    ports = [Port(name, format_) for name, format_ in inputs.items()] or [Port("input", "json")]
    return Header("%utlx 1.0", ports, [Port("output", output_format or "json")], written=False)


def parse_header(cursor: Cursor) -> Header:
    """Read up to and including `---`; on an error, skip there."""
    header = Header("%utlx 1.0", [], [])
    try:
        _read(cursor, header)
    except Bail:
        while cursor.kind not in ("---", "end"):
            cursor.advance()
        cursor.accept("---")
    if not header.inputs:
        header.inputs.append(Port("input", "auto"))
    if not header.outputs:
        header.outputs.append(Port("output", "json"))
    return header


def _read(cursor: Cursor, header: Header) -> None:
    if cursor.kind != "directive":
        raise cursor.error(
            "Expected UTL-X directive '%utlx 1.0'", code=_CODE, hint="The first line of a header is `%utlx 1.0`."
        )
    header.directive = cursor.texts[cursor.advance()].strip()
    if not cursor.is_word("input"):
        raise cursor.error("Expected 'input' declaration", code=_CODE, hint="Write for example `input json`.")
    cursor.advance()
    header.inputs = _declarations(cursor, "input")
    if not cursor.is_word("output"):
        raise cursor.error(
            "Expected 'output' declaration", code=_CODE, hint=_AFTER_INPUT.get(cursor.kind, _AFTER_INPUT["name"])
        )
    cursor.advance()
    header.outputs = _declarations(cursor, "output")
    if not cursor.accept("---"):
        raise cursor.error("Expected '---' separator after header", code=_CODE)


def _declarations(cursor: Cursor, default: str) -> list[Port]:
    if not cursor.accept(":"):
        first = _word(cursor)
        if first.text in FORMATS:
            return [_spec(cursor, default, first)]
        return [_spec(cursor, first.text, _word(cursor))]
    ports: list[Port] = []
    while True:
        name = _word(cursor)
        port = _spec(cursor, name.text, _word(cursor))
        if any(other.name == port.name for other in ports):
            raise cursor.error(f"'{port.name}' is declared twice", at=name.at, code=_CODE)
        ports.append(port)
        if not cursor.accept(","):
            return ports


def _word(cursor: Cursor) -> _Word:
    """Tokens that touch each other, as one word: names may have hyphens and digits."""
    start = end = cursor.at
    while cursor.at == end and cursor.kind in _JOINED:
        end += len(cursor.texts[cursor.advance()])
    if start == end:
        raise cursor.error(f"Expected format type ({', '.join(FORMATS)})", code=_CODE)
    return _Word(cursor.source.text[start:end], start)


def _spec(cursor: Cursor, name: str, format_: _Word) -> Port:
    if format_.text not in FORMATS:
        raise cursor.error(
            f"Expected format type ({', '.join(FORMATS)}), found '{format_.text}'", at=format_.at, code=_CODE
        )
    port = Port(name, format_.text, at=format_.at)
    if cursor.kind == "%":
        cursor.advance()
        dialect = cursor.expect("name", "Expected a dialect such as %usdl 1.0")
        version = cursor.expect("number", "Expected the version of the dialect")
        port.dialect = f"%{cursor.texts[dialect]} {cursor.texts[version]}"
    if cursor.kind == "{":
        _read_options(cursor, port)
    return port


def _read_options(cursor: Cursor, port: Port) -> None:
    opener = cursor.advance()
    while cursor.kind != "}":
        if cursor.kind not in ("name", "keyword", "string"):
            raise cursor.error("Expected option name", code=_CODE)
        key_at, key = cursor.at, cursor.advance()
        name = string_value(cursor, key) if cursor.kinds[key] == "string" else cursor.texts[key]
        cursor.expect(":", "Expected ':' after option name")
        place, value = cursor.at, _option_value(cursor)
        port.places[name] = key_at
        try:
            port.options[name] = settled(port.format, name, value)
        except InvalidInput as error:
            raise cursor.error(error.message, at=place, code=_CODE, hint=error.hint) from None
        if not cursor.accept(",") and not cursor.fresh:
            break
    cursor.close(opener)


def _option_value(cursor: Cursor) -> Any:
    if cursor.kind == "[":
        return _option_list(cursor)
    negative = cursor.accept("-")
    if cursor.kind == "number":
        number = number_value(cursor.texts[cursor.advance()])
        return -number if negative else number
    if cursor.kind == "string" and not negative:
        return string_value(cursor, cursor.advance())
    if cursor.text in ("true", "false") and not negative:
        return cursor.texts[cursor.advance()] == "true"
    raise cursor.error("Expected option value", code=_CODE, hint="A text, a number, true, false or a list of texts.")


def _option_list(cursor: Cursor) -> list[Any]:
    opener = cursor.advance()
    values: list[Any] = []
    while cursor.kind != "]":
        values.append(_option_value(cursor))
        if not cursor.accept(","):
            break
    cursor.close(opener)
    return values

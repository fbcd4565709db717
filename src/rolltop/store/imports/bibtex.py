"""Bibliographies in BibTeX, as Zotero and others export them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolltop.store.imports.item import Item, file_name, tags_from

__all__ = ["entries_in", "is_bibliography"]

_ENTRY = re.compile(r"@(\w+)\s*([{(])")
_FIELD = re.compile(r"\s*([\w:.+/-]+)\s*=\s*")
_KEY = re.compile(r"\s*([^\s,{}()=]+)\s*(?=[,})])")
_PIECE = re.compile(r"\s*(?:(\d+)|([A-Za-z][\w:.+/-]*))")
_ASIDE = frozenset({"comment", "preamble", "string"})
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def is_bibliography(text: str) -> bool:
    """Whether a text has an entry with a key and a field."""
    return re.search(r"^\s*@\w+\s*[{(]\s*[^\s,{}()=]+\s*,\s*[\w-]+\s*=", text, re.MULTILINE) is not None


def entries_in(text: str) -> Iterator[Item]:
    """A document for each entry: what it is, its abstract, and the entry as it was written."""
    macros = {month: month for month in _MONTHS}
    for found in _ENTRY.finditer(text):
        kind, start = found[1].lower(), found.end()
        if kind == "string":
            macros |= {name.lower(): value for name, value in _fields(text, start, macros)[0]}
        elif kind not in _ASIDE and (key := _KEY.match(text, start)):
            fields, end = _fields(text, key.end(), macros)
            yield _item(kind, key[1], dict(fields), text[found.start() : end])


def _item(kind: str, key: str, fields: dict[str, str], written: str) -> Item:
    title = fields.get("title") or key
    where = fields.get("journal") or fields.get("journaltitle") or fields.get("booktitle") or fields.get("publisher")
    year = fields.get("year") or fields.get("date", "")[:4]
    about = [
        " and ".join(
            _natural(name) for name in re.split(r"\s+and\s+", fields.get("author") or fields.get("editor", ""))
        )
        + (f" ({year})" if year else ""),
        where,
        f"https://doi.org/{fields['doi']}" if fields.get("doi") else fields.get("url"),
    ]
    parts = [
        f"# {title}",
        ". ".join(filter(None, (each and each.strip() for each in about))),
        fields.get("abstract", ""),
    ]
    parts += [fields.get("note", ""), f"```bibtex\n{written.strip()}\n```"]
    said = {"type": kind, "key": key, "year": int(year) if year.isdigit() else year, "doi": fields.get("doi")}
    return Item(
        f"bibliography/{file_name(title, key)}",
        ("\n\n".join(filter(None, parts)) + "\n").encode("utf-8", "replace"),
        ("bibliography", *tags_from(fields.get("keywords", ""))),
        {name: value for name, value in said.items() if value},
    )


def _natural(name: str) -> str:
    """`Curie, Marie` as people say it."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma else name.strip()


def _fields(text: str, place: int, macros: dict[str, str]) -> tuple[list[tuple[str, str]], int]:
    """The fields from a place on, and where the entry ends."""
    found = list[tuple[str, str]]()
    while True:
        while place < len(text) and (text[place].isspace() or text[place] == ","):
            place += 1
        field = _FIELD.match(text, place)
        if field is None:
            return found, min(len(text), place + 1)
        value, place = _value(text, field.end(), macros)
        found.append((field[1].lower(), value))


def _value(text: str, place: int, macros: dict[str, str]) -> tuple[str, int]:
    """Pieces joined by `#`: in braces, in quotes, a number, or the name of a string."""
    pieces = list[str]()
    while place < len(text):
        if text[place].isspace() or text[place] == "#":
            place += 1
        elif text[place] in '{"':
            end = _closing(text, place)
            pieces.append(text[place + 1 : end])
            place = end + 1
        elif piece := _PIECE.match(text, place):
            pieces.append(piece[1] or macros.get(piece[2].lower(), piece[2]))
            place = piece.end()
        else:
            break
    return " ".join("".join(pieces).replace("{", "").replace("}", "").split()), place


def _closing(text: str, start: int) -> int:
    """Where a value ends that begins with a brace or a quote; braces inside come in pairs."""
    depth, quoted = 0, text[start] == '"'
    for place in range(start + 1, len(text)):
        sign = text[place]
        if sign == "\\":
            continue
        if depth == 0 and sign == ('"' if quoted else "}") and text[place - 1] != "\\":
            return place
        if text[place - 1] != "\\":
            depth += (sign == "{") - (sign == "}")
    return len(text)

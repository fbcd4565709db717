"""reStructuredText of docstrings as markdown: roles, directives, literal blocks, links."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from rolltop.catalog.paragraphs import fenced

__all__ = ["without_sphinx"]

_ROLE = re.compile(r":[a-zA-Z][\w.+-]*(?::[a-zA-Z][\w.+-]*){0,2}:`([^`\n]{1,300})`")
_TITLED = re.compile(r"^(.*?)\s*<[^<>]*>$", re.DOTALL)
_LINK = re.compile(r"`([^`<>]{1,300}?)\s*<[^`<>]{1,500}>`_{1,2}")
_DIRECTIVE = re.compile(r"(\s*)\.\. ([\w:.-]+?)::(?:[ \t]+(.*))?$")
_COMMENT = re.compile(r"(\s*)\.\.(?:\s.*)?$")
_OPTION = re.compile(r"\s*:[\w-]+:(?:\s.*)?$")
_CODE = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "literal", "ipython", "testcode", "highlight"})
_NOTES = frozenset({
    "note", "warning", "attention", "caution", "danger", "error", "hint", "important", "tip", "admonition", "rubric",
})  # fmt: skip
_SHOWN = frozenset({"math", "topic", "epigraph", "container", "table", "list-table", "csv-table"})
_LANGUAGES = {"ipython": "python", "testcode": "python"}


def without_sphinx(text: str) -> str:
    """The same text without the markup that only Sphinx understands; what it says stays."""
    if ".." not in text and "`" not in text and "::" not in text:
        return text
    return _LINK.sub(r"\1", _ROLE.sub(_role, "\n".join(_lines(text.split("\n")))))


def _role(found: re.Match[str]) -> str:
    """`:func:`~package.name`` is `name`, `:class:`text <target>`` its text."""
    said = found[1].strip()
    if titled := _TITLED.match(said):
        return titled[1] or said
    return f"`{said.rpartition('.')[2] if said.startswith('~') else said.lstrip('!')}`"


def _lines(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.lstrip().startswith(">>>"):
            yield line
            at += 1
        elif directive := _DIRECTIVE.match(line):
            stop, body = _indented(lines, at + 1, len(directive[1]))
            yield from _directive(directive[1], directive[2].rpartition(":")[2], directive[3] or "", body)
            at = stop
        elif comment := _COMMENT.match(line):
            at, _ = _indented(lines, at + 1, len(comment[1]))
        elif line.rstrip().endswith("::") and (block := _literal(lines, at)):
            before = line.rstrip()[:-1].rstrip(":").rstrip()
            if before.strip():
                yield f"{before}:"
            yield from block[1].split("\n")
            at = block[0]
        else:
            yield line
            at += 1


def _literal(lines: list[str], at: int) -> tuple[int, str] | None:
    """The indented block after a line that ends in two colons."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    stop, body = _indented(lines, at + 1, indent)
    return (stop, _placed(fenced("\n".join(body)), lines[at][:indent])) if any(map(str.strip, body)) else None


def _indented(lines: list[str], at: int, indent: int) -> tuple[int, list[str]]:
    """The lines from here that are blank or deeper than `indent`, and the line after them."""
    stop = at
    while stop < len(lines) and (not lines[stop].strip() or len(lines[stop]) - len(lines[stop].lstrip()) > indent):
        stop += 1
    body = textwrap.dedent("\n".join(lines[at:stop])).strip("\n").split("\n")
    # A blank line between what is taken and what follows stays.
    return stop, [*body, ""] if stop > at and not lines[stop - 1].strip() else body


def _directive(indent: str, name: str, argument: str, body: list[str]) -> Iterator[str]:
    while body and _OPTION.match(body[0]):
        body = body[1:]
    if name in _CODE:
        yield from _placed(fenced("\n".join(body), _LANGUAGES.get(name, argument.strip())), indent).split("\n")
        return
    if name in _NOTES:
        title = argument if name in ("admonition", "rubric") else name.capitalize()
        said = "" if name in ("admonition", "rubric") else argument
    elif name == "deprecated":
        title, said = f"Deprecated since {argument}".strip(), ""
    elif name in _SHOWN:
        title, said = "", argument
    else:
        return
    text = "\n".join(_lines([said, *body] if said else body)).strip("\n")
    yield ""
    yield from _placed(f"{title}: {text}" if title and text else title or text, indent).split("\n")
    yield ""


def _placed(text: str, indent: str) -> str:
    return textwrap.indent(text, indent)

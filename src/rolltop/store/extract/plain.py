"""Text, Markdown and code: read at once, in this process, in one pass of a few patterns over the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolltop.store.extract.charsets import WESTERN, codec_named, declared_in
from rolltop.store.extract.record import Extracted, Symbol

__all__ = ["CODE", "WESTERN", "charset_of", "codec_of", "decoded", "lines_in", "read_plain"]

MOST_HEADINGS = 1000
MOST_SYMBOLS = 5000

_MARKDOWN = frozenset({".md", ".markdown", ".rmd", ".qmd", ".mdx", ".mkd"})
_UNDERLINED = frozenset({".rst", ".txt", ".md", ".markdown"})
_ASSIGNS = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".r", ".lua"})
"""Where functions are values that get a name."""
CODE = _ASSIGNS | {
    *(".py", ".pyi", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".java", ".kt", ".scala", ".swift", ".go", ".rs", ".rb"),
    *(".php", ".sh", ".bash", ".sql", ".pl", ".jl", ".ex", ".exs", ".hs", ".ml", ".utlx"),
}

# Patterns begin with a line break, not with `^`: that is looked for line by line, not at every character. The texts
# they are used on have one put before their first line, so a place in them is one too far.
# White space is never given back: else every indented line would be tried again at each of its columns.
_HASHED = re.compile(r"\n {0,3}+(?=[#`~])(?:(```+|~~~+)|#{1,6}[ \t]+([^\n]*\S))")
_RULE = re.compile(r"\n(?=[=~-])(?:={3,}|-{3,}|~{3,})[ \t]*$", re.MULTILINE)
_RULED = re.compile(r"[^\s=~\-\n][^\n]{0,200}")
_FRONT = re.compile(r"\A---\n.*?^title:[ \t]*([^\n]+)$.*?^(?:---|\.\.\.)$", re.MULTILINE | re.DOTALL)

_FRONT_MATTER = re.compile(r"\n---[ \t]*\n(?=[^\n]*:|#)(?:[^\n]*\n){0,200}?(?:---|\.\.\.)[ \t]*(?=\n|\Z)")
"""Facts about a page, before its text; its last line is no rule below a heading."""

_BEFORE = (
    r"(?:export|default|public|private|protected|internal|static|abstract|final|async|unsafe|extern|"
    r"virtual|override|sealed|open|data|pub(?:\([a-z]+\))?|local)[ \t]+"
)
_DEFINED = re.compile(
    # Most lines begin with none of these letters; most others have nothing before the keyword.
    rf"\n[ \t]*+(?=[acdefilmnopstuv])(?:{_BEFORE}(?:{_BEFORE})*|)"
    r"(def|class|function\*?|func|fn|fun|sub|struct|enum|interface|trait|type|module|namespace|impl|object|protocol)"
    r"[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?([A-Za-z_]\w*)"
)
_ASSIGNED = re.compile(
    r"\n(?:export[ \t]+)?(?:(?:const|let|var)[ \t]+)?([A-Za-z_.][\w.]*)[ \t]*(?:<-|=)[ \t]*"
    r"(?:async[ \t]*)?(?:function\b|\([^()\n]*\)[ \t]*=>)"
)

_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_DECLARES = 4096
"""So much of the beginning may say how the rest is written."""


def decoded(data: bytes, charset: str | None = None) -> str:
    """The text of bytes that are text: by their mark, as `charset` has it, else UTF-8, else as they say themselves,
    else as Western European. A Western charset is what writers fall back on: UTF-8 is believed more than that."""
    codec, mark = codec_of(data)
    named = None if mark else codec_named(charset)
    if named is not None and named not in ("utf-8", WESTERN):
        return data.decode(named, "replace")
    try:
        return data[mark:].decode(codec, "strict" if codec == "utf-8" else "replace").removeprefix("\ufeff")
    except UnicodeDecodeError:
        broken = data.decode("utf-8", "replace")
        return broken if _mostly_whole(broken) else data.decode(_declared(data), "replace")


def lines_in(text: str) -> list[str]:
    """The lines of a text with their ends. Only a newline ends a line, as in ripgrep: a lone CR is a character."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def codec_of(head: bytes) -> tuple[str, int]:
    """The codec that a mark at the beginning names, and how long the mark is; UTF-8 without one."""
    return next(((codec, len(mark)) for mark, codec in _MARKS if head.startswith(mark)), ("utf-8", 0))


def charset_of(data: bytes) -> str | None:
    """How bytes that begin like a text and are not UTF-8 are written; "utf-8" where only a few of them are broken.

    None where they are not text to their end.
    """
    codec, mark = codec_of(data)
    if not mark:
        return None if b"\0" in data else "utf-8" if _mostly_whole(data.decode("utf-8", "replace")) else _declared(data)
    try:
        return None if "\0" in data[mark:].decode(codec) else codec.rpartition("-")[0]
    except UnicodeDecodeError:
        return None


def _declared(data: bytes) -> str:
    return declared_in(data[:_DECLARES]) or WESTERN


def _mostly_whole(text: str) -> bool:
    """Whether more characters beyond ASCII were read than not: bytes of another encoding rarely look like UTF-8."""
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    return beyond > 2 * text.count("\ufffd")


def read_plain(text: str, name: str, extension: str) -> Extracted:
    """Title, headings and defined names of a text; its body is the text itself."""
    lines = "\n" + text
    headings = tuple(_headings(lines, extension))
    symbols = tuple(_symbols(lines, extension)) if extension in CODE else ()
    return Extracted(_title(text, extension, headings) or name, headings, text, symbols)


def _title(text: str, extension: str, headings: tuple[str, ...]) -> str:
    if extension in _MARKDOWN and text.startswith("---\n") and (front := _FRONT.match(text[:4000])):
        return front[1].strip().strip("\"'")
    return headings[0] if headings else ""


def _headings(lines: str, extension: str) -> list[str]:
    if extension in _MARKDOWN and (front := _FRONT_MATTER.match(lines)):
        lines = lines[front.end() :]
    found = list(_hashed(lines)) if extension in _MARKDOWN else []
    if extension in _UNDERLINED:
        found += _ruled(lines)
    return [heading for _, heading in sorted(found)[:MOST_HEADINGS] if heading]


def _ruled(lines: str) -> Iterator[tuple[int, str]]:
    """Lines with a rule below."""
    for rule in _RULE.finditer(lines):
        start = lines.rfind("\n", 0, rule.start())
        if start >= 0 and _RULED.fullmatch(lines, start + 1, rule.start()):
            yield start, lines[start + 1 : rule.start()].rstrip()


def _hashed(lines: str) -> Iterator[tuple[int, str]]:
    """Headings with `#`; a comment in an example between fences is none."""
    fence = ""
    for match in _HASHED.finditer(lines):
        mark, heading = match[1], match[2]
        if heading is not None:
            if not fence:
                yield match.start(), heading.rstrip("# \t")
        elif not fence:
            fence = mark
        elif mark.startswith(fence):
            fence = ""


def _symbols(lines: str, extension: str) -> list[Symbol]:
    found = [(match.start(2), match[2], match[1].rstrip("*")) for match in _DEFINED.finditer(lines)]
    if extension in _ASSIGNS:
        found += [(match.start(1), match[1], "function") for match in _ASSIGNED.finditer(lines)]
    symbols, line, place = [], 0, 0
    for start, name, kind in sorted(found)[:MOST_SYMBOLS]:
        line += lines.count("\n", place, start)
        place = start
        symbols.append(Symbol(name, kind, line))
    return symbols

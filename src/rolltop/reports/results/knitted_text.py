"""The knitted Markdown of a render as a reader wants it: a title instead of front matter, plots by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

from rolltop.errors import InvalidData
from rolltop.reports.source.code_parts import blocks
from rolltop.reports.source.frontmatter import metadata, split

__all__ = ["figure_links", "plain_text"]

_MACHINERY = re.compile(r"<(/?)(script|style)\b[^<>]{0,2000}>\n?", re.IGNORECASE)
_MARKS = re.compile(r"<!--/?(?:html_preserve)?\s*-->|<!-- -->")
_EMBEDDED = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,[A-Za-z0-9+/=]{200,}")
_TARGET = re.compile(r"""(\]\(<?|<img\s[^<>]{0,500}?src=["'])([^)>"'\s]+(?: [^)>"'\s]+)*)""")


def plain_text(markdown: str, stem: str, figures: Sequence[str]) -> str:
    """What the document says: no scripts, no embedded bytes, plots as `STEM_figures/NAME`, where they are kept."""
    head, body = _headed(markdown)
    body = "".join(piece if info is not None else _shown_html(piece) for info, piece in blocks(body))
    body = _EMBEDDED.sub("(embedded)", body) if ";base64," in body else body
    known = {name: f"{quote(stem)}_figures/{quote(name)}" for name in figures}

    def target(found: re.Match[str]) -> str:
        name = unquote(found[2]).rpartition("/")[2]
        return found[1] + known.get(_shown(name, known), found[2])

    return f"{head}{_TARGET.sub(target, body).strip()}\n"


def _shown_html(prose: str) -> str:
    return _MARKS.sub("", _without_machinery(prose)) if "<" in prose else prose


def _without_machinery(body: str) -> str:
    """Without scripts and styles; in one pass, since a document may hold a million tags that nothing closes."""
    kept, at, inside = [], 0, ""
    for tag in _MACHINERY.finditer(body):
        closes, kind = bool(tag[1]), tag[2].lower()
        if inside and closes and kind == inside:
            at, inside = tag.end(), ""
        elif not inside and not closes:
            kept.append(body[at : tag.start()])
            at, inside = tag.start(), kind
    return "".join([*kept, body[at:]])


def _shown(name: str, known: dict[str, str]) -> str:
    """A vector plot by its PNG, where there is one: the one that can be looked at."""
    picture = name.rpartition(".")[0] + ".png"
    return picture if picture in known else name


def _headed(markdown: str) -> tuple[str, str]:
    try:
        fields = metadata(markdown)
    except InvalidData:
        return "", markdown
    lines = [f"# {fields['title']}"] if fields.get("title") else []
    lines += [str(fields[key]) for key in ("author", "date") if isinstance(fields.get(key), str)]
    return "".join(f"{' '.join(line.split())}\n\n" for line in lines), split(markdown)[1]


def figure_links(text: str, stem: str, uri: str) -> str:
    """The text with the URIs of its plots in place of their files; `uri` is that of all figures of the document."""
    return text.replace(f"{quote(stem)}_figures/", uri)

"""A roxygen block as tags, split the way roxygen2 splits it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Block", "Tag", "parse_block"]

# As in roxygen2, what is indented by more than one blank is text: it may be an address or code.
_TAG = re.compile(r"@(?P<name>[A-Za-z0-9]+)(?P<rest>.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag: its name, and its text as written (lines kept, `@@` read as `@`)."""

    name: str
    text: str
    line: int

    @property
    def first_word(self) -> str:
        words = self.text.split(None, 1)
        return words[0] if words else ""

    @property
    def after_first_word(self) -> str:
        words = self.text.split(None, 1)
        return words[1] if len(words) > 1 else ""


@dataclass(frozen=True, slots=True)
class Block:
    """The tags above one expression; text before the first tag is title, description and details."""

    tags: tuple[Tag, ...]

    def all(self, *names: str) -> Iterator[Tag]:
        return (tag for tag in self.tags if tag.name in names)

    def first(self, *names: str) -> Tag | None:
        return next(self.all(*names), None)

    def text(self, *names: str) -> str:
        """The text of the first such tag that has one."""
        return next((tag.text.strip() for tag in self.all(*names) if tag.text.strip()), "")

    @property
    def keywords(self) -> tuple[str, ...]:
        """The words of every `@keywords`, in order."""
        return tuple(word for tag in self.all("keywords") for word in re.split(r"[\s,]+", tag.text) if word)


def parse_block(lines: tuple[str, ...], first_line: int = 1) -> Block:
    """Split documentation lines into tags. Untagged paragraphs become title, description and details."""
    introduction: list[str] = []
    tags: list[tuple[str, int, list[str]]] = []
    for number, line in enumerate(lines, first_line):
        if found := _TAG.match(line):
            tags.append((found["name"], number, [found["rest"].removeprefix(" ")]))
        elif tags:
            tags[-1][2].append(line)
        else:
            introduction.append(line)
    explicit = [Tag(name, "\n".join(text).replace("@@", "@"), number) for name, number, text in tags]
    present = {tag.name for tag in explicit}
    return Block((*_implicit(introduction, first_line, present), *explicit))


def _implicit(lines: list[str], first_line: int, present: set[str]) -> Iterator[Tag]:
    """The first paragraph is the title, the second the description, the rest are details.

    A part that has its own tag leaves its paragraph to the next part.
    """
    paragraphs = [part.strip("\n") for part in re.split(r"\n[ \t]*\n", "\n".join(lines)) if part.strip()]
    paragraphs = [part.replace("@@", "@") for part in paragraphs]
    for name in ("title", "description"):
        if paragraphs and name not in present:
            yield Tag(name, paragraphs.pop(0), first_line)
    if paragraphs:
        yield Tag("details", "\n\n".join(paragraphs), first_line)

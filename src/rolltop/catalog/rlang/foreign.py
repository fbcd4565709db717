"""Pages of help of other packages, as documentation that blocks can inherit from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rolltop.catalog.rlang.markup import parse_markup
from rolltop.catalog.rlang.plain import to_text
from rolltop.catalog.rlang.roxygen import Block, Tag

__all__ = ["Help", "HelpPage", "block_of"]


@dataclass(frozen=True, slots=True)
class HelpPage:
    """What a page says, as Rd: the names and texts of its arguments, and its sections."""

    arguments: tuple[tuple[str, str], ...] = ()
    title: str = ""
    description: str = ""
    value: str = ""
    examples: str = ""


Help = Callable[[str, str], HelpPage | None]
"""Finds the page of a topic in an installed package; None where it cannot be had."""


def block_of(page: HelpPage) -> Block:
    """The page as the block that could have made it."""
    return Block(tuple(_tags(page)))


def _tags(page: HelpPage) -> Iterator[Tag]:
    sections = {
        "title": page.title,
        "description": page.description,
        "return": page.value,
        "examples": page.examples,
    }
    yield from (Tag(name, text, 0) for name, text in sections.items() if text.strip())
    for names, text in page.arguments:
        shown = to_text(parse_markup(names, markdown=False)).split(",")
        yield Tag("param", f"{','.join(name.strip() for name in shown)} {text}", 0)

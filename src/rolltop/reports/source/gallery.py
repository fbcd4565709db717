"""Templates to begin a report with: `templates/NAME.Rmd`, each complete, so that it renders as it is."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from rolltop.errors import InvalidInput
from rolltop.reports.source.frontmatter import quoted

__all__ = ["TEMPLATES", "from_template"]

TEMPLATES: Mapping[str, str] = {
    "data_summary": "columns, statistics and distributions of a table",
    "comparison": "groups side by side, with a test of their difference",
    "dashboard": "figures at a glance: tiles, plots and a table on a grid",
    "slides": "a presentation, as a page or for PowerPoint",
    "paper": "an article with abstract, numbered sections, figures and references",
}
"""Names and what each is for."""


def from_template(name: str, title: str, content: str = "") -> str:
    """The text of a template under a title, and after it what the author has already."""
    if name not in TEMPLATES:
        raise InvalidInput(f"there is no template {name!r}", hint=f"Templates are {', '.join(TEMPLATES)}.")
    text = (files("rolltop.reports") / "templates" / f"{name}.Rmd").read_text("utf-8")
    text = text.replace("title: TITLE\n", f"title: {quoted(' '.join(title.split()))}\n", 1)
    return f"{text}\n{content.strip()}\n" if content.strip() else text

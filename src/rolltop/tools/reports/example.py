"""The document that the examples of this set are about."""

from __future__ import annotations

from typing import Any

__all__ = ["CREATE", "CREATED"]

CREATE: dict[str, Any] = {
    "filename": "example",
    "title": "Example R Markdown",
    "content": "This is an example R Markdown file.\n\n```{r}\nplot(cars)\n```",
}

CREATED = (("create_rmd", CREATE),)
"""What puts it in place."""

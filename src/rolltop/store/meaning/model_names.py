"""The names that the setting `model` knows besides those of folders."""

from __future__ import annotations

__all__ = ["DEFAULT", "NONE"]

DEFAULT = "wordllama"
NONE = "none"
"""The choice to have no search by meaning."""

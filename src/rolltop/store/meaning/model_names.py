"""The names that the setting `model` knows besides those of folders."""

from __future__ import annotations

__all__ = ["AUTO", "MINILM", "NONE", "WORDLLAMA"]

AUTO = "auto"
"""The choice of the best model that is installed: word vectors at once, MiniLM when it knows the documents."""
WORDLLAMA = "wordllama"
MINILM = "minilm"
NONE = "none"
"""The choice to have no search by meaning."""

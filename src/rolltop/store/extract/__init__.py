"""Text out of documents, whatever format they have.

`Extracts.of(document)` is all that the rest of the store asks: a title, headings, the text, the names that code
defines, and where in the document a piece of that text stands (a page, a slide, a cell, a line). Text, Markdown and
code are read at once and in this process. Everything else is read by workers that can do nothing but compute, in the
background, once per content; until then, and where it cannot be read, a document has no text and says why.
"""

from rolltop.store.extract.extracts import Extracts
from rolltop.store.extract.record import Anchor, Extracted, Symbol

__all__ = ["Anchor", "Extracted", "Extracts", "Symbol"]

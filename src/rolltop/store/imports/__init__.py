"""What other programs export, as documents: conversations, bookmarks, mailboxes, bibliographies."""

from rolltop.store.imports.sources import FORMATS, Item, foreign_items, import_foreign

__all__ = ["FORMATS", "Item", "foreign_items", "import_foreign"]

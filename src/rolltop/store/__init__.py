"""Keep documents by content and find them again."""

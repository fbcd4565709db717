"""The directories of documents and of what was rendered from them: atomic writes, versions, one writer at a time."""

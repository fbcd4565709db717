"""R Markdown documents, created and rendered in a sandbox."""

"""The text of a document before it runs: front matter, chunks, templates, Quarto, and the engine that fits it."""

"""The keyword index on disk: segments, vocabulary, previews, and their care."""

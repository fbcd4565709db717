"""Text out of PDF."""

"""Text out of OpenDocument files."""

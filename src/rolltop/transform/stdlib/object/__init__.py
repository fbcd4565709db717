"""Objects and nested values."""

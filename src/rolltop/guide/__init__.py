"""Project content by expression, flags, project configuration."""

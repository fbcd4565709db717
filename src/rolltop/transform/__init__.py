"""The UTL-X language: read any data format, check and run transformations."""

"""Storing, finding, reading and deleting documents."""

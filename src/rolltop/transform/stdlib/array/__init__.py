"""Functions over arrays."""

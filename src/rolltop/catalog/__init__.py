"""Documented functions become tool definitions, and are served."""

"""Verifying, repairing and counting what is stored."""

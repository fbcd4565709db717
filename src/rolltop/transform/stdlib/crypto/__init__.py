"""Hashes, encryption and signed tokens."""

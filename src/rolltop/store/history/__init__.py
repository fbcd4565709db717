"""Snapshots, comparing and restoring them, and archives with every version."""

"""Prompts: text that a user calls by name. README.md is the template."""

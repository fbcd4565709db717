"""Data formats as text and bytes inside a program."""

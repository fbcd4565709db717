"""Bytes on disk: content cut into leaves, packed into frames, appended to pack files, and read back checked."""

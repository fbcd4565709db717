from __future__ import annotations


def sandbox_filter() -> bytes | None:
    return None

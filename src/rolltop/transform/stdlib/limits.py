"""How large a single call may make a value; a program cannot catch what goes beyond."""

from __future__ import annotations

from rolltop.errors import SizeLimit

__all__ = ["MOST_CHARACTERS", "MOST_ITEMS", "check_items", "check_text"]

MOST_CHARACTERS = 16_000_000
MOST_ITEMS = 1_000_000


def check_text(name: str, length: int) -> None:
    """Refuse to make a text longer than the limit."""
    if length > MOST_CHARACTERS:
        raise SizeLimit(
            f"{name} would make a text of {length} characters; the limit is {MOST_CHARACTERS}",
            hint="Ask for a shorter text.",
        )


def check_items(name: str, count: int) -> None:
    """Refuse to make an array longer than the limit."""
    if count > MOST_ITEMS:
        raise SizeLimit(
            f"{name} would make an array of {count} elements; the limit is {MOST_ITEMS}",
            hint="Filter the data first, or work on a part of it.",
        )

"""What the user decided about foreign code, for the whole process.

Set once by whoever reads the settings; a `Sandbox` that says something itself has the last word.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Policy", "policy", "set_policy"]


@dataclass(frozen=True, slots=True)
class Policy:
    """`user`: whom foreign code runs as when rolltop runs as root (nobody when None).
    `allow_unconfined`: run it with limits alone where the machine offers no confinement."""

    user: str | int | None = None
    allow_unconfined: bool = False


_decided = Policy()


def policy() -> Policy:
    return _decided


def set_policy(decided: Policy) -> None:
    global _decided  # noqa: PLW0603 - one decision for one process
    _decided = decided

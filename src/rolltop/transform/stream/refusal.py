"""What is raised where an input cannot be read piece by piece after all."""

from __future__ import annotations

from rolltop.transform.errors import EvaluationFailure

__all__ = ["NotStreamed"]


class NotStreamed(Exception):
    """This input has to be read as a whole; nothing was written.

    `seen` is what was taken from the source, when that is all that is missing from it; `failure` is why it did not
    work when the source may be used up.
    """

    def __init__(self, seen: bytes | None = None, failure: EvaluationFailure | None = None) -> None:
        super().__init__()
        self.seen = seen
        self.failure = failure

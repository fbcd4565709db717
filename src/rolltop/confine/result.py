"""How a confined program ended, and how it was confined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rolltop.errors import Cancelled, ForeignFailure, LimitExceeded, MemoryLimit, SizeLimit, TimeLimit

__all__ = ["Confinement", "Finished", "Reason", "Rung"]

Rung = Literal["bwrap", "landlock", "none"]

Reason = Literal["exit", "signal", "time", "cpu", "memory", "output", "disk", "file_size", "cancelled"]


@dataclass(frozen=True, slots=True)
class Confinement:
    """Which backend held the program, and what that means in words."""

    rung: Rung
    features: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.rung


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a confined program."""

    reason: Reason
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    confinement: Confinement

    @property
    def ok(self) -> bool:
        return self.reason == "exit" and self.exit_code == 0

    def check(self, what: str = "the program") -> Finished:
        """Return self when the program succeeded; otherwise raise the error that says why not."""
        if self.ok:
            return self
        details = {
            "reason": self.reason,
            "exit_code": self.exit_code,
            "signal": self.signal,
            "confinement": self.confinement.rung,
            "stderr": self.stderr[-4000:].decode("utf-8", "replace"),
        }
        kind, sentence, hint = _ERRORS[self.reason]
        if self.reason == "exit":
            sentence = f"failed with exit code {self.exit_code}"
        elif self.reason == "signal":
            sentence = f"was ended by signal {self.signal}"
        raise kind(f"{what} {sentence}", hint=hint, details=details)


_ERRORS: dict[Reason, tuple[type[ForeignFailure | LimitExceeded | Cancelled], str, str]] = {
    "exit": (ForeignFailure, "failed", "Its error output is in the details."),
    "signal": (ForeignFailure, "was ended by a signal", "Its error output is in the details."),
    "time": (TimeLimit, "took too long and was ended", "Make it do less, or allow it more seconds."),
    "cpu": (TimeLimit, "used too much processor time and was ended", "Make it do less, or allow it more seconds."),
    "memory": (MemoryLimit, "needed more memory than it is allowed", "Use less data at once, or allow more memory."),
    "output": (SizeLimit, "printed more than it is allowed", "Print less, or allow more output."),
    "disk": (SizeLimit, "wrote more than it is allowed", "Write less, or allow more disk space."),
    "file_size": (SizeLimit, "wrote a file larger than it is allowed", "Write smaller files, or allow larger ones."),
    "cancelled": (Cancelled, "was cancelled", "Nothing of it is left running; start it again if it is still needed."),
}

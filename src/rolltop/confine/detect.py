"""What this machine offers for confinement, and what is missing."""

from __future__ import annotations

from rolltop.confine.result import Confinement

__all__ = ["require_rung"]


def require_rung(*, allow_unconfined: bool) -> Confinement:
    return Confinement("bwrap")

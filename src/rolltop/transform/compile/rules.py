"""What every part of the typed emitter knows: kinds of values, and where code may go."""

from __future__ import annotations

from contextlib import AbstractContextManager

from rolltop.transform.compile.blocks import Flow
from rolltop.transform.compile.common_values import Regions
from rolltop.transform.compile.emitter import Emitter
from rolltop.transform.compile.places import Kind, Place
from rolltop.transform.compile.routine import Block

__all__ = ["Rules"]


class Rules(Emitter):
    """The ground of the parts; `TypedEmitter` joins them."""

    regions: Regions
    block: Block | None
    """Where statements go; None in code that may not run, which has to be one expression."""
    lenient: int
    """Above zero where null is expected, as on the left of `??`."""

    def known(self, place: Place) -> Kind:
        """What an expression may rely on about a place: itself while it is being found out, then its form."""
        raise NotImplementedError

    def escape(self, kind: Kind) -> None:
        """The value gets where anything may be done with it."""
        raise NotImplementedError

    def use(self, kind: Kind, word: str) -> Kind:
        """The value is used as a number (`num`), text (`str`), or one of these or null; what is proved of it."""
        raise NotImplementedError

    def region(self) -> AbstractContextManager[None]:
        """Code that may not run, or runs more than once."""
        raise NotImplementedError

    def inside(self, flow: Flow) -> AbstractContextManager[None]:
        """Code that is added to the block of a flow."""
        raise NotImplementedError

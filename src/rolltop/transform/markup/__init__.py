"""XML records straight into what a program reads of them, without a tree.

`MarkupTiers` is a program's typed code over elements. `Shape` learns from records that were read exactly how the
records of a document are built: which attributes and elements in which order, which are left out or come more than
once. Both together give one regular expression (`pattern`) whose groups are the fields read. It matches only
well-formed records of the learnt shape, so that a match is a proof; what it leaves is read exactly, and the shape
learns from it.
"""

from rolltop.transform.markup.decoder import Decoder
from rolltop.transform.markup.pattern import Unsuitable
from rolltop.transform.markup.shape import Shape
from rolltop.transform.markup.tier import MarkupTiers

__all__ = ["Decoder", "MarkupTiers", "Shape", "Unsuitable"]

"""Records found by a pattern, and the pattern made better by those that it did not find."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.markup import Decoder, MarkupTiers, Shape, Unsuitable
from rolltop.transform.markup.tier import MarkupTier
from rolltop.transform.syntax import tree

__all__ = ["MarkedPiece", "Scanner"]

_SAMPLE = 16
"""Records to learn from at first."""
_FRESH = 8
"""So many records have to be missed before the pattern is made anew."""
_PATTERNS = 12
_MISSES = 100


class Scanner:
    """A program's pattern for the records of one document after the other."""

    def __init__(self, program: tree.Program, path: tuple[str, ...], sample: int = _SAMPLE) -> None:
        self.tiers = tiers = MarkupTiers(program, path)
        self.arrays = frozenset(map(str, program.header.inputs[0].options.get("arrays") or ()))
        """The elements that are always arrays."""
        self._shape = Shape()
        self._snapshot = Shape()
        self._decoders: dict[tuple[str, bool], Decoder] = {}
        self._due = sample
        """Records to learn from until a pattern is made."""
        self._patterns = 0
        self._misses = self._hits = 0
        self.hopeless = tiers.hopeless
        """Whether it is not worth to go on with patterns."""

    @property
    def ready(self) -> bool:
        return bool(self._decoders) and not self.hopeless

    def missed(self, text: str | None) -> None:
        """A record, alone in its text if that is given, had to be read exactly."""
        self._misses += 1
        if text is not None and self._patterns < _PATTERNS:
            self._shape.learn(text)
            self._due -= 1
            if self._due <= 0 and self._shape.changes != self._snapshot.changes:
                self._make()
        if self._misses > _MISSES and self._misses > self._hits:
            self.hopeless = True

    def _make(self) -> None:
        """A pattern for all that was learnt so far."""
        self._snapshot = copy.deepcopy(self._shape)
        self._due = _FRESH << self._patterns
        self._patterns += 1
        self._misses = self._hits = 0
        self._decoders = {}
        assert self.tiers.typed is not None
        try:
            self.decoder(self.tiers.typed, plain=True)
        except (Unsuitable, RecursionError, re.error):
            self.hopeless = True

    def decoder(self, tier: MarkupTier, *, plain: bool) -> Decoder:
        found = self._decoders.get((tier.name, plain))
        if found is None:
            found = Decoder(tier, self._snapshot, self.arrays, plain=plain)
            self._decoders[tier.name, plain] = found
        return found

    def rows(self, text: str, start: int, end: int, *, plain: bool) -> tuple[list[tuple[str, ...]], int]:
        """The fields of as many records as can be found from the start on, and where they end."""
        assert self.tiers.typed is not None
        rows = self.decoder(self.tiers.typed, plain=plain).scan(text, start, end)
        left = rows[-1][-1]
        if left:
            rows.pop()
        self._hits += len(rows)
        if self.tiers.hopeless:
            self.hopeless = True
        return rows, end - len(left)


class MarkedPiece:
    """Records of which only the fields read are known; the rest is in the text."""

    def __init__(
        self,
        scanner: Scanner,
        rows: list[tuple[str, ...]],
        text: str,
        read: Callable[[str], Any],
        *,
        plain: bool,
    ) -> None:
        self.program = scanner.tiers.program
        self.text = text
        self._scanner = scanner
        self._rows = rows
        self._read = read
        self._plain = plain
        self.was_read = False
        """Whether the exact reader took the text after all."""

    def value(self) -> tuple[bool, Any]:
        """Whether typed code could take the records, and the program's value if so."""
        return self._scanner.tiers.value_of(self._decoded)

    def _decoded(self, tier: MarkupTier) -> Any:
        first = self._scanner.tiers.typed
        decoder = self._scanner.decoder(tier, plain=self._plain)
        if first is not None and decoder.level.source != self._scanner.decoder(first, plain=self._plain).level.source:
            raise Surprise
        return decoder.document(self._rows)

    @cached_property
    def document(self) -> Any:
        self.was_read = True
        return self._read(self.text)

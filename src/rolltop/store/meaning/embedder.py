"""What makes vectors from texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Embedder", "Trust", "fingerprint", "readable"]

_ENDS = 64 << 10


@dataclass(frozen=True, slots=True)
class Trust:
    """How much nearness counts beside the words, from 0 to 1, as tuned by bench/meaning.py.

    Where documents hold all the words of the query (`all_words`), the words have nearly decided; where they hold only
    some of them (`some_words`), the meaning says more.
    """

    all_words: float
    some_words: float

    def beside(self, words: bool, *, complete: bool) -> float:
        """The share of the meaning beside what the words found, if they found anything."""
        if not words:
            return 1.0
        return self.all_words if complete else self.some_words


class Embedder(Protocol):
    """A model that is ready to use. Vectors of two fingerprints are never compared."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def reach(self) -> int:
        """How many characters of text one vector can stand for."""
        ...

    @property
    def quick(self) -> bool:
        """Whether some documents can be embedded while a search waits."""
        ...

    @property
    def trust(self) -> Trust:
        """How much its order of documents counts beside that of the keywords."""
        ...

    @property
    def floor(self) -> float:
        """How near a document must be to be found by its meaning alone where words are searched too."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row for each text, of length 1; a text without any word gets zeros."""
        ...


def fingerprint(recipe: str, *files: Path) -> str:
    """Which weights these are, and how text is made ready for them: size and both ends of each file tell."""
    digest = sha256(recipe.encode())
    for path in files:
        size = path.stat().st_size
        with path.open("rb") as file:
            digest.update(size.to_bytes(8, "little") + file.read(_ENDS))
            file.seek(max(0, size - _ENDS))
            digest.update(file.read(_ENDS))
    return digest.hexdigest()[:16]


def readable(text: str) -> str:
    """Text that every tokenizer takes: a lone surrogate, which JSON can carry, becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()

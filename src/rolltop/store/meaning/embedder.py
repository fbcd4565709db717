"""What makes vectors from texts."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rolltop.store.meaning.fusion import Blend

__all__ = ["Embedder", "fingerprint", "readable"]

_ENDS = 64 << 10


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
    def blend(self) -> Blend:
        """How much its nearness counts beside the words."""
        ...

    @property
    def noise(self) -> float:
        """How near texts are that have nothing to do with each other."""
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

"""The default model: a vector for every piece of a word, added up.

The vectors and the tokenizer are those of the `wordllama` package; only its two data files are read. Identifiers are
taken apart (`getUserName`, `get_user_name`), case is folded, and a word that comes n times counts √n times: on
known-item sets that is worth half as much again as the plain mean that the vectors were trained for (bench/meaning.py).
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rolltop.errors import InvalidData
from rolltop.store.meaning.embedder import fingerprint, readable
from rolltop.store.meaning.fusion import Blend

__all__ = ["WordVectors"]

_RECIPE = "words-1"
_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONGEST = 48
"""Of a longer word, which is none, only the beginning counts."""
_REMEMBERED = 30_000
"""Words whose vectors are kept at hand."""


class WordVectors:
    """An `Embedder` without a network: megabytes of text in a CPU second."""

    name = "wordllama"
    reach = 1500
    quick = True
    blend = Blend(nearness=2.0)
    noise = 0.1

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        from safetensors.numpy import load_file  # noqa: PLC0415 - loaded with the model, not with the store
        from tokenizers import Tokenizer  # noqa: PLC0415

        try:
            (self._table,) = load_file(weights).values()
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # tokenizers raises nothing more particular
            raise InvalidData(f"the word vectors in {weights.parent} cannot be read: {error}") from error
        self.fingerprint = fingerprint(_RECIPE, weights, tokenizer)
        self.width = int(self._table.shape[1])
        self._learning = threading.Lock()
        self._known = _Vocabulary(self.width)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        bags = [Counter(_WORD.findall(readable(text))) for text in texts]
        known = self._learn(set().union(*bags))
        rows = np.zeros((len(texts), self.width), np.float32)
        for row, bag in zip(rows, bags, strict=True):
            known.add_up(bag, row)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows /= np.where(lengths == 0, 1, lengths)
        return rows

    def _learn(self, words: Iterable[str]) -> _Vocabulary:
        """A vocabulary that has these words. A full one is left to the threads that use it, and another begun."""
        with self._learning:
            if len(self._known.words) > _REMEMBERED:
                self._known = _Vocabulary(self.width)
            known = self._known
            spelled = {word: _parts(word) for word in words if word not in known.words}
            new = list({part for parts in spelled.values() for part in parts if part not in known.parts})
            encoded = self._tokenizer.encode_batch([part[:_LONGEST] for part in new], add_special_tokens=False)
            known.learn(spelled, new, [self._table[each.ids].sum(axis=0, dtype=np.float32) for each in encoded])
            return known


class _Vocabulary:
    """Words as they are written, the parts they are made of, and the vectors of these."""

    def __init__(self, width: int) -> None:
        self.words: dict[str, tuple[int, ...]] = {}
        self.parts: dict[str, int] = {}
        self._vectors = np.empty((0, width), np.float32)

    def learn(self, spelled: dict[str, list[str]], parts: list[str], vectors: Sequence[NDArray[np.float32]]) -> None:
        start = len(self.parts)
        if start + len(parts) > len(self._vectors):
            grown = np.empty((start + len(parts) + 4096, self._vectors.shape[1]), np.float32)
            grown[:start] = self._vectors[:start]
            self._vectors = grown
        for place, (part, vector) in enumerate(zip(parts, vectors, strict=True), start):
            self._vectors[place] = vector
            self.parts[part] = place
        for word, its_parts in spelled.items():
            self.words[word] = tuple(self.parts[part] for part in its_parts)

    def add_up(self, bag: Counter[str], row: NDArray[np.float32]) -> None:
        counts: dict[int, int] = {}
        for word, count in bag.items():
            for part in self.words[word]:
                counts[part] = counts.get(part, 0) + count
        if counts:
            weights = np.sqrt(np.fromiter(counts.values(), np.float32, len(counts)))
            chosen = self._vectors[np.fromiter(counts, np.intp, len(counts))]
            # einsum stays on this thread; a product of matrices wakes one for each core, which costs more.
            np.einsum("i,ij->j", weights, chosen, out=row)


def _parts(word: str) -> list[str]:
    """The words in an identifier, in small letters."""
    spelled: Any = [word] if word.islower() or word.isupper() else _HUMP.split(word)
    return [part.lower() for part in spelled]

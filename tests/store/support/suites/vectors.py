"""What every vector index must do."""

from __future__ import annotations

import random

import pytest

from rolltop.store.seams import VectorIndex


class VectorIndexSuite:
    def test_the_nearest_come_first(self, vectors: VectorIndex) -> None:
        vectors.add([1, 2, 3], [[1, 0], [0, 1], [1, 1]])
        assert [key for key, _ in vectors.nearest([1, 0.1], 2)] == [1, 3]
        assert len(vectors) == 3

    def test_a_key_has_one_vector(self, vectors: VectorIndex) -> None:
        vectors.add([1, 2], [[1, 0], [0, 1]])
        vectors.add([1], [[0, 1]])
        assert {key for key, score in vectors.nearest([0, 1], 5) if score > 0.99} == {1, 2}
        vectors.remove([2])
        assert [key for key, _ in vectors.nearest([0, 1], 5)] == [1]

    def test_it_agrees_with_brute_force(self, vectors: VectorIndex) -> None:
        rng = random.Random(1)
        rows = [[rng.gauss(0, 1) for _ in range(8)] for _ in range(200)]
        vectors.add(list(range(200)), rows)
        asked = [rng.gauss(0, 1) for _ in range(8)]

        def cosine(row: list[float]) -> float:
            length = sum(a * a for a in row) ** 0.5
            return sum(a * b for a, b in zip(row, asked, strict=True)) / length

        found = vectors.nearest(asked, 10)
        length = sum(a * a for a in asked) ** 0.5
        best = sorted((cosine(row) / length for row in rows), reverse=True)[:10]
        assert [score for _, score in found] == pytest.approx(best, abs=0.01)
        assert all(score == pytest.approx(cosine(rows[key]) / length, abs=0.01) for key, score in found)

    def test_given_keys_have_the_scores_that_the_nearest_have(self, vectors: VectorIndex) -> None:
        rng = random.Random(2)
        asked = [rng.gauss(0, 1) for _ in range(4)]
        for keys in (range(50, 90), range(50), [10, 60, 20]):  # in order, before the others, and some anew
            vectors.add(list(keys), [[rng.gauss(0, 1) for _ in range(4)] for _ in keys])
            vectors.remove([7, 77])
            known = dict(vectors.nearest(asked, 200))
            mixed = rng.sample(range(95), 95)
            assert vectors.scores(asked, mixed) == pytest.approx([known.get(key, 0.0) for key in mixed], abs=1e-6)
        assert vectors.scores(asked, []) == []

    def test_an_empty_index_has_nothing_near(self, vectors: VectorIndex) -> None:
        assert vectors.nearest([1.0, 2.0], 3) == []
        assert vectors.scores([1.0, 2.0], [1, 2]) == [0.0, 0.0]
        vectors.add([1], [[1, 2]])
        vectors.clear()
        assert (len(vectors), vectors.nearest([1.0, 2.0], 3)) == (0, [])

    def test_only_what_is_retained_stays(self, vectors: VectorIndex) -> None:
        vectors.add([1, 2, 3], [[1, 0], [0, 1], [1, 1]])
        vectors.retain({3, 4})
        vectors.compact()
        assert (len(vectors), [key for key, _ in vectors.nearest([1, 0], 5)]) == (1, [3])
        assert vectors.damage() == []

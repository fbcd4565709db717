"""What every text index must do."""

from __future__ import annotations

from dataclasses import replace

from rolltop.store.seams import TextChanges, TextIndex, TextUnit

UNITS = [
    TextUnit(1, "milk.md", "notes/milk.md", ("errand",), "Buy milk and honey.", extension=".md", change=1),
    TextUnit(2, "tea.md", "notes/tea.md", (), "Tea with honey is better than milk.", extension=".md", change=2),
    TextUnit(3, "code.py", "src/code.py", (), "def brew(tea): return Größe", extension=".py", change=3),
]


def learn(text: TextIndex, units: list[TextUnit], mark: int, removed: tuple[int, ...] = ()) -> None:
    text.learn(lambda _: [TextChanges(units, [(number, mark) for number in removed], mark)])


def found(text: TextIndex, query: str, similarity: float | None = None) -> list[int]:
    return sorted(hit.document for hit in text.search(query, limit=10, similarity=similarity).hits)


class TextIndexSuite:
    def test_documents_are_found_by_their_words(self, text: TextIndex) -> None:
        learn(text, UNITS, 3)
        assert found(text, "honey") == [1, 2]
        assert found(text, "honey tea") == [2]
        assert found(text, "HONEY") == [1, 2]
        assert found(text, "groesse") == []
        assert found(text, "größe") == [3]
        assert found(text, "nothing") == []

    def test_what_is_only_remembered_is_found_alike(self, text: TextIndex) -> None:
        learn(text, UNITS[:1], 1)
        text.remember(TextChanges(UNITS[1:], [], 3))
        assert (text.mark, text.seen) == (1, 3)
        assert found(text, "honey") == [1, 2]
        assert found(text, "hony", 0.7) == [1, 2]
        assert text.search("honey -buy", limit=10).total == 1

    def test_what_is_remembered_counts_instead_of_what_was_learned(self, text: TextIndex) -> None:
        learn(text, UNITS, 3)
        text.remember(TextChanges([replace(UNITS[0], body="sold out", change=4)], [(2, 5)], 5))
        assert found(text, "honey") == []
        assert found(text, "sold") == [1]
        assert found(text, "tea") == [3]

    def test_any_word_counts_where_no_document_has_all(self, text: TextIndex) -> None:
        learn(text, UNITS, 3)
        assert found(text, "errand brew") == [1, 3]

    def test_phrases_and_prefixes(self, text: TextIndex) -> None:
        learn(text, UNITS, 3)
        assert found(text, '"milk and"') == [1]
        assert found(text, "hon*") == [1, 2]

    def test_operators_and_fields(self, text: TextIndex) -> None:
        learn(text, UNITS, 3)
        assert found(text, "buy OR brew") == [1, 3]
        assert found(text, "honey -buy") == [2]
        assert found(text, "(buy OR brew) AND NOT errand") == [3]
        assert found(text, "path:notes") == [1, 2]
        assert found(text, "tag:errand") == [1]
        assert found(text, "ext:.py") == found(text, "ext:py") == [3]
        assert found(text, "-honey") == [3]

    def test_every_query_is_answered(self, text: TextIndex) -> None:
        learn(text, UNITS, 3)
        for query in ("AND", "milk OR", "(", '"', "name:milk", "*", "NEAR(milk", "-milk", "", "a:b", "((", "NOT"):
            text.search(query, limit=10)
        broken = text.search("milk AND (honey", limit=10)
        assert broken.note is not None
        assert broken.total == 2

    def test_replacing_and_removing(self, text: TextIndex) -> None:
        learn(text, UNITS, 3)
        learn(text, [replace(UNITS[0], tags=(), body="sold out")], 5, removed=(2,))
        assert found(text, "honey") == []
        assert found(text, "sold") == [1]
        assert text.mark == 5

    def test_pages_and_totals(self, text: TextIndex) -> None:
        learn(text, [TextUnit(n, f"{n}", f"{n}", (), "word " * n) for n in range(1, 31)], 30)
        first, second = text.search("word", limit=10), text.search("word", limit=10, offset=10)
        assert (first.total, len(first.hits), len(second.hits)) == (30, 10, 10)
        assert not {hit.document for hit in first.hits} & {hit.document for hit in second.hits}

    def test_scores_are_the_sum_of_their_parts(self, text: TextIndex) -> None:
        learn(text, UNITS[:2], 2)
        text.remember(TextChanges(UNITS[2:], [], 3))
        for hit in text.search("tea OR honey", limit=10, why=True).hits:
            assert abs(sum(hit.parts.values()) - hit.score) < 1e-3

    def test_clearing_forgets_everything(self, text: TextIndex) -> None:
        learn(text, UNITS, 3)
        text.clear()
        assert (found(text, "milk"), text.mark) == ([], 0)
        assert text.damage() == []

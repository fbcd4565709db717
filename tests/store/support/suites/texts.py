"""What every text index must do."""

from __future__ import annotations

from rolltop.store.seams import TextIndex, TextUnit

UNITS = [
    TextUnit(1, "milk.md", "notes/milk.md", ("errand",), "Buy milk and honey."),
    TextUnit(2, "tea.md", "notes/tea.md", (), "Tea with honey is better than milk."),
    TextUnit(3, "code.py", "src/code.py", (), "def brew(tea): return Größe"),
]


def found(text: TextIndex, query: str) -> list[int]:
    return sorted(hit.document for hit in text.search(query, limit=10)[0])


class TextIndexSuite:
    def test_documents_are_found_by_their_words(self, text: TextIndex) -> None:
        text.update(UNITS, [], 3)
        assert found(text, "honey") == [1, 2]
        assert found(text, "honey tea") == [2]
        assert found(text, "HONEY") == [1, 2]
        assert found(text, "groesse") == []
        assert found(text, "größe") == [3]
        assert found(text, "nothing") == []

    def test_any_word_counts_where_no_document_has_all(self, text: TextIndex) -> None:
        text.update(UNITS, [], 3)
        assert found(text, "errand brew") == [1, 3]

    def test_phrases_and_prefixes(self, text: TextIndex) -> None:
        text.update(UNITS, [], 3)
        assert found(text, '"milk and"') == [1]
        assert found(text, "hon*") == [1, 2]

    def test_nothing_in_a_query_is_an_operator(self, text: TextIndex) -> None:
        text.update(UNITS, [], 3)
        for query in ("AND", "milk OR", "(", '"', "name:milk", "*", "NEAR(milk", "-milk", ""):
            text.search(query, limit=10)

    def test_replacing_and_removing(self, text: TextIndex) -> None:
        text.update(UNITS, [], 3)
        text.update([TextUnit(1, "milk.md", "notes/milk.md", (), "sold out")], [2], 5)
        assert found(text, "honey") == []
        assert found(text, "sold") == [1]
        assert text.mark == 5

    def test_pages_and_totals(self, text: TextIndex) -> None:
        text.update([TextUnit(n, f"{n}", f"{n}", (), "word " * n) for n in range(1, 31)], [], 30)
        first, total = text.search("word", limit=10)
        second, _ = text.search("word", limit=10, offset=10)
        assert (total, len(first), len(second)) == (30, 10, 10)
        assert not {hit.document for hit in first} & {hit.document for hit in second}

    def test_clearing_forgets_everything(self, text: TextIndex) -> None:
        text.update(UNITS, [], 3)
        text.clear()
        assert (found(text, "milk"), text.mark) == ([], 0)
        assert text.damage() == []

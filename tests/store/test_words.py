"""Words: how they are cut, how alike they are, and that the vocabulary on disk knows them all."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.store.seams import TextChanges, TextUnit
from rolltop.store.text import KeywordIndex
from rolltop.store.text.words import stem_counts
from rolltop.store.text.words.analysis import stem_analyzer, stems, words_in
from rolltop.store.text.words.edit_distance import nearest
from rolltop.store.text.words.folding import folded
from rolltop.store.text.words.splitting import cut, cut_all
from rolltop.store.text.words.stem_counts import Parts, weighed
from rolltop.store.text.words.vocabulary import Vocabulary

WORDS = st.text("abcdé", min_size=1, max_size=9)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.text("abAB19_- é日\n", max_size=20)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("parseXMLFile", ["parse", "xml", "file"]),
        ("snake_case", ["snake", "case"]),
        ("kebab-case", ["kebab", "case"]),
        ("sha256", ["sha", "256"]),
        ("GRÖSSE Größe", ["grosse", "grosse"]),
        ("日本", ["日", "本"]),
        ("a", ["a"]),
        ("", []),
        ("x" * 100, []),
        ("x" * 63 + " " + "y" * 64 + "-" + "z" * 300, ["x" * 63]),
        ("തിരുവനന്തപുരത്തേക്കുള്ളതായിരുന്നു", ["തിരുവനന്തപുരത്തേക്കുള്ളതായിരുന്നു"]),
        ("é" + "x" * 63 + " " + "é" + "x" * 62, ["e" + "x" * 62]),
        ("sha256sum md5sum", ["sha", "256", "sum", "md", "5", "sum"]),
        ("utf8mb4 v2beta1", ["utf", "8", "mb", "4", "v", "2", "beta", "1"]),
        ("sha256Sum x86_64", ["sha", "256", "sum", "x", "86", "64"]),
        ("256sum 10px i18n 1.2.3rc1", ["256sum", "10px", "i", "18n", "1", "2", "3rc", "1"]),  # as they were
        ("a9face12bead 0x1fbeef", ["a", "9face", "12bead", "0x", "1fbeef"]),  # hexadecimal
        ("name1of" + "x" * 25, ["name", "1", "of" + "x" * 25]),
        ("name1of" + "x" * 26, ["name", "1of" + "x" * 26]),  # too long for a name
        ("हिन्दी भाषा தமிழ்", ["हिन्दी", "भाषा", "தமிழ்"]),
        ("ภาษาที่", ["ภ", "า", "ษ", "า", "ที่"]),
        ("ພາສາ", ["ພ", "າ", "ສ", "າ"]),
        ("ភាសា", ["ភា", "សា"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("اللُّغَةُ שָׁלוֹם", ["اللغة", "שלום"]),
        ("ΛΟΓΟΣ λόγος λογος", ["λογοσ"] * 3),
        ("İstanbul ISTANBUL \u0131stanbul", ["istanbul"] * 3),
        ("co\u00adoperate मा\u200dला x\u200by", ["cooperate", "माला", "x", "y"]),
        ("Ёлка йод лю\u0301ди", ["елка", "йод", "люди"]),
        ("GRÖßE Ⓐﬁ", ["grosse", "afi"]),
    ],
)
def test_words_inside_words(text: str, words: list[str]) -> None:
    assert words_in(text) == words


@given(TEXTS)
def test_words_are_the_same_however_letters_are_composed(text: str) -> None:
    assert words_in(normalize("NFD", text)) == words_in(normalize("NFC", text)) == words_in(text)


def test_what_was_cut_is_also_one_word() -> None:
    assert cut("getUserName e-mail x plain").joined == {"getusername", "email"}


@given(
    st.text("abgAB19_- .\n", max_size=20)
    | st.text("abx01", min_size=28, max_size=36)
    | st.text(st.characters(max_codepoint=127), max_size=40)
)
def test_a_short_text_is_cut_as_a_long_one(text: str) -> None:
    assert cut(text) == cut_all([text])[0]


@pytest.mark.parametrize("code", ["a9face12bead", "ab12cdxy34ef", "name1of" + "x" * 26])
def test_very_many_codes_are_cut_as_few(code: str) -> None:
    texts = [f"{code} {number}{code}" for number in range(5000)]
    assert cut_all([" ".join(texts)])[0].text == " ".join(cut(text).text for text in texts)


@given(st.lists(TEXTS, max_size=5))
def test_texts_are_cut_together_as_each_alone(texts: list[str]) -> None:
    assert cut_all(texts) == [cut(text) for text in texts]


@given(st.lists(st.lists(TEXTS, max_size=3), max_size=3))
@settings(deadline=None, max_examples=30)
def test_the_vocabulary_has_every_word_of_the_index(
    tmp_path_factory: pytest.TempPathFactory, commits: list[list[str]]
) -> None:
    index = KeywordIndex(tmp_path_factory.mktemp("index"), "store")
    number = 0
    for texts in commits:
        units = [TextUnit(number + at, "n", "p", (), text, change=number + at) for at, text in enumerate(texts, 1)]
        number += len(units)
        index.learn(lambda _, units=units, mark=number: [TextChanges(units, [], mark)] if units else [])
    words = {word for texts in commits for text in texts for word in words_in(text)}
    known = {word for word in words if word in dict(index._disk.view().vocabulary.near(word, 1.0))}
    assert known == words
    index.close()


@given(st.text("abAB19_- éÉßह्", max_size=30))
def test_cutting_folds_and_adds_spaces_and_nothing_else(text: str) -> None:
    letters = [char for char in folded(text) if char not in " _-"]
    assert cut(text).text.replace(" ", "") == "".join(letters)


def distance(one: str, two: str) -> int:
    """Optimal string alignment, by the book."""
    table = {(-1, -1): 0} | {(i, -1): i + 1 for i in range(len(one))} | {(-1, j): j + 1 for j in range(len(two))}
    for i, a in enumerate(one):
        for j, b in enumerate(two):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b))
            if i and j and a == two[j - 1] and one[i - 1] == b:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(one) - 1, len(two) - 1]


def alike(one: str, two: str) -> float:
    return 1 - distance(one, two) / max(len(one), len(two))


@given(WORDS, st.lists(WORDS, unique=True, max_size=30), st.sampled_from([0.0, 0.3, 0.5, 0.6, 0.7, 0.75, 0.9, 1.0]))
@settings(deadline=None, max_examples=150)
def test_near_words_are_those_that_brute_force_finds(
    tmp_path_factory: pytest.TempPathFactory, word: str, words: list[str], similarity: float
) -> None:
    vocabulary = Vocabulary(tmp_path_factory.mktemp("words"))
    vocabulary.add(words[::2])
    vocabulary.add(words[1::2])
    found = vocabulary.near(word, similarity)
    assert {near for near, _ in found} == {each for each in words if alike(word, each) >= similarity - 1e-9}
    assert all(abs(score - alike(word, near)) < 1e-9 for near, score in found)
    assert found == nearest(word, words, similarity)


def test_many_words_over_several_files(tmp_path: Path) -> None:
    rng = random.Random(1)
    words = {"".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 12))) for _ in range(6000)}
    vocabulary = Vocabulary(tmp_path / "words")
    ordered = sorted(words)
    for start in range(0, len(ordered), 1500):
        vocabulary.add(ordered[start : start + 1500])
    vocabulary.add(ordered)  # nothing new
    assert len(vocabulary) == len(words)
    assert len(vocabulary.files()) <= 4
    for word in rng.sample(ordered, 40):
        typo = word[:1] + "z" + word[2:]
        assert vocabulary.near(typo, 0.6) == nearest(typo, ordered, 0.6)
        stem = stems([word])[0]
        wanted = {each for each, its in zip(ordered, stems(ordered), strict=True) if its == stem}
        assert set(vocabulary.variants(stem)) == wanted
    assert vocabulary.damage() == []


def test_another_process_sees_new_words(tmp_path: Path) -> None:
    one, two = Vocabulary(tmp_path / "words"), Vocabulary(tmp_path / "words")
    one.add(["connect"])
    assert two.variants("connect") == ["connect"]
    one.add(["connecting", "connected"])
    assert sorted(two.variants("connect")) == ["connect", "connected", "connecting"]


def test_a_state_is_looked_at_when_its_words_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def learn(number: int, text: str) -> None:
        unit = TextUnit(number, "n", "p", (), text, change=number)
        writer.learn(lambda _: [TextChanges([unit], [], number)])

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    writer, reader = KeywordIndex(tmp_path, "store"), KeywordIndex(tmp_path, "store")
    learn(1, "honey")
    assert reader.search("hony", limit=5, similarity=0.7).total == 1
    with monkeypatch.context() as patched:
        patched.setattr(Vocabulary, "add", dies)
        with pytest.raises(KeyboardInterrupt):
            learn(2, "cinnamon")
    assert reader.mark == 1
    later = KeywordIndex(tmp_path, "store")
    assert later.search("cinamon", limit=5, similarity=0.7).total == 1
    assert (reader.mark, reader.search("cinamon", limit=5, similarity=0.7).total) == (2, 1)
    for index in (writer, reader, later):
        index.close()


# what a document is found by ----------------------------------------------------------------------------


def by_doublings(text: str) -> Counter[str]:
    """How often each stem counts, word by word."""
    return Counter({stem: count.bit_length() for stem, count in Counter(stem_analyzer().analyze(text)).items()})


@given(st.lists(TEXTS | st.lists(WORDS, max_size=30).map(" ".join), max_size=6), st.sampled_from(["", "Connecting é"]))
@settings(deadline=None)
def test_weighing_is_counting_stems_by_doublings(texts: list[str], label: str) -> None:
    bodies = [made.text for made in cut_all(texts)]
    named = cut(label).text
    found = weighed(Parts(body, named, named) for body in bodies)
    beside = Counter(stem_analyzer().analyze(named) * (1 + stem_counts.MORE))
    for body, (text, count) in zip(bodies, found, strict=True):
        assert Counter(text.split()) == by_doublings(body) + beside
        assert count == len(text.split())


def test_weighing_knows_words_of_every_length_and_begins_again_when_it_has_met_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stem_counts, "_stems", stem_counts._Stems(slots=8))
    monkeypatch.setattr(stem_counts, "MOST", 3000)
    rng = random.Random(7)
    for _ in range(12):
        words = ["".join(rng.choices("abé", k=rng.randint(1, 63))) for _ in range(600)]
        body = " ".join(rng.choices(words, k=3000))
        assert Counter(weighed([Parts(body, "", "")])[0][0].split()) == by_doublings(body)
    assert stem_counts._stems._count <= 3600


def test_texts_that_are_weighed_together_are_weighed_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [Parts("tea honey " * size, "tea", "hat") for size in range(200)]
    alone = [weighed([each])[0] for each in parts]
    for batch in (100, 1 << 20):
        monkeypatch.setattr(stem_counts, "BATCH", batch)
        together = weighed(parts)
        assert [(sorted(text.split()), count) for text, count in together] == [
            (sorted(text.split()), count) for text, count in alone
        ]

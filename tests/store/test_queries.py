"""The query language, and that the index answers as reading every document would."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.store.seams import TextChanges, TextHead, TextUnit
from rolltop.store.text import KeywordIndex, Needles, highlighted, snippet
from rolltop.store.text.disk_index.previews import pack_head, unpack_head
from rolltop.store.text.fresh import Fresh, FreshDocument
from rolltop.store.text.query import query_rewrites
from rolltop.store.text.query.grammar import And, Node, Not, Or, Phrase, Prefix, Word, parse
from rolltop.store.text.snippets import Snippet
from rolltop.store.text.words.analysis import stems, words_in
from rolltop.store.text.words.splitting import cut

PARTS = ["connect", "connected", "connecting", "tea", "teas", "user", "getUserName", "user_name", "username", "hat"]


@given(st.text("ab() \"*-:ANDORT'.", max_size=25))
def test_every_query_can_be_read(query: str) -> None:
    parse(query)


@pytest.mark.parametrize("query", ["a AND", "OR b", "(a", "a)", '"a', "NOT", "a OR", "((a)"])
def test_what_cannot_be_read_is_plain_words_and_says_so(query: str) -> None:
    ask = parse(query)
    assert ask.note is not None
    assert ask.note.startswith("The query was searched as plain words: ")
    assert "AND" not in ask.words


@pytest.mark.parametrize(
    ("query", "root"),
    [
        ("a b", And((Word("a"), Word("b")), loose=True)),
        ("a AND b", And((Word("a"), Word("b")))),
        ("a OR b c", Or((Word("a"), And((Word("b"), Word("c")), loose=True)))),
        ("-a", Not(Word("a"))),
        ("title:(a OR b)", Or((Word("a", "title"), Word("b", "title")))),
        ('path:"x y"', Phrase("x y", "path")),
        ("pre*", Prefix("pre")),
        ("http://a", And((Word("http"), Word("a")), loose=True)),
        ("user's list,tuple", And((Word("user"), Word("list"), Word("tuple")), loose=True)),
    ],
)
def test_how_queries_are_read(query: str, root: Node) -> None:
    assert parse(query).root == root


# against brute force -----------------------------------------------------------------------------


def holds(unit: TextUnit, node: Node) -> bool:
    """Whether a document answers, found out by reading it."""
    if isinstance(node, And):
        return bool(node.parts) and all(holds(unit, part) for part in node.parts)
    if isinstance(node, Or):
        return any(holds(unit, part) for part in node.parts)
    if isinstance(node, Not):
        return not holds(unit, node.part)
    texts = (
        [unit.path]
        if node.field == "path"
        else [unit.body]
        if node.field == "body"
        else [unit.body, unit.path, unit.name]
    )
    words = words_in(node.text)
    if isinstance(node, Prefix):
        return any(word.startswith(words[-1]) for text in texts for word in words_in(text))
    if isinstance(node, Word) and len(words) == 1:
        return any(_same_stem(words[0], text) for text in texts) or _is_whole(words[0], unit, node.field)
    joined = "".join(words)
    whole = (
        isinstance(node, Word)
        and node.field != "path"
        and (_is_whole(joined, unit, node.field) or joined in words_in(unit.body))
    )
    return whole or any(_follow(words, words_in(text)) for text in texts)


def _same_stem(word: str, text: str) -> bool:
    return stems([word])[0] in stems(words_in(text) or [""])


def _is_whole(word: str, unit: TextUnit, field: str | None) -> bool:
    return field != "path" and any(word in cut(text).joined for text in (unit.body, unit.path, unit.name))


def _follow(words: list[str], text: list[str]) -> bool:
    return any(text[at : at + len(words)] == words for at in range(len(text)))


LEAVES = st.one_of(
    st.sampled_from(PARTS).map(Word),
    st.lists(st.sampled_from(PARTS), min_size=2, max_size=3).map(lambda words: Phrase(" ".join(words))),
    st.sampled_from(["con", "use", "t", "get"]).map(Prefix),
    st.sampled_from(["tea", "user"]).map(lambda word: Word(word, "path")),
    st.sampled_from(PARTS).map(lambda word: Word(word, "body")),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
        inner.map(Not),
    ),
    max_leaves=6,
)


def written(node: Node) -> str:
    """A tree as somebody would type it."""
    if isinstance(node, And):
        return "(" + " AND ".join(map(written, node.parts)) + ")"
    if isinstance(node, Or):
        return "(" + " OR ".join(map(written, node.parts)) + ")"
    if isinstance(node, Not):
        return f"NOT {written(node.part)}"
    field = f"{node.field}:" if node.field else ""
    return field + (
        f'"{node.text}"' if isinstance(node, Phrase) else f"{node.text}*" if isinstance(node, Prefix) else node.text
    )


CORPORA = st.lists(
    st.tuples(st.lists(st.sampled_from(PARTS), max_size=6), st.sampled_from(["tea/a.txt", "b.txt", "userName.py"])),
    min_size=1,
    max_size=8,
)


@given(CORPORA, TREES, st.integers(0, 8))
@settings(deadline=None, max_examples=60)
def test_the_index_answers_like_reading_every_document(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[tuple[list[str], str]], tree: Node, learned: int
) -> None:
    units = [
        TextUnit(n, path.rpartition("/")[2], path, (), " ".join(words), change=n)
        for n, (words, path) in enumerate(corpus, 1)
    ]
    index = KeywordIndex(tmp_path_factory.mktemp("index"), "store")
    if units[:learned]:
        index.learn(lambda _: [TextChanges(units[:learned], [], learned)])
    index.remember(TextChanges(units[learned:], [], len(units)))
    answer = index.search(written(tree), limit=100)
    assert answer.note is None
    assert sorted(hit.document for hit in answer.hits) == [unit.document for unit in units if holds(unit, tree)]
    assert answer.total == len(answer.hits)
    index.close()


@given(
    st.lists(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=5), min_size=1, max_size=6),
    st.text("abc", min_size=1, max_size=5),
    st.sampled_from([0.5, 0.6, 0.7, 0.8, 1.0]),
    st.booleans(),
)
@settings(deadline=None, max_examples=40)
def test_fuzzy_search_answers_like_comparing_every_word(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[list[str]], word: str, similarity: float, fresh: bool
) -> None:
    from rapidfuzz.distance import OSA

    units = [TextUnit(n, "1", "1", (), " ".join(words), change=n) for n, words in enumerate(corpus, 1)]
    index = KeywordIndex(tmp_path_factory.mktemp("index"), "store")
    changes = TextChanges(units, [], len(units))
    if fresh:
        index.remember(changes)
    else:
        index.learn(lambda _: [changes])
    wanted = [
        number
        for number, words in enumerate(corpus, 1)
        if any(1 - OSA.distance(word, each) / max(len(word), len(each)) >= similarity - 1e-9 for each in words)
    ]
    answer = index.search(word, limit=100, similarity=similarity)
    assert sorted(hit.document for hit in answer.hits) == wanted
    index.close()


def test_both_halves_of_the_index_score_alike(tmp_path: Path) -> None:
    units = [
        TextUnit(n, f"{n}.md", f"{n}.md", (), "tea " * (n % 5) + f"honey hat user{n} " * n, change=n)
        for n in range(1, 41)
    ]
    disk, memory = KeywordIndex(tmp_path / "disk", "s"), KeywordIndex(tmp_path / "memory", "s")
    disk.learn(lambda _: [TextChanges(units, [], 40)])
    memory.remember(TextChanges(units, [], 40))
    for query in ("tea honey", "hat", '"honey hat"', "user7"):
        on_disk, in_memory = disk.search(query, limit=50), memory.search(query, limit=50)
        scores = {hit.document: hit.score for hit in in_memory.hits}
        assert scores.keys() == {hit.document for hit in on_disk.hits}
        assert all(abs(scores[hit.document] - hit.score) < 0.15 * hit.score + 0.05 for hit in on_disk.hits)
    disk.close()
    memory.close()


@pytest.mark.parametrize("fresh", [False, True])
def test_pages_are_one_order_and_scores_are_the_sum_of_their_parts(tmp_path: Path, fresh: bool) -> None:
    texts = [" ".join(["tea", "honey"][:: (-1) ** n] + ["hat"] * (n % 7) + ["tea"] * (n % 5)) for n in range(60)]
    units = [TextUnit(n, f"{n}.md", f"{n}.md", (), text, change=n) for n, text in enumerate(texts, 1)]
    index = KeywordIndex(tmp_path, "s")
    if fresh:
        index.remember(TextChanges(units, [], 60))
    else:
        index.learn(lambda _: [TextChanges(units, [], 60)])
    whole = index.search("honey tea", limit=60, why=True).hits
    for size in (1, 7, 10, 16, 25):
        pages = [index.search("honey tea", limit=size, offset=at, why=True).hits for at in range(0, 60, size)]
        assert [(hit.document, hit.score) for page in pages for hit in page] == [(h.document, h.score) for h in whole]
    assert all(sum(hit.parts.values()) == pytest.approx(hit.score, rel=1e-3) for hit in whole)
    assert "honey tea" in texts[whole[0].document - 1]  # where they stand in order
    index.close()


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize(("query", "similarity"), [("cold brewed tea", None), ("cold brewd tea", 0.7)])
def test_words_in_order_come_first_also_where_one_is_misspelled(
    tmp_path: Path, fresh: bool, query: str, similarity: float | None
) -> None:
    scattered = [f"tea and tea is cold here, tea {n}, and brewed cold" for n in range(8)]
    texts = [*scattered, "a long page " * 30 + "Cold brewed tea. " + "more of the page " * 30]
    units = [TextUnit(n, f"{n}.md", f"tea/{n}.md", ("tea",), text, change=n) for n, text in enumerate(texts, 1)]
    index = KeywordIndex(tmp_path, "s")
    if fresh:
        index.remember(TextChanges(units, [], len(units)))
    else:
        index.learn(lambda _: [TextChanges(units, [], len(units))])
    answer = index.search(query, limit=9, similarity=similarity, why=True)
    assert answer.total == len(texts)
    assert answer.hits[0].document == len(texts)
    assert all(sum(hit.parts.values()) == pytest.approx(hit.score, rel=1e-3) for hit in answer.hits)
    index.close()


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize(("typed", "meant"), [("opne", "open"), ("tabel", "table"), ("bock", "back")])
def test_of_words_that_are_as_near_the_likelier_one_is_meant(
    tmp_path: Path, fresh: bool, typed: str, meant: str
) -> None:
    words = ["open", "one", "table", "label", "back", "lock"]
    units = [TextUnit(n, "1", "1", (), f"{word} file", change=n) for n, word in enumerate([*words, "one", "lock"], 1)]
    index = KeywordIndex(tmp_path, "s")
    if fresh:
        index.remember(TextChanges(units, [], len(units)))
    else:
        index.learn(lambda _: [TextChanges(units, [], len(units))])
    answer = index.search(f"{typed} file", limit=9, similarity=0.5)
    assert words[answer.hits[0].document - 1] == meant
    index.close()


@pytest.mark.parametrize("fresh", [False, True])
def test_a_word_that_tells_next_to_nothing_has_to_be_there_and_decides_nothing(tmp_path: Path, fresh: bool) -> None:
    """How often `the` stands somewhere is no reason to find it before what the other words are about."""
    texts = ["the " * 50 + "zebra", "a zebra", "the zebra zebra zebra", *["the horse"] * 400, *["a horse"] * 3]
    units = [TextUnit(n, "x", "x", (), text, change=n) for n, text in enumerate(texts, 1)]
    index, changes = KeywordIndex(tmp_path, "s"), TextChanges(units, [], len(units))
    if fresh:
        index.remember(changes)
    else:
        index.learn(lambda _: [changes])
    found = index.search("the zebra", limit=10, why=True)
    assert ([hit.document for hit in found.hits], found.total) == ([3, 1], 2)
    assert found.words == ("the", "zebra")
    assert all(hit.score > 0 and sum(hit.parts.values()) == pytest.approx(hit.score, rel=1e-3) for hit in found.hits)
    assert index.search("the", limit=1).hits[0].score > 0  # alone it decides
    nowhere = index.search("the unicorn", limit=1, why=True)  # and beside a word that nobody has
    assert (nowhere.total, nowhere.complete, nowhere.hits[0].document) == (402, False, 1)
    either = index.search("the zebra horse unicorn", limit=3)
    assert [hit.document for hit in either.hits[:3]] == [3, 2, 1]
    index.close()


@pytest.mark.parametrize("fresh", [False, True])
def test_a_field_is_asked_for_any_form_of_a_word(tmp_path: Path, fresh: bool) -> None:
    names = {"title": "Connections", "headings": ("Connecting", "Other")}
    units = [
        TextUnit(1, "a.md", "docs/a.md", (), "Connections\nConnecting\nOther", change=1, **names),
        TextUnit(2, "connected.md", "connected.md", (), "text", change=2),
        TextUnit(3, "c.md", "c.md", ("connects",), "connect", change=3),
    ]
    index, changes = KeywordIndex(tmp_path, "s"), TextChanges(units, [], 3)
    if fresh:
        index.remember(changes)
    else:
        index.learn(lambda _: [changes])
    found = {
        field: {hit.document for hit in index.search(f"{field}connect", limit=9).hits}
        for field in ("", "title:", "heading:", "path:", "body:")
    }
    assert found == {"": {1, 2, 3}, "title:": {1, 2}, "heading:": {1}, "path:": {2}, "body:": {1, 3}}
    parts = {hit.document: set(hit.parts) for hit in index.search("connect", limit=9, why=True).hits}
    assert parts == {1: {"title", "heading", "body"}, 2: {"title", "path"}, 3: {"tag", "body"}}
    index.close()


@given(CORPORA, TREES, st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map(" ".join))
@settings(deadline=None, max_examples=60)
def test_thrift_changes_neither_what_is_found_nor_its_scores(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[tuple[list[str], str]], tree: Node, plain: str
) -> None:
    units = [TextUnit(n, "a", path, (), " ".join(words), change=n) for n, (words, path) in enumerate(corpus, 1)]
    index = KeywordIndex(tmp_path_factory.mktemp("index"), "store")
    index.learn(lambda _: [TextChanges(units, [], len(units))])
    for query in (written(tree), plain):
        usual = index.search(query, limit=100)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(query_rewrites, "MANY", -1)  # everything is dear
            frugal = index.search(query, limit=100)
        assert frugal.total == usual.total
        scores = {hit.document: pytest.approx(hit.score, abs=1e-4) for hit in usual.hits}
        assert {hit.document: hit.score for hit in frugal.hits} == scores
    index.close()


@given(
    st.lists(st.lists(st.tuples(st.integers(1, 4), st.none() | st.text("ab Cd", max_size=9)), max_size=3), max_size=5)
)
def test_counting_on_is_counting_again(steps: list[list[tuple[int, str | None]]]) -> None:
    fresh, entries = Fresh(), {}
    for change, step in enumerate(steps, 1):
        fresh.variants("a"), fresh.lengths(), fresh.frequency("label", "a")
        changes = {
            number: (change, None if text is None else FreshDocument.of(TextUnit(number, "n", "p", (), text)))
            for number, text in step
        }
        fresh, entries = fresh.joined(changes), {**entries, **changes}
        again = Fresh(entries)
        assert {word: fresh.frequency("body", word) for word in fresh.words("body")} == {
            word: again.frequency("body", word) for word in again.words("body")
        }
        assert +fresh.lengths() == +again.lengths()
        assert {*again.variants("ab")} <= {*fresh.variants("ab")}


# what is kept for showing --------------------------------------------------------------------------


@given(st.text(max_size=300), st.text(max_size=30), st.booleans(), st.integers(0, 1 << 40))
def test_a_head_comes_back_as_it_was(body: str, title: str, in_lines: bool, change: int) -> None:
    unit = TextUnit(1, "name", "path", (), body, title, change=change, in_lines=in_lines)
    assert unpack_head(pack_head(unit)) == TextHead(change, title or "name", body if in_lines else "", in_lines)


@given(st.binary(max_size=200), st.integers(0, 10_000), st.integers(0, 7))
def test_what_is_no_head_is_none(noise: bytes, place: int, bit: int) -> None:
    unpack_head(noise)  # raises nothing
    packed = bytearray(pack_head(TextUnit(1, "name", "path", (), "some text " * 50, change=7)))
    place = 8 + place % (len(packed) - 8)
    packed[place] ^= 1 << bit
    found = unpack_head(bytes(packed))
    assert found is None or found.text + found.title in ("some text " * 50 + "name",)


# snippets ----------------------------------------------------------------------------------------


def shown_in(text: str, families: list[list[str]]) -> Snippet:
    shown = snippet(text, Needles(families))
    assert shown is not None
    return shown


def test_a_snippet_shows_where_the_words_stand_together() -> None:
    text = "honey first\n" + "filler words\n" * 100 + "here tea and honey meet\n" + "more filler\n" * 100
    shown = shown_in(text, [["honey"], ["tea"]])
    assert "tea and honey meet" in shown.text
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")


@given(st.text(max_size=400), st.lists(st.text("abé", min_size=1, max_size=4), max_size=4))
def test_snippets_are_pieces_of_the_text(text: str, words: list[str]) -> None:
    piece = shown_in(text, [[word] for word in words]).text.strip("…").strip()
    assert piece in " ".join(text.split()) or "…" in text


WORDS = ["honey", "honeys", "tea", "milk"]
SOME = [*WORDS, "Honey", "getTea", "é", "filler", "x" * 90, "\n"]
PIECES = st.lists(st.sampled_from(SOME), max_size=60).map(" ".join)
FAMILIES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True), max_size=3)


@given(PIECES, FAMILIES, st.integers(0, 2000))
def test_a_beginning_shows_what_the_whole_text_shows_or_nothing(text: str, families: list[list[str]], end: int) -> None:
    needles = Needles(families)
    shown = snippet(text[:end], needles, whole=end >= len(text))
    assert shown in (None, snippet(text, needles))


@given(PIECES, FAMILIES)
def test_no_stretch_of_the_text_has_more_of_the_words_than_the_one_shown(text: str, families: list[list[str]]) -> None:
    def held(start: int, width: int) -> int:
        return sum(any(form in text[start : start + width].lower() for form in family) for family in families)

    shown = shown_in(text, families)
    if any(held(start, 200) == len(families) for start in range(len(text))):
        assert held(shown.offset, 200 + max(map(len, WORDS))) == len(families)  # what begins there is shown whole


@pytest.mark.parametrize(
    "text", ["getUserName", "get_user_name", "get user name", "get-user-name", "getusername", "get.user.name"]
)
def test_an_identifier_is_shown_where_it_stands_not_where_its_parts_do(tmp_path: Path, text: str) -> None:
    body = "get the user a name\n" + "filler words\n" * 60 + f"here {text} is\n" + "more filler\n" * 60
    unit = TextUnit(1, "a.py", "a.py", (), body, change=1)
    index = KeywordIndex(tmp_path, "s")
    index.learn(lambda _: [TextChanges([unit], [], 1)])
    answer = index.search("getUserName", limit=1)
    assert len(answer.families) == 1
    assert text in shown_in(body, [list(family) for family in answer.families]).text
    assert set(answer.words) == {"get", "user", "name", "getusername"}
    index.close()


def test_every_word_of_alternatives_is_looked_for(tmp_path: Path) -> None:
    index = KeywordIndex(tmp_path, "s")
    unit = TextUnit(1, "a.py", "getUser/fooBar.py", (), "import os.path and milk", change=1)
    index.learn(lambda _: [TextChanges([unit], [], 1)])
    families = index.search("path:getUser OR path:fooBar OR milk OR os.path", limit=1).families
    assert {"getuser", "foobar", "milk", "os.path"} <= {form for family in families for form in family}
    assert len(families) == 4
    index.close()


def test_highlighting_marks_words_and_changes_nothing_else() -> None:
    marked = highlighted("getUserName and users, not abuser or userland", ["user", "users"])
    assert re.sub("\x1b[^mK]*[mK]", "", marked) == "getUserName and users, not abuser or userland"
    assert marked.count("\x1b[01;31m") == 2

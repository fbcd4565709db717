"""Finding in a whole store: at once, by every process, after every crash; and in a sensible order."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conditions import wait_until

from rolltop.errors import InvalidInput
from rolltop.store import Library, Listing, Options, Source
from rolltop.store.follower import Pressing
from rolltop.store.search import index_follower

INDEXING = (
    "import sys; from pathlib import Path; from rolltop.store import Library\n"
    "library = Library(Path(sys.argv[1])); print('ready', flush=True); library.search.catch_up(); library.close()\n"
)


def paths(library: Library, query: str, similarity: float | None = None) -> list[str]:
    return [hit.document.path for hit in library.search.keyword(query, limit=1000, similarity=similarity).hits]


def filled(directory: Path, count: int) -> Library:
    library = Library(directory)
    rng = random.Random(1)
    names = [f"word{chr(97 + n)}" for n in range(20)]
    library.documents.add_many(
        Source(f"{n}.txt", (" ".join(rng.choices(names, k=300)) + f" only{n}x\n").encode(), 1, 2) for n in range(count)
    )
    return library


def test_what_one_library_stores_another_finds_at_once_and_once(tmp_path: Path) -> None:
    one, two = Library(tmp_path / "store"), Library(tmp_path / "store")
    for number in range(12):
        writer, reader = (one, two) if number % 2 else (two, one)
        writer.documents.add_text(f"{number}.txt", f"zebra crossing {number}\n")
        assert len(paths(reader, "zebra")) == number + 1
        if number % 5 == 2:
            reader.search.catch_up()
        assert len(paths(writer, "zebras")) == number + 1
    one.close()
    two.close()


def test_a_process_that_indexes_keeps_nobody_from_finding(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    library.documents.add_text("a.txt", "apple\n")
    library.search.catch_up()
    holding = (
        "import sys, fcntl, os\nfile = os.open(sys.argv[1], os.O_RDWR)\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()\n"
    )
    lock = tmp_path / "store" / "text" / "lock"
    other = subprocess.Popen(
        [sys.executable, "-c", holding, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    library.documents.add_text("b.txt", "apple too\n")
    library.documents.add_text("a.txt", "pear\n")
    assert paths(library, "apple") == ["b.txt"]
    assert paths(library, "pears") == ["a.txt"]
    other.communicate("")
    assert library.search.catch_up() == 2
    assert paths(library, "apple") == ["b.txt"]
    library.close()


def killed_while_indexing(directory: Path, after: float) -> None:
    process = subprocess.Popen([sys.executable, "-c", INDEXING, str(directory)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    process.kill()
    process.communicate()


def test_a_process_killed_while_indexing_harms_nobody(tmp_path: Path) -> None:
    filled(tmp_path / "store", 1500).close()
    for after in (0.0, 0.05, 0.2):
        killed_while_indexing(tmp_path / "store", after)
    library = Library(tmp_path / "store")
    assert library.search.words.index.damage() == []
    library.search.catch_up()
    assert library.search.unindexed() == 0
    assert library.search.keyword("worda").total == sum(
        "worda" in library.documents.read(d).decode() for d in library.documents.select(Listing())
    )
    assert paths(library, "only77x") == ["77.txt"]
    library.close()


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_many_killed_while_indexing(tmp_path: Path) -> None:
    rng = random.Random(3)
    filled(tmp_path / "store", 20_000).close()
    for _ in range(40):
        killed_while_indexing(tmp_path / "store", rng.uniform(0, 2))
        library = Library(tmp_path / "store")
        assert library.search.words.index.damage() == []
        library.close()
    library = Library(tmp_path / "store")
    library.search.catch_up()
    assert paths(library, "only777x") == ["777.txt"]
    library.close()


def test_the_background_learns_what_was_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_follower, "QUIET", 0.05)
    library = Library(tmp_path / "store", Options(background=True))
    for number in range(20):
        library.documents.add_text(f"{number}.txt", "apples\n")
        assert library.search.keyword("apple").total == number + 1
    wait_until(lambda: library.search.unindexed() == 0)
    assert library.search.keyword("apple").total == 20
    library.close()


def test_a_long_backlog_is_not_waited_for_and_the_answer_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = filled(tmp_path / "store", 400)
    monkeypatch.setattr(index_follower, "WAITED_FOR", -1)
    library.documents.add_text("fresh.txt", "quite fresh\n")
    results = library.search.keyword("fresh")
    assert [hit.document.path for hit in results.hits] == ["fresh.txt"]
    assert results.note == "401 documents are not indexed yet: ask again in a moment."
    monkeypatch.setattr(index_follower, "WAITED_FOR", 1 << 30)
    assert library.search.keyword("only7x").note is None
    assert paths(library, "only7x") == ["7.txt"]
    library.close()


def test_searches_follow_every_change(tmp_path: Path) -> None:
    library, rng = Library(tmp_path / "store"), random.Random(7)
    names = ["apple", "pear", "plum", "fig"]
    truth: dict[str, set[str]] = {}
    for step in range(150):
        path = f"{rng.randrange(12)}.txt"
        if rng.random() < 0.2 and path in truth:
            library.documents.delete([library.documents.get(path)])
            del truth[path]
        else:
            words = set(rng.sample(names, rng.randint(1, 3)))
            library.documents.add_text(path, f"{step} {' '.join(sorted(words))}\n")
            truth[path] = words
        if rng.random() < 0.15:
            library.search.catch_up()
        wanted = rng.choice(names)
        assert sorted(paths(library, wanted)) == sorted(p for p, words in truth.items() if wanted in words)
    library.close()


def test_a_transaction_finds_what_it_has_written_and_nobody_remembers_it(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    library.documents.add_text("kept.txt", "apple\n")

    def work(_: object) -> None:
        library.documents.add_text("draft.txt", "apple too\n")
        assert sorted(paths(library, "apple")) == ["draft.txt", "kept.txt"]
        raise InvalidInput("changed my mind")

    with pytest.raises(InvalidInput):
        library.write(work)
    assert paths(library, "apple") == ["kept.txt"]
    library.close()


def test_similarity_has_its_bounds(library: Library) -> None:
    with pytest.raises(InvalidInput):
        library.search.keyword("x", similarity=1.5)


# ranking -----------------------------------------------------------------------------------------

PAGES = {
    "docs/install.md": "# Installing the server\n\nUnpack the archive and run the installer. It starts by itself.",
    "docs/backup.md": "# Backups\n\nA backup copies the database. To restore a backup, stop the server first.",
    "docs/api.md": "# HTTP interface\n\nEvery request to the server needs a token. See also backups and restoring.",
    "src/user_store.py": "def getUserName(user):\n    return user.name\n\nclass UserStore:\n    pass\n",
    "src/connect.py": "def open_connection(host):\n    '''Connects to a host.'''\n    return HTTPClient2(host)\n",
    "notes/meeting.txt": "We talked about connecting the two offices, about backups, and about lunch.",
    "notes/lunch.txt": "Lunch: soup, salad. The server of the soup was friendly.",
}

RANKING = [
    ("backup", "docs/backup.md"),
    ("restore backups", "docs/backup.md"),
    ("install server", "docs/install.md"),
    ("get user name", "src/user_store.py"),
    ("getusername", "src/user_store.py"),
    ("get_user_name", "src/user_store.py"),
    ("userstore", "src/user_store.py"),
    ("connecting offices", "notes/meeting.txt"),
    ("http client", "src/connect.py"),
    ("lunch", "notes/lunch.txt"),
    ("request token", "docs/api.md"),
    ("path:src host", "src/connect.py"),
    ("heading:interface", "docs/api.md"),
    ('"soup was friendly"', "notes/lunch.txt"),
    ("serv* -lunch -unpack token", "docs/api.md"),
]


@pytest.mark.parametrize("fresh", [True, False])
def test_what_is_found_first(tmp_path: Path, fresh: bool) -> None:
    library = Library(tmp_path / "store")
    for path, text in PAGES.items():
        library.documents.add_text(path, text)
    if not fresh:
        library.search.catch_up()
    assert [(query, paths(library, query)[0]) for query, _ in RANKING] == RANKING
    typos = [("bakcup", "docs/backup.md"), ("instal servr", "docs/install.md"), ("lunhc", "notes/lunch.txt")]
    assert [(query, paths(library, query, 0.7)[0]) for query, _ in typos] == typos
    library.close()


def test_a_hit_says_why(library: Library) -> None:
    library.documents.add_text("docs/backup.md", PAGES["docs/backup.md"])
    hit = library.search.keyword("backup", why=True).hits[0]
    assert hit.title == "Backups"
    assert {"title", "heading", "path", "body"} <= hit.parts.keys()
    assert abs(sum(hit.parts.values()) - hit.score) < 1e-6
    assert hit.why.split()[0] == max(hit.parts, key=lambda name: hit.parts[name])
    assert "backup copies" in hit.snippet


def test_closing_ends_the_background_work_whenever_it_comes(tmp_path: Path) -> None:
    library = Library(tmp_path / "store", Options(background=True))
    begun = threading.Event()

    def works_until_something_presses(pressing: Pressing) -> bool:
        begun.set()
        wait_until(pressing)
        return False

    library.graph.task.run = works_until_something_presses
    closing = threading.Thread(target=library.close, daemon=True)
    library.documents.add_text("a.txt", "a walrus\n")
    assert begun.wait(120)
    closing.start()
    closing.join(120)
    assert not closing.is_alive()


def test_the_index_can_be_built_in_parts(tmp_path: Path) -> None:
    """Who stops it keeps what was learned, and goes on there."""
    library = Library(tmp_path / "store")
    for number in range(4):
        library.documents.add_text(f"{number}.txt", f"needle{number} and more hay\n" * 60_000)
    library.indexes.update()
    library.search.rebuild_words(stop=lambda: True)
    left = library.search.unindexed()
    assert 0 < left < 4
    assert library.search.catch_up() == left
    assert library.search.keyword("needle3").total == 1
    library.close()


@pytest.mark.parametrize("learned", [True, False])
def test_a_query_tells_tags_apart_as_a_listing_does(library: Library, learned: bool) -> None:
    for number, tag in enumerate(("work", "Work", "work/Ü", "Work/ü")):
        library.documents.add_text(f"{number}.md", f"text {number}", tags=[tag])
    if learned:
        library.search.catch_up()
    for tag in ("work", "Work", "WORK", "work/Ü", "work/ü", "Work/ü"):
        listed = {document.path for document in library.documents.page(Listing(tags=(tag,))).documents}
        assert set(paths(library, f"tag:{tag}")) == listed
    assert set(paths(library, "tag:Wo*")) == {"1.md", "3.md"}


@pytest.mark.parametrize("learned", [True, False])
def test_an_extension_of_several_parts(library: Library, learned: bool) -> None:
    names = ["a.tar.gz", "B.TAR.GZ", "c.gz", ".tar.gz", "d.min.js", "tar.gz", "e.xtar.gz"]
    for name in names:
        library.documents.add_text(f"dir.x/{name}", f"text of {name}")
    if learned:
        library.search.catch_up()
    wanted = {
        "tar.gz": {"a.tar.gz", "B.TAR.GZ"},
        "min.js": {"d.min.js"},
        "gz": {*names} - {"d.min.js"},
        "x/tar.gz": set(),
    }
    for extension, expected in wanted.items():
        listed = library.documents.page(Listing(extension=extension)).documents
        assert {document.name for document in listed} == expected
        assert {Path(path).name for path in paths(library, f'ext:"{extension}"')} == expected
    assert len(library.documents.page(Listing(extension=".Tar.gz")).documents) == 2


@pytest.mark.parametrize("learned", [True, False])
def test_a_word_that_no_index_holds_is_held_by_no_document(library: Library, learned: bool) -> None:
    library.documents.add_text("a.txt", "text and more")
    library.documents.add_text("b.txt", f"text {'a' * 70} follows")
    if learned:
        library.search.catch_up()
    assert paths(library, f"text AND {'a' * 70}") == []
    assert paths(library, "a" * 70) == []
    assert paths(library, '"text follows"') == []
    assert sorted(paths(library, f"text OR {'a' * 70}")) == ["a.txt", "b.txt"]
    assert sorted(paths(library, f"text {'a' * 70}")) == ["a.txt", "b.txt"]  # any word counts where none has all
    assert sorted(paths(library, f"text -{'a' * 70}")) == ["a.txt", "b.txt"]

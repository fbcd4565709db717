"""`rolltop store` as a person uses it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_files as made
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "src" / "main.py").write_text("def main():\n    return 'needle'\n")
    (root / "notes.md").write_text("# Notes\nA needle in the hay.\n")
    (root / "build.log").write_text("ignored\n")
    (root / ".gitignore").write_text("*.log\n!keep.log\n")
    (root / "keep.log").write_text("kept\n")
    return root


def test_add_leaves_out_what_git_ignores(rolltop: Run, tree: Path) -> None:
    first = json.loads(rolltop("store", "add", "-r", str(tree), "--json").stdout)
    assert (first["documents"], first["new"], first["errors"]) == (4, 4, {})
    listed = rolltop("store", "list").stdout.splitlines()
    assert [line.rpartition("/")[2] for line in listed] == [".gitignore", "keep.log", "notes.md", "main.py"]
    again = json.loads(rolltop("store", "add", "-r", str(tree), "--json").stdout)
    assert (again["new"], again["unchanged"], again["bytes_written"]) == (0, 4, 0)
    (tree / "notes.md").write_text("# Notes\nChanged.\n")
    changed = json.loads(rolltop("store", "add", "-r", str(tree), "--include", "*.md", "--json").stdout)
    assert changed["versions"] == 1
    assert rolltop("store", "add", str(tree)).returncode == 2
    assert rolltop("store", "add", str(tree / "nothing")).returncode == 3


def test_add_takes_trees_of_any_depth_and_says_what_it_passed_over(rolltop: Run, tree: Path, tmp_path: Path) -> None:
    (tree / "link").symlink_to(tree / "notes.md")
    os.mkfifo(tree / "pipe")
    place = os.open(tree, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=place)
        below = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    with os.fdopen(os.open("leaf.txt", os.O_WRONLY | os.O_CREAT, dir_fd=place), "w") as file:
        file.write("a leaf\n")
    os.close(place)
    added = rolltop("store", "add", "-r", str(tree))
    subprocess.run(["rm", "-rf", str(tree / "d")], check=True)  # too deep for Python's own way to remove it
    assert added.returncode == 0, added.stderr
    assert "2 links and special files were left out" in added.stderr
    assert rolltop("store", "grep", "a leaf", "-l").stdout.strip().endswith("leaf.txt")


def test_file_names_that_are_not_utf8_are_stored_with_escapes(rolltop: Run, tree: Path, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (tree / name).write_text("a needle\n")
    (tree / os.fsdecode(b"d\xff")).mkdir()
    (tree / os.fsdecode(b"d\xff") / "in.txt").write_text("inside\n")
    first = json.loads(rolltop("store", "add", "-r", str(tree), "--json").stdout)
    assert (first["new"], first["errors"]) == (6, {})
    assert json.loads(rolltop("store", "add", "-r", str(tree), "--json").stdout)["unchanged"] == 6
    assert rolltop("store", "watch", "-r", str(tree), "--rounds", "1").returncode == 0
    assert rolltop("store", "cat", name).stdout == rolltop("store", "cat", r"caf\xe9.txt").stdout == "a needle\n"
    shown = json.loads(rolltop("store", "list", name, "--json").stdout)["documents"]
    assert [each["path"] for each in shown] == [f"{tree}/caf\\xe9.txt"]
    assert rolltop("store", "grep", "needle", name).stdout == f"{tree}/caf\\xe9.txt:a needle\n"
    rolltop("store", "snapshot", "s")
    assert rolltop("store", "restore", "s", "--to", str(tmp_path / "out")).returncode == 0
    assert (tmp_path / "out" / str(tree)[1:] / r"caf\xe9.txt").read_text() == "a needle\n"
    assert rolltop("store", "rm", "-y", name).stdout == rolltop("store", "undo", name).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("cat", "\udcff"),
        ("add", "\udcff"),
        ("grep", "\udcff"),
        ("list", "--tag", "\udcff"),
        ("tag", "n", "-a", "\udcff"),
        ("meta", "n", "k=\udcff"),
        ("snapshot", "\udcff"),
    ],
)
def test_other_arguments_that_are_not_utf8_are_named_in_one_line(rolltop: Run, arguments: tuple[str, ...]) -> None:
    rolltop("store", "add", "-", "--name", "n", stdin="x\n")
    failed = rolltop("store", *arguments)
    assert failed.returncode in (2, 3)
    assert failed.stderr.splitlines()[0].startswith("Error: ")
    assert len(failed.stderr.splitlines()) <= 2


def test_grep_prints_what_grep_prints(rolltop: Run, tree: Path) -> None:
    rolltop("store", "add", "-r", str(tree))
    ours = rolltop("store", "grep", "-n", "-C", "1", "needle", str(tree))
    theirs = subprocess.run(
        ["rg", "-n", "-C", "1", "--no-heading", "--sort=path", "needle", str(tree)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ours.stdout == theirs.stdout
    assert rolltop("store", "grep", "-l", "needle").stdout.splitlines() == [
        str(tree / "notes.md"),
        str(tree / "src" / "main.py"),
    ]
    assert rolltop("store", "grep", "-c", "needle", "-g", "*.py").stdout == f"{tree}/src/main.py:1\n"
    assert rolltop("store", "grep", "nowhere").returncode == 1
    assert rolltop("store", "grep", "(").returncode == 2


def test_a_text_comes_in_and_goes_out(rolltop: Run, tmp_path: Path) -> None:
    rolltop("store", "add", "-", "--name", "note.md", "--tag", "a/b", "--meta", "n=1", stdin="one\ntwo\n")
    assert rolltop("store", "cat", "note.md").stdout == "one\ntwo\n"
    assert rolltop("store", "cat", "note.md", "--lines", "2:2").stdout == "two\n"
    shown = json.loads(rolltop("store", "get", "note.md", "--json").stdout)
    assert (shown["tags"], shown["metadata"]) == (["a/b"], {"n": 1})
    assert rolltop("store", "cat", shown["hash"][:10]).stdout == "one\ntwo\n"
    rolltop("store", "get", "note.md", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out").read_text() == "one\ntwo\n"
    assert rolltop("store", "get", "note.md", "-o", str(tmp_path / "out")).returncode == 7
    assert rolltop("store", "cat", "nothing").returncode == 3
    assert rolltop("store", "search", "tow", "--fuzzy", "--similarity", "0.3").stdout.count("note.md") == 1


def test_tags_and_metadata(rolltop: Run) -> None:
    rolltop("store", "add", "-", "--name", "n", stdin="x\n")
    assert rolltop("store", "tag", "n", "-a", "p/q", "-a", "r").stdout == "p/q\nr\n"
    assert rolltop("store", "tag", "n", "-d", "r").stdout == "p/q\n"
    assert rolltop("store", "tag").stdout == "p/q\t1\n"
    rolltop("store", "meta", "n", "status=draft", "n=3")
    assert json.loads(rolltop("store", "meta", "n", "status=done", "--json").stdout) == {"n": 3, "status": "done"}
    past = json.loads(rolltop("store", "meta", "n", "--history", "--json").stdout)
    assert [(row["key"], row["value"]) for row in past if row["until"]] == [("status", "draft")]
    assert rolltop("store", "meta", "n", "nonsense").returncode == 2


def test_deleting_undoing_and_collecting(rolltop: Run) -> None:
    for name in ("a.txt", "b.txt"):
        rolltop("store", "add", "-", "--name", name, stdin=f"{name}\n" * 50)
    assert rolltop("store", "rm", "a.txt").returncode == 7
    assert rolltop("store", "rm", "--dry-run", "-p", "*.txt").stdout == "a.txt\nb.txt\n"
    assert rolltop("store", "rm", "-y", "a.txt").stdout == "a.txt\n"
    assert rolltop("store", "undo").stdout == "a.txt\n"
    rolltop("store", "rm", "-y", "a.txt")
    collected = json.loads(rolltop("store", "gc", "--now", "--json").stdout)
    assert collected["documents"] == 1
    assert collected["bytes_freed"] > 0
    assert rolltop("store", "undo", "a.txt").returncode == 3
    assert rolltop("store", "verify").returncode == 0


def test_snapshots_versions_and_archives(rolltop: Run, tmp_path: Path) -> None:
    rolltop("store", "add", "-", "--name", "d/a.txt", stdin="one\n")
    rolltop("store", "snapshot", "s")
    rolltop("store", "add", "-", "--name", "d/a.txt", stdin="two\n")
    diff = rolltop("store", "diff", "s", "--text").stdout
    assert diff.startswith("changed\td/a.txt\n")
    assert "-one\n+two\n" in diff
    assert rolltop("store", "restore", "s", "--to", str(tmp_path / "out")).returncode == 0
    assert (tmp_path / "out" / "d" / "a.txt").read_text() == "one\n"
    rolltop("store", "restore", "a.txt", "--version", "1")
    assert rolltop("store", "cat", "a.txt").stdout == "one\n"
    assert len(rolltop("store", "versions", "a.txt").stdout.splitlines()) == 3
    archive = str(tmp_path / "all.tar")
    assert rolltop("store", "export", archive).returncode == 0
    other = {"ROLLTOP_WORKSPACE": str(tmp_path / "other")}
    assert rolltop("store", "import", archive, **other).returncode == 0
    assert rolltop("store", "cat", "a.txt", "--version", "2", **other).stdout == "two\n"
    assert rolltop("store", "diff", "nothing").returncode == 3


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("cat", "n", "--lines", "x"), 2, "FROM:TO"),
        (("cat", "n", "--lines", "0:2"), 2, "count from 1"),
        (("cat", "n", "--lines", "3:2"), 2, "FROM:TO"),
        (("export", "there.tar"), 1, "there.tar exists already"),
        (("export", "nowhere/x.tar"), 3, "no directory nowhere"),
        (("get", "n", "-o", "nowhere/x"), 3, "no directory nowhere"),
        (("get", "n", "-o", ".", "--force"), 2, "cannot be written"),
        (("search", "x", "--offset", "-1"), 2, "--offset"),
        (("search", "x", "-C", "-1"), 2, "-C"),
        (("search", " "), 1, "no words"),
    ],
)
def test_mistakes_are_named(
    rolltop: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.tar").write_text("mine")
    rolltop("store", "add", "-", "--name", "n", stdin="x\n")
    failed = rolltop("store", *arguments)
    assert (failed.returncode, "Traceback" in failed.stderr) == (code, False), failed.stderr
    assert said in failed.stderr
    assert (tmp_path / "there.tar").read_text() == "mine"


def test_lines_of_a_text_in_another_encoding(rolltop: Run, tmp_path: Path) -> None:
    (tmp_path / "u.txt").write_bytes("eins\nzwei\ndrei\n".encode("utf-16"))
    rolltop("store", "add", str(tmp_path / "u.txt"))
    assert rolltop("store", "cat", "u.txt", "--lines", "2:2").stdout == "zwei\n"
    assert rolltop("store", "cat", "u.txt", "--lines", "2").stdout == "zwei\ndrei\n"


def test_watch_stores_what_changes(rolltop: Run, tree: Path) -> None:
    assert rolltop("store", "watch", "-r", str(tree), "--rounds", "1").returncode == 0
    (tree / "new.txt").write_text("new\n")
    told = rolltop("store", "watch", "-r", str(tree), "--rounds", "1").stderr
    assert "1 new," in told


def test_figures_and_damage(rolltop: Run, tmp_path: Path) -> None:
    rolltop("store", "add", "-", "--name", "a.txt", stdin="a line\n" * 100)
    figures = json.loads(rolltop("store", "stats", "--types", "--json").stdout)
    assert (figures["documents"], figures["file_types"][0]["bytes"]) == (1, 700)
    pack = next((tmp_path / "workspace" / "store" / "packs").iterdir())
    data = bytearray(pack.read_bytes())
    data[-3] ^= 1
    pack.write_bytes(data)
    broken = rolltop("store", "verify")
    assert broken.returncode == 1
    assert "affected\ta.txt" in broken.stdout
    assert rolltop("store", "cat", "a.txt").returncode == 1
    assert rolltop("store", "repair").returncode == 0
    assert rolltop("store", "cat", "a.txt").stdout == "a line\n" * 100


def test_search_as_a_person_uses_it(rolltop: Run, tree: Path) -> None:
    rolltop("store", "add", "-r", str(tree), "--tag", "desk")
    found = rolltop("store", "search", "needles", "ext:md", "--type", "keyword")
    assert found.stdout.splitlines()[0].split("\t")[1:] == [str(tree / "notes.md"), "# Notes A needle in the hay."]
    lines = rolltop(
        "store", "search", "needle", "path:src", "--lines", "-B", "1", "--why", "--type", "keyword"
    ).stdout.splitlines()
    assert "body" in lines[0]
    assert lines[1:] == ["  1-def main():", "  2:    return 'needle'"]
    told = json.loads(rolltop("store", "search", "nedle", "--fuzzy", "-n", "1", "--json").stdout)
    assert (told["total"], told["type"], len(told["results"])) == (2, "fuzzy", 1)
    assert {"score", "why", "snippet", "place", "title"} <= told["results"][0].keys()
    paths = rolltop("store", "search", "-l", "needle", "--offset", "1", "--type", "keyword")
    assert len(paths.stdout.splitlines()) == 1
    assert "\x1b[01;31m" in rolltop("store", "search", "hay", "--color", "always").stdout
    broken = rolltop("store", "search", "(hay")
    assert "plain words" in broken.stderr
    assert rolltop("store", "search", "nowhere", "--type", "keyword").returncode == 1
    assert "not indexed yet" in rolltop("store", "stats").stdout


def test_lines_of_a_search_say_the_page_and_that_there_are_more(rolltop: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(made.made_pdf("a zebra", "another zebra"))
    (tmp_path / "b.txt").write_text("a marmot\n" * 30)
    rolltop("store", "add", str(tmp_path / "a.pdf"), str(tmp_path / "b.txt"))
    lines = rolltop("store", "search", "zebra", "--lines", "--type", "keyword").stdout.splitlines()
    assert lines[1:] == ["  1:page 1: a zebra", "  2:page 2: another zebra"]
    lines = rolltop("store", "search", "marmot", "--lines", "--type", "keyword").stdout.splitlines()
    assert (len(lines), lines[-1].startswith("  … more lines")) == (22, True)
    told = json.loads(rolltop("store", "search", "marmot", "--lines", "--json").stdout)["results"][0]
    assert (len(told["matches"]), told["matches_complete"]) == (20, False)


def test_lines_around_several_matches_are_printed_once(rolltop: Run) -> None:
    text = "one\nneedle a\nthree\nneedle b\nfive\nsix\nseven\nneedle c\n"
    rolltop("store", "add", "-", "--name", "n.txt", stdin=text)
    lines = rolltop("store", "search", "needle", "-C", "1", "--type", "keyword").stdout.splitlines()[1:]
    assert [line.strip() for line in lines] == [
        *("1-one", "2:needle a", "3-three", "4:needle b", "5-five", "--", "7-seven", "8:needle c"),
    ]
    lines = rolltop("store", "search", "needle", "--lines", "--type", "keyword").stdout.splitlines()[1:]
    assert [line.strip() for line in lines] == ["2:needle a", "4:needle b", "8:needle c"]


def test_graph_prints_lines_json_and_dot(rolltop: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("See [b](b.md).\n")
    (tmp_path / "b.md").write_text('The "end".\n')
    rolltop("store", "add", str(tmp_path / "a.md"), str(tmp_path / "b.md"))
    line = rolltop("store", "graph", "b.md").stdout.rstrip("\n").split("\t")
    assert line == ["1", "0.9", "link", f"{tmp_path}/a.md", f"{tmp_path}/b.md", "links here as b.md"]
    answer = json.loads(rolltop("store", "graph", "b.md", "--json").stdout)
    assert answer["complete"]
    assert answer["related"][0]["edges"] == [{"type": "link", "weight": 0.9, "reason": "links here as b.md"}]
    dot = rolltop("store", "graph", "b.md", "--dot").stdout
    assert subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, check=True).stdout
    assert rolltop("store", "graph", "b.md", "--depth", "6").returncode == 2
    assert rolltop("store", "graph", "nothing.md").returncode == 3


def test_graph_says_what_leaves_relations_out(rolltop: Run, tmp_path: Path) -> None:
    for number in range(27):
        (tmp_path / f"{number}.md").write_text(f"about{number} see [it](hub.md)\n")
    (tmp_path / "hub.md").write_text("The hub.\n")
    rolltop("store", "add", *map(str, tmp_path.glob("*.md")))
    few = rolltop("store", "graph", "hub.md", "--limit", "3")
    assert (few.stdout.count("\n"), few.stderr) == (3, "more are related than the 3 shown; --limit shows more\n")
    many = rolltop("store", "graph", "hub.md", "--limit", "1000", "--depth", "1")
    assert many.stdout.count("\n") == 25
    assert many.stderr.startswith("a document has more relations of one kind than are shown")


def test_a_name_begins_no_line_and_moves_no_cursor_in_a_graph(
    rolltop: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "a\nb\x1b[2Jc.md").write_text("See [b](b.md).\n")
    (tmp_path / "b.md").write_text("The end.\n")
    rolltop("store", "add", *map(str, tmp_path.glob("*.md")))
    (line,) = rolltop("store", "graph", "b.md").stdout.splitlines()
    assert line.split("\t")[3].endswith("/a bc.md")
    dot = rolltop("store", "graph", "b.md", "--dot").stdout
    assert subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, check=True).stdout
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rolltop", "store", "graph", "b.md"]
    subprocess.run(command, env=environment | {"COLUMNS": "300"}, stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "a b\\x1b[2Jc.md" in shown
    assert "\x1b[2J" not in shown


@pytest.mark.parametrize(
    "arguments", [("search", "needle"), ("search", "needle", "--lines"), ("search", "needle", "--paths-only"),
                  ("diff", "before", "--text"), ("rm", "--yes", "a.md"), ("undo", "--list"),
                  ("cat", "a.md"), ("cat", "a.md", "--lines", "2")]
)  # fmt: skip
def test_what_is_stored_does_not_write_to_the_terminal(
    rolltop: Run, environment: dict[str, str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    rolltop("store", "snapshot", "before")
    odd = tmp_path / "x\x1b[2Jy"
    odd.mkdir()
    for name in ("a.md", "b.md"):
        (odd / name).write_text(f"# {name}\na \x1b[2J needle\n")
    rolltop("store", "add", str(odd / "a.md"), str(odd / "b.md"))
    rolltop("store", "rm", "--yes", "b.md")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rolltop", "store", *arguments]
    subprocess.run(command, env=environment | {"COLUMNS": "300"}, stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "\\x1b[2J" in shown
    assert "\x1b[2J" not in shown
    if arguments == ("search", "needle"):
        assert "\x1b[01;31m\x1b[Kneedle\x1b[m\x1b[K" in shown


def test_graph_draws_a_tree_on_a_terminal(rolltop: Run, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("See [b](b.md).\n")
    (tmp_path / "b.md").write_text("The end.\n")
    rolltop("store", "add", str(tmp_path / "a.md"), str(tmp_path / "b.md"))
    shown = on_a_terminal(environment, "graph", "b.md")
    assert "└── " in shown
    assert "links here as b.md" in shown


def on_a_terminal(environment: dict[str, str], *arguments: str) -> str:
    """What the command prints on a terminal; progress stays off, because it depends on the load."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rolltop", "--quiet", "store", *arguments]
    subprocess.run(command, env=environment | {"COLUMNS": "300"}, stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    return shown


@pytest.mark.parametrize(
    "command",
    [
        ("search", "needle"),
        ("search", "needle", "--lines", "-C", "1"),
        ("search", "-l", "needle"),
        ("grep", "-n", "needle"),
        ("grep", "-l", "needle"),
        ("graph", "b.md"),
    ],
)
def test_a_text_does_nothing_to_a_terminal_but_be_shown(
    rolltop: Run, environment: dict[str, str], command: tuple[str, ...]
) -> None:
    evil = "\x1b]0;mine\x07"
    rolltop("store", "add", "-", "--name", f"a{evil}.md", stdin=f"A needle {evil} and \x1b[2J[b](b.md)\r\nneedle\r\n")
    rolltop("store", "add", "-", "--name", "b.md", stdin="A needle\n")
    shown = on_a_terminal(environment, *command)
    assert "]0;mine" in shown
    assert evil not in shown
    assert "\x1b[2J" not in shown
    assert "\\x0d" not in shown
    if command[0] != "graph":
        assert evil in rolltop("store", *command).stdout  # in a pipe it is data


def test_the_text_of_a_file_is_printed(rolltop: Run, tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(made.made_docx())
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    rolltop("store", "add", str(tmp_path / "a.docx"), str(tmp_path / "broken.pdf"))
    assert "A giraffe walks." in rolltop("store", "cat", "--text", "a.docx").stdout
    assert json.loads(rolltop("store", "get", "broken.pdf", "--json").stdout)["text_note"] == "the PDF is damaged"
    assert json.loads(rolltop("store", "get", "a.docx", "--json").stdout)["text_note"] is None


def test_commands_that_change_something_tell_it_as_json_too(rolltop: Run, tmp_path: Path) -> None:
    def told(*arguments: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(rolltop("store", *arguments, "--json").stdout)
        return answer

    (tmp_path / "a.md").write_text("one\n")
    rolltop("store", "add", str(tmp_path / "a.md"))
    rolltop("store", "snapshot", "first")
    assert [each["name"] for each in told("rm", "a.md", "--yes")["documents"]] == ["a.md"]
    assert [each["name"] for each in told("undo", "--list")["documents"]] == ["a.md"]
    assert [each["version"] for each in told("undo")["documents"]] == [1]
    archive = str(tmp_path / "all.tar")
    assert told("export", archive) == {"documents": 1, "archive": archive}
    assert told("import", archive) == {"new": 0, "versions": 0, "unchanged": 1}
    out = str(tmp_path / "out")
    assert told("restore", "first", "--to", out) == {"documents": 1, "bytes": 4, "directory": out, "left": []}
    assert told("restore", "a.md", "--version", "1")["name"] == "a.md"
    assert told("index") == {"unindexed": 0}
    assert told("reindex", "--text") == {"unindexed": 0, "meaning": None}


def test_documents_are_moved_copied_compared_and_recalled(rolltop: Any) -> None:
    for text in ("one apple\n", "two apples\n"):
        assert rolltop("store", "add", "-", "--name", "a.md", stdin=text).returncode == 0
    assert rolltop("store", "mv", "a.md", "b/a.md").stdout == "b/a.md\n"
    assert rolltop("store", "cp", "b/a.md", "c.md").stdout == "c.md\n"
    assert rolltop("store", "cp", "b/a.md", "c.md").returncode == 1
    assert rolltop("store", "versions", "b/a.md", "--diff", "1:2").stdout.endswith("-one apple\n+two apples\n")
    assert "two apples" in rolltop("store", "recall", "count the apples").stdout

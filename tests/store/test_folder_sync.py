"""A folder and its documents in step, whichever side changes; nothing is lost where both do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from rolltop.errors import NotFound
from rolltop.store import FolderSync, Gather, Library, Listing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "vault"
    (place / "deep").mkdir(parents=True)
    for name in ("a.md", "b.md", "deep/c.md"):
        (place / name).write_text(f"the text of {name}\n")
    return place


@pytest.fixture
def sync(library: Library, folder: Path) -> Iterator[FolderSync]:
    with closing(FolderSync(library, str(folder), lambda: Gather(recursive=True))) as opened:
        opened.run()
        yield opened


def edit(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, ns=(path.stat().st_mtime_ns + 10**9,) * 2)


def texts(library: Library, path: Path) -> list[str]:
    document = library.documents.get(str(path))
    return [library.documents.read_object(each.object).decode() for each in library.documents.versions(document)]


def test_a_second_look_changes_nothing(library: Library, folder: Path, sync: FolderSync) -> None:
    assert len(library.documents.select(Listing())) == 3
    assert not sync.run()


def test_a_changed_file_becomes_a_version(library: Library, folder: Path, sync: FolderSync) -> None:
    edit(folder / "a.md", "edited by a person\n")
    assert sync.run().stored == [str(folder / "a.md")]
    assert texts(library, folder / "a.md") == ["the text of a.md\n", "edited by a person\n"]


def test_a_changed_document_is_written_into_its_file(library: Library, folder: Path, sync: FolderSync) -> None:
    (folder / "a.md").chmod(0o640)
    library.edits.append(library.documents.get(str(folder / "a.md")), "added by an agent\n")
    assert sync.run().written == [str(folder / "a.md")]
    assert (folder / "a.md").read_text() == "the text of a.md\nadded by an agent\n"
    assert (folder / "a.md").stat().st_mode & 0o777 == 0o640
    assert not sync.run()


def test_a_new_document_becomes_a_file_in_a_new_directory(library: Library, folder: Path, sync: FolderSync) -> None:
    library.documents.add_text(str(folder / "new" / "idea.md"), "an idea\n")
    library.documents.add_text("elsewhere.md", "not of this folder\n")
    assert sync.run().written == [str(folder / "new" / "idea.md")]
    assert (folder / "new" / "idea.md").read_text() == "an idea\n"


def test_what_is_deleted_on_one_side_is_deleted_on_the_other(library: Library, folder: Path, sync: FolderSync) -> None:
    (folder / "a.md").unlink()
    library.documents.delete([library.documents.get(str(folder / "b.md"))])
    done = sync.run()
    assert (done.deleted, done.removed) == ([str(folder / "a.md")], [str(folder / "b.md")])
    assert not (folder / "b.md").exists()
    library.documents.undo("b.md")
    assert sync.run().written == [str(folder / "b.md")]
    assert (folder / "b.md").read_text() == "the text of b.md\n"


def test_a_change_on_both_sides_keeps_both_texts(library: Library, folder: Path, sync: FolderSync) -> None:
    library.edits.append(library.documents.get(str(folder / "a.md")), "by an agent\n")
    edit(folder / "a.md", "by a person\n")
    assert sync.run().conflicts == [str(folder / "a.md")]
    assert texts(library, folder / "a.md")[1:] == ["the text of a.md\nby an agent\n", "by a person\n"]
    assert (folder / "a.md").read_text() == "by a person\n"


def test_a_change_wins_over_a_deletion(library: Library, folder: Path, sync: FolderSync) -> None:
    library.edits.append(library.documents.get(str(folder / "a.md")), "by an agent\n")
    (folder / "a.md").unlink()
    edit(folder / "b.md", "by a person\n")
    library.documents.delete([library.documents.get(str(folder / "b.md"))])
    sync.run()
    assert (folder / "a.md").read_text().endswith("by an agent\n")
    assert texts(library, folder / "b.md")[-1] == "by a person\n"


def test_a_renamed_file_takes_its_document_along_and_the_other_way_round(
    library: Library, folder: Path, sync: FolderSync
) -> None:
    before = library.documents.get(str(folder / "a.md"))
    (folder / "a.md").rename(folder / "deep" / "renamed.md")
    assert sync.run().moved == [(str(folder / "a.md"), str(folder / "deep" / "renamed.md"))]
    after = library.documents.get(str(folder / "deep" / "renamed.md"))
    assert after.id == before.id
    library.edits.move(after, str(folder / "back.md"))
    sync.run()
    assert sorted(each.name for each in folder.rglob("*.md")) == ["b.md", "back.md", "c.md"]


def test_agents_cannot_write_what_programs_obey(library: Library, folder: Path, sync: FolderSync) -> None:
    for name in (".git/hooks/pre-commit", ".obsidian/app.json", ".envrc", "Makefile"):
        library.documents.add_text(str(folder / name), "touch owned\n")
    edit(folder / "deep" / "Makefile", "all:\n")
    sync.run()
    library.edits.append(library.documents.get(str(folder / "deep" / "Makefile")), "\ttouch owned\n")
    problems = sync.run().problems
    assert [path for path, _ in problems] == [str(folder / "deep" / "Makefile")]
    assert sorted(each.name for each in folder.iterdir()) == ["a.md", "b.md", "deep"]
    assert (folder / "deep" / "Makefile").read_text() == "all:\n"


def test_nothing_is_written_through_a_link(library: Library, folder: Path, sync: FolderSync, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "one.md").symlink_to(outside / "one.md")
    library.documents.add_text(str(folder / "link" / "x.md"), "x\n")
    library.documents.add_text(str(folder / "one.md"), "x\n")
    assert [path for path, _ in sync.run().problems] == [str(folder / "link" / "x.md")]
    assert not list(outside.iterdir())


def test_a_file_that_changes_while_it_is_looked_at_is_left_alone(
    library: Library, folder: Path, sync: FolderSync, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.edits.append(library.documents.get(str(folder / "a.md")), "by an agent\n")
    settle = sync._settle
    monkeypatch.setattr(sync, "_settle", lambda *given: (edit(folder / "a.md", "just saved\n"), settle(*given)))
    assert "meantime" in sync.run().problems[0][1]
    assert (folder / "a.md").read_text() == "just saved\n"
    monkeypatch.undo()
    assert sync.run().conflicts == [str(folder / "a.md")]


def test_patterns_hold_both_ways(library: Library, folder: Path) -> None:
    (folder / "data.csv").write_text("a,b\n")
    with closing(FolderSync(library, str(folder), lambda: Gather(True, ["*.md"], ["deep"]))) as sync:
        sync.run()
        assert sorted(each.name for each in library.documents.select(Listing())) == ["a.md", "b.md"]
        for name in ("table.csv", "deep/x.md", "y.md"):
            library.documents.add_text(str(folder / name), "x\n")
        assert sync.run().written == [str(folder / "y.md")]


def test_a_folder_that_is_not_there_changes_nothing(library: Library, folder: Path, sync: FolderSync) -> None:
    folder.rename(folder.with_name("unmounted"))
    with pytest.raises(NotFound, match="there is no directory"):
        sync.run()
    assert len(library.documents.select(Listing())) == 3


def test_the_command_keeps_a_folder_in_step(rolltop: Callable[..., CompletedProcess[str]], folder: Path) -> None:
    look = ("store", "watch", str(folder), "--two-way", "--rounds", "1")
    assert rolltop(*look).returncode == 0
    assert rolltop("store", "rm", "--yes", str(folder / "b.md")).returncode == 0
    done = rolltop(*look)
    assert (done.returncode, (folder / "b.md").exists()) == (0, False), done.stderr
    assert "file removed" in done.stderr

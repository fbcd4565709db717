"""Documents follow their files: renamed, removed, and not removed because a disk is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from rolltop.errors import NotFound
from rolltop.store import Gather, Library, Listing, follow_renames


@pytest.fixture
def folder(library: Library, tmp_path: Path) -> Path:
    place = tmp_path / "notes"
    (place / "deep").mkdir(parents=True)
    for name in ("a.md", "b.md", "deep/c.md"):
        (place / name).write_text(f"the text of {name}\n")
    library.documents.add_many(Gather(recursive=True).sources([str(place)]), tags=["kept"])
    return place


def names(library: Library, folder: Path) -> list[str]:
    return [str(Path(document.path).relative_to(folder)) for document in library.documents.select(Listing())]


def followed(library: Library, folder: Path) -> tuple[int, int]:
    changes = follow_renames(library, [str(folder)], Gather(recursive=True).paths([str(folder)]))
    return len(changes.moved), len(changes.deleted)


def test_a_renamed_file_is_the_same_document(library: Library, folder: Path) -> None:
    before = library.documents.get(str(folder / "a.md"))
    (folder / "a.md").rename(folder / "deep" / "renamed.md")
    assert followed(library, folder) == (1, 0)
    after = library.documents.get(str(folder / "deep" / "renamed.md"))
    assert (after.id, after.tags) == (before.id, ("kept",))
    assert followed(library, folder) == (0, 0)


def test_a_removed_file_is_deleted_and_can_be_brought_back(library: Library, folder: Path) -> None:
    (folder / "b.md").unlink()
    assert followed(library, folder) == (0, 1)
    assert names(library, folder) == ["a.md", "deep/c.md"]
    library.documents.undo()
    assert names(library, folder) == ["a.md", "b.md", "deep/c.md"]


def test_a_folder_that_is_not_there_deletes_nothing(library: Library, folder: Path) -> None:
    folder.rename(folder.with_name("unmounted"))
    with pytest.raises(NotFound, match="there is no directory"):
        follow_renames(library, [str(folder)], [])
    assert len(library.documents.select(Listing())) == 3

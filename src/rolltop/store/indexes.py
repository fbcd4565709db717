"""What all indexes of a library take part in: catching up, checking, mending, forgetting what was collected."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rolltop.errors import Damaged, NotFound

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Indexes"]


class Indexes:
    """The indexes of a library: `library.indexes`. Each can be deleted and built again."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def update(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Bring texts, trigrams and keywords up to date."""
        self.finish_purge()
        self._library.texts.read_all(progress)
        self._library.grep.index_pending(progress=progress)
        self._library.search.catch_up(progress)

    def errors(self) -> dict[str, str]:
        """What keeps an index from following the catalogue in the background, by its name."""
        return {task.name: repr(task.error) for task in self._library.tasks if task.error is not None}

    def damage(self) -> list[str]:
        """What is wrong with the indexes."""
        library = self._library
        if library.catalog.objects.purging() is not None:
            found = ["indexes: a collection was interrupted, so they may still know what it removed"]
        else:
            found = library.search.words.index.damage() + library.grep.index_damage()
        found += library.search.meanings[0].damage()
        return found + library.extracts.kept.damage() + library.graph.traits.damage()

    def mend(self, *, anew: bool) -> list[str]:
        """Build damaged indexes again, or all of them (`anew`); says what was done."""
        library, mended = self._library, list[str]()
        for part in (library.extracts.kept, library.graph.traits):
            if anew or part.damage():
                part.start_again()
                mended.append(f"started the {part.what} again")
        vectors = library.search.meanings[0].mend(anew=anew)
        if self.finish_purge():
            mended.append("made the indexes forget what was collected")
        mended += [f"dropped the trigram segment {name}" for name in self._drop_bad_segments()]
        if anew or library.search.words.index.damage():
            library.search.rebuild_words()
            mended.append("built the keyword index again")
        with contextlib.suppress(Damaged, NotFound):  # what cannot be read cannot be indexed; verify names it
            self.update()
        return mended + vectors

    def _drop_bad_segments(self) -> list[str]:
        dropped = self._library.grep.drop_stale()
        if self._library.grep.index_damage():
            self._library.forget_trigrams()
            dropped.append("*")
        return dropped

    # what a collection removed -------------------------------------------------------------------

    def finish_purge(self) -> bool:
        """Make the indexes forget what a collection has removed, if one was interrupted before that; whether so."""
        library = self._library
        if library.options.read_only or library.committer.active or library.catalog.objects.purging() is None:
            return False
        with library.purging.tried() as ours:
            return ours and self.purge_collected()

    def purge_collected(self) -> bool:
        """The same for whoever holds the lock of it."""
        library = self._library
        gone = library.catalog.objects.purging()
        if gone is None:
            return False
        self._purge(gone)
        with library.committer.exclusive():
            more = set(library.catalog.objects.purging() or ()) - set(gone)
            library.catalog.objects.set_purging(more or None)
        return True

    def _purge(self, documents: Sequence[int]) -> None:
        """Make the indexes forget the documents that were collected."""
        library = self._library
        # A word of a collected document may lie in any file of the keyword index: they are all written anew.
        if documents:
            library.search.words.index.clear()
            library.search.catch_up()
        library.texts.forget_collected()
        library.grep.drop_stale()
        library.search.meanings[0].purge(documents)
        library.graph.purge(documents)

"""Search by meaning in the library, alone and together with the keywords."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from rolltop.store.meaning import Meaning
from rolltop.store.searching import Searching

__all__ = ["Understanding"]


class Understanding(Searching):
    """The finding part that needs a model. Nothing of it is loaded before it is asked."""

    @cached_property
    def meaning(self) -> Meaning:
        """The vectors of the documents, by the model that the settings name."""
        return Meaning(self.directory / "vectors", self.catalog, self.extracts, self.options.model)

    # indexes -------------------------------------------------------------------------------------

    def embed(self, progress: Callable[[int, int], None] | None = None) -> bool:
        """Embed every document that is not; False if another process is at it."""
        return self.meaning.follow(progress)

    def index_damage(self) -> list[str]:
        return super().index_damage() + self.meaning.damage()

    def mend_indexes(self, *, anew: bool) -> list[str]:
        mended = self.meaning.mend(anew=anew)
        return super().mend_indexes(anew=anew) + mended

    def purge_indexes(self, documents: Sequence[int]) -> None:
        super().purge_indexes(documents)
        self.meaning.purge(documents)

    def close(self) -> None:
        self.meaning.close()
        super().close()

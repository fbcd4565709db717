"""The totals of a program while its pieces come in, and what is written of them at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rolltop.transform.program import Program
from rolltop.transform.stream.code import PieceCode
from rolltop.transform.stream.folds import Fold, name_of
from rolltop.transform.stream.totals import accumulator

__all__ = ["Totals"]


class Totals:
    """One accumulator for each total of a fold."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self._totals = [accumulator(total) for total in fold.totals]

    def add(self, pieces: Iterable[list[Any]]) -> None:
        """Take what each piece contributes to each total, in the order of the input."""
        for contributions in pieces:
            for total, contribution in zip(self._totals, contributions, strict=True):
                total.add(contribution)

    def results(self) -> dict[str, Any]:
        """The totals, under the names by which the rest of the program knows them."""
        return {name_of(at): total.result() for at, total in enumerate(self._totals)}

    def write(self, program: Program, write: Callable[[bytes], Any], options: Mapping[str, Any]) -> None:
        """Run the rest of the program on the totals and write the result."""
        value = PieceCode(self._fold.rest, program.source).evaluator.run(self.results())
        rendered = program.written(value, options).encode()
        write(rendered if not rendered or rendered.endswith(b"\n") else rendered + b"\n")

"""pandoc's tables as typst tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rolltop.reports.typeset.inlines import Inlines, Node

__all__ = ["Tables"]

_ALIGN = {"AlignLeft": "left", "AlignRight": "right", "AlignCenter": "center", "AlignDefault": "auto"}


class Tables:
    """Writes a table: caption, header rows with a rule below, body rows, spanning cells."""

    def __init__(self, inlines: Inlines, blocks: Callable[[Sequence[Node]], str]) -> None:
        self._inlines = inlines
        self._blocks = blocks

    def write(self, content: Sequence[Any]) -> str:
        _, caption, columns, head, bodies, foot = content
        alignment = ", ".join(_ALIGN[column[0]["t"]] for column in columns)
        header = self._rows(head[1])
        body = self._rows([row for part in bodies for row in (*part[2], *part[3])]) + self._rows(foot[1])
        table = f"#table(columns: {len(columns)}, align: ({alignment},), stroke: none, table.hline(),"
        if header:
            table += f" table.header({header}), table.hline(stroke: 0.5pt),"
        return f"#align(center)[{table} {body} table.hline())]\n{self._caption(caption)}"

    def _rows(self, rows: Sequence[Any]) -> str:
        return "".join(self._cell(cell) for row in rows for cell in row[1])

    def _cell(self, cell: Sequence[Any]) -> str:
        _, _, down, across, blocks = cell
        body = f"[{self._blocks(blocks).strip()}]"
        if down > 1 or across > 1:
            return f"table.cell(rowspan: {int(down)}, colspan: {int(across)}){body}, "
        return f"{body}, "

    def _caption(self, caption: Sequence[Any]) -> str:
        words = self._blocks(caption[1]).strip()
        return f"#align(center)[#text(size: 9.5pt)[{words}]]\n" if words else ""

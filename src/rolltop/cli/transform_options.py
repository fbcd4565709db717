"""Options of formats on the command line: `--from-option` and `--to-option`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rolltop.cli.transform_files import Input

__all__ = ["reading_options", "writing_options"]


def reading_options(texts: Sequence[str], inputs: Sequence[Input], program: str) -> dict[str, dict[str, Any]]:
    """The options of each input: `name=value` is for all of them, `input.name=value` for one."""
    from rolltop.transform.formats.options import parse_options

    names = [given.name for given in inputs] or ["input"]
    own = [text for text in texts if text.partition("=")[0].rpartition(".")[0] in names]
    common = parse_options(text for text in texts if text not in own)
    options = {given.name: {**_implied(given.path, program), **common} for given in inputs} or {"input": common}
    for text in own:
        name, _, rest = text.partition(".")
        options[name].update(parse_options([rest]))
    return {name: chosen for name, chosen in options.items() if chosen}


def writing_options(texts: Sequence[str], path: str | None, program: str) -> dict[str, Any]:
    from rolltop.transform.formats.options import parse_options

    return {**_implied(path or "", program), **parse_options(texts)}


def _implied(path: str, program: str) -> dict[str, Any]:
    """A file that is called .tsv has tabs between its cells, unless the program speaks of delimiters itself."""
    return {"delimiter": "\t"} if path.lower().endswith(".tsv") and "delimiter" not in program else {}

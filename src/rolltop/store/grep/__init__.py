"""Regular expressions over everything that is stored: complete, in linear time, with a trigram index.

A pattern is read into a tree (`syntax`), which says what trigrams a match must hold (`trigrams`) and is written out
for the engines (`emit`, `matcher`). Segments (`segments`, `index`) name the frames worth reading, `engine` scans them,
`layout` maps hits to documents, `lines` shows the lines. `texts` looks at what was read out of PDF and the like.
"""

from typing import TYPE_CHECKING

from rolltop.base.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from rolltop.store.grep.engine import Grep, Pattern
    from rolltop.store.grep.index import SegmentDirectory
    from rolltop.store.grep.lines import FileLines, LineMatch, painted
    from rolltop.store.grep.shared import SharedGrep
    from rolltop.store.grep.texts import TextLines

__all__ = [
    "FileLines",
    "Grep",
    "LineMatch",
    "Pattern",
    "SegmentDirectory",
    "SharedGrep",
    "TextLines",
    "painted",
]

__getattr__ = lazy_attributes(
    __name__,
    {
        "engine": "Grep Pattern",
        "index": "SegmentDirectory",
        "lines": "FileLines LineMatch painted",
        "shared": "SharedGrep",
        "texts": "TextLines",
    },
)

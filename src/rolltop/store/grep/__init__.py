"""Regular expressions over everything that is stored: complete, in linear time, with a trigram index.

A pattern is read into a tree (`syntax`), which says what trigrams a match must hold (`trigrams`) and is written out
for the engines (`emit`, `matcher`). Segments (`segments`, `index`) name the frames worth reading, `engine` scans them,
`layout` maps hits to documents, `lines` shows the lines. `texts` looks at what was read out of PDF and the like.
"""

from rolltop.store.grep.background import Background
from rolltop.store.grep.engine import Grep, Pattern
from rolltop.store.grep.index import SegmentDirectory
from rolltop.store.grep.lines import FileLines, LineMatch, painted
from rolltop.store.grep.texts import TextLines

__all__ = ["Background", "FileLines", "Grep", "LineMatch", "Pattern", "SegmentDirectory", "TextLines", "painted"]

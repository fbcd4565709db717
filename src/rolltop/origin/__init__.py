"""Where made things come from: which call made them, from what, by whom, when, with which versions.

`Origins` keeps the facts about hashes in one SQLite file that several processes share. `lineage` follows them in both
directions, `stale_makings` finds what is out of date, `as_dot` and `as_prov` write them for other programs. `Memo`
keeps answers of pure work.
"""

from rolltop.origin.export import as_dot, as_prov, as_tree
from rolltop.origin.ledger import Origins
from rolltop.origin.lineage import Lineage, Stale, differences, lineage, stale_makings
from rolltop.origin.memo import Memo
from rolltop.origin.records import Making, Part

__all__ = [
    "Lineage", "Making", "Memo", "Origins", "Part", "Stale", "as_dot", "as_prov", "as_tree", "differences",
    "lineage",    "stale_makings",
]  # fmt: skip

"""Static checking: names, arities, types, unused bindings and style, over the tree that also runs."""

from rolltop.transform.check.checker import check, check_parsed
from rolltop.transform.check.names import unresolved

__all__ = ["check", "check_parsed", "unresolved"]

"""The smallest change that makes a program valid, for mistakes that come from other languages.

Agents write jq, JSONPath, DataWeave, JavaScript and Python when they mean UTL-X. Each habit has a
rewriting rule on tokens (`habits/`); `find_repair` tries them, keeps those that are needed, and
offers the result only when the checker finds nothing wrong with it. `suspicions` finds what is
valid but surely not meant, such as a method call on data.
"""

from rolltop.transform.repair.search import Edit, Repair, find_repair
from rolltop.transform.repair.suspicions import suspicions

__all__ = ["Edit", "Repair", "find_repair", "suspicions"]

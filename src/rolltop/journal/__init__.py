"""The journal: a row for every tool call, in one SQLite file that all server processes share.

A background thread writes the rows, so a call never waits for the disk. Whoever has to know that a row is on disk
(calls with consent leave an audit trail) gets a future. After an error of the disk or the database the thread keeps
the rows, opens the file again and retries. Arguments and answers are kept only if the settings say so, with
secrets masked.
"""

from rolltop.journal.database import LARGEST_ARGUMENTS, Entry, Retention
from rolltop.journal.writer import Journal

__all__ = ["LARGEST_ARGUMENTS", "Entry", "Journal", "Retention"]

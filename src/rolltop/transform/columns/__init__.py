"""Tables a column at a time: the tier for programs that go over the rows of a table once.

The routine of the typed tier is taken apart. Its condition runs first, over the columns that it reads; what
remains runs over the chosen rows, with the cells in variables where it had a record's fields. Cells of rows that are
not chosen are never read, and records are never made.
"""

from rolltop.transform.columns.code import Columns
from rolltop.transform.columns.records import records_of

__all__ = ["Columns", "records_of"]

"""`python -m rolltop.transform.stdlib [PAGE]` brings the generated tables (and the page) up to date."""

import sys
from pathlib import Path

from rolltop.transform.stdlib.catalog import write_entries
from rolltop.transform.stdlib.reference import page
from rolltop.transform.stdlib.registry import write_table

write_table()
write_entries()
if sys.argv[1:]:
    Path(sys.argv[1]).write_text(page(), "utf-8")

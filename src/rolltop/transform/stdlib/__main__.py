"""`python -m rolltop.transform.stdlib [DOCS]` brings the generated tables (and the reference pages) up to date."""

import sys
from pathlib import Path

from rolltop.transform.stdlib.catalog import write_entries
from rolltop.transform.stdlib.reference import pages
from rolltop.transform.stdlib.registry import write_table

write_table()
write_entries()
if sys.argv[1:]:
    for place, text in pages().items():
        path = Path(sys.argv[1]) / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

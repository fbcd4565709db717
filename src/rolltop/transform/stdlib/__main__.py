"""`python -m rolltop.transform.stdlib` brings the generated table of names up to date."""

from rolltop.transform.stdlib.registry import write_table

write_table()

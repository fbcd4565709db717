"""XML: the reader is in `xml_read`, the writer in `xml_write`."""

from rolltop.transform.formats.xml_read import read
from rolltop.transform.formats.xml_write import write

__all__ = ["read", "write"]

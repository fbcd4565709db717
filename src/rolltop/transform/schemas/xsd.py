"""XML Schema: reading in `xsd_read`, writing in `xsd_write`."""

from rolltop.transform.schemas.xsd_read import describe, read
from rolltop.transform.schemas.xsd_write import generate, write

__all__ = ["describe", "generate", "read", "write"]

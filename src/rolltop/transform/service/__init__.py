"""The engine as a service: plain data in, plain data out, computed in warm workers that can be lost.

`Service` is what tools and the daemon hold. Each job (`validate`, `infer`, `execute`, `parse-schema`,
`infer-structure`) runs foreign programs and data in a limited process; errors carry the codes that the
tools put on the wire (`PARSE_ERROR`, `VALIDATION_ERROR`, `EXECUTION_ERROR`, `TIMEOUT`).
"""

from rolltop.transform.service.config import ServiceConfig
from rolltop.transform.service.service import Service

__all__ = ["Service", "ServiceConfig"]

"""The local page: see what agents do, decide what they may do, try every tool.

A skin over the tools: every view calls tools through the same dispatcher as a client does (consent, limits, journal)
and reads the journal and the approvals. It knows no SQL and no file of an engine. `page_app` makes the ASGI
application, `Doorkeeper` keeps strangers out.
"""

from rolltop.web.app import page_app
from rolltop.web.doorkeeper import Doorkeeper, owners_secret

__all__ = ["Doorkeeper", "owners_secret", "page_app"]

"""What data or a schema looks like: one JSON-Schema-like structure for all formats, and a summary in words.

Nodes have `type`, `properties`, `items`, `attributes` (XML), `required` (attributes as `@name`),
`cardinality`, constraints as JSON Schema names them, and `examples` taken from data.
"""

from rolltop.transform.structure.describe import describe_source

__all__ = ["describe_source"]

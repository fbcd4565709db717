"""Data and schema formats: text to values and back.

`read(format, data, options)` and `write(format, value, options)` are the whole interface; each format
is a module that is imported when it is first used. Readers give line and column on bad input and
refuse hostile input (entity bombs, alias bombs, endless nesting) with a `ReadFailure`.
"""

from rolltop.transform.formats.table import FORMATS, Rendered, read, write

__all__ = ["FORMATS", "Rendered", "read", "write"]

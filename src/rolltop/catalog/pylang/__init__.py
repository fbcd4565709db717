"""Read Python sources without importing them: functions, annotations, docstrings of three styles."""

from rolltop.catalog.pylang.tools import python_tools

__all__ = ["python_tools"]

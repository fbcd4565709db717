"""What people and agents write out of habit, each with the rule that says it in UTL-X.

A rule takes the text of a body and gives it back changed, or as it was. Rules may assume nothing about
the text; whether what they made is right is decided by the checker.
"""

from rolltop.transform.repair.habits.table import BODY, HEADER, Habit

__all__ = ["BODY", "HEADER", "Habit"]

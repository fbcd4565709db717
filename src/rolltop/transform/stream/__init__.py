"""Programs over inputs that are larger than memory: record by record, or folded into totals.

`plan_of` looks at a program's tree: a chain of `map`, `filter` and `flatMap` over the input (or over one array
inside it) gives the same when it runs on pieces of the array, and so do totals (`sum`, `count`, `min`, `max`, `avg`,
also by group) when they are carried from piece to piece. `stream` then reads pieces, runs the program on each, and
writes as it goes. What comes out, values, order, errors and their places, is what reading everything at once gives.
"""

from rolltop.transform.stream.engine import NotStreamed, stream
from rolltop.transform.stream.plan import Plan, plan_of

__all__ = ["NotStreamed", "Plan", "plan_of", "stream"]

"""The shared R worker: one R process in the sandbox that keeps its state and answers within a millisecond.

    with RWorker(Sandbox(limits=Limits(seconds=30))) as r:
        r.evaluate("f <- function(x, y) x + y")
        r.call("f", {"x": 1, "y": 2}).value    # 3

Requests and answers travel as JSON over two pipes of their own, so nothing that R code prints can disturb
them; what it prints is in `RAnswer.printed`, what it warns about in `RAnswer.conditions`. R code that runs
too long is killed with its process, and only that process is lost. `RZygote` forks a fresh copy of a warm R
process for every job, for jobs that must not see each other.
"""

from rolltop.confine.r.answer import RAnswer, RCondition, RError
from rolltop.confine.r.worker import RWorker
from rolltop.confine.r.zygote import RZygote

__all__ = ["RAnswer", "RCondition", "RError", "RWorker", "RZygote"]

"""The shared R worker: an R process in the sandbox that answers within a millisecond.

    with RWorker(Sandbox(limits=Limits(seconds=30))) as r:
        r.evaluate("f <- function(x, y) x + y")
        r.call("f", {"x": 1, "y": 2}).value    # 3

Requests and answers are JSON over two pipes of their own, so nothing that R code prints can disturb them; what it
prints is in `RAnswer.printed`, what it warns about in `RAnswer.conditions`. `start_r` with `jobs` starts a template
that answers each request in a fork, for jobs that must not see each other.
"""

from rolltop.confine.r.worker import RAnswer, RCondition, RError, RWorker, call_request, read_answer, start_r

__all__ = ["RAnswer", "RCondition", "RError", "RWorker", "call_request", "read_answer", "start_r"]

"""Run foreign code with limits that hold, or not at all.

Three ways, from the strongest wall to the quickest answer: `run` starts any program in a sandbox (no network,
a read-only system, an own /tmp, limits on time, memory, processes, disk and output); `RWorker` is an R process
in that sandbox that stays and answers within a millisecond; `WorkerPool` keeps warm Python processes that can
do nothing but compute, for jobs from bytes to bytes. Privileges are dropped before any of them sees foreign
code, a limit that is reached ends the program and is named, and nothing is left running.

The names are loaded when they are used: whoever only says what is allowed does not wait for the machinery.
"""

from typing import TYPE_CHECKING

from rolltop.base.lazy_imports import lazy_attributes
from rolltop.confine.identity import Policy, policy, set_policy

if TYPE_CHECKING:
    from rolltop.confine.cancellation import Cancel
    from rolltop.confine.program import run, run_async
    from rolltop.confine.r import RAnswer, RCondition, RError, RWorker
    from rolltop.confine.result import Confinement, Finished, Reason
    from rolltop.confine.sandbox import Limits, Mount, Sandbox
    from rolltop.confine.sandbox_backends import RungState, survey
    from rolltop.confine.scratch import Scratch
    from rolltop.confine.worker_pool import WorkerPool

__all__ = [
    "Cancel",
    "Confinement",
    "Finished",
    "Limits",
    "Mount",
    "Policy",
    "RAnswer",
    "RCondition",
    "RError",
    "RWorker",
    "Reason",
    "RungState",
    "Sandbox",
    "Scratch",
    "WorkerPool",
    "policy",
    "run",
    "run_async",
    "set_policy",
    "survey",
]

__getattr__ = lazy_attributes(
    __name__,
    {
        "sandbox_backends": "RungState survey",
        "worker_pool": "WorkerPool",
        "r": "RAnswer RCondition RError RWorker",
        "result": "Confinement Finished Reason",
        "cancellation": "Cancel",
        "program": "run run_async",
        "sandbox": "Limits Mount Sandbox",
        "scratch": "Scratch",
    },
)

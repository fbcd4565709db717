"""The backends of the sandbox, best first: bubblewrap, else Landlock with a filter of system calls.

Where neither works nothing runs, unless `Sandbox.allow_unconfined` was set: then only limits and dropped
privileges remain.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rolltop.confine.bubblewrap import find_bubblewrap, start_bubblewrap
from rolltop.confine.identity import foreign_identity, policy, require_reachable
from rolltop.confine.kernel import landlock
from rolltop.confine.kernel.syscalls import this_architecture
from rolltop.confine.landlock_backend import start_supervised
from rolltop.confine.process import Child
from rolltop.confine.result import Confinement, Rung
from rolltop.confine.sandbox import Limits, Sandbox
from rolltop.errors import InvalidInput, NotFound, PartMissing

__all__ = ["RUNGS", "RungState", "start_process", "state_of", "survey"]

RUNGS: tuple[Rung, ...] = ("bwrap", "landlock")
"""Best first."""


@dataclass(frozen=True, slots=True)
class RungState:
    """Whether a rung holds on this machine; if not, why, and the command that changes it."""

    rung: Rung
    usable: bool
    features: tuple[str, ...] = ()
    reason: str = ""
    fix: str = ""


def start_process(argv: Sequence[str], sandbox: Sandbox, *, pass_fds: Sequence[int] = (), stdin: bool = True) -> Child:
    """Start `argv` by the best backend. Standard streams are pipes; `pass_fds` keep their numbers.

    Without `stdin` its standard input is /dev/null.
    """
    if not argv or not argv[0] or any("\0" in argument for argument in argv):
        raise InvalidInput("a program to run needs a name, and no argument may contain NUL")
    identity = foreign_identity(sandbox.user)
    for mount in sandbox.mounts:
        if not mount.source.exists():
            raise NotFound(f"there is nothing to mount at {mount.source}")
        require_reachable(mount.source, identity)
    confinement = _choose(sandbox)
    start = start_bubblewrap if confinement.rung == "bwrap" else start_supervised
    return start(argv, sandbox, identity, confinement, pass_fds, stdin=stdin)


def _choose(sandbox: Sandbox) -> Confinement:
    looked_at = []
    for rung in RUNGS:
        if rung in sandbox.rungs:
            state = state_of(rung)
            if state.usable:
                return Confinement(state.rung, state.features)
            looked_at.append(state)
        if sandbox.hosts:
            break  # no other backend keeps all other hosts away
    allowed = policy().allow_unconfined if sandbox.allow_unconfined is None else sandbox.allow_unconfined
    if allowed and not sandbox.hosts:
        return Confinement("none", ("limits", *_privileges()))
    missing = "; ".join(f"{state.rung}: {state.reason}" for state in looked_at) or "no rung was wanted"
    task = "let foreign code reach named hosts only" if sandbox.hosts else "confine foreign code"
    raise PartMissing(
        f"nothing on this machine can {task} ({missing})",
        hint=next((state.fix for state in looked_at if state.fix), "rolltop doctor says more."),
    )


def survey() -> tuple[RungState, ...]:
    """The rungs of this machine, best first."""
    return tuple(state_of(rung) for rung in RUNGS)


@cache
def state_of(rung: Rung) -> RungState:
    """Whether a rung holds here; tried for real, once."""
    if sys.platform != "linux":
        fix = "Use a Linux machine, or a container, for what runs foreign code."
        return RungState(rung, False, reason="not Linux", fix=fix)
    return _bubblewrap_state() if rung == "bwrap" else _landlock_state()


def _bubblewrap_state() -> RungState:
    features = ("own file system", "own network", "own processes", "limits", *_filter(), *_privileges())
    try:
        find_bubblewrap()
    except PartMissing as error:
        return RungState("bwrap", False, reason=error.message, fix=error.hint or "")
    complaint = _try_out(Confinement("bwrap", features))
    if complaint is None:
        return RungState("bwrap", True, features)
    return RungState("bwrap", False, reason=complaint, fix=_namespace_fix())


def _landlock_state() -> RungState:
    abi = landlock.abi()
    if abi == 0:
        fix = "Boot a kernel of 5.13 or newer with lsm=...,landlock."
        return RungState("landlock", False, reason="the kernel has no Landlock", fix=fix)
    if this_architecture() is None:
        return RungState("landlock", False, reason="no filter of system calls for this architecture")
    walls = (f"file system by Landlock {abi}", "no sockets", "limits", *_filter(), *_privileges())
    spaces = ("own network", "own processes")
    for features in ((*walls, *spaces), walls):
        complaint = _try_out(Confinement("landlock", features))
        if complaint is None:
            return RungState("landlock", True, features)
    return RungState("landlock", False, reason=complaint or "", fix=_namespace_fix())


def _try_out(confinement: Confinement) -> str | None:
    """Run `true` on a rung; None when it works, else what was said."""
    start = start_bubblewrap if confinement.rung == "bwrap" else start_supervised
    true = next(path for path in ("/usr/bin/true", "/bin/true") if os.path.exists(path))
    try:
        child = start([true], Sandbox(Limits(seconds=10)), foreign_identity(), confinement)
    except OSError as error:
        return error.strerror or str(error)
    with contextlib.closing(child):
        _, complaint = child.process.communicate(timeout=10)
        if child.process.returncode == 0:
            return None
    return complaint.decode("utf-8", "replace").strip()[-300:] or f"exit code {child.process.returncode}"


def _filter() -> tuple[str, ...]:
    return ("filter of system calls",) if this_architecture() is not None else ()


def _privileges() -> tuple[str, ...]:
    return ("privileges dropped",) if os.geteuid() == 0 else ()


def _namespace_fix() -> str:
    for name, value in (
        ("kernel/apparmor_restrict_unprivileged_userns", "1"),
        ("kernel/unprivileged_userns_clone", "0"),
        ("user/max_user_namespaces", "0"),
    ):
        with contextlib.suppress(OSError):
            if Path("/proc/sys", name).read_text().strip() == value:
                wanted = {"1": "0", "0": "1"}[value] if name != "user/max_user_namespaces" else "10000"
                return f"As root: sysctl -w {name.replace('/', '.')}={wanted}"
    return "In a container: start it with --security-opt seccomp=unconfined, or allow user namespaces on the host."

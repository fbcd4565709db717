"""The supervisor of a confined program: bubblewrap, or the program itself behind Landlock and a filter.

Runs in the launcher's process, after privileges were dropped. It stays outside of the sandbox, adopts whatever
the program leaves behind, and kills all of it when the program ends, on SIGTERM, or when rolltop is gone, at
whatever stage of its start the sandbox is by then.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Iterator

from . import landlock, process
from .process import descendants

__all__ = ["run"]

_NAMESPACES = 0x10000000 | 0x20000000 | 0x40000000 | 0x08000000  # user, processes, network, IPC

Options = dict[str, list[str]]


def run(options: Options, program: list[str]) -> None:
    """Start the program and supervise it; never returns."""
    # Told to end, it must end the program first; SIGKILL would leave the program's children behind.
    signal.signal(signal.SIGTERM, _end_all)
    process.die_with_parent(int(options["parent"][0]), signal.SIGTERM)
    process.adopt_orphans()
    if "unshare" in options:  # where the machine allows it; the rest of the wall does not depend on it
        process.own_user_namespace(_NAMESPACES)
    for channel in options.get("proxied", ()):
        from .loopback import leave_network  # noqa: PLC0415 - few sandboxes have hosts

        leave_network(int(channel))
    for most in options.get("processes", ()):  # counted in the namespace, which has none but ours
        resource.setrlimit(resource.RLIMIT_NPROC, (int(most), int(most)))
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        _become(options, program, supervisor)
    for status in options.get("status", ()):
        os.write(int(status), b'{"child-pid": %d}\n' % child)
    # The other ends of the program's pipes must see when the program closes its own.
    os.closerange(0, os.sysconf("SC_OPEN_MAX"))
    code = _wait_for(child)
    _kill_descendants()
    os._exit(code)


def _become(options: Options, program: list[str], supervisor: int) -> None:
    """The child: last restrictions, then the program itself."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # In a process namespace of its own the supervisor is out of sight: its number reads 0.
        process.die_with_parent(0 if "unshare" in options else supervisor)
        for status in options.get("status", ()):
            os.set_inheritable(int(status), False)
        if "cwd" in options:
            _restrict(options)
        environment = dict(pair.split("=", 1) for pair in options.get("env", ()))
        os.execvpe(program[0], program, environment)  # noqa: S606 - the whole point
    except OSError as error:
        sys.stderr.write(f"rolltop-launch: {program[0]}: {error.strerror or error}\n")
        sys.stderr.flush()
    finally:
        os._exit(127)


def _restrict(options: Options) -> None:
    """What bubblewrap would do: directory, Landlock, filter of system calls."""
    os.chdir(options["cwd"][0])
    process.no_new_privileges()
    if "landlock" in options:
        landlock.restrict(_rules(options))
    for fd in options.get("seccomp", ()):
        with open(int(fd), "rb") as file:
            process.load_filter(file.read())


def _rules(options: Options) -> Iterator[tuple[str, int]]:
    yield from ((path, landlock.READ) for path in options.get("read", ()))
    yield from ((path, landlock.WRITE) for path in options.get("write", ()))


def _wait_for(child: int) -> int:
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _end_all(*_: object) -> None:
    _kill_descendants()
    os._exit(128 + signal.SIGKILL)


def _kill_descendants() -> None:
    """First hold them all, so that none can fork while others are ended; orphans become our own children."""
    held: set[int] = set()
    while fresh := set(descendants(os.getpid())) - held:
        _signal(fresh, signal.SIGSTOP)
        held |= fresh
    while pids := set(descendants(os.getpid())):
        _signal(pids, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.wait()


def _signal(pids: set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

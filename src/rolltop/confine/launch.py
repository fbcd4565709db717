"""The launcher: drops limits and privileges, starts the sandbox, and supervises it to its end.

A script of its own, because a server with threads cannot safely run Python code between fork and exec. Started as
``python -I -S launch.py OPTION... -- PROGRAM ARGUMENT...``. It imports as little as possible: every confined start
waits for it.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Options = dict[str, list[str]]

FAILED = 125
"""Exit code when the launcher itself could not do its part."""


def main(arguments: list[str]) -> None:
    options, program = _split(arguments)
    try:
        supervise = _load_supervisor(options)
        _lower(options)
        supervise(options, program)
    except OSError as error:
        sys.stderr.write(f"rolltop-launch: {error.strerror or error}\n")
        os._exit(FAILED)


def _split(arguments: list[str]) -> tuple[Options, list[str]]:
    end = arguments.index("--")
    options: Options = {}
    for option in arguments[:end]:
        name, _, value = option.partition("=")
        options.setdefault(name, []).append(value)
    return options, arguments[end + 1 :]


def _lower(options: Options) -> None:
    """Limits first (they only ever go down), then the identity: after it nothing can be raised again."""
    for pair in options.get("rlimit", ()):
        name, _, value = pair.partition(":")
        lower_limit(getattr(resource, f"RLIMIT_{name}"), int(value))
    for pair in options.get("identity", ()):
        uid, gid = (int(part) for part in pair.split(":"))
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    os.umask(0o077)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def lower_limit(which: int, value: int) -> None:
    """Set both limits to `value`, or to the hard limit where that is lower already."""
    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))


def _load_supervisor(options: Options) -> Callable[[Options, list[str]], None]:
    """Import the supervisor while this process may still read it: Python may lie where only its owner can.

    Options with values that others must not see come by a descriptor: a command line is everybody's to read.
    """
    for fd in options.get("options", ()):
        with open(int(fd), encoding="utf-8", errors="surrogateescape") as file:
            options |= _split([*file.read().split("\0"), "--"])[0]
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    from importlib import import_module  # noqa: PLC0415 - the package's own name is not importable here

    if "proxied" in options:
        import_module("kernel.loopback")
    run: Callable[[Options, list[str]], None] = import_module(f"kernel.{options.get('role', ['supervise'])[0]}").run
    return run


if __name__ == "__main__":
    main(sys.argv[1:])

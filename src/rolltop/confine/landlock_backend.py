"""The backend without bubblewrap: Landlock and a filter of system calls, or limits alone.

Without mounts of its own the program lives in the file system as it is. Its /tmp and its files lie in a private
directory, and paths of the sandbox in arguments and environment are replaced by the real ones.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rolltop.confine.identity import Identity
from rolltop.confine.kernel import landlock
from rolltop.confine.kernel.filters import sandbox_filter
from rolltop.confine.process import HEADROOM, Child, Descriptors, counts_by_namespace, launcher, spawn
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import SYSTEM_DEVICES, SYSTEM_LINKS, SYSTEM_READ, Sandbox
from rolltop.confine.scratch import remove_tree

__all__ = ["start_supervised"]


def start_supervised(
    argv: Sequence[str],
    sandbox: Sandbox,
    identity: Identity,
    confinement: Confinement,
    pass_fds: Sequence[int] = (),
    *,
    stdin: bool = True,
) -> Child:
    """Start the program under a supervisor that ends everything it leaves behind."""
    private = _private_directory(sandbox, identity)
    places = _places(sandbox, private)
    inside = _translator(places)
    writable = (private / "tmp", *(mount.source for mount in sandbox.mounts if mount.writable))
    with contextlib.ExitStack() as undo, Descriptors(pass_fds) as descriptors:
        undo.callback(remove_tree, private)
        status, status_fd = descriptors.pipe_from_child()
        options = [f"status={status_fd}", f"cwd={inside(sandbox.cwd)}"]
        options += [f"env={name}={inside(value)}" for name, value in sandbox.environment.items()]
        if confinement.rung == "landlock":
            options += _walls(sandbox, private, writable, confinement, descriptors)
        counted = "own processes" in confinement.features and counts_by_namespace()
        if counted:
            options.append(f"processes={sandbox.limits.processes + HEADROOM}")
        packed = descriptors.memory_file(b"\0".join(os.fsencode(option) for option in options))
        descriptors.hand_over(identity)
        command = launcher(sandbox.limits, identity, count_processes=not counted)
        command += [f"options={packed}", "--", *map(inside, argv)]
        process = spawn(command, pass_fds=descriptors.inherited, stdin=stdin)
        undo.pop_all()
    return Child(argv[0], process, status, confinement, sandbox.limits, writable, inside, private)


def _walls(
    sandbox: Sandbox, private: Path, writable: Sequence[Path], confinement: Confinement, descriptors: Descriptors
) -> Iterator[str]:
    yield "landlock"
    if "own network" in confinement.features:
        yield "unshare"
    # No sockets at all: Landlock does not stop a program from talking to services on this machine.
    # Signals to other processes of the same user are stopped by a namespace, or by Landlock since version 6.
    signals = "own processes" in confinement.features or landlock.abi() >= landlock.SCOPED_SINCE
    if program := sandbox_filter(sockets=False, signals=signals):
        yield f"seccomp={descriptors.memory_file(program)}"
    yield from (f"read={path}" for path in (*SYSTEM_LINKS, *SYSTEM_READ, private / "files"))
    yield from (f"read={mount.source}" for mount in sandbox.mounts if not mount.writable)
    yield from (f"write={path}" for path in (*writable, *SYSTEM_DEVICES))


def _private_directory(sandbox: Sandbox, identity: Identity) -> Path:
    """A directory with the program's /tmp and its files, for its user alone."""
    private = Path(tempfile.mkdtemp(prefix="rolltop-"))
    (private / "tmp").mkdir(mode=0o700)
    for target, data in sandbox.files.items():
        place = private / "files" / target.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    if identity.drop:
        os.chown(private / "tmp", identity.uid, identity.gid)
        os.chmod(private, 0o711)  # noqa: S103 - the program's user passes through, nobody looks around
    return private


def _places(sandbox: Sandbox, private: Path) -> dict[str, str]:
    places = {target: str(private / "files" / target.lstrip("/")) for target in sandbox.files}
    places |= {mount.target: str(mount.source) for mount in sandbox.mounts}
    return places | {"/tmp": str(private / "tmp")}  # noqa: S108


def _translator(places: Mapping[str, str]) -> Callable[[str], str]:
    """Replaces places of the sandbox, as whole paths or their beginnings, wherever they stand in a text."""
    longest_first = sorted(places, key=len, reverse=True)
    pattern = re.compile(r"(?<![\w./-])(" + "|".join(map(re.escape, longest_first)) + r")(?![\w.-])")

    def inside(text: str) -> str:
        return pattern.sub(lambda found: places[found[1]], text)

    return inside

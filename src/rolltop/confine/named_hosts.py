"""Named hosts for a sandbox: a proxy process that listens inside of its network and connects outside of it."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Sequence

from rolltop.confine.identity import Identity
from rolltop.confine.kernel.filters import sandbox_filter
from rolltop.confine.process import Descriptors, launcher, spawn
from rolltop.confine.sandbox import MIB, Limits

__all__ = ["CERTIFICATES", "start_proxy"]

CERTIFICATES = ("/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates")
"""What programs check the names of hosts with; they hold no secrets."""

_LIMITS = Limits(cpu_seconds=1 << 30, memory=256 * MIB, address_space=1024 * MIB, file_size=1, open_files=256)
_START_SECONDS = 30.0


def start_proxy(ours: socket.socket, hosts: Sequence[str], identity: Identity) -> subprocess.Popen[bytes] | None:
    """Start the proxy once the sandbox has sent the socket that it listens on; None for one that never started."""
    ours.settimeout(_START_SECONDS)
    with ours, Descriptors() as descriptors:
        _, received, _, _ = socket.recv_fds(ours, 1, 1)
        if not received:
            return None
        descriptors.callback(socket.close, received[0])
        descriptors.inherited += received
        command = [*launcher(_LIMITS, identity), "role=proxy", f"listener={received[0]}"]
        if program := sandbox_filter(signals=False):
            command.append(f"seccomp={descriptors.memory_file(program)}")
        command += [f"host={host}" for host in hosts]
        return spawn([*command, "--"], pass_fds=descriptors.inherited, streams=False)

"""What a render container may do, said once for the API and for compose; and who owns a container."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Mapping
from typing import Any

from rolltop.reports.config import MIB, ReportsConfig
from rolltop.reports.containers.engine import ContainerEngine

__all__ = ["LABEL", "compose_document", "container_config", "owner_labels", "sweep_orphans"]

LABEL = "rolltop.render"
USER = "65532:65532"
GRACE = 60


def container_config(image: str, config: ReportsConfig, labels: Mapping[str, str]) -> dict[str, Any]:
    """No network, no privileges, nothing writable but a small /tmp, nothing of this machine mounted."""
    memory = config.memory * MIB
    return {
        "Image": image,
        "User": USER,
        "WorkingDir": "/tmp",  # noqa: S108 - the container's own
        "Labels": dict(labels),
        "NetworkDisabled": True,
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "HostConfig": {
            "NetworkMode": "none",
            "ReadonlyRootfs": True,
            "Tmpfs": {"/tmp": f"rw,nosuid,nodev,size={config.tmp_size}m,mode=1777"},  # noqa: S108
            "ShmSize": 16 * MIB,
            "Memory": memory,
            "MemorySwap": memory,
            "NanoCpus": 1_000_000_000,
            "PidsLimit": config.processes,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            # What a document prints is read as it comes; on the engine's disk it would have no limit.
            "LogConfig": {"Type": "none"},
        },
    }


def compose_document(image: str, config: ReportsConfig, labels: Mapping[str, str]) -> dict[str, Any]:
    """The same container as a compose file, without `version` and without variables: v1 and v2 both read it."""
    service = {
        "image": image,
        "user": USER,
        "working_dir": "/tmp",  # noqa: S108 - the container's own
        "labels": dict(labels),
        "stdin_open": True,
        "network_mode": "none",
        "read_only": True,
        "tmpfs": [f"/tmp:rw,nosuid,nodev,size={config.tmp_size}m,mode=1777"],  # noqa: S108
        "shm_size": "16m",
        "mem_limit": f"{config.memory}m",
        "memswap_limit": f"{config.memory}m",
        "cpus": 1.0,
        "pids_limit": config.processes,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "logging": {"driver": "none"},
    }
    return {"services": {"render": service}}


def owner_labels(timeout: float) -> dict[str, str]:
    """Labels that let anybody tell a container in use from one that was left behind."""
    return {
        LABEL: secrets.token_hex(8),
        "rolltop.owner": f"{socket.gethostname()}:{os.getpid()}",
        "rolltop.expires": str(int(time.time() + timeout + GRACE)),
    }


async def sweep_orphans(engine: ContainerEngine) -> int:
    """Remove render containers whose time is over or whose owner is gone; returns how many there were."""
    orphans = [c for c in await engine.containers(LABEL) if _is_orphan(c.get("Labels") or {})]
    for orphan in orphans:
        await engine.remove(str(orphan["Id"]))
    return len(orphans)


def _is_orphan(labels: Mapping[str, str]) -> bool:
    expires = labels.get("rolltop.expires", "")
    if not expires.isdigit() or int(expires) < time.time():
        return True
    host, _, pid = labels.get("rolltop.owner", "").rpartition(":")
    return host == socket.gethostname() and pid.isdigit() and not _alive(int(pid))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

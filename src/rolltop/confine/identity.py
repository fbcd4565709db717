"""The policy for foreign code, and the user it runs as: never root."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rolltop.errors import InvalidInput, PermissionDenied

__all__ = ["Identity", "Policy", "foreign_identity", "policy", "require_reachable", "set_policy", "threads_of"]


@dataclass(frozen=True, slots=True)
class Policy:
    """`user`: the user for foreign code if rolltop runs as root (`nobody` if None).
    `allow_unconfined`: run it with limits alone if the machine offers no confinement."""

    user: str | int | None = None
    allow_unconfined: bool = False


_decided = Policy()


def policy() -> Policy:
    return _decided


def set_policy(decided: Policy) -> None:
    global _decided  # noqa: PLW0603 - one decision for one process
    _decided = decided


@dataclass(frozen=True, slots=True)
class Identity:
    """A user and a group; `drop` says whether rolltop has to change to them."""

    uid: int
    gid: int
    drop: bool


def foreign_identity(user: str | int | None = None) -> Identity:
    """The identity for foreign code: our own when we are an ordinary user, else `user` or nobody."""
    if os.geteuid() != 0:
        return Identity(os.geteuid(), os.getegid(), drop=False)
    chosen = policy().user if user is None else user
    uid, gid = _look_up("nobody" if chosen is None else chosen)
    if uid == 0 or gid == 0:
        raise InvalidInput("foreign code must not run as root", hint="Name an ordinary user, or none for nobody.")
    return Identity(uid, gid, drop=True)


def _look_up(user: str | int) -> tuple[int, int]:
    try:
        entry = pwd.getpwnam(user) if isinstance(user, str) else pwd.getpwuid(user)
    except KeyError:
        if user == "nobody":
            return 65534, 65534
        raise InvalidInput(f"there is no user {user!r} on this machine") from None
    return entry.pw_uid, entry.pw_gid


def threads_of(uid: int) -> int:
    """Threads that `uid` runs now; RLIMIT_NPROC counts all of them."""
    return sum(_thread_counts(uid))


def _thread_counts(uid: int) -> Iterator[int]:
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            if entry.stat().st_uid == uid:
                yield os.stat(f"/proc/{entry.name}/task").st_nlink - 2
        except OSError:
            continue


def require_reachable(path: Path, identity: Identity) -> None:
    """Raise a clear error when a mount's source cannot be reached by the identity the program runs as."""
    if not identity.drop:
        return
    for part in (*reversed(path.parents), path):
        info = part.stat()
        needed = 0o1 if part != path else 0o5 if part.is_dir() else 0o4
        bits = _bits_for(info, identity, needed)
        if info.st_mode & bits != bits:
            raise PermissionDenied(
                f"foreign code runs as {_name(identity)} and cannot reach {path}: {part} is closed to it",
                hint="Copy what it needs into a Scratch directory and mount that.",
            )


def _bits_for(info: os.stat_result, identity: Identity, needed: int) -> int:
    if info.st_uid == identity.uid:
        return needed << 6
    return needed << 3 if info.st_gid == identity.gid else needed


def _name(identity: Identity) -> str:
    try:
        return f"{pwd.getpwuid(identity.uid).pw_name}:{grp.getgrgid(identity.gid).gr_name}"
    except KeyError:
        return f"{identity.uid}:{identity.gid}"

"""Principals, and the three roles that they can have in a space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType

from rolltop.errors import InvalidInput

__all__ = ["MAIN", "SCOPES", "Principal", "Role", "is_member", "role_of_scopes"]

MAIN = ""
"""The space that is the workspace itself."""


class Role(IntEnum):
    """What somebody may do in a space; each role includes those below it."""

    READER = 1
    WRITER = 2
    OWNER = 3

    @classmethod
    def named(cls, name: str) -> Role:
        """The role of that name; raises `InvalidInput`."""
        try:
            return cls[name.upper()]
        except KeyError:
            known = ", ".join(str(role) for role in cls)
            raise InvalidInput(f"there is no role {name!r}", hint=f"Roles are {known}.") from None

    def __str__(self) -> str:
        return self.name.lower()


SCOPES: Mapping[str, Role] = MappingProxyType({f"rolltop:{role}": role for role in Role})
"""The OAuth scopes, and the role that each one allows at most."""


def role_of_scopes(scopes: Iterable[str]) -> Role | None:
    """The highest role among scopes; None if none of them is ours."""
    return max((SCOPES[scope] for scope in scopes if scope in SCOPES), default=None)


def is_member(name: str) -> bool:
    """True for the name of a principal that shares the server with others."""
    return name.startswith(("user:", "oauth:"))


@dataclass(frozen=True, slots=True)
class Principal:
    """On whose behalf a request is made. `everywhere` is the role in spaces that `roles` does not name."""

    name: str
    roles: Mapping[str, Role] = field(default_factory=dict)
    everywhere: Role | None = None
    at_most: Role = Role.OWNER
    """What the scopes of a token allow, whatever was granted."""

    def role_in(self, space: str) -> Role | None:
        """The role in a space; None: for this principal the space does not exist."""
        granted = self.roles.get(space, self.everywhere)
        return None if granted is None else min(granted, self.at_most)

"""What a role may call, derived from what each tool declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_core import FOR_OWNER, ToolSpec
from mcp_core.context import Permit
from rolltop.access import Role
from rolltop.errors import PermissionDenied

__all__ = ["needed_role", "permit_for"]


def needed_role(spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Role:
    """The least role that may call a tool with these arguments; None: with any arguments."""
    if FOR_OWNER in spec.tags:
        return Role.OWNER
    if spec.annotations.read_only or (arguments is not None and _only_reads(spec, arguments)):
        return Role.READER
    return Role.WRITER


def _only_reads(spec: ToolSpec, arguments: Mapping[str, Any]) -> bool:
    if spec.reads_when is not None:
        return spec.reads_when(arguments)
    return bool(spec.writes_with) and arguments.get(spec.writes_with) is None


def permit_for(role: Role) -> Permit | None:
    """The check for calls of somebody with this role; None for owners, who may call everything."""
    if role is Role.OWNER:
        return None

    def permit(spec: ToolSpec, arguments: Mapping[str, Any] | None) -> None:
        needed = needed_role(spec, arguments)
        if needed <= role:
            return
        raise PermissionDenied(
            f"your role is {role}, and {spec.name} needs the role {needed}{_for_this(spec)}",
            hint="Do without it, or ask an owner of this server for the role.",
        )

    return permit


def _for_this(spec: ToolSpec) -> str:
    if spec.reads_when is not None:
        return " for this"
    return f" with {spec.writes_with}" if spec.writes_with else ""

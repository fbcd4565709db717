"""`rolltop users`: who may use a team's server, and what for."""

from __future__ import annotations

import time
from typing import Any

import click

from rolltop.access import FILE, MAIN, Role, User, Users
from rolltop.cli.groups import EXIT_CODES, Invocation, LazyGroup
from rolltop.cli.output import note, print_json, print_rows

__all__ = ["users"]

ROLES = [str(role) for role in Role]
DAY = 86_400.0

_space = click.option("--space", default=MAIN, metavar="NAME", help="A space; the workspace itself unless given.")
_days = click.option("--days", type=click.FloatRange(min=0, min_open=True), help="Days until the token expires.")
_json = click.option("--json", "as_json", is_flag=True, help="The same as JSON.")


@click.group(cls=LazyGroup, epilog=EXIT_CODES)
def users() -> None:
    """Add users, give them roles, revoke them.

    A server that runs with `rolltop serve --http --team` sees each change with the next request.
    """


@users.command(epilog=EXIT_CODES)
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default=str(Role.READER), show_default=True, help="What for.")
@_space
@click.option("--subject", metavar="SUB", help="Link the user to an OAuth subject instead of giving a token.")
@_days
@_json
@click.pass_obj
def add(
    invocation: Invocation, name: str, *, role: str, space: str, subject: str | None, days: float | None, as_json: bool
) -> None:
    """Add a user and print the token, which is kept nowhere."""
    known = _users(invocation)
    known.add(name, Role.named(role), space=space, subject=subject)
    note(f"{name} is {role} of {_shown(space)}")
    _give_token(known, name, days, as_json, wanted=subject is None)


@users.command(epilog=EXIT_CODES)
@click.argument("name")
@_days
@click.option("--only", is_flag=True, help="The tokens given before stop working.")
@_json
@click.pass_obj
def token(invocation: Invocation, name: str, *, days: float | None, only: bool, as_json: bool) -> None:
    """Print a new token for a user."""
    known = _users(invocation)
    if only:
        note(f"{known.revoke_tokens(name)} earlier tokens work no more")
    _give_token(known, name, days, as_json)


@users.command(epilog=EXIT_CODES)
@click.argument("name")
@click.argument("role", type=click.Choice([*ROLES, "none"]))
@_space
@click.pass_obj
def role(invocation: Invocation, name: str, role: str, *, space: str) -> None:
    """Give a user a role in the workspace or in a space, or take it (none)."""
    _users(invocation).set_role(name, space, None if role == "none" else Role.named(role))
    note(f"{name} is {role} of {_shown(space)}" if role != "none" else f"{name} has no role in {_shown(space)}")


@users.command(epilog=EXIT_CODES)
@click.argument("name")
@click.pass_obj
def revoke(invocation: Invocation, name: str) -> None:
    """Take everything from a user: tokens, roles, the link to a subject."""
    _users(invocation).revoke(name)
    note(f"{name} is revoked; open streams end too")


@users.command(epilog=EXIT_CODES)
@click.argument("name")
@click.pass_obj
def space(invocation: Invocation, name: str) -> None:
    """Make a space: documents and reports apart from all others, at /mcp/NAME."""
    _users(invocation).add_space(name)
    note(f"the space {name} is there; `rolltop users role USER reader --space {name}` lets somebody in")


@users.command("list", epilog=EXIT_CODES)
@_json
@click.pass_obj
def list_(invocation: Invocation, as_json: bool) -> None:
    """Show users, their roles and how many tokens they have."""
    known = _users(invocation)
    if as_json:
        print_json({"users": [_as_json(user) for user in known.list()], "spaces": sorted(known.spaces())})
        return
    print_rows(
        ("NAME", "ROLES", "TOKENS", "SUBJECT", "SINCE"),
        [(user.name, _roles(user), user.tokens, user.subject or "", _date(user.created)) for user in known.list()],
    )
    if spaces := known.spaces():
        note(f"spaces: {', '.join(sorted(spaces))}")


def _users(invocation: Invocation) -> Users:
    from rolltop.workspace import Workspace

    return Users(Workspace(invocation.settings()).prepare() / FILE)


def _give_token(known: Users, name: str, days: float | None, as_json: bool, *, wanted: bool = True) -> None:
    made = known.new_token(name, None if days is None else days * DAY) if wanted else None
    if as_json:
        print_json({"user": name, "token": made})
    elif made is not None:
        note("the token is shown this once; whoever has it is this user:")
        click.echo(made)


def _as_json(user: User) -> dict[str, Any]:
    return {
        "name": user.name,
        "roles": {space: str(role) for space, role in user.roles.items()},
        "tokens": user.tokens,
        "subject": user.subject,
        "created": user.created,
        "revoked": user.revoked,
    }


def _roles(user: User) -> str:
    if user.revoked is not None:
        return "revoked"
    return ", ".join(f"{space}: {role}" if space else str(role) for space, role in sorted(user.roles.items())) or "none"


def _shown(space: str) -> str:
    return f"the space {space}" if space else "the workspace"


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))

"""The users of a team's workspace: names, tokens, roles in spaces; one SQLite file for the owner alone.

A token is `rt-KEY-SECRET`. The file keeps `KEY` and the SHA-256 of `SECRET`, which is random enough to need no salt.
Any process may change the file; `authenticate` notices with the next request.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rolltop.access.principal import MAIN, Principal, Role
from rolltop.base.private_sqlite import connect
from rolltop.errors import Conflict, Damaged, InvalidInput, NotFound

__all__ = ["FILE", "User", "Users", "is_space_name"]

FILE = "access.sqlite"
PREFIX = "rt-"
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
_SPACE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
_TOKEN = re.compile(r"rt-([0-9a-f]{16})-([A-Za-z0-9_-]{43})")
_NOBODY = hashlib.sha256(secrets.token_bytes(32)).digest()
"""What a secret without a row is compared with, so that an unknown key takes as long as a wrong secret."""
_VERSION = 1
_SCHEMA = f"""
CREATE TABLE users(
  name TEXT PRIMARY KEY, subject TEXT UNIQUE, created REAL NOT NULL, revoked REAL) STRICT, WITHOUT ROWID;
CREATE TABLE tokens(
  key TEXT PRIMARY KEY, user TEXT NOT NULL, digest BLOB NOT NULL, created REAL NOT NULL, expires REAL,
  revoked REAL) STRICT, WITHOUT ROWID;
CREATE TABLE spaces(name TEXT PRIMARY KEY, created REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE roles(
  user TEXT NOT NULL, space TEXT NOT NULL, role INTEGER NOT NULL, PRIMARY KEY(user, space)) STRICT, WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
"""


@dataclass(frozen=True, slots=True)
class User:
    """One user as `rolltop users list` shows it. `tokens` counts those that work now."""

    name: str
    subject: str | None
    roles: dict[str, Role]
    tokens: int
    created: float
    revoked: float | None

    @property
    def principal(self) -> Principal:
        return Principal(f"user:{self.name}", self.roles)


def is_space_name(name: str) -> bool:
    """True for a name that fits into a URL and a directory."""
    return _SPACE.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class _Known:
    """What the file said when it last changed."""

    tokens: dict[str, tuple[bytes, float | None, User]]
    subjects: dict[str, User]
    users: dict[str, User]
    spaces: frozenset[str]


class Users:
    """One per process; safe in threads. The file is made when first something is written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None
        self._known = _Known({}, {}, {}, frozenset())

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = self._version = None

    # Who is it ------------------------------------------------------------------------------------

    def authenticate(self, token: str) -> User | None:
        """The user of a token; None if it is wrong, revoked or expired."""
        matched = _TOKEN.fullmatch(token)
        if matched is None:
            return None
        digest, expires, user = self._now().tokens.get(matched[1], (_NOBODY, None, None))
        right = hmac.compare_digest(hashlib.sha256(matched[2].encode()).digest(), digest)
        if not right or user is None or (expires is not None and expires <= time.time()):
            return None
        return user

    def by_subject(self, subject: str) -> User | None:
        """The user that an OAuth subject is linked to, revoked or not."""
        return self._now().subjects.get(subject)

    def spaces(self) -> frozenset[str]:
        """The spaces beside the main one."""
        return self._now().spaces

    def list(self) -> list[User]:
        """All users by name, the revoked ones too."""
        return sorted(self._now().users.values(), key=lambda user: user.name)

    def get(self, name: str) -> User:
        user = self._now().users.get(name)
        if user is None:
            raise NotFound(f"there is no user {name!r}", hint="`rolltop users list` shows them.")
        return user

    # Changes --------------------------------------------------------------------------------------

    def add(self, name: str, role: Role | None, *, space: str = MAIN, subject: str | None = None) -> None:
        """Add a user. One that was revoked begins anew, without the earlier roles and tokens."""
        if _NAME.fullmatch(name) is None:
            raise InvalidInput(
                f"{name!r} is no user name",
                hint="Lower-case letters, digits, '.', '_' and '-', at most 64, as in anna.berg.",
            )
        if subject is not None and not (subject.strip() and len(subject) <= 255 and subject.isprintable()):
            raise InvalidInput("the subject is no subject of a token", hint="The claim `sub`, as in 248289761001.")
        with self._changing() as connection:
            found = connection.execute("SELECT revoked FROM users WHERE name = ?", [name]).fetchone()
            if found is not None and found[0] is None:
                raise Conflict(f"there is a user {name!r}", hint=f"`rolltop users token {name}` gives another token.")
            connection.execute("DELETE FROM users WHERE name = ?", [name])
            try:
                connection.execute("INSERT INTO users VALUES (?, ?, ?, NULL)", [name, subject, time.time()])
            except sqlite3.IntegrityError:
                raise Conflict(
                    "another user is linked to that subject", hint="`rolltop users list` shows it."
                ) from None
            if role is not None:
                _grant(connection, name, space, role)

    def new_token(self, name: str, seconds: float | None = None) -> str:
        """A new token, which is shown once and kept nowhere; the earlier ones go on working."""
        key, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
        now = time.time()
        digest = hashlib.sha256(secret.encode()).digest()
        with self._changing() as connection:
            _require(connection, name)
            expires = now + seconds if seconds is not None else None
            connection.execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, NULL)", [key, name, digest, now, expires])
        return f"{PREFIX}{key}-{secret}"

    def revoke_tokens(self, name: str) -> int:
        """Make every token of a user void; the user stays."""
        with self._changing() as connection:
            _require(connection, name)
            query = "UPDATE tokens SET revoked = ? WHERE user = ? AND revoked IS NULL"
            return connection.execute(query, [time.time(), name]).rowcount

    def revoke(self, name: str) -> None:
        """Take everything from a user: tokens, roles, the link to a subject. The name stays for the journal."""
        with self._changing() as connection:
            _require(connection, name)
            now = time.time()
            connection.execute("UPDATE users SET revoked = ? WHERE name = ?", [now, name])
            connection.execute("UPDATE tokens SET revoked = ? WHERE user = ? AND revoked IS NULL", [now, name])
            connection.execute("DELETE FROM roles WHERE user = ?", [name])

    def set_role(self, name: str, space: str, role: Role | None) -> None:
        """Give a role in a space, or take it (None)."""
        with self._changing() as connection:
            _require(connection, name)
            if role is None:
                connection.execute("DELETE FROM roles WHERE user = ? AND space = ?", [name, space])
            else:
                _grant(connection, name, space, role)

    def add_space(self, name: str) -> None:
        """Add a space; nobody but the owner of the workspace has a role in it yet."""
        if not is_space_name(name):
            raise InvalidInput(
                f"{name!r} is no name of a space", hint="Lower-case letters, digits and '-', at most 48, as in finance."
            )
        with self._changing() as connection:
            try:
                connection.execute("INSERT INTO spaces VALUES (?, ?)", [name, time.time()])
            except sqlite3.IntegrityError:
                raise Conflict(f"there is a space {name!r}", hint="`rolltop users list` shows who is in it.") from None

    # The file -------------------------------------------------------------------------------------

    def _now(self) -> _Known:
        """What the file says now. It is read anew when another connection changed it."""
        with self._lock:
            if self._connection is None and not self.path.exists():
                return self._known
            connection = self._open()
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            if version != self._version:
                self._known, self._version = _read(connection), version
            return self._known

    @contextlib.contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
            self._version = None  # `data_version` counts the changes of others only

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                connection = connect(self.path)
                connection.execute("PRAGMA synchronous=FULL")  # a revocation that was reported stays
                _migrate(connection)
            except sqlite3.DatabaseError as error:
                raise Damaged(f"the users in {self.path} cannot be read: {error}", hint="Restore the file.") from None
            self._connection = connection
        return self._connection


def _migrate(connection: sqlite3.Connection) -> None:
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > _VERSION:
        connection.close()
        raise InvalidInput("the users were written by a newer rolltop", hint="Upgrade rolltop.")
    if found < _VERSION:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] < _VERSION:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
        connection.execute("COMMIT")


def _read(connection: sqlite3.Connection) -> _Known:
    connection.execute("BEGIN")
    try:
        roles: dict[str, dict[str, Role]] = {}
        for name, space, role in connection.execute("SELECT user, space, role FROM roles"):
            roles.setdefault(name, {})[space] = Role(role)
        tokens = connection.execute("SELECT key, user, digest, expires FROM tokens WHERE revoked IS NULL").fetchall()
        now = time.time()
        counts: dict[str, int] = {}
        for _, name, _, expires in tokens:
            counts[name] = counts.get(name, 0) + (expires is None or expires > now)
        users = {
            name: User(name, subject, roles.get(name, {}), counts.get(name, 0), created, revoked)
            for name, subject, created, revoked in connection.execute(
                "SELECT name, subject, created, revoked FROM users"
            )
        }
        spaces = frozenset(name for (name,) in connection.execute("SELECT name FROM spaces"))
    finally:
        connection.execute("COMMIT")
    return _Known(
        {key: (digest, expires, users[name]) for key, name, digest, expires in tokens if name in users},
        {user.subject: user for user in users.values() if user.subject is not None},
        users,
        spaces,
    )


def _require(connection: sqlite3.Connection, name: str) -> None:
    if connection.execute("SELECT 1 FROM users WHERE name = ? AND revoked IS NULL", [name]).fetchone() is None:
        raise NotFound(f"there is no user {name!r}", hint="`rolltop users list` shows them.")


def _grant(connection: sqlite3.Connection, name: str, space: str, role: Role) -> None:
    if space != MAIN and connection.execute("SELECT 1 FROM spaces WHERE name = ?", [space]).fetchone() is None:
        raise NotFound(f"there is no space {space!r}", hint=f"`rolltop users space {space}` makes it.")
    connection.execute("INSERT OR REPLACE INTO roles VALUES (?, ?, ?)", [name, space, int(role)])

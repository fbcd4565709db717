"""Users, their tokens and their roles, as any process of the workspace sees them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rolltop.access import MAIN, Principal, Role, User, Users, role_of_scopes
from rolltop.access.users import FILE
from rolltop.errors import Conflict, InvalidInput, NotFound


@pytest.fixture
def users(tmp_path: Path) -> Users:
    return Users(tmp_path / FILE)


def added(users: Users, name: str, role: Role = Role.READER) -> str:
    users.add(name, role)
    return users.new_token(name)


def test_a_token_is_its_users_and_nobody_elses(users: Users) -> None:
    anna, ben = added(users, "anna", Role.WRITER), added(users, "ben")
    assert _name(users.authenticate(anna)), _name(users.authenticate(ben)) == ("anna", "ben")
    key, secret = anna.split("-", 2)[1:]
    other = ben.split("-", 2)[2]
    for wrong in ("", "rt-", anna[:-1], anna + "A", f"rt-{key}-{other}", f"rt-{'0' * 16}-{secret}", f" {anna}", secret):
        assert users.authenticate(wrong) is None


def test_the_file_keeps_no_token_and_is_the_owners(users: Users) -> None:
    token = added(users, "anna")
    users.close()
    everything = b"".join(file.read_bytes() for file in users.path.parent.iterdir())
    assert token.encode() not in everything
    assert token.split("-", 2)[2].encode() not in everything
    assert users.path.stat().st_mode & 0o077 == 0


def test_another_process_revokes_and_the_next_request_is_refused(users: Users) -> None:
    token = added(users, "anna")
    assert users.authenticate(token) is not None
    elsewhere = Users(users.path)
    elsewhere.revoke("anna")
    assert users.authenticate(token) is None
    assert elsewhere.authenticate(token) is None
    assert users.list()[0].revoked is not None


def test_a_name_that_was_revoked_begins_anew(users: Users) -> None:
    old = added(users, "anna", Role.OWNER)
    users.revoke("anna")
    new = added(users, "anna", Role.READER)
    assert users.authenticate(old) is None
    found = users.authenticate(new)
    assert found is not None
    assert found.roles == {MAIN: Role.READER}


def test_tokens_are_replaced_while_the_user_stays(users: Users) -> None:
    old = added(users, "anna")
    assert users.revoke_tokens("anna") == 1
    new = users.new_token("anna")
    assert (users.authenticate(old), _name(users.authenticate(new))) == (None, "anna")


def test_a_token_expires(users: Users) -> None:
    users.add("anna", Role.READER)
    assert users.authenticate(users.new_token("anna", seconds=-1)) is None
    assert users.authenticate(users.new_token("anna", seconds=3600)) is not None
    assert users.get("anna").tokens == 1


def test_roles_belong_to_spaces(users: Users) -> None:
    token = added(users, "anna", Role.WRITER)
    users.add_space("finance")
    anna = users.authenticate(token)
    assert anna is not None
    assert (anna.principal.role_in(MAIN), anna.principal.role_in("finance")) == (Role.WRITER, None)
    users.set_role("anna", "finance", Role.READER)
    users.set_role("anna", MAIN, None)
    anna = users.get("anna")
    assert (anna.principal.role_in(MAIN), anna.principal.role_in("finance")) == (None, Role.READER)


def test_scopes_limit_what_was_granted() -> None:
    assert role_of_scopes(["openid", "rolltop:reader", "rolltop:writer"]) is Role.WRITER
    assert role_of_scopes(["openid", "rolltop", "rolltop:admin"]) is None
    granted = Principal("user:anna", {MAIN: Role.OWNER}, at_most=Role.READER)
    assert granted.role_in(MAIN) is Role.READER
    assert granted.role_in("finance") is None


@pytest.mark.parametrize("name", ["", "Anna", "a b", "../x", "-a", "a" * 65, "user:anna", "anna\n"])
def test_a_name_that_could_be_mistaken_is_refused(users: Users, name: str) -> None:
    with pytest.raises(InvalidInput):
        users.add(name, Role.READER)
    with pytest.raises(InvalidInput):
        users.add_space(name)


def test_what_is_there_twice_or_not_at_all_is_said(users: Users) -> None:
    users.add("anna", Role.READER, subject="248289761001")
    with pytest.raises(Conflict):
        users.add("anna", Role.READER)
    with pytest.raises(Conflict, match="subject"):
        users.add("ben", Role.READER, subject="248289761001")
    for change in (users.revoke, users.new_token, users.revoke_tokens, users.get):
        with pytest.raises(NotFound, match="nobody"):
            change("nobody")
    with pytest.raises(NotFound, match="space"):
        users.set_role("anna", "attic", Role.READER)
    assert [user.name for user in users.list()] == ["anna"]


def test_a_subject_of_a_revoked_user_stays_known_as_revoked(users: Users) -> None:
    users.add("anna", Role.READER, subject="s-1")
    users.revoke("anna")
    found = users.by_subject("s-1")
    assert found is not None
    assert found.revoked is not None


def test_asking_makes_no_file(users: Users) -> None:
    assert (users.authenticate("rt-x"), users.list(), users.spaces()) == (None, [], frozenset())
    assert not users.path.exists()


def test_a_newer_file_is_refused(users: Users) -> None:
    added(users, "anna")
    users.close()
    with sqlite3.connect(users.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InvalidInput, match="newer"):
        Users(users.path).list()


def _name(user: User | None) -> str | None:
    return user and user.name

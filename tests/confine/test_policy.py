"""What the settings say about foreign code reaches every sandbox."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import pytest

from rolltop.confine import Policy, Sandbox, policy, run, set_policy
from rolltop.errors import PartMissing
from rolltop.settings import load
from rolltop.workspace import Workspace


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = policy()
    yield
    set_policy(before)


def test_the_settings_decide(tmp_path: Path) -> None:
    Workspace(load({"workspace": tmp_path}, env={"ROLLTOP_SANDBOX_USER": "daemon", "ROLLTOP_ALLOW_UNCONFINED": "true"}))
    assert policy() == Policy("daemon", allow_unconfined=True)


def test_without_a_rung_only_the_policy_lets_a_program_run() -> None:
    with pytest.raises(PartMissing):
        run(["true"], Sandbox(rungs=()))
    set_policy(Policy(allow_unconfined=True))
    finished = run(["true"], Sandbox(rungs=()))
    assert (finished.reason, finished.confinement.rung) == ("exit", "none")
    with pytest.raises(PartMissing):
        run(["true"], Sandbox(rungs=(), allow_unconfined=False))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_the_policys_user_runs_the_program() -> None:
    set_policy(Policy(user="daemon", allow_unconfined=True))
    finished = run(["id", "-u"], Sandbox(rungs=()))
    assert finished.stdout.strip() == str(pwd.getpwnam("daemon").pw_uid).encode()

"""On a system without a sandbox of ours, foreign code is refused unless the owner allows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from rolltop.confine import sandbox_backends as backends
from rolltop.confine.sandbox import Sandbox
from rolltop.errors import PartMissing


@pytest.fixture
def on_macos(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "platform", "darwin")
    backends.state_of.cache_clear()
    yield
    backends.state_of.cache_clear()


@pytest.mark.usefixtures("on_macos")
def test_foreign_code_is_refused_without_a_sandbox() -> None:
    with pytest.raises(PartMissing, match="nothing on this machine can confine foreign code") as caught:
        backends._choose(Sandbox())
    assert "Linux" in str(caught.value.hint)
    assert [state.usable for state in backends.survey()] == [False, False]


@pytest.mark.usefixtures("on_macos")
def test_the_owner_may_allow_it_with_limits_alone() -> None:
    assert backends._choose(Sandbox(allow_unconfined=True)).rung == "none"

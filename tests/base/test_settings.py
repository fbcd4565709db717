"""Settings: unknown variables are named, new ones are read."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rolltop.errors import InvalidInput
from rolltop.settings import OPTIONS, load, unknown_variables

Rolltop = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("ROLLTOP_WORKSPCE", "ROLLTOP_WORKSPACE"),
        ("ROLLTOP_TOKEN_HTTP", None),
        ("ROLLTOP_READONLY", "ROLLTOP_READ_ONLY"),
        ("ROLLTOP_LOGLEVEL", "ROLLTOP_LOG_LEVEL"),
    ],
)
def test_a_variable_that_sets_nothing_is_named_with_what_was_meant(variable: str, meant: str | None) -> None:
    assert unknown_variables({variable: "x", "HOME": "/"}) == {variable: meant}


def test_every_variable_that_sets_something_is_known() -> None:
    env = {name: "x" for option in OPTIONS for name in option.env}
    assert unknown_variables({**env, "ROLLTOP_CONFIG": "x", "ROLLTOP_STORE_MODEL": "x", "ROLLTOP": "x"}) == {}


def test_the_command_line_says_it_on_standard_error_alone(rolltop: Rolltop) -> None:
    out = rolltop("journal", "--json", ROLLTOP_WORKSPCE="/nowhere")
    assert out.stdout == "[]\n"
    assert out.stderr.count("Did you mean ROLLTOP_WORKSPACE?") == 1


def test_consent_exports_and_limits_of_the_journal_are_settings(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path / "w")}
    plain = load(env=env)
    assert (plain.consent, plain.exports) == ("ask", tmp_path / "w" / "exports")
    chosen = load(
        env={**env, "ROLLTOP_CONSENT": "never", "ROLLTOP_EXPORT_FOLDER": str(tmp_path), "ROLLTOP_JOURNAL_ROWS": "7"}
    )
    assert (chosen.consent, chosen.exports, chosen.journal_rows) == ("never", tmp_path, 7)
    with pytest.raises(InvalidInput, match="one of ask, literal, never"):
        load(env={**env, "ROLLTOP_CONSENT": "perhaps"})

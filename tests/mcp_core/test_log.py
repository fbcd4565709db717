"""What stands in a log: one line for one message, and nothing that looks like a credential."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_core.log import configure

NAME = "test_log_of_mcp_core"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    library = logging.getLogger("mcp")
    before, level = list(library.handlers), library.level
    configure("DEBUG", file=tmp_path / "log", names=(NAME,))
    yield tmp_path / "log"
    library.setLevel(level)
    for handler in [*logging.getLogger(NAME).handlers]:
        handler.close()
        logging.getLogger(NAME).removeHandler(handler)
    library.handlers[:] = before


@pytest.mark.parametrize(
    "said",
    [
        "Bearer hunter2x",
        "token=hunter2x",
        "token: hunter2x",
        'the request had {"api_key": "hunter2x"}',
        "connect(user='me', password='hunter2x')",
        "passwd = hunter2x",
        "Authorization: Basic hunter2x",
        "?a=1&secret=hunter2x&b=2",
    ],
)
def test_what_looks_like_a_credential_is_masked_in_messages_and_in_exceptions(log: Path, said: str) -> None:
    logger = logging.getLogger(NAME)
    logger.error("it failed: %s", said)
    try:
        raise RuntimeError(said)
    except RuntimeError:
        logger.exception("unexpected")
    text = log.read_text("utf-8")
    assert "hunter2x" not in text
    assert text.count("***") == 2


def test_other_words_and_the_lines_of_a_program_are_left_alone(log: Path) -> None:
    try:
        token = int("12 apples")
        raise AssertionError(token)
    except ValueError:
        logging.getLogger(NAME).exception("a basic transformation failed")
    text = log.read_text("utf-8")
    assert "a basic transformation failed" in text
    assert 'token = int("12 apples")' in text

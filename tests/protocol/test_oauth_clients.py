"""OAuth with the clients of the TypeScript SDK: the whole flow from the first 401 to a call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from authorization_server import authorization_server


@pytest.fixture(scope="module")
def url(shared_server: Callable[..., str]) -> Iterator[str]:
    with authorization_server() as issuer:
        yield shared_server("--team", "--toolsets", "store", env={"ROLLTOP_OAUTH_ISSUER": issuer})


@pytest.mark.parametrize("generation", ["v1", "v2"])
def test_the_typescript_sdk_signs_in_and_calls(node: Any, url: str, generation: str) -> None:
    arguments = {"name": f"by-{generation}.txt", "content": "signed in"}
    done = node("oauth.mjs", generation, url, "anna", "store_text", json.dumps(arguments))
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["structuredContent"]["hash"]

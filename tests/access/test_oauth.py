"""OAuth 2.1 as MCP has it: a real authorization server, the SDK's own client doing the whole flow, and forgeries."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import jwt
import pytest
from authorization_server import authorization_server
from cryptography.hazmat.primitives.asymmetric import rsa
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from team_client import JSON, Team, User


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with authorization_server() as url:
        yield url


@pytest.fixture(scope="module")
def team(shared_server: Callable[..., str], shared_environment: dict[str, str], issuer: str) -> Team:
    return Team(shared_server("--team", env={"ROLLTOP_OAUTH_ISSUER": issuer}), shared_environment)


class Storage:
    """What a client remembers."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def provider(url: str, user: str, storage: Storage, scope: str | None = None) -> OAuthClientProvider:
    """The SDK's client for OAuth; `user` signs in without a browser."""
    answered: dict[str, AuthorizationCodeResult] = {}

    async def redirect(address: str) -> None:
        if scope is not None:
            parts = urlsplit(address)
            query = {**{key: value[0] for key, value in parse_qs(parts.query).items()}, "scope": scope}
            address = parts._replace(query=urlencode(query)).geturl()
        async with httpx2.AsyncClient(follow_redirects=False) as browser:
            response = await browser.get(f"{address}&user={user}")
        found = parse_qs(urlsplit(response.headers["location"]).query)
        answered["code"] = AuthorizationCodeResult(code=found["code"][0], state=found["state"][0])

    async def callback() -> AuthorizationCodeResult:
        return answered["code"]

    metadata = OAuthClientMetadata(
        client_name="test",
        redirect_uris=["http://localhost:1/callback"],
        token_endpoint_auth_method="none",
        grant_types=["authorization_code"],
    )
    return OAuthClientProvider(url, metadata, storage, redirect, callback)


async def signed_in(url: str, user: str, scope: str) -> User:
    """A user with a token of the authorization server, got by the whole flow of the SDK's client."""
    storage = Storage()
    auth = provider(url, user, storage, scope)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        await client.list_tools()
    assert storage.tokens is not None
    return User(url, storage.tokens.access_token)


@pytest.mark.anyio
async def test_the_sdks_client_finds_its_way_from_the_first_401(team: Team, issuer: str) -> None:
    storage = Storage()
    auth = provider(team.url, "anna", storage)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=60) as http,
        Client(streamable_http_client(team.url, http_client=http)) as client,
    ):
        stored = await client.call_tool("store_text", {"name": "by-anna.txt", "content": "by anna"})
        assert not stored.is_error
    rows = json.loads(team.run("journal", "--json", "-n", "5"))
    assert ("store_text", "oauth:anna") in {(row["tool"], row["principal"]) for row in rows}
    assert storage.tokens is not None
    claims = jwt.decode(storage.tokens.access_token, options={"verify_signature": False})
    assert (claims["iss"], claims["aud"]) == (issuer, team.url)


def test_the_server_says_where_to_get_a_token(team: Team, issuer: str) -> None:
    status, headers, _ = User(team.url, None).send("POST", "", {}, JSON)
    parts = urlsplit(team.url)
    place = f"http://{parts.netloc}/.well-known/oauth-protected-resource/mcp"
    assert status == 401
    assert f'resource_metadata="{place}"' in headers["www-authenticate"]
    assert 'scope="rolltop:reader rolltop:writer"' in headers["www-authenticate"]
    for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"):
        status, _, body = User(team.url, None).send("GET", path)
        found = json.loads(body)
        assert (status, found["resource"], found["authorization_servers"]) == (200, team.url, [issuer])


@pytest.mark.anyio
async def test_scopes_are_roles_and_no_scope_is_none(team: Team, issuer: str) -> None:
    reader = await signed_in(team.url, "rita", "rolltop:reader")
    assert "store_text" not in reader.tools()
    assert "your role is reader" in json.dumps(reader.call("store_text", name="x", content="x"))
    other = await _token_for(issuer, team.url, "profile")
    status, headers, _ = User(team.url, other).send("POST", "", {}, JSON)
    assert (status, 'error="insufficient_scope"' in headers["www-authenticate"]) == (403, True)


@pytest.mark.anyio
async def test_a_linked_subject_is_the_user_with_the_users_roles(team: Team) -> None:
    linked = await signed_in(team.url, "s-17", "rolltop:owner")
    team.run("users", "space", "board")
    assert linked.at("board").ask("tools/list")[0] == 404
    team.run("users", "add", "lina", "--subject", "s-17", "--space", "board", "--role", "writer")
    assert linked.at("board").ask("tools/list")[0] == 200
    assert linked.ask("tools/list")[0] == 403  # no role in the workspace itself any more
    team.run("users", "revoke", "lina")
    assert linked.at("board").ask("tools/list")[0] == 401
    assert linked.ask("tools/list")[0] == 401


@pytest.mark.anyio
async def test_tokens_for_others_and_forged_ones_are_refused(team: Team, issuer: str) -> None:
    user = await signed_in(team.url, "frida", "rolltop:reader")
    good = user.token or ""
    claims = jwt.decode(good, options={"verify_signature": False})
    mine = rsa.generate_private_key(65537, 2048)
    head, body, signature = good.split(".")
    none = base64.urlsafe_b64encode(b'{"alg":"none","kid":"1"}').rstrip(b"=").decode()
    more = base64.urlsafe_b64encode(json.dumps({**claims, "scope": "rolltop:owner"}).encode()).rstrip(b"=").decode()
    forged = [
        f"{none}.{body}.",
        f"{head}.{more}.{signature}",
        jwt.encode({**claims, "scope": "rolltop:owner"}, mine, algorithm="RS256", headers={"kid": "1"}),
        jwt.encode({**claims, "scope": "rolltop:owner"}, mine, algorithm="RS256", headers={"kid": "9"}),
        jwt.encode({**claims, "exp": int(time.time()) - 3600}, mine, algorithm="RS256", headers={"kid": "1"}),
    ]
    for token in forged:
        status, headers, _ = User(team.url, token).send("POST", "", {}, JSON)
        assert (status, 'error="invalid_token"' in headers["www-authenticate"]) == (401, True)
    assert user.ask("tools/list")[0] == 200
    elsewhere = await _token_for(issuer, "http://127.0.0.1:9/mcp", "rolltop:owner")
    status, headers, _ = User(team.url, elsewhere).send("POST", "", {}, JSON)
    assert (status, "another resource" in headers["www-authenticate"]) == (401, True)


async def _token_for(issuer: str, resource: str, scope: str) -> str:
    """A good token of the issuer for any resource."""
    verifier = "v" * 64
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    back = "http://localhost:1/callback"
    async with httpx2.AsyncClient(follow_redirects=False) as http:
        asked: dict[str, Any] = {"redirect_uris": [back], "token_endpoint_auth_method": "none"}
        client = (await http.post(f"{issuer}/register", json=asked)).json()["client_id"]
        query = {
            "response_type": "code", "client_id": client, "redirect_uri": back, "scope": scope, "user": "eva",
            "code_challenge": challenge, "code_challenge_method": "S256",
        }  # fmt: skip
        location = (await http.get(f"{issuer}/authorize", params=query)).headers["location"]
        form = {
            "grant_type": "authorization_code", "code": parse_qs(urlsplit(location).query)["code"][0],
            "redirect_uri": back, "client_id": client, "code_verifier": verifier, "resource": resource,
        }  # fmt: skip
        return str((await http.post(f"{issuer}/token", data=form)).json()["access_token"])

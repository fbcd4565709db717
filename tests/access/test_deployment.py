"""What a server behind the door of a company needs: TLS, a named proxy, limits, a log for machines, an orderly end."""

from __future__ import annotations

import datetime
import json
import ssl
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from conditions import wait_until
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from team_client import JSON, Team, User

from rolltop.errors import InvalidInput
from rolltop.server.http import http_token
from rolltop.server.runtime import checked_team
from rolltop.server.trusted_proxies import TrustedProxies
from rolltop.settings import load


def certificate(place: Path) -> tuple[Path, Path]:
    """A self-signed certificate for localhost, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, secret = place / "chain.pem", place / "key.pem"
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return chain, secret


def test_a_server_with_a_certificate_a_proxy_limits_and_an_orderly_end(
    environment: dict[str, str], tmp_path: Path
) -> None:
    chain, key = certificate(tmp_path)
    log = tmp_path / "log.json"
    env = {
        **environment,
        "ROLLTOP_TLS_CERTIFICATE": str(chain),
        "ROLLTOP_TLS_KEY": str(key),
        "ROLLTOP_TRUSTED_PROXIES": "127.0.0.0/8",
        "ROLLTOP_PUBLIC_URL": "https://desk.example.org",
        "ROLLTOP_WRITTEN_MEGABYTES": "1",
        "ROLLTOP_LOG_FORMAT": "json",
        "ROLLTOP_LOG_FILE": str(log),
        "ROLLTOP_DRAIN_SECONDS": "60",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "rolltop", "serve", "--http", "--team", "--port", "0", "--toolsets", "store"],
        env=env,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        url = process.stderr.readline().rpartition(" ")[2].strip()
        assert url.startswith("https://127.0.0.1:")
        trust = ssl.create_default_context(cafile=str(chain))
        team = Team(url.replace("127.0.0.1", "localhost"), env)
        anna = User(team.url, team.add("anna", "--role", "writer").token, trust)

        # A proxy on this machine is named: its word counts, and the last one if there are several.
        forwarded = {"Host": "internal:1", "X-Forwarded-Host": "evil.example, desk.example.org"}
        assert anna.ask("tools/list", **forwarded)[0] == 200
        assert (
            anna.ask("tools/list", Host="internal:1", **{"X-Forwarded-Host": "desk.example.org, evil.example"})[0]
            == 421
        )

        big = "x" * 600_000
        assert "code" not in anna.call("store_text", name="one", content=big)
        assert anna.call("store_text", name="two", content=big)["code"] == "limit_exceeded"
        ben = User(team.url, team.add("ben", "--role", "writer").token, trust)
        assert "code" not in ben.call("store_text", name="three", content="small")

        ben.call("store_document", path="/etc/hostname")
        assert {"time", "level", "logger", "message"} <= json.loads(log.read_text().splitlines()[-1]).keys()

        # A stream that a client holds open does not hold up the end.
        session = anna.session() or ""
        held = {**JSON, "Accept": "text/event-stream", "Mcp-Session-Id": session}
        stream = threading.Thread(target=_quietly, args=(anna, held))
        stream.start()
        wait_until(lambda: b"rolltop_http_requests_active 2" in _figures(team, trust, environment))
        process.terminate()
        assert process.wait(50) == 0
        stream.join(50)
        assert not stream.is_alive()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def _quietly(user: User, headers: dict[str, str]) -> None:
    with suppress(Exception):  # the server may close the connection in the middle of a chunk
        user.send("GET", "", None, headers)


def _figures(team: Team, trust: ssl.SSLContext, environment: dict[str, str]) -> bytes:
    token = (Path(environment["ROLLTOP_WORKSPACE"]) / "http-token").read_text().strip()
    return User(team.url, token, trust).send("GET", "/metrics")[2]


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"ROLLTOP_OAUTH_ISSUER": "https://id.example.org"}, "goes with team"),
        ({"ROLLTOP_TLS_KEY": "/nowhere/key.pem"}, "go together"),
        ({"ROLLTOP_TLS_KEY": "/nowhere/key.pem", "ROLLTOP_TLS_CERTIFICATE": "/nowhere/c.pem"}, "is not there"),
        ({"ROLLTOP_PUBLIC_URL": "desk.example.org"}, "expected a URL"),
        ({"ROLLTOP_TRUSTED_PROXIES": "proxy"}, "trusted_proxies"),
    ],
)
def test_settings_that_make_no_sense_are_refused_at_the_start(tmp_path: Path, env: dict[str, str], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        checked_team(load(env={"HOME": str(tmp_path), **env}))


def test_a_team_has_tokens_and_no_roots_but_those_that_are_named(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "ROLLTOP_TEAM": "true"}
    with pytest.raises(InvalidInput, match="a team needs tokens"):
        http_token(load(env=env), no_token=True)
    assert checked_team(load(env=env)).roots == (load(env=env).exports,)
    assert checked_team(load(env={**env, "ROLLTOP_ROOTS": "/srv"})).roots == (Path("/srv"),)


def test_only_named_proxies_are_believed() -> None:
    def seen(client: str, *proxies: str) -> tuple[object, ...]:
        headers = [(b"host", b"inner"), (b"x-forwarded-for", b"1.1.1.1, 2.2.2.2"), (b"x-forwarded-proto", b"https")]
        scope = {"client": (client, 1), "scheme": "http", "headers": [*headers, (b"x-forwarded-host", b"outer")]}
        TrustedProxies(proxies).apply(scope)
        return scope["client"][0], scope["scheme"], dict(scope["headers"])[b"host"], len(scope["headers"])

    believed, ignored = ("2.2.2.2", "https", b"outer", 1), ("10.0.0.7", "http", b"inner", 1)
    assert seen("10.0.0.7", "10.0.0.7") == believed
    assert seen("10.0.0.7", "192.168.0.0/16", "10.0.0.0/24") == believed
    assert seen("10.0.0.7") == ignored
    assert seen("10.0.0.7", "10.0.0.8") == ignored
    with pytest.raises(InvalidInput):
        TrustedProxies(["10.0.0.0/40"])

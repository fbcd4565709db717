"""A team's server from outside: who may do what, who sees what, and what attackers get."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from team_client import JSON, Team, User

from rolltop.access import Role
from rolltop.server.application import Application
from rolltop.server.permissions import needed_role
from rolltop.settings import load

SESSIONS = "6"


@pytest.fixture(scope="module")
def team(shared_server: Callable[..., str], shared_environment: dict[str, str]) -> Team:
    env = {"ROLLTOP_SESSIONS": SESSIONS, "ROLLTOP_CORS_ORIGINS": "https://app.example.org"}
    return Team(shared_server("--team", env=env), shared_environment)


@pytest.fixture(scope="module")
def writer(team: Team) -> User:
    return team.add("walter", "--role", "writer")


@pytest.fixture(scope="module")
def reader(team: Team) -> User:
    return team.add("rita")


@pytest.fixture(scope="module")
def owner(team: Team, shared_environment: dict[str, str]) -> User:
    return User(team.url, (Path(shared_environment["ROLLTOP_WORKSPACE"]) / "http-token").read_text().strip())


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Application:
    """The same tools as the server's, to ask what each declares."""
    place = tmp_path_factory.mktemp("application")
    env = {"HOME": str(place), "ROLLTOP_WORKSPACE": str(place / "workspace"), "MCP_TOOL_PREFIX": "guide"}
    return Application(load(env=env, prefix_is_default=True))


def is_denied(answer: dict[str, Any]) -> bool:
    return "your role is" in json.dumps(answer)


def test_each_role_is_shown_what_it_may_call(reader: User, writer: User, owner: User, application: Application) -> None:
    by_role = {
        role: {each.name for each in application.listed() if needed_role(each.spec, {}) <= role} for role in Role
    }
    assert reader.tools() == by_role[Role.READER]
    assert writer.tools() == by_role[Role.WRITER]
    assert owner.tools() == by_role[Role.OWNER] > by_role[Role.WRITER] > by_role[Role.READER]
    assert {"search_documents", "retrieve_document", "execute_transformation"} <= by_role[Role.READER]
    assert {"delete_by_name", "render_rmd"} <= by_role[Role.WRITER] - by_role[Role.READER]
    assert {"mcptool_attach", "guide_set_feature_flag"} <= by_role[Role.OWNER] - by_role[Role.WRITER]


def test_a_reader_changes_nothing_by_any_route(reader: User, owner: User, application: Application) -> None:
    before = owner.call("get_stats")
    forbidden = [each for each in application.listed() if needed_role(each.spec, {}) > Role.READER]
    assert len(forbidden) > 15
    session = reader.session()
    assert session is not None
    for each in forbidden:
        params = {"name": each.name, "arguments": dict(each.spec.examples[0].arguments)}
        assert is_denied(reader.ask("tools/call", params)[1]), each.name
        assert is_denied(reader.in_session(session, "tools/call", params)[1]), each.name
    params = {"name": "store_text", "arguments": {"name": "x.txt", "content": "x"}}
    for method in ("callTool", "CallTool"):
        _, reply = reader.ask(method, params)
        assert "needs the role writer" in json.dumps(reply)
    batch = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params} for n in range(3)]
    _, _, body = reader.send(
        "POST", "", batch, {**JSON, "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-03-26"}
    )
    assert b'"isError":false' not in body.replace(b" ", b"")
    program = {"transformation": "$input", "inputData": "[1]", "inputFormat": "json", "outputFormat": "json"}
    assert reader.call("execute_transformation", **program)["success"]
    kept = reader.call("execute_transformation", **program, keep={"name": "k.json"})
    assert is_denied(kept)
    for action in (
        {"action": "restore", "name": "x", "version": 1},
        {"action": "undo"},
        {"action": "snapshots", "snapshot": "s"},
    ):
        assert is_denied(reader.call("document_history", **action))
    assert not is_denied(reader.call("document_history", action="deleted"))
    retrieved = reader.call("retrieve_document", hash="0" * 12, outputPath="x.txt")
    assert is_denied(retrieved)
    assert owner.call("get_stats") == before


def test_a_writer_writes_and_cannot_change_the_server(writer: User, reader: User) -> None:
    stored = writer.call("store_text", name="plans/spring.txt", content="the harbour opens in spring")
    assert reader.call("search_documents", query="harbour")["total"] == 1
    assert reader.call("retrieve_document", hash=stored["hash"][:12], include_content=True)["found"]
    for tool, arguments in (
        ("guide_set_feature_flag", {"feature_name": "x", "value": True}),
        ("mcptool_attach", {"pkg": "stats"}),
    ):
        assert is_denied(writer.ask("tools/call", {"name": tool, "arguments": arguments})[1])


def test_files_of_the_machine_are_closed(writer: User, owner: User, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("not for you")
    for path in (str(tmp_path / "note.txt"), "/etc/hostname", "~/x", "../store/catalog.db"):
        answer = owner.call("store_document", path=path)
        assert "code" in answer, answer
        assert "code" in writer.call("store_document", path=path)


def test_the_journal_says_who(team: Team, writer: User, reader: User) -> None:
    writer.call("store_text", name="mine.txt", content="mine")
    reader.call("list_documents")
    rows = json.loads(team.run("journal", "--json", "-n", "50"))
    who = {(row["tool"], row["principal"]) for row in rows}
    assert {("store_text", "user:walter"), ("list_documents", "user:rita")} <= who


def test_what_is_no_token_here_is_refused(team: Team, reader: User) -> None:
    good = reader.token or ""
    for wrong in (good[:-1], good + "x", "rt-", "", "Ä", "x" * 5000):
        status, headers, _ = User(team.url, None).send("POST", "", {}, {**JSON, "Authorization": f"Bearer {wrong}"})
        assert (status, headers["www-authenticate"].startswith("Bearer ")) == (401, True)
    for header in (good, f"Basic {good}", f"bearer{good}", f"Bearer {good}, Bearer {good}", f"Bearer {good} x"):
        assert User(team.url, None).send("POST", "", {}, {**JSON, "Authorization": header})[0] == 401
    assert User(team.url, None).ask("tools/list", Authorization=f"bEaReR   {good}")[0] == 200


def test_headers_cannot_be_smuggled(team: Team, reader: User, owner: User) -> None:
    parts = urlsplit(team.url)
    for second in (reader.token, owner.token):
        with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)) as connection:
            connection.putrequest("POST", parts.path)
            for name, value in [
                *JSON.items(), ("Authorization", f"Bearer {reader.token}"), ("authorization", f"Bearer {second}"),
                ("Content-Length", "2"),
            ]:  # fmt: skip
                connection.putheader(name, value)
            connection.endheaders(b"{}")
            assert connection.getresponse().status == 401
    params = {"name": "store_text", "arguments": {"name": "x", "content": "x"}}
    claims = {"X-User": "owner", "X-Forwarded-User": "owner", "X-Forwarded-For": "127.0.0.1", "X-Role": "owner"}
    assert is_denied(reader.ask("tools/call", params, **claims)[1])
    # Nobody named a proxy, so what a request says about one is not believed.
    assert reader.ask("tools/list", **{"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"})[0] == 200
    assert reader.ask("tools/list", Host="evil.example", **{"X-Forwarded-Host": "127.0.0.1"})[0] == 421


def test_a_space_is_not_there_for_others(team: Team, writer: User, reader: User, owner: User) -> None:
    team.run("users", "space", "finance")
    team.run("users", "role", "walter", "owner", "--space", "finance")
    writer.at("finance").call("store_text", name="salaries.txt", content="the salaries of everybody", tags=["pay"])
    shown = [
        reader.at(name).send("POST", "", {}, JSON) for name in ("finance", "attic", "finance/", "../x", "%66inance")
    ]
    assert {(status, body) for status, _, body in shown} == {(404, shown[0][2])}
    assert len({tuple(sorted(headers.items())) for _, headers, _ in shown if headers.pop("date", 1)}) == 1
    for tool, arguments in (
        ("search_documents", {"query": "salaries"}),
        ("grep_documents", {"pattern": "salaries"}),
        ("list_documents", {}),
        ("get_stats", {}),
        ("recall", {"about": "salaries"}),
        ("search_by_tag", {"tags": ["pay"]}),
    ):
        for user in (reader, writer, owner):
            answer = user.ask("tools/call", {"name": tool, "arguments": arguments})[1]
            assert "salaries.txt" not in json.dumps(answer), tool
    # The same content is new where it has not been: deduplication tells nothing about other spaces.
    again = writer.call("store_text", name="copy.txt", content="the salaries of everybody")
    assert again["bytes_deduped"] == 0
    assert writer.at("finance").call("search_documents", query="salaries")["total"] == 1
    assert owner.at("finance").call("search_documents", query="salaries")["total"] == 1
    team.run("users", "role", "rita", "reader", "--space", "finance")
    assert reader.at("finance").call("search_documents", query="salaries")["total"] == 1
    assert is_denied(reader.at("finance").call("store_text", name="x", content="x"))


def test_without_a_role_the_workspace_is_closed(team: Team) -> None:
    guest = team.add("gustav")
    team.run("users", "role", "gustav", "none")
    assert guest.ask("tools/list")[0] == 403


def test_a_session_is_its_owners(team: Team, writer: User, reader: User) -> None:
    session = writer.session() or ""
    assert writer.in_session(session, "tools/list", {})[0] == 200
    assert reader.in_session(session, "tools/list", {})[0] == 404
    assert reader.send("DELETE", "", None, {"Mcp-Session-Id": session})[0] == 404
    assert reader.send("GET", "", None, {"Mcp-Session-Id": session, "Accept": "text/event-stream"})[0] == 404
    assert writer.in_session(session, "tools/list", {})[0] == 200


def test_unclosed_sessions_evict_their_own(writer: User, reader: User) -> None:
    kept = writer.session() or ""
    opened = [reader.session() or "" for _ in range(5 * int(SESSIONS))]
    assert writer.in_session(kept, "tools/list", {})[0] == 200
    assert reader.in_session(opened[0], "tools/list", {})[0] == 404
    assert reader.in_session(opened[-1], "tools/list", {})[0] == 200


def test_a_revoked_user_is_out_at_once_and_streams_end(team: Team) -> None:
    user = team.add("rolf", "--role", "writer")
    session = user.session() or ""
    parts = urlsplit(team.url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)) as stream:
        headers = {"Authorization": f"Bearer {user.token}", "Mcp-Session-Id": session, "Accept": "text/event-stream"}
        stream.request("GET", parts.path, headers=headers)
        answer = stream.getresponse()
        assert answer.status == 200
        team.run("users", "revoke", "rolf")
        with suppress(http.client.IncompleteRead):
            assert answer.read() == b""  # the stream comes to an end
    assert user.ask("tools/list")[0] == 401
    assert user.in_session(session, "tools/list", {})[0] == 401


def test_a_page_of_a_named_origin_may_call(team: Team, reader: User) -> None:
    asks = {"Origin": "https://app.example.org", "Access-Control-Request-Method": "POST"}
    status, headers, _ = User(team.url, None).send("OPTIONS", "", None, asks)
    assert (status, headers["access-control-allow-origin"]) == (204, "https://app.example.org")
    assert "authorization" in headers["access-control-allow-headers"].lower()
    assert User(team.url, None).send("OPTIONS", "", None, {**asks, "Origin": "https://evil.example"})[0] == 403
    assert reader.ask("tools/list", Origin="https://app.example.org")[0] == 200
    assert reader.ask("tools/list", Origin="https://app.example.org.evil.example")[0] == 403


def test_figures_are_the_owners(team: Team, reader: User, writer: User, owner: User) -> None:
    reader.call("list_documents")
    for user in (reader, writer, User(team.url, None)):
        assert user.send("GET", "/metrics")[0] in (401, 403)
    status, headers, body = owner.send("GET", "/metrics")
    text = body.decode()
    assert (status, headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert 'rolltop_calls_total{toolset="store",tool="list_documents",outcome="ok"}' in text
    assert "rolltop_sessions " in text
    assert "rita" not in text
    for line in text.splitlines():
        assert line.startswith("#") or len(line.rsplit(" ", 1)) == 2
    assert User(team.url, None).send("GET", "/readyz")[0] == 200
    assert User(team.url, None).send("GET", "/healthz")[0] == 200
    assert User(team.url, None).send("GET", "/.well-known/oauth-protected-resource/mcp")[0] == 404

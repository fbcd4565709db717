"""Named hosts: what the proxy of a sandbox connects to, and what it refuses."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conditions import wait_until
from tests.confine.conftest import run_as_user

from rolltop.confine import Finished, Limits, Sandbox, run, sandbox_backends
from rolltop.confine.kernel.proxy import Refused, allows, read_target
from rolltop.confine.sandbox_backends import RungState, start_process
from rolltop.errors import PartMissing

Fetch = Callable[..., Finished]


class Echo(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        text = f"{self.path} of {self.headers['Host']} {self.headers['Proxy-Authorization']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


CLIENT = """
import socket, sys
place, *messages = sys.argv[1:]
host, _, port = place.rpartition(":")
with socket.create_connection((host, int(port)), 10) as proxy:
    for message in messages:
        proxy.sendall(message.encode("latin-1").decode("unicode_escape").encode("latin-1"))
        while data := proxy.recv(1 << 16):
            sys.stdout.buffer.write(data)
            if b"established" in data:
                break
"""
PROXY = "127.0.0.1:3128"


def request(address: str) -> str:
    return f"GET {address} HTTP/1.1\\r\\nProxy-Authorization: Basic c2VjcmV0\\r\\n\\r\\n"


def tunnel(place: str) -> list[str]:
    return [f"CONNECT {place} HTTP/1.1\\r\\n\\r\\n", f"GET /in HTTP/1.0\\r\\nHost: {place}\\r\\n\\r\\n"]


@pytest.fixture
def fetch(who: str) -> Fetch:
    def start(place: str, messages: list[str], *hosts: str) -> Finished:
        argv = ["/usr/bin/python3", "-I", "-c", CLIENT, place, *messages]
        if who == "ordinary user":
            return run_as_user(argv, {"seconds": 20}, [], "bwrap", hosts)
        return run(argv, Sandbox(Limits(seconds=20), hosts=hosts))

    return start


def test_a_named_host_is_reached_by_request_and_by_tunnel(fetch: Fetch, port: int) -> None:
    plain = fetch(PROXY, [request(f"http://localhost:{port}/a?b=1")], f"localhost:{port}")
    assert plain.stdout.endswith(f"/a?b=1 of localhost:{port} None".encode()), plain
    tunnelled = fetch(PROXY, tunnel(f"localhost:{port}"), f"localhost:{port}")
    assert tunnelled.stdout.endswith(f"/in of localhost:{port} None".encode())


@pytest.mark.parametrize("hosts", [("localhost",), ("example.org", "*.localhost:1"), ("localhost.example.org",)])
def test_a_host_that_is_not_named_is_refused(fetch: Fetch, port: int, hosts: tuple[str, ...]) -> None:
    for messages in ([request(f"http://localhost:{port}/")], tunnel(f"localhost:{port}")[:1]):
        refused = fetch(PROXY, messages, *hosts).stdout
        assert refused.startswith(b"HTTP/1.1 403")
        assert b"did not name the host" in refused


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1", "0.0.0.0"]
)
def test_all_public_hosts_are_no_addresses_of_this_machine_or_its_network(host: str, port: int) -> None:
    command = ["/usr/bin/python3", "-I", "-c", CLIENT, PROXY, request(f"http://{host}:{port}/")]
    assert b"an address of this machine" in run(command, Sandbox(hosts=("*",))).stdout


def test_a_named_host_that_is_this_machine_by_its_name_service_only_is_refused(fetch: Fetch, port: int) -> None:
    """Whoever owns a named domain could point it at services that listen for their own machine."""
    with open("/etc/hosts") as file:
        entries = [line.split("#")[0].split() for line in file]
    names = {name for entry in entries if entry and entry[0].startswith("127.") for name in entry[1:]}
    for name in (names | {"ip6-localhost"}) - {"localhost"}:
        refused = fetch(PROXY, [request(f"http://{name}:{port}/")], f"{name}:{port}")
        assert b"rolltop: the host" in refused.stdout


def test_without_the_proxy_there_is_no_way_out(fetch: Fetch, port: int) -> None:
    direct = ["GET / HTTP/1.0\\r\\n\\r\\n"]
    assert b"refused" in fetch(f"127.0.0.1:{port}", direct, f"127.0.0.1:{port}").stderr
    assert b"unreachable" in fetch("192.0.2.1:80", direct, "*").stderr
    assert b"refused" in fetch(PROXY, direct).stderr


def test_a_sandbox_takes_its_proxy_with_it(port: int) -> None:
    child = start_process(["/bin/cat"], Sandbox(hosts=(f"localhost:{port}",)))
    assert child.proxy is not None
    pid = child.proxy.pid
    wait_until(lambda: b"role=proxy" in Path(f"/proc/{pid}/cmdline").read_bytes())
    child.close()
    assert not Path(f"/proc/{pid}").exists()


def test_the_proxy_runs_without_privileges_and_behind_a_filter(port: int) -> None:
    child = start_process(["/bin/cat"], Sandbox(hosts=(f"localhost:{port}",)))
    try:
        assert child.proxy is not None
        status = Path(f"/proc/{child.proxy.pid}/status")
        wait_until(lambda: "Seccomp:\t2" in status.read_text())
        assert "Uid:\t0\t" not in status.read_text()
    finally:
        child.close()


def test_where_only_landlock_holds_hosts_cannot_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    state = RungState("bwrap", False, reason="not installed")
    monkeypatch.setattr(sandbox_backends, "state_of", lambda _: state)
    for unconfined in (False, True):
        with pytest.raises(PartMissing, match="named hosts only"):
            run(["/bin/true"], Sandbox(hosts=("example.org",), allow_unconfined=unconfined))


@pytest.mark.parametrize(
    ("head", "target", "sent"),
    [
        (b"CONNECT Example.org.:443 HTTP/1.1\r\n\r\n", ("example.org", 443), None),
        (b"CONNECT [2001:db8::1]:8443 HTTP/1.1\r\n\r\n", ("2001:db8::1", 8443), None),
        (
            b"GET http://example.org?q HTTP/1.1\r\nHost: other.org\r\nProxy-Connection: x\r\nA: 1\r\n\r\n",
            ("example.org", 80),
            b"GET /?q HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\nA: 1\r\n\r\n",
        ),
    ],
)
def test_the_target_of_a_request(head: bytes, target: tuple[str, int], sent: bytes | None) -> None:
    assert read_target(head) == (target, sent)


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET https://example.org/ HTTP/1.1\r\n\r\n",
        b"GET http://user@example.org/ HTTP/1.1\r\n\r\n",
        b"GET http://example.org\\@evil.org/ HTTP/1.1\r\n\r\n",
        b"CONNECT example.org:99999 HTTP/1.1\r\n\r\n",
        b"CONNECT example.org:0 HTTP/1.1\r\n\r\n",
        b"CONNECT ex%61mple.org:443 HTTP/1.1\r\n\r\n",
        "CONNECT exämple.org:443 HTTP/1.1\r\n\r\n".encode(),
        b"\x16\x03\x01",
    ],
)
def test_requests_without_a_plain_host_are_refused(head: bytes) -> None:
    with pytest.raises(Refused):
        read_target(head)


def test_names_with_and_without_ports() -> None:
    hosts = ["api.example.org", "data.example.org:8443", "*.example.net"]
    for name, ports in {"api.example.org": (80, 443), "data.example.org": (8443,), "a.b.example.net": (443,)}.items():
        assert all(allows(hosts, (name, port)) for port in ports)
    wrong = [("api.example.org", 22), ("data.example.org", 443), ("example.net", 443), ("xexample.net", 443)]
    assert not any(allows(hosts, target) for target in [*wrong, ("api.example.org.evil.com", 443)])

"""An HTTP proxy that connects to named hosts only, for a sandbox that has no other network.

Runs in the launcher's process, after privileges were dropped, and gives up all files but those of name resolution.
It understands `CONNECT host:port` and requests with a whole `http://` address. It looks at where a connection goes,
not at what is said on it.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import select
import socket
import threading
from collections.abc import Sequence

from . import landlock, process

__all__ = ["Refused", "Target", "allows", "read_target", "run"]

_CONNECTIONS = 64
_LONGEST_HEAD = 1 << 16
_SECONDS = 30.0
_IDLE_SECONDS = 300.0
_STACK = 1 << 18
_CHUNK = 1 << 16
_RESOLUTION = (
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/nsswitch.conf",
    "/etc/resolv.conf",
    "/lib",
    "/lib64",
    "/run/systemd/resolve",
    "/usr/lib",
)
_REQUEST = re.compile(rb"([A-Z]+) (\S+) HTTP/1\.[01]\r?\n")
_AUTHORITY = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?", re.IGNORECASE)
_DROPPED = re.compile(rb"(?im)^(?:proxy-[^:\n]*|connection|host):[^\n]*\n")

Options = dict[str, list[str]]
Target = tuple[str, int]


class Refused(Exception):
    """A request that is not passed on, with the status of its answer."""

    def __init__(self, status: str, text: str) -> None:
        super().__init__(text)
        self.status = status


def run(options: Options, _program: list[str]) -> None:
    """Answer connections until the server is gone; never returns."""
    process.die_with_parent(int(options["parent"][0]))
    process.no_new_privileges()
    if landlock.abi():
        landlock.restrict([(path, landlock.READ) for path in _RESOLUTION], connect=True)
    for fd in options.get("seccomp", ()):
        with open(int(fd), "rb") as file:
            process.load_filter(file.read())
    threading.stack_size(_STACK)
    serve(socket.socket(fileno=int(options["listener"][0])), options.get("host", []))


def serve(listener: socket.socket, hosts: Sequence[str]) -> None:
    """Accept for ever, a thread for each connection."""
    slots = threading.BoundedSemaphore(_CONNECTIONS)
    while True:
        slots.acquire()
        client, _ = listener.accept()
        threading.Thread(target=_answer, args=(client, hosts, slots), daemon=True).start()


def _answer(client: socket.socket, hosts: Sequence[str], slots: threading.BoundedSemaphore) -> None:
    try:
        with client, contextlib.suppress(OSError):
            client.settimeout(_SECONDS)
            try:
                _pass_on(client, hosts)
            except Refused as refused:
                text = f"rolltop: {refused}\n".encode()
                head = f"HTTP/1.1 {refused.status}\r\nContent-Type: text/plain\r\nContent-Length: {len(text)}\r\n"
                client.sendall(head.encode() + b"Connection: close\r\n\r\n" + text)
    finally:
        slots.release()


def _pass_on(client: socket.socket, hosts: Sequence[str]) -> None:
    head, rest = _read_head(client)
    target, first = read_target(head)
    if not allows(hosts, target):
        raise Refused("403 Forbidden", f"the owner of this server did not name the host {target[0]}:{target[1]}")
    with _connect(target, hosts) as server:
        if first is None:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        server.sendall((first or b"") + rest)
        _relay(client, server)


def _read_head(client: socket.socket) -> tuple[bytes, bytes]:
    data = b""
    while (end := re.search(rb"\r?\n\r?\n", data)) is None:
        if len(data) > _LONGEST_HEAD:
            raise Refused("431 Request Header Fields Too Large", "the head of the request is too long")
        if not (chunk := client.recv(_CHUNK)):
            raise Refused("400 Bad Request", "the request ended before its head did")
        data += chunk
    return data[: end.end()], data[end.end() :]


def read_target(head: bytes) -> tuple[Target, bytes | None]:
    """Where a request goes, and what the host is sent first; nothing for a tunnel."""
    if (line := _REQUEST.match(head)) is None:
        raise Refused("400 Bad Request", "this is no HTTP request")
    method, address = line[1], line[2].decode("latin-1")
    if method == b"CONNECT":
        return _authority(address, 443), None
    scheme, slashes, after = address.partition("://")
    if scheme.lower() != "http" or not slashes:
        raise Refused("400 Bad Request", "a proxy takes CONNECT and addresses that begin with http://")
    authority, path = re.match(r"([^/?#]*)(.*)", after, re.DOTALL).groups()  # type: ignore[union-attr] # matches all
    target = _authority(authority, 80)
    path = path if path.startswith("/") else f"/{path}"
    start = b"%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n" % (
        method,
        path.encode("latin-1"),
        authority.encode("latin-1"),
    )
    return target, start + _DROPPED.sub(b"", head[line.end() :])


def _authority(text: str, port: int) -> Target:
    found = _AUTHORITY.fullmatch(text)
    if found is None or not 0 < int(found[3] or port) < 1 << 16:
        raise Refused("400 Bad Request", "the address of the request names no host")
    return (found[1] or found[2]).lower().rstrip("."), int(found[3] or port)


def allows(hosts: Sequence[str], target: Target) -> bool:
    """True for a host that is named, with its port; a name without one stands for the ports 80 and 443."""
    return any(_matches(host, target) for host in hosts)


def _matches(named: str, target: Target) -> bool:
    if named == "*":
        return True
    found = _AUTHORITY.fullmatch(named.removeprefix("*."))
    if found is None:
        return False
    name, ports = (found[1] or found[2]).lower(), (int(found[3]),) if found[3] else (80, 443)
    same = target[0].endswith(f".{name}") if named.startswith("*.") else target[0] == name
    return same and target[1] in ports


def _connect(target: Target, hosts: Sequence[str]) -> socket.socket:
    named = any(host != "*" and _matches(host, target) for host in hosts)
    try:
        found = socket.getaddrinfo(target[0].encode("ascii"), target[1], type=socket.SOCK_STREAM)
    except OSError:
        raise Refused("502 Bad Gateway", f"the host {target[0]} is not known") from None
    places = [each for each in found if _is_reachable(str(each[4][0]), target[0], named=named)]
    if not places:
        raise Refused("403 Forbidden", f"the host {target[0]} is an address of this machine or of its network")
    for family, kind, protocol, _, place in places:
        server = socket.socket(family, kind, protocol)
        server.settimeout(_SECONDS)
        try:
            server.connect(place)
        except OSError:
            server.close()
        else:
            return server
    raise Refused("502 Bad Gateway", f"the host {target[0]} does not answer")


def _is_reachable(address: str, host: str, *, named: bool) -> bool:
    """Addresses of this machine only where the owner wrote them; of a private network only for named hosts."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if not named:
        return ip.is_global and not ip.is_multicast
    local = ip.is_loopback or ip.is_link_local or ip.is_unspecified or ip.is_multicast
    return not local or host in ("localhost", address)


def _relay(client: socket.socket, server: socket.socket) -> None:
    """Copy in both directions until both have ended, or nothing came for a long time."""
    other = {client: server, server: client}
    for each in other:
        each.settimeout(_IDLE_SECONDS)
    sources = [client, server]
    while sources:
        ready = select.select(sources, (), (), _IDLE_SECONDS)[0]
        if not ready:
            return
        for source in ready:
            if data := source.recv(_CHUNK):
                other[source].sendall(data)
            else:
                sources.remove(source)
                other[source].shutdown(socket.SHUT_WR)
                if source is server:
                    return  # what the client still sends has no reader

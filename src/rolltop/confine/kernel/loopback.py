"""A network namespace whose only way out is one listening socket, answered by a proxy outside of it."""

from __future__ import annotations

import fcntl
import socket
import struct

from . import process

__all__ = ["PROXY_PORT", "leave_network"]

PROXY_PORT = 3128

_USER, _NETWORK = 0x10000000, 0x40000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1


def leave_network(channel: int) -> None:
    """Enter an own network with nothing but loopback, listen there, and send the listening socket through `channel`.

    A socket belongs to the namespace that it was made in, wherever the process is that accepts its connections.
    """
    process.own_user_namespace(_USER | _NETWORK)
    with socket.socket(fileno=channel) as sender:
        _bring_up()
        with socket.create_server(("127.0.0.1", PROXY_PORT), backlog=64) as listener:
            socket.send_fds(sender, [b"."], [listener.fileno()])


def _bring_up() -> None:
    with socket.socket() as any_socket:
        name = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _GET_FLAGS, name))[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))

"""A few processes that do the same work on one item after the other; what comes of the items is given in their order.

Copies of this process do the work, so neither it nor what it needs has to be sent. Items are handed out as results
come in, and only so many of them that results do not pile up. However it ends, the processes end with it: at once,
because each has a channel of its own and nobody waits for half a message.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from rolltop.confine.kernel.process import die_with_parent
from rolltop.errors import ForeignFailure

__all__ = ["in_order"]

_LOAD = 2
"""Items that a process has: one in work, and one so that it need not wait."""
_AHEAD = 3
"""Items for each process that are out, or done and waiting for one before them."""
Item = TypeVar("Item")


def in_order(work: Callable[[Item], Any], items: Iterator[Item], jobs: int) -> Generator[tuple[Item, Any], None, None]:
    """Every item and what the work makes of it; close the generator to end the processes early."""
    members = [_Member[Item](work) for _ in range(jobs)]
    try:
        yield from _results(members, items)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise ForeignFailure(
            "a process that worked on the input was ended from outside",
            hint="It may have had too little memory: try fewer with --jobs.",
        ) from None
    finally:
        for member in members:
            member.end()


def _results(members: list[_Member[Item]], items: Iterator[Item]) -> Iterator[tuple[Item, Any]]:
    out: deque[Item] = deque()
    done: dict[int, Any] = {}
    given = taken = 0
    while True:
        for member in members:
            while len(member.load) < _LOAD and len(out) < len(members) * _AHEAD:
                item = next(items, None)
                if item is None:
                    break
                member.give(given, item)
                out.append(item)
                given += 1
        if not out:
            return
        while taken not in done:
            done.update(member.result() for member in _ready(members))
        yield out.popleft(), done.pop(taken)
        taken += 1


def _ready(members: list[_Member[Item]]) -> list[_Member[Item]]:
    """Those of the busy ones that have a result, or have ended."""
    busy = {member.channel: member for member in members if member.load}
    return [busy[channel] for channel in wait(list(busy)) if isinstance(channel, Connection)]


class _Member(Generic[Item]):
    """One process."""

    def __init__(self, work: Callable[[Item], Any]) -> None:
        context = multiprocessing.get_context("fork")
        self.channel, theirs = context.Pipe()
        self.load: deque[int] = deque()
        """The numbers of the items that it has."""
        self._process = context.Process(target=_serve, args=(theirs, work, os.getpid()), daemon=True)
        with _uninterrupted():
            self._process.start()
        theirs.close()  # the end of the process is then the end of the channel

    def give(self, number: int, item: Item) -> None:
        self.channel.send(item)
        self.load.append(number)

    def result(self) -> tuple[int, Any]:
        found = self.channel.recv()
        return self.load.popleft(), found

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.channel.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """An interrupt comes later: a process is born without having heard of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(channel: Connection, work: Callable[[Any], Any], parent: int) -> None:
    """The life of a process. An interrupt is for the parent, which ends us; we end with it in any case."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    die_with_parent(parent)
    try:
        while True:
            channel.send(work(channel.recv()))
    finally:
        os._exit(1)

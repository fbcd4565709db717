"""`rolltop transform engine`: the JSON-lines conversation on standard input and output."""

from __future__ import annotations

import sys

import click

__all__ = ["engine"]


@click.command()
def engine() -> None:
    """Answer requests in JSON lines on standard input, one reply line each."""
    import orjson

    from rolltop.transform.lines import reply

    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            request = orjson.loads(line)
        except orjson.JSONDecodeError:
            request = None
        sys.stdout.buffer.write(orjson.dumps(reply(request)) + b"\n")
        sys.stdout.buffer.flush()

"""`rolltop transform`: run, check, format and explore UTL-X programs."""

from __future__ import annotations

import sys

import click

__all__ = ["transform"]


@click.group()
def transform() -> None:
    """Transform data: run and check UTL-X programs, convert between formats."""


@transform.command()
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

"""Importing changes nothing: no root logger, no signal handler, no environment."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import logging, os, signal
before = (dict(os.environ), logging.root.level, list(logging.root.handlers), logging.getLoggerClass(),
          [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)])
import mcp_core, rolltop.server.application, rolltop.cli, rolltop.tools.desk.reading
after = (dict(os.environ), logging.root.level, list(logging.root.handlers), logging.getLoggerClass(),
         [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)])
assert before == after, (before, after)
import sys
assert "mcp" not in sys.modules
assert "rolltop.tools.example.tool_example" not in sys.modules
"""


def test_importing_changes_nothing() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, timeout=60)

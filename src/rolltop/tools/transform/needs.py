"""What the transform tools use, and how they are set up."""

from __future__ import annotations

import importlib.util

from mcp_core import Need
from rolltop.errors import InvalidInput
from rolltop.settings import Settings
from rolltop.transform.service.config import ServiceConfig

__all__ = ["check"]


def check(settings: Settings) -> list[Need]:
    """The libraries; then the limits and the daemon, if one is to do the work."""
    libraries = [
        Need(name, importlib.util.find_spec(name) is not None, fix="pip install rolltop", vital=True)
        for name in ("orjson", "yaml", "re2")
    ]
    try:
        config = ServiceConfig.from_section(settings.section("transform"))
    except InvalidInput as error:
        return [*libraries, Need("settings", False, detail=error.message, fix=error.hint or "", vital=True)]
    return [*libraries, _limits(config), *_daemon(config), *_suite(config)]


def _limits(config: ServiceConfig) -> Need:
    memory = config.memory >> 20
    detail = f"{config.timeout:g} s and {memory} MB for one run, {config.workers} at once"
    return Need("limits", True, detail=detail)


def _daemon(config: ServiceConfig) -> list[Need]:
    if config.daemon_url is None:
        return []
    detail = f"{config.daemon_url} ({config.daemon_timeout:g} s, {config.daemon_retries} retries)"
    return [Need("daemon", True, detail=detail)]


def _suite(config: ServiceConfig) -> list[Need]:
    if config.suite is None:
        return []
    fix = "Correct CONFORMANCE_SUITE_PATH."
    return [Need("conformance suite", config.suite.is_dir(), detail=str(config.suite), fix=fix)]

"""What the transform tools use, and how they are set up."""

from __future__ import annotations

import importlib.util

from mcp_core import Need
from rolltop.base.installation import reinstall
from rolltop.errors import InvalidData, InvalidInput
from rolltop.settings import Settings
from rolltop.transform.examples.corpus import load_suite
from rolltop.transform.service.config import ServiceConfig
from rolltop.transform.stdlib.catalog import registry_entries

__all__ = ["check"]


def check(settings: Settings) -> list[Need]:
    """The libraries; then the limits and the daemon, if one is to do the work."""
    libraries = [
        Need(name, importlib.util.find_spec(name) is not None, fix=reinstall(), vital=True)
        for name in ("orjson", "yaml", "re2")
    ]
    try:
        config = ServiceConfig.from_section(settings.section("transform"))
    except InvalidInput as error:
        return [*libraries, Need("settings", False, detail=error.message, fix=error.hint or "", vital=True)]
    return [*libraries, _limits(config), *_daemon(config), _examples(config), *_suite(config), *_registry(config)]


def _limits(config: ServiceConfig) -> Need:
    memory = config.memory >> 20
    detail = f"{config.timeout:g} s and {memory} MB for one run, {config.workers} at once"
    return Need("limits", True, detail=detail)


def _daemon(config: ServiceConfig) -> list[Need]:
    if config.daemon_url is None:
        return []
    detail = f"{config.daemon_url} ({config.daemon_timeout:g} s, {config.daemon_retries} retries)"
    return [Need("daemon", True, detail=detail)]


def _examples(config: ServiceConfig) -> Need:
    kept = f"kept in {config.index_path}" if config.index_path else "indexed at the first call"
    again = ", made anew at each start" if config.rebuild_on_startup else ""
    return Need("examples", True, detail=kept + again)


def _suite(config: ServiceConfig) -> list[Need]:
    """A suite is there when it has cases; each file that is none is passed over."""
    if config.suite is None:
        return []
    try:
        cases = len(load_suite(config.suite))
    except InvalidData as error:
        return [Need("conformance suite", False, detail=error.message, fix=error.hint or "")]
    fix = "Set CONFORMANCE_SUITE_PATH to a directory of cases in YAML."
    return [Need("conformance suite", cases > 0, detail=f"{cases} cases in {config.suite}", fix=fix)]


def _registry(config: ServiceConfig) -> list[Need]:
    if config.registry is None:
        return []
    try:
        more = len(registry_entries(config.registry))
    except InvalidData as error:
        return [Need("function registry", False, detail=error.message, fix=error.hint or "")]
    return [Need("function registry", True, detail=f"{config.registry}, {more} functions that rolltop does not have")]

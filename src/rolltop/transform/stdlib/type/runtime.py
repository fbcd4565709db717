"""The machine that a program runs on. A sealed host refuses everything here that tells about it."""

from __future__ import annotations

import os
import resource
from typing import Any

from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host

_LOADED = host().elapsed()


def _fact(name: str) -> str:
    return host().properties()[name]


@function(
    "env(name: String): String?",
    category="type",
    examples=[('env("NO_SUCH_VARIABLE")', "null")],
    pure=False,
    asks_environment=True,
)
def env(name: str) -> str | None:
    """An environment variable, or null."""
    return host().variable(name)


@function(
    "envOrDefault(name: String, default: T): String | T",
    category="type",
    examples=[('envOrDefault("NO_SUCH_VARIABLE", 5)', "5")],
    pure=False,
    asks_environment=True,
)
def env_or_default(name: str, default: Any) -> Any:
    """An environment variable, or another value when it is not set."""
    found = host().variable(name)
    return default if found is None else found


@function(
    "envAll(): Map<String>",
    category="type",
    examples=[('envAll()["NO_SUCH_VARIABLE"]', "null")],
    pure=False,
    asks_environment=True,
)
def env_all() -> dict[str, str]:
    """All environment variables."""
    return dict(host().variables())


@function(
    "hasEnv(name: String): Boolean",
    category="type",
    examples=[('hasEnv("NO_SUCH_VARIABLE")', "false")],
    pure=False,
    asks_environment=True,
)
def has_env(name: str) -> bool:
    """Whether an environment variable is set."""
    return host().variable(name) is not None


@function(
    "systemProperty(name: String): String?",
    category="type",
    examples=[('systemProperty("no.such.property")', "null"), ('systemProperty("file.separator")', '"/"')],
    params={"name": "os.name, os.version, os.arch, user.dir, user.home, user.name, file.separator and others"},
    pure=False,
    asks_environment=True,
)
def system_property(name: str) -> str | None:
    """A fact about the machine by its usual name, or null."""
    return host().properties().get(name)


@function(
    "systemPropertyOrDefault(name: String, default: T): String | T",
    category="type",
    examples=[('systemPropertyOrDefault("no.such.property", "x")', '"x"')],
    pure=False,
    asks_environment=True,
)
def system_property_or_default(name: str, default: Any) -> Any:
    """A fact about the machine, or another value when it is not known."""
    return host().properties().get(name, default)


@function(
    "systemPropertiesAll(): Map<String>",
    category="type",
    examples=[('systemPropertiesAll()["path.separator"]', '":"')],
    pure=False,
    asks_environment=True,
)
def system_properties_all() -> dict[str, str]:
    """All facts about the machine by name."""
    return host().properties()


@function(
    "version(): String", category="type", examples=[('matches(version(), "[0-9]+[.][0-9]+.*")', "true")], pure=False
)
def version() -> str:
    """The version of this engine."""
    from rolltop import __version__  # noqa: PLC0415 - the package is complete only by now

    return __version__


@function(
    "platform(): String",
    category="type",
    examples=[('platform() == systemProperty("os.name")', "true")],
    pure=False,
    asks_environment=True,
)
def platform() -> str:
    """The name of the operating system."""
    return _fact("os.name")


@function(
    "osVersion(): String",
    category="type",
    examples=[('osVersion() == systemProperty("os.version")', "true")],
    pure=False,
    asks_environment=True,
)
def os_version() -> str:
    """The version of the operating system."""
    return _fact("os.version")


@function(
    "osArch(): String",
    category="type",
    examples=[('osArch() == systemProperty("os.arch")', "true")],
    pure=False,
    asks_environment=True,
)
def os_arch() -> str:
    """The architecture of the machine."""
    return _fact("os.arch")


@function("javaVersion(): String?", category="type", examples=[("javaVersion()", "null")])
def java_version() -> str | None:
    """Null: this engine does not run on Java."""
    return None


@function(
    "availableProcessors(): Integer",
    category="type",
    examples=[("availableProcessors() >= 1", "true")],
    pure=False,
    asks_environment=True,
)
def available_processors() -> int:
    """How many processors this process may use."""
    host().properties()
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@function(
    "memoryInfo(): { total: Integer, used: Integer, unit: String }",
    category="type",
    examples=[("memoryInfo().total > memoryInfo().used", "true")],
    pure=False,
    asks_environment=True,
)
def memory_info() -> dict[str, Any]:
    """The memory of the machine, and the most that this process used, in bytes."""
    host().properties()
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    is_mac = _fact("os.name") == "Darwin"  # which counts bytes where others count kilobytes
    return {"total": total, "used": used if is_mac else used * 1024, "unit": "bytes"}


@function(
    "currentDir(): String",
    category="type",
    examples=[('currentDir() == systemProperty("user.dir")', "true")],
    pure=False,
    asks_environment=True,
)
def current_dir() -> str:
    """The working directory."""
    return _fact("user.dir")


@function(
    "homeDir(): String",
    category="type",
    examples=[('homeDir() == systemProperty("user.home")', "true")],
    pure=False,
    asks_environment=True,
)
def home_dir() -> str:
    """The home directory of the user."""
    return _fact("user.home")


@function(
    "tempDir(): String",
    category="type",
    examples=[('tempDir() == systemProperty("java.io.tmpdir")', "true")],
    pure=False,
    asks_environment=True,
)
def temp_dir() -> str:
    """The directory for temporary files."""
    return _fact("java.io.tmpdir")


@function(
    "username(): String",
    category="type",
    examples=[('username() == systemProperty("user.name")', "true")],
    pure=False,
    asks_environment=True,
)
def username() -> str:
    """The name of the user."""
    return _fact("user.name")


@function("uptime(): Number", category="type", examples=[("isNumber(uptime())", "true")], pure=False)
def uptime() -> float:
    """Milliseconds since these functions were loaded."""
    return max(0.0, host().elapsed() - _LOADED) * 1000


@function(
    "runtimeInfo(): Object",
    category="type",
    examples=[("runtimeInfo().version == version()", "true"), ('hasKey(runtimeInfo(), "platform")', "true")],
    pure=False,
    asks_environment=True,
)
def runtime_info() -> dict[str, Any]:
    """Version, platform, architecture, processors, memory and uptime in one object."""
    return {
        "version": version(),
        "platform": platform(),
        "osVersion": os_version(),
        "osArch": os_arch(),
        "processors": available_processors(),
        "memory": memory_info(),
        "uptime": uptime(),
    }


@function("isDebugMode(): Boolean", category="type", examples=[("isDebugMode()", "false")], pure=False)
def is_debug_mode() -> bool:
    """Whether messages of debug are kept: after setLogLevel("DEBUG") or "TRACE"."""
    return host().session.level in ("TRACE", "DEBUG")


@function(
    "environment(): String",
    category="type",
    examples=[("environment()", '"production"')],
    pure=False,
    asks_environment=True,
)
def environment() -> str:
    """What kind of place this is: the variable UTLX_ENV, else production."""
    return host().variable("UTLX_ENV") or "production"

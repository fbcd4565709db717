"""One frozen object with every setting, resolved once: command line > environment > file > default.

Each setting is declared in one row of `OPTIONS`; the environment variable, the key of the
configuration file, the documentation page and `rolltop doctor --settings` all come from that row.
Below the entry points nothing reads the environment: engines get a `Settings`, or the mapping of
their own section (`settings.section("transform")`, from `[transform]` in the file and
`ROLLTOP_TRANSFORM_*` in the environment).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rolltop import settings_utlx
from rolltop import settings_values as read
from rolltop.errors import InvalidInput
from rolltop.settings_file import read_config

__all__ = ["OPTIONS", "Option", "Settings", "config_path", "load", "unknown_variables"]

SECTIONS = ("store", "transform", "reports", "catalog", "guide")
"""Engine sections: free-form mappings that the engine itself validates."""

LOG_LEVELS = ("TRACE", "DEBUG", "INFO", "WARNING", "ERROR")


@dataclass(frozen=True, slots=True)
class Settings:
    """What every part of rolltop is told at start. See `OPTIONS` for the meaning of each field."""

    workspace: Path
    config: Path
    toolsets: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    read_only: bool = False
    tool_prefix: str | None = None
    prefix_is_default: bool = False
    descriptions: str = "auto"
    tool_mode: str = "list"
    include_example_tools: bool = False
    budget_tokens: int = 25_000
    roots: tuple[Path, ...] = ()
    log_level: str = "WARNING"
    log_file: Path | None = None
    log_arguments: bool = False
    http_host: str = "127.0.0.1"
    http_port: int = 7779
    http_token: str | None = field(default=None, repr=False)
    http_body_limit: int = 4 << 20
    http_body_seconds: float = 30.0
    http_allowed_hosts: tuple[str, ...] = ()
    call_timeout: float = 300.0
    calls_per_minute: int = 60_000
    sandbox_user: str | None = None
    allow_unconfined: bool = False
    started_in: str | None = None
    """Where whoever started us stood (`PWD`); says something about the client on stdio only."""
    catalogs: tuple[str, ...] = ()
    catalog_groups: tuple[str, ...] = ()
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    def section(self, name: str) -> Mapping[str, Any]:
        """The settings of one engine, as the file and the environment give them."""
        return self.sections.get(name, MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: its field, where it may come from, how its text is read, what it means."""

    name: str
    env: tuple[str, ...]
    parse: Callable[[str], Any]
    meaning: str
    secret: bool = False

    @property
    def key(self) -> str:
        """The key in the configuration file."""
        return self.name


OPTIONS: tuple[Option, ...] = (
    Option("workspace", ("ROLLTOP_WORKSPACE",), read.path, "Directory that holds the store, the journal and reports."),
    Option(
        "toolsets", ("ROLLTOP_TOOLSETS",), read.names, "Tool sets to serve, comma-separated; all of them when empty."
    ),
    Option("exclude_tools", ("ROLLTOP_EXCLUDE_TOOLS",), read.names, "Single tools not to serve, comma-separated."),
    Option("read_only", ("ROLLTOP_READ_ONLY",), read.boolean, "Leave out every tool that writes."),
    Option("tool_prefix", ("MCP_TOOL_PREFIX",), read.prefix, "Prefix for tool names; the empty string disables it."),
    Option(
        "descriptions",
        ("ROLLTOP_DESCRIPTIONS",),
        read.one_of("auto", "full", "compact", "none"),
        "How much of a tool's description goes into tools/list.",
    ),
    Option(
        "tool_mode",
        ("ROLLTOP_TOOL_MODE",),
        read.one_of("list", "search"),
        "list: every tool is listed; search: everything behind three tools.",
    ),
    Option(
        "include_example_tools",
        ("MCP_INCLUDE_EXAMPLE_TOOLS",),
        read.strict_true,
        "Serve the example tools too; only the word true switches it on.",
    ),
    Option(
        "budget_tokens", ("ROLLTOP_BUDGET_TOKENS",), read.positive, "Largest answer of a tool, in estimated tokens."
    ),
    Option(
        "roots",
        ("ROLLTOP_ROOTS",),
        read.paths,
        "Directories that tools may read files from; when empty: the working directory, home, the temporary directory.",
    ),
    Option("log_level", ("ROLLTOP_LOG_LEVEL", "MCP_LOG_LEVEL"), read.one_of(*LOG_LEVELS), "Least severe level to log."),
    Option("log_file", ("ROLLTOP_LOG_FILE",), read.path, "File to log to instead of standard error."),
    Option(
        "log_arguments",
        ("ROLLTOP_LOG_ARGUMENTS",),
        read.boolean,
        "Keep argument values in the journal, not only their digest.",
    ),
    Option(
        "http_host", ("ROLLTOP_HTTP_HOST",), read.host, "Address to listen on; a token is required beyond 127.0.0.1."
    ),
    Option("http_port", ("ROLLTOP_HTTP_PORT", "MCP_PORT"), read.port, "Port to listen on; 0 takes a free one."),
    Option("http_token", ("ROLLTOP_HTTP_TOKEN",), read.token, "Bearer token that clients must send.", secret=True),
    Option("http_body_limit", ("ROLLTOP_HTTP_BODY_LIMIT",), read.positive, "Largest request body, in bytes."),
    Option("http_body_seconds", ("ROLLTOP_HTTP_BODY_SECONDS",), read.seconds, "How long a request body may take."),
    Option(
        "http_allowed_hosts",
        ("ROLLTOP_HTTP_ALLOWED_HOSTS",),
        read.names,
        "Host names, beyond the local ones, that requests may be addressed to.",
    ),
    Option(
        "catalogs",
        ("ROLLTOP_CATALOGS",),
        read.places,
        "R or Python packages, or paths, whose tools are served; separated by commas or colons.",
    ),
    Option(
        "catalog_groups",
        ("ROLLTOP_CATALOG_GROUPS",),
        read.names,
        "Groups of the catalogs' tools to serve, as regular expressions; all of them when empty.",
    ),
    Option("call_timeout", ("ROLLTOP_CALL_TIMEOUT",), read.seconds, "Longest run of one tool call, in seconds."),
    Option("calls_per_minute", ("ROLLTOP_CALLS_PER_MINUTE",), read.count, "Tool calls a caller may make; 0: no limit."),
    Option(
        "sandbox_user",
        ("ROLLTOP_SANDBOX_USER",),
        read.optional_text,
        "User that foreign code runs as when rolltop runs as root; nobody when empty.",
    ),
    Option(
        "allow_unconfined",
        ("ROLLTOP_ALLOW_UNCONFINED",),
        read.boolean,
        "Run foreign code with limits alone where this machine offers no confinement.",
    ),
)

_BY_KEY = {option.key: option for option in OPTIONS}


def home_directory() -> Path | None:
    """The user's; None where there is none, as in a container that runs as a mere number."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def config_path(env: Mapping[str, str]) -> Path | None:
    """Where the configuration file is: `ROLLTOP_CONFIG`, else the user's configuration directory, if there is one."""
    if given := env.get("ROLLTOP_CONFIG"):
        try:
            return read.path(given)
        except ValueError as error:
            raise InvalidInput(f"the setting ROLLTOP_CONFIG is not valid: {error}") from None
    return _of_user(env.get("XDG_CONFIG_HOME"), ".config", "config.toml")


def default_workspace(env: Mapping[str, str]) -> Path:
    found = _of_user(env.get("XDG_DATA_HOME"), ".local/share")
    if found is None:
        raise InvalidInput(
            "there is no home directory to have the workspace in",
            hint="Set ROLLTOP_WORKSPACE to a directory.",
        )
    return found


def _of_user(base: str | None, below: str, *names: str) -> Path | None:
    """A place of ours in a directory of the user's; None where there is no such directory."""
    home = None if base else home_directory()
    place = Path(base) if base else home and home / below
    return place and Path(place, "rolltop", *names)


def default_roots(cwd: Path | None, home: Path | None) -> tuple[Path, ...]:
    """The working directory unless it is `/`, home, and the system's temporary directory."""
    candidates = [path for path in (cwd, home, _temporary_directory()) if path is not None]
    return tuple(dict.fromkeys(path for path in candidates if path != Path(path.anchor)))


def _working_directory() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:  # somebody removed it
        return None


def _temporary_directory() -> Path:
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:  # the disk is full: it tries to write there, and reading needs no space
        return Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - nothing is made in it


def load(
    given: Mapping[str, Any] | None = None,
    *,
    env: Mapping[str, str] | None = None,
    config: Path | None = None,
    prefix_is_default: bool = False,
) -> Settings:
    """Resolve all settings. `given` holds what the command line set (absent or None: not set).

    `prefix_is_default`: the environment's tool prefix was put there by us, not by the user.
    """
    env = os.environ if env is None else env
    path = config or config_path(env)
    if path is None:  # without a home, the workspace is all there is
        path = _workspace(given or {}, env) / "config.toml"
    must_exist = config is not None or bool(env.get("ROLLTOP_CONFIG"))
    document = read_config(path, must_exist=must_exist, keys=[*_BY_KEY], sections=SECTIONS)
    values: dict[str, Any] = {"config": path}
    sources: dict[str, str] = {}
    for option in OPTIONS:
        found = _resolve(option, given or {}, env, document, path)
        if found is not None:
            values[option.name], sources[option.name] = found
    utlx = settings_utlx.read_config(env)
    for name in settings_utlx.SERVER:
        if name in utlx and name not in sources:
            origin = str(settings_utlx.config_file(env))
            values[name], sources[name] = _parsed(_BY_KEY[name], utlx[name], origin), origin
    if "workspace" not in values:
        values["workspace"] = default_workspace(env)
    values.setdefault("roots", default_roots(_working_directory(), home_directory()))
    return Settings(
        **values,
        prefix_is_default=prefix_is_default and sources.get("tool_prefix") == "MCP_TOOL_PREFIX",
        started_in=env.get("PWD"),
        sections={name: _section(name, document, env, utlx) for name in SECTIONS},
        sources=MappingProxyType(sources),
    )


def unknown_variables(env: Mapping[str, str]) -> dict[str, str | None]:
    """Variables that begin with ROLLTOP_ and set nothing, each with the one that was probably meant.

    Those of a section are not among them: the engine itself refuses a name that it does not know.
    """
    known = ["ROLLTOP_CONFIG", *(name for option in OPTIONS for name in option.env if name.startswith("ROLLTOP_"))]
    sections = tuple(f"ROLLTOP_{name.upper()}_" for name in SECTIONS)
    found = [name for name in env if name.startswith("ROLLTOP_") and name not in known]
    unknown = sorted(name for name in found if not name.startswith(sections))
    if not unknown:
        return {}
    from difflib import get_close_matches  # noqa: PLC0415 - seldom needed

    return {name: next(iter(get_close_matches(name, known, 1)), None) for name in unknown}


def _workspace(given: Mapping[str, Any], env: Mapping[str, str]) -> Path:
    """The workspace as far as the command line and the environment name it."""
    found = _resolve(_BY_KEY["workspace"], given, env, {}, Path())
    return found[0] if found else default_workspace(env)


def _resolve(
    option: Option, given: Mapping[str, Any], env: Mapping[str, str], document: Mapping[str, Any], path: Path
) -> tuple[Any, str] | None:
    if (value := given.get(option.name)) is not None:
        return _parsed(option, value, "command line"), "command line"
    for variable in option.env:
        # An empty variable that should name a place names none: it would be the working directory.
        if variable in env and (env[variable].strip() or option.parse is not read.path):
            return _parsed(option, env[variable], variable), variable
    if option.key in document:
        return _parsed(option, document[option.key], str(path)), str(path)
    return None


def _parsed(option: Option, value: Any, source: str) -> Any:
    try:
        return option.parse(_as_text(value))
    except ValueError as error:
        shown = "" if option.secret else f": {error}"
        raise InvalidInput(
            f"the setting {option.name} from {source} is not valid{shown}", hint=option.meaning
        ) from None


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        separator = os.pathsep if any(isinstance(item, Path) or os.sep in str(item) for item in value) else ","
        return separator.join(str(item) for item in value)
    return str(value)


def _section(
    name: str, document: Mapping[str, Any], env: Mapping[str, str], utlx: Mapping[str, Any]
) -> Mapping[str, Any]:
    marker = f"ROLLTOP_{name.upper()}_"
    merged: dict[str, Any] = {}
    if name == "transform":
        merged.update({key: value for key, value in utlx.items() if key not in settings_utlx.SERVER})
    merged.update(document.get(name, {}))
    if name == "transform":
        merged.update(settings_utlx.from_environment(env))
    merged.update({key[len(marker) :].lower(): value for key, value in env.items() if key.startswith(marker)})
    return MappingProxyType(merged)

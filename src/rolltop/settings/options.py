"""The table of settings: one row of `OPTIONS` declares a setting everywhere.

The environment variable, the key of the configuration file, the documentation page and `rolltop doctor --settings` all
come from that row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rolltop.settings import values as read

__all__ = ["LOG_LEVELS", "OPTIONS", "SECTIONS", "Option", "Settings"]

SECTIONS = ("store", "transform", "reports", "catalog", "guide")
"""Engine sections: mappings that the engine itself validates."""

LOG_LEVELS = ("TRACE", "DEBUG", "INFO", "WARNING", "ERROR")


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting. See `OPTIONS` for the meaning of each field."""

    workspace: Path
    config: Path
    toolsets: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    read_only: bool = False
    tool_prefix: str | None = None
    prefix_is_default: bool = False
    descriptions: str = "auto"
    output_schemas: bool = True
    tool_mode: str = "list"
    include_example_tools: bool = False
    page: bool = False
    budget_tokens: int = 25_000
    roots: tuple[Path, ...] = ()
    export_folder: Path | None = None
    writable_names: tuple[str, ...] = ()
    consent: str = "ask"
    consent_seconds: float = 300.0
    log_level: str = "WARNING"
    log_file: Path | None = None
    log_arguments: bool = False
    journal_text: int = 4_000
    journal_rows: int = 200_000
    journal_days: int = 90
    journal_megabytes: int = 512
    http_host: str = "127.0.0.1"
    http_port: int = 7779
    http_token: str | None = field(default=None, repr=False)
    http_body_limit: int = 4 << 20
    http_body_seconds: float = 30.0
    http_allowed_hosts: tuple[str, ...] = ()
    team: bool = False
    public_url: str | None = None
    oauth_issuer: str | None = None
    oauth_audience: tuple[str, ...] = ()
    oauth_keys_url: str | None = None
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    trusted_proxies: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    sessions: int = 1_000
    session_idle_seconds: float = 1800.0
    drain_seconds: float = 2.0
    log_format: str = "text"
    concurrent_calls: int = 8
    written_megabytes: int = 0
    team_workspace: Path | None = None
    """The workspace that a space is part of; what is in there stays closed to the space's tools."""
    call_timeout: float = 300.0
    calls_per_minute: int = 60_000
    sandbox_user: str | None = None
    allow_unconfined: bool = False
    started_in: str | None = None
    """The working directory of the process that started us (`PWD`); tells about the client on stdio only."""
    catalogs: tuple[str, ...] = ()
    catalog_groups: tuple[str, ...] = ()
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def exports(self) -> Path:
        """The directory that tools may write new files to without a question."""
        return self.export_folder or self.workspace / "exports"

    def section(self, name: str) -> Mapping[str, Any]:
        """The settings of one engine, as given in the file and the environment."""
        return self.sections.get(name, MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: its field, its environment variables, how its text is parsed, what it means."""

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
    Option("tools", ("ROLLTOP_TOOLS",), read.names, "Serve exactly these tools, comma-separated; all when empty."),
    Option("exclude_tools", ("ROLLTOP_EXCLUDE_TOOLS",), read.names, "Single tools not to serve, comma-separated."),
    Option("read_only", ("ROLLTOP_READ_ONLY",), read.boolean, "Leave out every tool that writes."),
    Option("tool_prefix", ("MCP_TOOL_PREFIX",), read.prefix, "Prefix for tool names; the empty string disables it."),
    Option(
        "descriptions",
        ("ROLLTOP_DESCRIPTIONS",),
        read.one_of("auto", "full", "compact", "none"),
        "How much of a tool goes into tools/list. auto: its use, and four sections for the tools of flags and "
        "get_content; full: four sections for each; compact: shorter schemas too; none: no description.",
    ),
    Option(
        "output_schemas",
        ("ROLLTOP_OUTPUT_SCHEMAS",),
        read.boolean,
        "Whether tools/list carries the schemas of the answers; switch it off for clients that show them to the model.",
    ),
    Option(
        "tool_mode",
        ("ROLLTOP_TOOL_MODE",),
        read.one_of("list", "search"),
        "list: every tool is listed; search: everything behind three tools.",
    ),
    Option(
        "page",
        ("ROLLTOP_PAGE",),
        read.boolean,
        "Serve the local page beside a stdio server, on a free port of 127.0.0.1.",
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
    Option(
        "export_folder",
        ("ROLLTOP_EXPORT_FOLDER",),
        read.path,
        "Directory that tools write new files to without a question; exports in the workspace when empty.",
    ),
    Option(
        "writable_names",
        ("ROLLTOP_WRITABLE_NAMES",),
        read.names,
        "Names, as patterns, of files and folders that tools may write although other programs execute or obey them.",
    ),
    Option(
        "consent",
        ("ROLLTOP_CONSENT",),
        read.one_of("ask", "literal", "never"),
        "ask: a human agrees to what destroys or runs something; literal: the consent argument counts where nobody "
        "can be asked; never: such calls are refused.",
    ),
    Option("consent_seconds", ("ROLLTOP_CONSENT_SECONDS",), read.seconds, "How long a call waits for a human."),
    Option("log_level", ("ROLLTOP_LOG_LEVEL", "MCP_LOG_LEVEL"), read.one_of(*LOG_LEVELS), "Least severe level to log."),
    Option("log_format", ("ROLLTOP_LOG_FORMAT",), read.one_of("text", "json"), "How a line of the log is written."),
    Option("log_file", ("ROLLTOP_LOG_FILE",), read.path, "File to log to instead of standard error."),
    Option(
        "log_arguments",
        ("ROLLTOP_LOG_ARGUMENTS",),
        read.boolean,
        "Keep arguments, with secrets masked, and the beginning of answers in the journal, not only a digest.",
    ),
    Option(
        "journal_text",
        ("ROLLTOP_JOURNAL_TEXT",),
        read.count,
        "Characters of the arguments and of the answer that log_arguments keeps of a call.",
    ),
    Option("journal_rows", ("ROLLTOP_JOURNAL_ROWS",), read.positive, "Calls that the journal keeps."),
    Option("journal_days", ("ROLLTOP_JOURNAL_DAYS",), read.count, "Days that it keeps them; 0: no limit."),
    Option("journal_megabytes", ("ROLLTOP_JOURNAL_MEGABYTES",), read.count, "Size of its file; 0: no limit."),
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
        "team",
        ("ROLLTOP_TEAM",),
        read.boolean,
        "Serve several people over HTTP: each sends a token of their own and has a role. Files of this machine are "
        "closed to tools unless roots names directories.",
    ),
    Option(
        "public_url",
        ("ROLLTOP_PUBLIC_URL",),
        read.web_address,
        "URL by which clients know this server, as in https://desk.example.org; requests may be addressed to its host.",
    ),
    Option(
        "oauth_issuer",
        ("ROLLTOP_OAUTH_ISSUER",),
        read.web_address,
        "Authorization server whose access tokens are accepted (with team); as in the claim iss, to the letter.",
    ),
    Option(
        "oauth_audience",
        ("ROLLTOP_OAUTH_AUDIENCE",),
        read.names,
        "Audiences that its tokens may be for, comma-separated; the public URL with /mcp when empty.",
    ),
    Option(
        "oauth_keys_url",
        ("ROLLTOP_OAUTH_KEYS_URL",),
        read.web_address,
        "Where its keys are (JWKS); found by its metadata when empty.",
    ),
    Option("tls_certificate", ("ROLLTOP_TLS_CERTIFICATE",), read.path, "File with the certificate chain, for HTTPS."),
    Option("tls_key", ("ROLLTOP_TLS_KEY",), read.path, "File with the private key of the certificate."),
    Option(
        "trusted_proxies",
        ("ROLLTOP_TRUSTED_PROXIES",),
        read.names,
        "Addresses or networks of reverse proxies whose X-Forwarded-For, -Proto and -Host are believed.",
    ),
    Option(
        "cors_origins",
        ("ROLLTOP_CORS_ORIGINS",),
        read.names,
        "Origins of web pages that may call this server from a browser, as in https://app.example.org.",
    ),
    Option(
        "sessions",
        ("ROLLTOP_SESSIONS",),
        read.positive,
        "Sessions open at a time over HTTP; above that a new one replaces the longest idle.",
    ),
    Option("session_idle_seconds", ("ROLLTOP_SESSION_IDLE_SECONDS",), read.seconds, "When an idle session ends."),
    Option("drain_seconds", ("ROLLTOP_DRAIN_SECONDS",), read.seconds, "How long calls under way may go on at the end."),
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
        "concurrent_calls",
        ("ROLLTOP_CONCURRENT_CALLS",),
        read.count,
        "Tool calls of one member of a team that run at a time; further ones wait. 0: no limit.",
    ),
    Option(
        "written_megabytes",
        ("ROLLTOP_WRITTEN_MEGABYTES",),
        read.count,
        "Megabytes that one member of a team may send to tools that write, in a day; 0: no limit.",
    ),
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

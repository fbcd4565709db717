"""Open a workspace directory and build the engines from the settings: the composition root.

Several processes share one workspace. Engines are built at first use, so a server that only transforms data never opens
the store.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rolltop.base.atomic_files import write_file
from rolltop.base.http_token import is_loopback_url, kept_token
from rolltop.base.os_errors import explain_os_error
from rolltop.confine import Policy, set_policy
from rolltop.errors import InvalidData, InvalidInput, PermissionDenied, RolltopError
from rolltop.files import Files
from rolltop.journal import Journal, Retention
from rolltop.settings import Settings

if TYPE_CHECKING:
    from rolltop.approvals import Approvals
    from rolltop.catalog.live import Catalog
    from rolltop.guide import Guide
    from rolltop.origin import Memo, Origins
    from rolltop.reports import Reports
    from rolltop.store import Library
    from rolltop.transform.service import Service

__all__ = ["FORMAT", "Workspace"]

FORMAT = 1
"""The layout of the directory; a newer one is refused, never rewritten."""
TRIAL = 1 << 16
"""Bytes: less than this, and nothing can be kept."""


class Workspace:
    """What tools, commands and pages work with. With `background`, engines may go on working between calls."""

    def __init__(self, settings: Settings, *, background: bool = False) -> None:
        self.settings = settings
        self._background = background
        self.root = settings.workspace
        set_policy(Policy(settings.sandbox_user, settings.allow_unconfined))

    def prepare(self) -> Path:
        """Make the directory if it is not there, private to the user, and check that it is ours."""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._check_marker()
        except OSError as error:
            raise _unusable(self.root, error) from None
        return self.root

    def try_out(self) -> None:
        """Write something into the workspace, as every tool that keeps anything will."""
        trial = self.prepare() / f".trial.{os.getpid()}"
        try:
            with open(trial, "wb", opener=_privately) as file:
                file.write(b"\0" * TRIAL)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unusable(self.root, error) from None
        finally:
            with contextlib.suppress(OSError):
                trial.unlink()

    def _check_marker(self) -> None:
        marker = self.root / "workspace.json"
        try:
            found = json.loads(marker.read_text("utf-8"))["format"]
        except FileNotFoundError:
            self._write_marker(marker)
            return
        except (ValueError, KeyError, TypeError):
            raise InvalidData(
                f"{marker} is not a workspace marker", hint="Restore it, or choose another workspace."
            ) from None
        if not isinstance(found, int) or found > FORMAT:
            raise InvalidData(
                f"the workspace {self.root} was made by a newer rolltop (format {found})", hint="Upgrade rolltop."
            )

    @staticmethod
    def _write_marker(marker: Path) -> None:
        # Several processes may start at once: each writes the same bytes and the last rename wins.
        write_file(marker, (json.dumps({"format": FORMAT}) + "\n").encode("utf-8"), durable=False)

    def _private(self, name: str) -> Path:
        """A directory of the workspace for its user alone, also where the workspace itself is open to others."""
        place = self.prepare() / name
        try:
            place.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise _unusable(place, error) from None
        return place

    def _cache(self) -> Path:
        with contextlib.suppress(RolltopError):  # where it cannot be made, nothing is kept
            return self._private("cache")
        return self.root / "cache"

    def check_sections(self) -> None:
        """Refuse an engine's setting that is wrong. An engine without settings is not loaded for it."""
        section = self.settings.section
        if self.settings.sandbox_user:
            _check_user(self.settings.sandbox_user)
        if section("store"):
            from rolltop.store import Options  # noqa: PLC0415 - seldom needed

            Options.from_section(section("store"))
        if section("transform"):
            from rolltop.transform.service import ServiceConfig  # noqa: PLC0415

            ServiceConfig.from_section(section("transform"))
        if section("reports"):
            from rolltop.reports import ReportsConfig  # noqa: PLC0415

            ReportsConfig.read(section("reports"))
        if section("catalog"):
            from rolltop.catalog.live import CatalogSettings  # noqa: PLC0415

            CatalogSettings.from_section(section("catalog"))
        if section("guide"):
            _ = self.guide

    @cached_property
    def files(self) -> Files:
        """The one way to open a file of the user's."""
        return Files.from_settings(self.settings, own=self._closed, kept=self._served_directories)

    @property
    def _closed(self) -> list[Path]:
        team = self.settings.team_workspace
        return [self.guide_directory, *([team] if team is not None else [])]

    @property
    def guide_directory(self) -> Path:
        """The directory of the guide's configuration."""
        given = self.settings.section("guide").get("config_dir")
        default = self.settings.config.parent / "guide"
        return Path(os.path.expandvars(str(given))).expanduser().absolute() if given else default

    def _served_directories(self) -> list[Path]:
        """Directories of the catalogs that are served: what is written there would be run."""
        if not (self.settings.catalogs or self.settings.section("catalog") or self._attachments.exists()):
            return []
        return self.catalog.directories()

    @property
    def _attachments(self) -> Path:
        return self.root / "catalogs.json"

    @cached_property
    def guide(self) -> Guide:
        """Content by expression, flags and projects; the user's, not the workspace's: it lies in the configuration."""
        from rolltop.guide import Guide  # noqa: PLC0415 - built, and loaded, at first use

        return Guide.from_section(self.settings.section("guide"), self.guide_directory, self.files)

    @cached_property
    def catalog(self) -> Catalog:
        """Tools made from documented functions."""
        from rolltop.catalog.live import Catalog, CatalogSettings  # noqa: PLC0415 - engines are loaded when used

        settings = CatalogSettings.from_section(
            self.settings.section("catalog"), self.settings.catalogs, self.settings.catalog_groups
        )
        return Catalog(settings, self._attachments)

    @cached_property
    def journal(self) -> Journal:
        chosen = self.settings
        retention = Retention(chosen.journal_rows, chosen.journal_days, chosen.journal_megabytes, chosen.journal_text)
        return Journal(self.root / "journal.sqlite", self.prepare, retention)

    @cached_property
    def approvals(self) -> Approvals:
        """Questions to the owner, and their answers."""
        from rolltop.approvals import Approvals  # noqa: PLC0415 - asyncio is not free

        return Approvals(self.root / "approvals.sqlite", self.prepare)

    @cached_property
    def origins(self) -> Origins:
        """Where made things come from."""
        from rolltop.origin import Origins  # noqa: PLC0415 - built at first use

        return Origins(self.root / "origin.sqlite", self.prepare)

    @cached_property
    def memo(self) -> Memo:
        """Answers of pure work."""
        from rolltop.origin import Memo  # noqa: PLC0415 - built at first use

        return Memo(self._cache() / "memo.sqlite")

    @cached_property
    def store(self) -> Library:
        """The documents."""
        return self.open_store()

    def open_store(self, **changes: Any) -> Library:
        """The documents with some options changed, to be closed by the caller."""
        from rolltop.store import Library, Options  # noqa: PLC0415 - built at first use

        options = Options.from_section(
            self.settings.section("store"), read_only=self.settings.read_only, background=self._background
        )
        return Library(self.prepare() / "store", replace(options, **changes))

    @cached_property
    def transform(self) -> Service:
        """Transformations, checked and run in limited workers."""
        from rolltop.transform.service import Service, ServiceConfig  # noqa: PLC0415 - built at first use

        config = ServiceConfig.from_section(self.settings.section("transform"), self.settings.sandbox_user)
        if config.daemon_url is not None and config.daemon_token is None and is_loopback_url(config.daemon_url):
            config = replace(config, daemon_token=self.settings.http_token or kept_token(self.root))
        return Service(config)

    @cached_property
    def reports(self) -> Reports:
        """R Markdown documents in `rmd/`, what was rendered from them in `rmd/output/`."""
        return self.open_reports()

    def open_reports(self, **changes: Any) -> Reports:
        """The reports with some settings changed: a command that renders once keeps no warm R."""
        from rolltop.reports import Reports, ReportsConfig  # noqa: PLC0415 - built at first use
        from rolltop.reports.containers import find_engine  # noqa: PLC0415

        config = replace(ReportsConfig.read(self.settings.section("reports")), **changes)
        return Reports(
            self._private("rmd"),
            config,
            cache=self._cache() / "reports",
            engine_host=find_engine(config.docker_host, os.environ),
        )

    def close(self) -> None:
        """Close what was opened, in any state."""
        for name in ("catalog", "reports", "transform", "store", "origins", "memo", "approvals", "journal"):
            part = self.__dict__.pop(name, None)
            if part is not None:
                with contextlib.suppress(OSError):
                    part.close()


def _unusable(place: Path, error: OSError) -> RolltopError:
    full = explain_os_error(error, place)
    return full or PermissionDenied(
        f"the workspace {place} cannot be used: {error.strerror}",
        hint="Choose another with --workspace DIR or ROLLTOP_WORKSPACE.",
    )


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _check_user(user: str) -> None:
    """As an ordinary user we run foreign code ourselves, and it does not matter."""
    from rolltop.confine.identity import foreign_identity  # noqa: PLC0415 - seldom needed

    try:
        foreign_identity(user)
    except InvalidInput as error:
        raise InvalidInput(
            f"the setting sandbox_user is not valid: {error}", hint="Name an ordinary user, or none for nobody."
        ) from None

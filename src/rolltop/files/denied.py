"""Files and directories that are never opened, although they lie inside an allowed root.

Comparisons ignore case and Unicode form, as some file systems do.
"""

from __future__ import annotations

import fnmatch
import os
import re
import stat
import threading
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ANYWHERE", "EXCEPTIONS", "IN_HOME", "SYSTEM", "Denied", "Links", "plain_parts"]


ANYWHERE: dict[str, str] = {
    # directories; everything below them is denied too
    ".ssh": "SSH keys",
    ".gnupg": "GnuPG keys",
    ".aws": "AWS credentials",
    ".azure": "Azure credentials",
    ".kube": "Kubernetes credentials",
    ".oci": "Oracle cloud credentials",
    ".password-store": "passwords",
    ".mozilla": "browser profile",
    ".thunderbird": "mail profile",
    "keyrings": "keyring",
    "kwalletd": "keyring",
    # files
    ".netrc": "credentials",
    "_netrc": "credentials",
    ".authinfo": "credentials",
    ".authinfo.gpg": "credentials",
    ".git-credentials": "credentials",
    ".pgpass": "database passwords",
    ".my.cnf": "database passwords",
    ".mylogin.cnf": "database passwords",
    ".pypirc": "package index credentials",
    ".npmrc": "package index credentials",
    ".yarnrc.yml": "package index credentials",
    ".dockercfg": "registry credentials",
    ".htpasswd": "passwords",
    ".vault-token": "credentials",
    ".env": "credentials",
    ".env.*": "credentials",
    ".envrc": "credentials",
    ".renviron": "credentials",
    "id_rsa": "private key",
    "id_dsa": "private key",
    "id_ecdsa": "private key",
    "id_ecdsa_sk": "private key",
    "id_ed25519": "private key",
    "id_ed25519_sk": "private key",
    "*.kdbx": "password database",
    "*.keychain": "keychain",
    "*.keychain-db": "keychain",
    "*_history": "history",
    ".*_history": "history",
    ".histfile": "history",
    ".rhistory": "history",
    ".lesshst": "history",
    ".viminfo": "history",
    ".wget-hsts": "history",
}
"""File names, with what they hold."""

EXCEPTIONS = (".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults")
"""Names that a pattern above matches and that are meant to be read."""

IN_HOME: dict[str, str] = {
    ".config/google-chrome": "browser profile",
    ".config/google-chrome-beta": "browser profile",
    ".config/chromium": "browser profile",
    ".config/BraveSoftware": "browser profile",
    ".config/microsoft-edge": "browser profile",
    ".config/vivaldi": "browser profile",
    ".config/opera": "browser profile",
    ".cache/mozilla": "browser profile",
    ".cache/google-chrome": "browser profile",
    ".cache/chromium": "browser profile",
    ".var/app": "data of other programs",
    "snap/firefox": "browser profile",
    "snap/chromium": "browser profile",
    "Library/Keychains": "keychain",
    "Library/Cookies": "browser profile",
    "Library/Safari": "browser profile",
    "Library/Mail": "mail",
    "Library/Messages": "messages",
    "Library/Application Support/Google/Chrome": "browser profile",
    "Library/Application Support/Firefox": "browser profile",
    "Library/Application Support/BraveSoftware": "browser profile",
    "Library/Application Support/Microsoft Edge": "browser profile",
    ".config/gcloud": "cloud credentials",
    ".config/gh": "GitHub credentials",
    ".config/glab-cli": "GitLab credentials",
    ".config/hub": "GitHub credentials",
    ".config/op": "password manager",
    ".config/Bitwarden": "password manager",
    ".config/keepassxc": "password manager",
    ".config/rclone": "storage credentials",
    ".config/sops": "keys",
    ".config/age": "keys",
    ".config/doctl": "cloud credentials",
    ".config/containers/auth.json": "registry credentials",
    ".config/pip/pip.conf": "package index credentials",
    ".config/pypoetry/auth.toml": "package index credentials",
    ".config/fish/fish_variables": "shell variables",
    ".config/github-copilot": "credentials",
    ".docker/config.json": "registry credentials",
    ".cargo/credentials": "package index credentials",
    ".cargo/credentials.toml": "package index credentials",
    ".gem/credentials": "package index credentials",
    ".m2/settings.xml": "package index credentials",
    ".m2/settings-security.xml": "package index credentials",
    ".gradle/gradle.properties": "package index credentials",
    ".terraform.d": "cloud credentials",
    ".terraformrc": "cloud credentials",
    ".databrickscfg": "credentials",
    ".snowsql": "credentials",
    ".s3cfg": "storage credentials",
    ".boto": "storage credentials",
    ".claude.json": "credentials of an agent",
    ".claude/.credentials.json": "credentials of an agent",
    ".codex/auth.json": "credentials of an agent",
    ".gemini/oauth_creds.json": "credentials of an agent",
    ".Xauthority": "display credentials",
    ".ICEauthority": "display credentials",
    ".pki": "certificates",
    ".local/share/keyrings": "keyring",
    ".local/share/rolltop": "rolltop's own data",
    ".config/rolltop": "rolltop's own settings",
}
"""Places below a home directory, with what they hold."""

SYSTEM: dict[str, str] = {
    "/proc": "processes",
    "/sys": "the kernel",
    "/dev": "devices",
    "/run": "sockets and secrets of services",
    "/var/run": "sockets and secrets of services",
    "/boot": "the kernel",
    "/etc/shadow": "passwords",
    "/etc/shadow-": "passwords",
    "/etc/gshadow": "passwords",
    "/etc/gshadow-": "passwords",
    "/etc/sudoers": "rights",
    "/etc/sudoers.d": "rights",
    "/etc/ssh": "keys of this machine",
    "/etc/ssl/private": "private keys",
    "/var/lib/docker": "containers",
    "/var/lib/containers": "containers",
    "/var/spool/cron": "jobs of users",
    "/var/mail": "mail",
}
"""System directories and files that stay closed even if `/` is a root."""


_OURS = ("rolltop's own data", "rolltop's own settings")


@dataclass(frozen=True)
class Denied:
    """The table for one user: `Denied.why(real_path)`."""

    homes: tuple[Path, ...]
    own: tuple[Path, ...]
    extra: tuple[Path, ...] = ()
    opened: tuple[Path, ...] = ()
    """Directories inside `own` that are open: the export folder."""

    def __post_init__(self) -> None:
        places = dict(SYSTEM)
        for home in self.homes:
            names = {name: what for name, what in ANYWHERE.items() if "*" not in name}
            for place, what in (IN_HOME | names).items():
                places[str(home / place)] = what
                # A user may keep such a directory elsewhere behind a link; that place is closed as well.
                places[os.path.realpath(home / place)] = what
        places |= {str(place): "closed by the settings" for place in self.extra}
        places |= {str(place): "rolltop's own data" for place in self.own}
        object.__setattr__(self, "_places", {plain_parts(Path(place).parts): what for place, what in places.items()})
        object.__setattr__(self, "_opened", {plain_parts(place.parts) for place in self.opened})

    def why(self, real: Path) -> str | None:
        """What the file holds that keeps it closed; None if it may be opened."""
        parts = plain_parts(real.parts)
        return self._by_place(parts) or self._by_name(parts)

    def _by_place(self, parts: tuple[str, ...]) -> str | None:
        places: dict[tuple[str, ...], str] = self._places  # type: ignore[attr-defined]
        for length in range(2, len(parts) + 1):
            if (what := places.get(parts[:length])) and not (what in _OURS and self._is_opened(parts)):
                return what
        return None

    def _is_opened(self, parts: tuple[str, ...]) -> bool:
        opened: set[tuple[str, ...]] = self._opened  # type: ignore[attr-defined]
        return any(parts[:length] in opened for length in range(2, len(parts) + 1))

    def _by_name(self, parts: Sequence[str]) -> str | None:
        for part in parts:
            if (found := _NAMES.fullmatch(part)) and part not in EXCEPTIONS:
                return _WHAT[found.lastindex or 0]
        return None

    def small_places(self) -> Iterable[Path]:
        """Places whose files are recognised under a hard link too."""
        for home in self.homes:
            for place in (*IN_HOME, *(name for name in ANYWHERE if "*" not in name)):
                yield Path(os.path.realpath(home / place))
            yield from self._closed_by_pattern(home)
        yield from self.extra
        yield from self.own

    def _closed_by_pattern(self, home: Path) -> Iterable[Path]:
        """Files of a home directory that a pattern such as `*_history` closes."""
        try:
            names = os.listdir(home)
        except OSError:
            return
        for name in names:
            if self._by_name(plain_parts((name,))) is not None:
                yield Path(os.path.realpath(home / name))


def plain_parts(parts: Sequence[str]) -> tuple[str, ...]:
    """Names in one form for comparisons: some file systems regard neither case nor Unicode form."""
    return tuple(unicodedata.normalize("NFC", part).casefold() for part in parts)


def _compiled() -> tuple[re.Pattern[str], list[str]]:
    patterns = [fnmatch.translate(name.casefold()) for name in ANYWHERE]
    return re.compile("|".join(f"({pattern})" for pattern in patterns)), ["", *ANYWHERE.values()]


_NAMES, _WHAT = _compiled()


_FRESH = 2.0
"""Seconds that the inodes are cached; a tool reads many files in a row."""

_MOST = 100_000
"""Entries that are read in one closed place, so that a large one does not keep the others from being read."""


class Links:
    """The inodes of closed files. Only asked about files with several names, which are few."""

    def __init__(self, denied: Denied) -> None:
        self._denied = denied
        self._lock = threading.Lock()
        self._known: frozenset[tuple[int, int]] = frozenset()
        self._until = 0.0

    def lead_to_denied(self, info: os.stat_result) -> bool:
        with self._lock:
            if time.monotonic() > self._until:
                self._known = frozenset(self._numbers())
                self._until = time.monotonic() + _FRESH
            return (info.st_dev, info.st_ino) in self._known

    def _numbers(self) -> Iterator[tuple[int, int]]:
        for place in self._denied.small_places():
            yield from _numbers_in(place)


def _numbers_in(top: Path) -> Iterator[tuple[int, int]]:
    seen, waiting = 0, [top]
    while waiting and seen < _MOST:
        place = waiting.pop()
        try:
            info = os.lstat(place)
            if not stat.S_ISDIR(info.st_mode):
                yield info.st_dev, info.st_ino
                continue
            with os.scandir(place) as entries:
                for entry in entries:
                    seen += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    else:
                        found = entry.stat(follow_symlinks=False)
                        yield found.st_dev, found.st_ino
        except OSError:
            continue

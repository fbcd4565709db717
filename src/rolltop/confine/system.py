"""What a confined program sees of this machine's system, read-only."""

from __future__ import annotations

__all__ = ["SYSTEM_DEVICES", "SYSTEM_LINKS", "SYSTEM_READ"]

SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into /usr on a merged system, directories elsewhere."""

SYSTEM_READ = (
    "/usr",
    "/etc/alternatives",
    "/etc/dpkg",  # dpkg-query fails where it cannot read its configuration
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/papersize",
    "/etc/R",
    "/etc/texmf",
    "/opt/R",
    "/var/cache/fontconfig",
    "/var/lib/dpkg",  # Debian's rmarkdown asks dpkg-query where jquery is
    "/var/lib/texmf",
)
"""What programs read of a system and what holds no secrets: no /etc/passwd, no /home, no /var but these."""

SYSTEM_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
"""Devices for the rungs that have no /dev of their own."""

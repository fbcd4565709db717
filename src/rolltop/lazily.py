"""Packages whose public names are loaded at first use, so that importing one costs next to nothing."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["lazily"]


def lazily(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a package, from its modules and the names that each gives."""
    homes = {name: module for module, given in names.items() for name in given.split()}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load

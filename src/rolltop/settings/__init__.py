"""One frozen object with every setting, resolved once: command line > environment > file > default.

Below the entry points nothing reads the environment: engines get a `Settings`, or the mapping of their own section
(`settings.section("transform")`, from `[transform]` in the file and `ROLLTOP_TRANSFORM_*` in the environment).
"""

from rolltop.settings.directories import config_path, default_roots, home_directory, temporary_directory
from rolltop.settings.options import OPTIONS, SECTIONS, Option, Settings
from rolltop.settings.resolution import load, unknown_variables

__all__ = [
    "OPTIONS",
    "SECTIONS",
    "Option",
    "Settings",
    "config_path",
    "default_roots",
    "home_directory",
    "load",
    "temporary_directory",
    "unknown_variables",
]

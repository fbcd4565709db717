"""The standard library of UTL-X: one declaration per function, families loaded when first used.

`declare` has the decorator and says what a body receives; `host` is the only way to clock, randomness and
environment; `registry` finds functions by name. The folders hold the functions by subject, and the helpers that only
they use. The names below are imported on first use: a program that calls no function needs none of this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rolltop.base.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from rolltop.transform.stdlib.declare import CATEGORIES, Function, Parameter, Signature, function
    from rolltop.transform.stdlib.host import Host, host, installed
    from rolltop.transform.stdlib.registry import all_names, find, functions

__all__ = [
    "CATEGORIES",
    "Function",
    "Host",
    "Parameter",
    "Signature",
    "all_names",
    "find",
    "function",
    "functions",
    "host",
    "installed",
]

__getattr__ = lazy_attributes(
    __name__,
    {
        "declare": "CATEGORIES Function Parameter Signature function",
        "host": "Host host installed",
        "registry": "all_names find functions",
    },
)

"""Names that every program calls: those of the types and functions that a language brings with it.

A document that defines one of them too is not what others mean.
"""

from __future__ import annotations

import builtins
import io
from collections.abc import Sequence

__all__ = ["is_usual"]

_TYPES: Sequence[type] = (
    str,
    bytes,
    bytearray,
    int,
    float,
    list,
    tuple,
    dict,
    set,
    frozenset,
    io.TextIOWrapper,
    Exception,
)
_PYTHON = frozenset(dir(builtins)).union(*(dir(each) for each in _TYPES))

_SCRIPT = """
addEventListener apply assign bind call catch charAt charCodeAt clear clearInterval clearTimeout codePointAt concat
copyWithin create defineProperty delete endsWith entries error every exec exit fetch fill filter finally find
findIndex findLast flat flatMap floor forEach freeze from fromEntries getTime has hasOwnProperty includes indexOf info
isArray join keys lastIndexOf localeCompare match matchAll normalize padEnd padStart parse parseFloat parseInt push
race reduce reduceRight reject repeat replace replaceAll require resolve reverse round search setInterval setTimeout
shift slice some sort splice split startsWith stringify substr substring test then toFixed toISOString toLocaleString
toLowerCase toString toUpperCase trim trimEnd trimStart unshift valueOf values warn
"""

_OTHERS = """
accept append apply assert assertEquals await charAt clear clone close collect compare compareTo concat contains
containsKey copy count create delete drop each echo empty equals error exit filter find first flush foreach format
free from get getClass hashCode include index indexOf init insert into isEmpty iter join keys last len length list
main make malloc match memcpy memset name next note open panic parse paste paste0 pop popen print printf println push
push_back puts raise range read reduce remove replace require reset return run select send size sort split sprintf
start stop strcmp strlen substring test then toLowerCase toString toUpperCase trim type unwrap update valueOf values
vector write writeln
"""

_NAMES = {"python": _PYTHON, "javascript": frozenset(_SCRIPT.split())}
_ELSEWHERE = frozenset(_OTHERS.split())


def is_usual(name: str, family: str) -> bool:
    """Whether programs of this family of languages call that without meaning a document."""
    return name in _NAMES.get(family, _ELSEWHERE)

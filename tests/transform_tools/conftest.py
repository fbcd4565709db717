"""Room for recursion from the start: hypothesis watches the limit."""

from __future__ import annotations

import sys

from rolltop.transform.stack import DEPTH

sys.setrecursionlimit(max(DEPTH, sys.getrecursionlimit()))

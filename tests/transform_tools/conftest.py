"""Room for recursion from the start (hypothesis watches the limit), and what stands beside the tests."""

from __future__ import annotations

import sys
from pathlib import Path

from rolltop.transform.stack import DEPTH

sys.setrecursionlimit(max(DEPTH, sys.getrecursionlimit()))
sys.path.insert(0, str(Path(__file__).parent))
